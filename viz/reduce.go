package viz

import (
	"image/color"
	"math"

	"github.com/disintegration/imaging"
)

// reducer makes a smaller picture from rows, from the top: cells of boxW x boxH pixels are averaged first, then
// imaging's Catmull-Rom filter goes over the rest, each direction on its own. It holds a few rows only, whatever the
// size of the picture, and computes in integers, so that it gives the same bytes on every processor.
type reducer struct {
	srcW, srcH, dstW, dstH int
	boxW, boxH             int
	midW, midH             int

	cells  []uint32 // of the cells begun: sums of r g b
	inCell int      // rows in them
	mid    int      // rows of cells done
	row    []int32  // the last one, filtered across
	across []taps
	down   []taps
	open   [][]int32 // accumulators of output rows from next on, as far as begun
	free   [][]int32
	next   int // output row to be finished next
}

// taps is a filter's window on mid pixels from first on; the weights add up to 1 << weightBits.
type taps struct {
	first   int
	weights []int32
}

const (
	weightBits = 14
	valueBits  = 4 // of fraction that averages keep
)

// reducedSize is the size of a w x h picture whose longer side is at most most.
func reducedSize(w, h, most int64) (int64, int64) {
	longer := max(w, h)
	if most <= 0 || longer <= most {
		return w, h
	}
	scale := func(n int64) int64 { return max(1, int64(math.Round(float64(n)*float64(most)/float64(longer)))) }
	return scale(w), scale(h)
}

func newReducer(srcW, srcH, dstW, dstH int) *reducer {
	r := &reducer{srcW: srcW, srcH: srcH, dstW: dstW, dstH: dstH}
	// At least two cells for each output pixel leave the filter something to choose from. A cell's sum of 8-bit
	// values fits 32 bits.
	r.boxW = min(max(1, srcW/(2*dstW)), 1<<24)
	r.boxH = min(max(1, srcH/(2*dstH)), 1<<24/r.boxW)
	r.midW, r.midH = (srcW+r.boxW-1)/r.boxW, (srcH+r.boxH-1)/r.boxH
	r.across = filterTaps(dstW, r.midW, float64(srcW)/float64(r.boxW)/float64(dstW))
	r.down = filterTaps(dstH, r.midH, float64(srcH)/float64(r.boxH)/float64(dstH))
	r.cells = make([]uint32, 3*r.midW)
	r.row = make([]int32, 3*dstW)
	return r
}

// filterTaps weighs n mid pixels for each of m output pixels; one of these is step mid pixels wide.
func filterTaps(m, n int, step float64) []taps {
	filter := imaging.CatmullRom
	scale := max(step, 1)
	reach := scale * filter.Support
	all := make([]taps, m)
	for i := range all {
		centre := (float64(i)+0.5)*step - 0.5
		first := max(int(math.Ceil(centre-reach)), 0)
		last := min(int(math.Floor(centre+reach)), n-1)
		if first > last { // past the end by rounding
			first = min(first, n-1)
			last = first
		}
		w := make([]float64, last-first+1)
		var sum float64
		for k := range w {
			w[k] = filter.Kernel((float64(first+k) - centre) / scale)
			sum += w[k]
		}
		all[i] = taps{first, fixedWeights(w, sum)}
	}
	return all
}

// fixedWeights makes integers of weights; the largest takes what rounding leaves, so that flat areas stay as they are.
func fixedWeights(w []float64, sum float64) []int32 {
	fixed := make([]int32, len(w))
	left, top := int32(1<<weightBits), 0
	for i := range w {
		if sum != 0 {
			fixed[i] = int32(math.Round(w[i] / sum * (1 << weightBits)))
		}
		left -= fixed[i]
		if fixed[i] > fixed[top] {
			top = i
		}
	}
	fixed[top] += left
	return fixed
}

// packedRun is how many pixels' sums fit the fields of a packed palette entry.
const packedRun = (1<<packedBits - 1) / 255

const packedBits = 21

// packedPalette holds r, g and b of each entry in fields of one word, so that one addition adds all three.
type packedPalette [256]uint64

func packPalette(p color.Palette) *packedPalette {
	var t packedPalette
	for i, c := range p {
		rgba := color.RGBAModel.Convert(c).(color.RGBA)
		t[i] = uint64(rgba.R) | uint64(rgba.G)<<packedBits | uint64(rgba.B)<<(2*packedBits)
	}
	return &t
}

// addIndices takes a row of palette indices, addRGBA one of RGBA pixels; emit gets the rows that are complete now.
func (r *reducer) addIndices(row []uint8, palette *packedPalette, emit func(rgba []uint8)) {
	for c, at := 0, 0; at < len(row); c++ {
		cell := r.cells[3*c : 3*c+3 : 3*c+3]
		for end := min(at+r.boxW, len(row)); at < end; {
			stop := min(at+packedRun, end)
			var sum uint64
			for _, i := range row[at:stop] {
				sum += palette[i]
			}
			const field = 1<<packedBits - 1
			cell[0], cell[1], cell[2] = cell[0]+uint32(sum&field), cell[1]+uint32(sum>>packedBits&field), cell[2]+uint32(sum>>(2*packedBits))
			at = stop
		}
	}
	r.endRow(emit)
}

func (r *reducer) addRGBA(row []uint8, emit func(rgba []uint8)) {
	for c, at := 0, 0; at < len(row); c++ {
		end := min(at+4*r.boxW, len(row))
		var a, b, d uint32
		for p := row[at:end]; len(p) >= 4; p = p[4:] {
			a, b, d = a+uint32(p[0]), b+uint32(p[1]), d+uint32(p[2])
		}
		cell := r.cells[3*c : 3*c+3 : 3*c+3]
		cell[0], cell[1], cell[2] = cell[0]+a, cell[1]+b, cell[2]+d
		at = end
	}
	r.endRow(emit)
}

// endRow finishes a row of cells when it is complete, and the output rows that were waiting for it.
func (r *reducer) endRow(emit func(rgba []uint8)) {
	r.inCell++
	if r.inCell < r.boxH && r.mid*r.boxH+r.inCell < r.srcH {
		return
	}
	r.filterAcross()
	clear(r.cells)
	r.inCell = 0
	for i := r.next; i < r.dstH && r.down[i].first <= r.mid; i++ {
		if k := i - r.next; k == len(r.open) {
			r.open = append(r.open, r.take())
		}
		t := &r.down[i]
		if at := r.mid - t.first; at < len(t.weights) {
			w := t.weights[at]
			acc := r.open[i-r.next][:len(r.row)]
			for x, v := range r.row {
				acc[x] += w * v
			}
		}
	}
	for len(r.open) > 0 && r.down[r.next].first+len(r.down[r.next].weights)-1 <= r.mid {
		emit(pixels(r.open[0]))
		r.free = append(r.free, r.open[0])
		r.open = append(r.open[:0], r.open[1:]...)
		r.next++
	}
	r.mid++
}

// take gives an accumulator of zeros.
func (r *reducer) take() []int32 {
	if n := len(r.free); n > 0 {
		acc := r.free[n-1]
		r.free = r.free[:n-1]
		clear(acc)
		return acc
	}
	return make([]int32, 3*r.dstW)
}

// filterAcross averages the cells and filters them into row.
func (r *reducer) filterAcross() {
	full, last := reciprocal(r.boxW*r.inCell), reciprocal((r.srcW-(r.midW-1)*r.boxW)*r.inCell)
	for i, v := range r.cells {
		by := full
		if i >= 3*(r.midW-1) {
			by = last
		}
		r.cells[i] = uint32((uint64(v)*by + 1<<(reciprocalBits-1)) >> reciprocalBits)
	}
	for x := range r.across {
		t := &r.across[x]
		var a, b, d int32
		in := r.cells[3*t.first:]
		for k, w := range t.weights {
			p := in[3*k : 3*k+3 : 3*k+3]
			a, b, d = a+w*int32(p[0]), b+w*int32(p[1]), d+w*int32(p[2])
		}
		const half = 1 << (weightBits - 1)
		r.row[3*x], r.row[3*x+1], r.row[3*x+2] = (a+half)>>weightBits, (b+half)>>weightBits, (d+half)>>weightBits
	}
}

// reciprocalBits is the scale of reciprocal. A sum of n 8-bit values times it stays below 2^52.
const reciprocalBits = 40

// reciprocal turns sums of n values into averages with valueBits of fraction.
func reciprocal(n int) uint64 {
	return (1<<(reciprocalBits+valueBits) + uint64(n) - 1) / uint64(n)
}

// pixels rounds accumulators to RGBA.
func pixels(acc []int32) []uint8 {
	const shift = weightBits + valueBits
	out := make([]uint8, len(acc)/3*4)
	for i, v := range acc {
		out[i/3*4+i%3] = uint8(min(max((v+1<<(shift-1))>>shift, 0), 255))
	}
	for i := 3; i < len(out); i += 4 {
		out[i] = 255
	}
	return out
}
