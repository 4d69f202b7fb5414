package viz

import (
	"math"
	"slices"
	"strings"

	"segscan/segment"
)

// histogramBars is how many bars a histogram of integers is drawn in at most.
const histogramBars = 512

// histogramTail is the share of samples at each end that a histogram of more than 256 values may leave out, so that
// a few far ones do not squeeze the rest: where it is more than farOut times as wide as without. tailRoom is the share of the
// width that it has beside the rest then, for tails that are not far.
const (
	histogramTail = 0.0005
	farOut        = 1.5
	tailRoom      = 1. / 8
)

// Bars counts the samples of a page into the bars that a histogram is drawn in, all of one width, and beside them the
// samples that the axis leaves out at each end. Each bar tells samples <= lo from those >= hi and those between, as they
// are coloured. Bars of integers are whole values wide and centred on them.
type Bars struct {
	from, step   float64
	lo, hi       float64
	count        [][barKinds]uint64
	below, above uint64
	floats       bool
	shown        Stretch      // of floats: what is to be seen
	values       *valueCounts // of floats, those that are shown
}

// Samples of a bar, in the order of their values.
const (
	barLow = iota
	barMiddle
	barHigh
	barKinds
)

// total is the samples of bar i.
func (b *Bars) total(i int) uint64 {
	return b.count[i][barLow] + b.count[i][barMiddle] + b.count[i][barHigh]
}

// TailBins are the bins of an f32 histogram whose finer counts NewBars takes, if any: those in which the tails end that
// the axis may leave out.
func TailBins(h *segment.Histogram) []uint16 {
	if h.Type != segment.F32 || h.N == 0 {
		return nil
	}
	low, high := tailBins(h, histogramTail)
	if inner := binLow(h.Type, high) - binHigh(h.Type, low); h.Max-h.Min <= farOut*inner {
		return nil // all is shown, wherever in their bins the tails end
	}
	return slices.Compact([]uint16{uint16(low), uint16(high)})
}

// NewBars chooses bars for a page by its histogram: they hold nearly all samples, and the values at, such as thresholds,
// where these are not far out. The bars of integers are counted at once. Those of floats are empty until Add has been given
// every band: bins of floats are too wide to be drawn where values are large against their differences. h.Fine should hold
// TailBins; without, tails end with their bins. lo and hi, which may be NaN, are what samples are told apart by.
func NewBars(h *segment.Histogram, lo, hi float64, at ...float64) *Bars {
	b := &Bars{from: 0, step: 1, lo: lo, hi: hi, floats: h.Type == segment.F32}
	if h.N == 0 {
		b.count = make([][barKinds]uint64, 1)
		return b
	}
	r := shownRange(h, at)
	if b.floats {
		var n int
		b.from, b.step, n = floatSteps(r, h.N)
		b.shown, b.values = r, newValueCounts()
		b.count = make([][barKinds]uint64, n)
		return b
	}
	b.step = math.Ceil((r.Hi - r.Lo + 1) / histogramBars)
	b.from = r.Lo - 0.5
	b.count = make([][barKinds]uint64, int(math.Ceil((r.Hi-r.Lo+1)/b.step)))
	for v, n := range h.Bins {
		if n > 0 {
			b.add(float64(v), n)
		}
	}
	return b
}

// shownRange is what the axis of a histogram reaches over at least.
func shownRange(h *segment.Histogram, at []float64) Stretch {
	if h.Type == segment.U8 {
		return Stretch{0, 255}
	}
	r := Stretch{h.Min, h.Max}
	if h.Type == segment.F32 || r.Hi-r.Lo > 256 {
		if inner := innerRange(h); inner.Lo < inner.Hi && r.Hi-r.Lo > farOut*(inner.Hi-inner.Lo) {
			room := tailRoom * (inner.Hi - inner.Lo)
			if h.Type != segment.F32 {
				room = math.Floor(room)
			}
			r = Stretch{max(r.Lo, inner.Lo-room), min(r.Hi, inner.Hi+room)}
		}
	}
	room := (r.Hi - r.Lo) / 2
	all := r
	for _, t := range at {
		if t > r.Lo-room && t < r.Hi+room {
			all.Lo, all.Hi = min(all.Lo, t), max(all.Hi, t)
		}
	}
	if h.Type != segment.F32 { // a bar begins with a whole value
		return Stretch{math.Floor(all.Lo), math.Ceil(all.Hi)}
	}
	if !(all.Lo < all.Hi) {
		d := max(1, math.Abs(all.Lo)/2)
		return Stretch{all.Lo - d, all.Lo + d}
	}
	return all
}

// tailBins are the bins in which a share of the samples at each end ends. h is not empty.
func tailBins(h *segment.Histogram, tail float64) (low, high int) {
	least, most := tail*float64(h.N), (1-tail)*float64(h.N)
	var sum uint64
	low = -1
	for bin, c := range h.Bins {
		if sum += c; c == 0 {
			continue
		}
		if low < 0 && float64(sum) > least {
			low = bin
		}
		if high = bin; float64(sum) >= most {
			break
		}
	}
	return low, high
}

// innerRange is the samples without a tail at each end, of floats as exactly as h.Fine tells.
func innerRange(h *segment.Histogram) Stretch {
	low, high := tailBins(h, histogramTail)
	r := Stretch{binLow(h.Type, low), binHigh(h.Type, high)}
	var before [2]uint64
	for bin, c := range h.Bins[:high] {
		if bin < low {
			before[0] += c
		}
		before[1] += c
	}
	key := func(bin, fine int) float64 { return finite(segment.FloatFromKey(uint32(bin)<<16 | uint32(fine))) }
	least, most := histogramTail*float64(h.N), (1-histogramTail)*float64(h.N)
	sum := before[0]
	for i, c := range h.Fine[uint16(low)] {
		if sum += c; c > 0 && float64(sum) > least {
			r.Lo = key(low, i)
			break
		}
	}
	sum = before[1]
	for i, c := range h.Fine[uint16(high)] {
		if sum += c; c > 0 && float64(sum) >= most {
			r.Hi = key(high, i)
			break
		}
	}
	return Stretch{max(r.Lo, h.Min), min(r.Hi, h.Max)}
}

// floatSteps parts a range of floats, of which n were seen, into bars: 1, 2 or 5 times a power of ten wide, since many
// floats hold round numbers, which would fill bars of other widths unevenly; where floats are far apart for that, whole
// steps of theirs wide. Few samples get few bars.
func floatSteps(r Stretch, n uint64) (from, step float64, bars int) {
	raw := (r.Hi - r.Lo) / min(max(8*math.Cbrt(float64(n)), 32), 256)
	apart := spacing(max(math.Abs(r.Lo), math.Abs(r.Hi)))
	// Edges lie between the values: products are rounded before they are added to, on every machine.
	if raw < 32*apart {
		step = max(1, math.Ceil(raw/apart)) * apart
		from = float64(math.Floor(r.Lo/apart)*apart) - apart/2
	} else {
		step = roundStep(raw)
		from = float64(math.Floor(r.Lo/step+0.05)*step) - step/20
	}
	if r.Lo < from {
		from -= step
	}
	return from, step, int((r.Hi-from)/step) + 1
}

// spacing is how far apart floats are below v, which is not negative.
func spacing(v float64) float64 {
	f := float32(min(v, math.MaxFloat32))
	if f == 0 {
		return math.SmallestNonzeroFloat32
	}
	return float64(f) - float64(math.Nextafter32(f, 0))
}

// roundStep is the least of 1, 2 and 5 times a power of ten that is not below raw.
func roundStep(raw float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5} {
		if m*power*1.0000001 >= raw {
			return m * power
		}
	}
	return 10 * power
}

// Add counts the samples of a band of floats; NaN and infinities are left out. Counts do not depend on how a page was cut.
// Bars of integers are whole already.
func (b *Bars) Add(band *segment.Band) {
	body := band.Body()
	if b.values == nil || body.F32 == nil {
		return
	}
	for l := range body.Lines {
		for _, v := range body.F32[l*body.Stride:][:body.Samples] {
			if v-v == 0 && b.add(float64(v), 1) && !b.values.many {
				b.values.add(v)
			}
		}
	}
}

// add counts n samples of one finite value, and tells whether it is shown.
func (b *Bars) add(v float64, n uint64) bool {
	at := (v - b.from) / b.step
	kind := barMiddle
	switch {
	case at < 0:
		b.below += n
		return false
	case at >= float64(len(b.count)):
		b.above += n
		return false
	case v <= b.lo:
		kind = barLow
	case v >= b.hi:
		kind = barHigh
	}
	b.count[int(at)][kind] += n
	return true
}

// beyond says how many samples the axis leaves out, "" for none.
func (b *Bars) beyond() string {
	var ends []string
	for _, e := range []struct {
		n    uint64
		side string
	}{{b.below, " below"}, {b.above, " above"}} {
		if e.n > 0 {
			ends = append(ends, samplesText(e.n)+e.side)
		}
	}
	if ends == nil {
		return ""
	}
	return "beyond the axis: " + strings.Join(ends, ", ")
}

// samplesText is "1 sample", "2,357 samples".
func samplesText(n uint64) string {
	if n == 1 {
		return "1 sample"
	}
	return Grouped(int64(n)) + " samples"
}
