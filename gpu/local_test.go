//go:build linux && !nogpu

package gpu

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	rules "segscan/kernels"
	"segscan/segment"
)

// localPage is a page whose bands have what lies around them.
type localPage struct {
	info segment.PageInfo
	v    segment.Plane // all of it, rows
}

// newLocalPage has runs of equal samples, flat places and noise, so that ties and windows without contrast come up; f32
// has a few NaN and infinities.
func newLocalPage(t segment.SampleType, width, height int, seed uint64) *localPage {
	rng := rand.New(rand.NewPCG(seed, 77))
	p := &localPage{v: segment.NewPlane(t, height, width)}
	p.info = segment.PageInfo{Type: t, Width: int64(width), Height: int64(height), Max: 255}
	switch t {
	case segment.U16:
		p.info.Max = 65535
	case segment.F32:
		p.info.Min, p.info.Max = math.NaN(), math.NaN()
	}
	special := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 0, float32(math.Copysign(0, -1))}
	for i := range width * height {
		y, x := i/width, i%width
		flat := (x/40+y/30)%3 == 0
		v := rng.Float64()
		if flat {
			v = 0.8 + 0.004*float64(rng.IntN(2))
		}
		same := i > 0 && rng.IntN(4) == 0
		switch t {
		case segment.U8:
			p.v.U8[i] = uint8(v * 255)
			if same {
				p.v.U8[i] = p.v.U8[i-1]
			}
		case segment.U16:
			p.v.U16[i] = uint16(v * 65535)
			if same {
				p.v.U16[i] = p.v.U16[i-1]
			}
		default:
			p.v.F32[i] = float32(v*90 - 30)
			if same {
				p.v.F32[i] = p.v.F32[i-1]
			}
			if rng.IntN(60) == 0 {
				p.v.F32[i] = special[rng.IntN(len(special))]
			}
		}
	}
	return p
}

// band is lines l0 to l1-1 and samples s0 to s1-1 along an axis, with a halo as a classifier needs it.
func (p *localPage) band(a segment.Axis, need segment.Needs, l0, l1, s0, s1 int) segment.Band {
	v := p.v
	if a == segment.Cols {
		v = segment.NewPlane(p.v.Type(), p.v.Samples, p.v.Lines)
		for y := range p.v.Lines {
			for x := range p.v.Samples {
				from, to := y*p.v.Stride+x, x*v.Stride+y
				switch v.Type() {
				case segment.U8:
					v.U8[to] = p.v.U8[from]
				case segment.U16:
					v.U16[to] = p.v.U16[from]
				default:
					v.F32[to] = p.v.F32[from]
				}
			}
		}
	}
	b := segment.Band{Page: &p.info, Axis: a, Line0: int64(l0), Sample0: int64(s0), Lines: l1 - l0, Samples: s1 - s0}
	b.Before = segment.Halo{Lines: min(l0, need.HaloLines), Samples: min(s0, need.HaloSamples)}
	b.After = segment.Halo{Lines: min(v.Lines-l1, need.HaloLines), Samples: min(v.Samples-s1, need.HaloSamples)}
	b.V = v.Sub(l0-b.Before.Lines, s0-b.Before.Samples, b.Before.Lines+b.Lines+b.After.Lines, b.Before.Samples+b.Samples+b.After.Samples)
	return b
}

// bind makes the classifier of a kernel for the page.
func (p *localPage) bind(t testing.TB, spec string, o rules.Options) segment.Classifier {
	t.Helper()
	s, err := rules.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	var c segment.Classifier
	whole := p.band(segment.Rows, s.Needs().Needs, 0, p.v.Lines, 0, p.v.Samples)
	if surveyed, ok := s.(rules.Surveyed); ok {
		var survey rules.Survey
		if survey, err = surveyed.Survey(&p.info); err == nil {
			err = survey.Add(whole)
		}
		if err == nil {
			c, _, err = survey.Bind(o)
		}
	} else {
		h := make([]segment.Histogram, 1)
		l := load(t, segment.NewCPU(1), whole)
		if err := l.Histogram(context.Background(), false, h); err != nil {
			t.Fatal(err)
		}
		l.Release()
		c, _, err = s.Bind(&p.info, h, o)
	}
	if err != nil {
		t.Fatalf("%s: %v", spec, err)
	}
	return c
}

// checkLocal compares device and CPU on some lines and samples of a page.
func checkLocal(t *testing.T, e *Engine, p *localPage, spec string, o rules.Options, a segment.Axis, l0, l1, s0, s1 int) {
	t.Helper()
	c := p.bind(t, spec, o)
	if why := Reason(c, p.v.Type()); why != "" {
		t.Fatalf("%s: the device does not do %s", spec, why)
	}
	b := p.band(a, c.Needs(), l0, l1, s0, s1)
	checkSegments(t, e, fmt.Sprintf("%s, axis %d, lines %d-%d, samples %d-%d, page %d x %d", spec, a, l0, l1, s0, s1, p.v.Samples, p.v.Lines),
		b, c, segment.Options{Rejected: true, Masks: true})
}

// localSpecs are the kernels that the device works out, with every parameter.
func localSpecs(t segment.SampleType, window string) []string {
	w := ":window=" + window
	scale := map[segment.SampleType]string{segment.U8: "3", segment.U16: "700", segment.F32: "1"}[t]
	specs := []string{"localmean" + w, "localmean" + w + ",offset=-" + scale + ".4", "localmean" + w + ",margin=" + scale, "localmean" + w + ",offset=0.00001",
		"niblack" + w, "niblack" + w + ",k=-1.5,margin=" + scale, "sauvola" + w, "sauvola" + w + ",k=0.5,margin=" + scale, "sauvola" + w + ",k=-0.3,r=" + scale,
		"wolf" + w, "wolf" + w + ",k=-0.2,margin=" + scale, "phansalkar" + w, "phansalkar" + w + ",k=0.4,p=3,q=7.3,margin=" + scale,
		"bernsen" + w, "bernsen" + w + ",contrast=" + scale + ".5,margin=" + scale, "contrast" + w, "contrast" + w + ",margin=" + scale + ".7",
		"localgaussian" + w, "localgaussian" + w + ",offset=" + scale + ".3,margin=" + scale}
	return specs
}

// Every rule with every parameter on every type, along both axes, as a page and as a part of one, exchanged and not; the
// windows take turns.
func TestLocalOnTheDevice(t *testing.T) {
	e := checked(t)
	windows := []string{"3", "5x3", "15", "7x31", "31x9"}
	for _, typ := range sampleTypes {
		var pages []*localPage
		for i := range windows {
			pages = append(pages, newLocalPage(typ, 70+11*i, 45+7*i, uint64(i)))
		}
		for k := range localSpecs(typ, "3") {
			if testing.Short() && k%2 == 1 {
				continue
			}
			i := k % len(windows)
			p, spec := pages[i], localSpecs(typ, windows[i])[k]
			a, o := segment.Axis(k/2%2), rules.Options{Invert: k%3 == 1, NaN: segment.Class(k % 3)}
			lines, samples := p.v.Lines, p.v.Samples
			if a == segment.Cols {
				lines, samples = samples, lines
			}
			checkLocal(t, e, p, spec, o, a, 0, lines, 0, samples)
			checkLocal(t, e, p, spec, o, 1-a, samples/3, samples-samples/4, lines/5, lines-3)
		}
	}
}

// Windows up to the widest, on pages of several tiles: sums of 8-bit samples in both forms, tiles that hardly hold more
// than the window.
func TestLocalWindowsOnTheDevice(t *testing.T) {
	e := open(t, "", Options{Check: true})
	for i, c := range []struct {
		typ           segment.SampleType
		window        string
		width, height int
	}{
		{segment.U8, "255", 1300, 270}, {segment.U8, "31", 2100, 60}, {segment.U8, "127x3", 1100, 20}, {segment.U8, "3x257", 90, 300},
		{segment.U8, "3x259", 90, 300}, {segment.U8, "401x201", 900, 210}, {segment.U16, "255", 300, 280}, {segment.U16, "961x5", 1200, 12},
		{segment.U16, "63", 1900, 70}, {segment.U16, "301x299", 310, 330}, {segment.F32, "65x5", 300, 40}, {segment.F32, "5x75", 70, 200},
	} {
		p := newLocalPage(c.typ, c.width, c.height, uint64(i))
		for k, spec := range []string{"localmean", "sauvola", "niblack:k=-0.7,margin=2", "wolf", "phansalkar"} {
			if testing.Short() && k != i%5 || k%2 == i/5 { // every other one on each page
				continue
			}
			name, more, _ := strings.Cut(spec, ":")
			spec = strings.TrimRight(name+":window="+c.window+","+more, ",")
			checkLocal(t, e, p, spec, rules.Options{}, segment.Rows, 0, c.height, 0, c.width)
		}
	}
}

// classesDiffer tells whether the device finds other classes on a page than the CPU.
func classesDiffer(t *testing.T, e *Engine, p *localPage, spec string) bool {
	t.Helper()
	c, o := p.bind(t, spec, rules.Options{}), segment.Options{Masks: true}
	b := p.band(segment.Rows, c.Needs(), 0, p.v.Lines, 0, p.v.Samples)
	l := load(t, e, b)
	defer l.Release()
	var r segment.Result
	if err := l.Segment(context.Background(), c, o, nil, &r); err != nil {
		t.Fatal(err)
	}
	return diffResult(&r, onCPU(t, b, c, o)) != ""
}

// localDiffers tells whether the device finds other classes than the CPU somewhere, by kernels of each kind.
func localDiffers(t *testing.T, e *Engine) bool {
	t.Helper()
	for _, typ := range sampleTypes {
		p := newLocalPage(typ, 66, 26, 2)
		for i := range 11 * p.v.Stride { // windows of equal samples, or without a finite one
			switch typ {
			case segment.U8:
				p.v.U8[i] = 201
			case segment.U16:
				p.v.U16[i] = 51401
			default:
				p.v.F32[i] = float32(math.Inf(1))
			}
		}
		for _, spec := range []string{"localmean:window=7x5", "niblack:window=7x5", "sauvola:window=5x7", "contrast:window=5", "bernsen:window=3,contrast=1", "localgaussian:window=5"} {
			if classesDiffer(t, e, p, spec) {
				return true
			}
		}
	}
	return false
}

// Errors planted in the kernels are found by the comparison with the CPU.
func TestPlantedErrorsInLocalKernelsAreFound(t *testing.T) {
	if onDevice() {
		t.Skip("errors can be planted in the emulated driver only")
	}
	library := driverLibrary(t, "")
	e := open(t, "", Options{})
	findPlanted(t, library, 100, 113, func() bool { return localDiffers(t, e) })
}
