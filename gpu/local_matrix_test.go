//go:build linux && !nogpu

package gpu

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	rules "segscan/kernels"
	"segscan/segment"
)

// kernelOf is the name of the kernel that makes the planes of local means of 8-bit samples, and of the one for aligned
// lines if there is another.
func kernelOf(e *Engine, windowX, windowY int) string {
	v := rules.LocalView{HalfLines: windowY / 2, HalfSamples: windowX / 2}
	c := &localClasses{rule: rules.Local{Rule: rules.LocalMean, WindowX: windowX, WindowY: windowY}}
	c.params.Area, c.params.HalfLines, c.params.HalfSamples = float64(windowX*windowY), uint32(v.HalfLines), uint32(v.HalfSamples)
	c.chooseSums(segment.U8, v)
	if c.kernel == "local_mean_u8" {
		e.chooseMatrix(c)
		e.chooseNarrow(c)
	}
	if c.aligned != nil {
		return c.kernel + " " + c.aligned.name
	}
	return c.kernel
}

// Means of 8-bit samples are taken to products of matrices where there is room for the lines and 16 bits for their changes.
func TestMatrixKernelsAreChosen(t *testing.T) {
	e := open(t, "", Options{})
	for _, c := range []struct {
		x, y int
		want string
	}{
		{3, 3, "matrix_small_u8 local_narrow"}, {29, 31, "matrix_small_u8 local_narrow"}, {31, 31, "matrix_one_u8 local_narrow"},
		{33, 257, "matrix_one"}, {31, 59, "matrix_one_u8 local_narrow"}, {3, 61, "matrix_small"}, {33, 5, "matrix_one_u8 local_narrow"}, {35, 31, "matrix_odd"}, {63, 63, "matrix_three"},
		{65, 3, "matrix_three"}, {97, 3, "matrix_even"}, {127, 127, "matrix_even"}, {125, 255, "matrix_odd"}, {127, 257, "matrix_even"},
		{127, 399, "mean_wide"}, {129, 3, "mean"}, {255, 255, "mean"}, {257, 257, "mean_wide"},
	} {
		if got := kernelOf(e, c.x, c.y); got != "local_"+c.want+"_u8" {
			t.Errorf("a window of %dx%d: %s, want %s", c.x, c.y, got, c.want)
		}
	}
}

// matrixWindows have each place where a window may begin and end among pieces of 16 columns, and rings from the shortest on.
var matrixWindows = []string{"1x3", "3", "15", "29x5", "31", "33x9", "35", "41x29", "47x1", "49", "63x31", "65x3", "97x15", "125x3", "127"}

// Local means by products of matrices, on pages of one tile and of several, with lines at every alignment, whole and in part.
func TestMatrixMeans(t *testing.T) {
	for _, small := range []bool{false, true} { // blocks of as few lines as can be
		t.Run(fmt.Sprintf("small=%v", small), func(t *testing.T) {
			e := open(t, "", Options{Check: true, small: small})
			for i, w := range matrixWindows {
				if (testing.Short() || small) && i%3 != 0 && !onDevice() {
					continue
				}
				checkMatrixMeans(t, e, i, w)
			}
		})
	}
}

func checkMatrixMeans(t *testing.T, e *Engine, i int, window string) {
	t.Helper()
	x, y, both := strings.Cut(window, "x")
	width, err := strconv.Atoi(x)
	height := width
	if both && err == nil {
		height, err = strconv.Atoi(y)
	}
	if err != nil {
		t.Fatal(err)
	}
	width, height = width+i, height+20+i
	if i%5 == 1 { // two tiles, the last as small as can be
		width = 513
	}
	p := newLocalPage(segment.U8, width, height, uint64(i))
	if i%2 == 0 { // all the change there can be from line to line, and ties
		for k := range p.v.U8 {
			p.v.U8[k] = uint8(255 * (k / width / 17 % 2))
		}
	}
	spec := "localmean:window=" + window
	if i%4 > 1 {
		spec += ",margin=2.5,offset=-3"
	}
	checkLocal(t, e, p, spec, rules.Options{}, segment.Rows, 0, height, 0, width)
	if i%3 == 0 {
		checkLocal(t, e, p, spec, rules.Options{Invert: true}, segment.Rows, height/4, height-7, width/5, width-1)
	}
}

// Narrow windows on pages whose lines begin at multiples of 16 bytes: of one tile and of several, with lines that are
// reflected and some that are not, in whole and in part, each way a window's lines may lie in a ring of whole fours.
func TestNarrowMeans(t *testing.T) {
	for _, small := range []bool{false, true} { // blocks of as few lines as can be
		t.Run(fmt.Sprintf("small=%v", small), func(t *testing.T) {
			e := open(t, "", Options{Check: true, small: small})
			for i, c := range []struct {
				window        string
				width, height int
			}{
				{"3x1", 16, 5}, {"1x3", 48, 9}, {"3", 16, 3}, {"5x7", 496, 40}, {"15", 512, 37}, {"29x11", 528, 29}, {"31", 1040, 75}, {"33x9", 1024, 50},
				{"33x13", 1552, 31}, {"7x59", 64, 90}, {"31x5", 32, 70}, {"33", 48, 33},
			} {
				checkNarrowMeans(t, e, i, c.window, c.width, c.height)
			}
			if e.local["local_narrow_u8"] == nil {
				t.Error("the narrow kernel has not run")
			}
		})
	}
}

func checkNarrowMeans(t *testing.T, e *Engine, i int, window string, width, height int) {
	t.Helper()
	p := newLocalPage(segment.U8, width, height, uint64(i))
	if i%3 == 0 { // all the change there can be from line to line
		for k := range p.v.U8 {
			p.v.U8[k] = uint8(255 * (k / width / 5 % 2))
		}
	}
	spec := "localmean:window=" + window
	checkLocal(t, e, p, spec, rules.Options{}, segment.Rows, 0, height, 0, width)
	checkLocal(t, e, p, spec+",margin=1.5,offset=-2", rules.Options{}, segment.Rows, 0, height, 0, width)
	if height > 30 {
		checkLocal(t, e, p, spec, rules.Options{Invert: true}, segment.Rows, 5, height-3, 0, width)
	}
}

// On devices that do not multiply bytes sums are added up instead.
func TestLocalMeansOfOldDevices(t *testing.T) {
	if onDevice() {
		t.Skip("another device can be had in the emulated driver only")
	}
	e := open(t, "cc=75", Options{Check: true})
	if got := kernelOf(e, 31, 31); got != "local_mean_u8" {
		t.Errorf("an old device is given %s", got)
	}
	for i, w := range []string{"3", "5x3", "15", "31x9"} {
		p := newLocalPage(segment.U8, 70+11*i, 45+7*i, uint64(i))
		for _, more := range []string{"", ",offset=-3.4", ",margin=3"} {
			checkLocal(t, e, p, "localmean:window="+w+more, rules.Options{}, segment.Rows, 0, 45+7*i, 0, 70+11*i)
		}
	}
}

// matrixDiffers tells whether the device finds other classes than the CPU somewhere.
func matrixDiffers(t *testing.T, e *Engine) bool {
	t.Helper()
	for width, w := range map[int]string{1552: "5", 90: "5", 91: "47x3"} {
		p := newLocalPage(segment.U8, width, 40, 3)
		for i := range 11 * p.v.Stride { // windows of equal samples
			p.v.U8[i] = 201
		}
		if classesDiffer(t, e, p, "localmean:window="+w) {
			return true
		}
	}
	return false
}

// Errors planted in the kernels are found by the comparison with the CPU.
func TestPlantedErrorsInMatrixKernelsAreFound(t *testing.T) {
	if onDevice() {
		t.Skip("errors can be planted in the emulated driver only")
	}
	library := driverLibrary(t, "")
	e := open(t, "", Options{})
	findPlanted(t, library, 140, 146, func() bool { return matrixDiffers(t, e) })
}
