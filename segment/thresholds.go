package segment

import (
	"fmt"
	"math"

	"segscan/segment/internal/simd"
)

// Needs says that thresholds look at each sample alone.
func (t Thresholds) Needs() Needs { return Needs{} }

// Classify is the definition: the classes of the band's body.
func (t Thresholds) Classify(b Band, out *Masks) error { return classifySamples(&t, b, out) }

// lineBounds are the bounds of one line as compared: for integers v <= loInt and v >= hiInt (clamped to what the
// type can tell apart), for f32 v <= lo and v >= hi, with NaN where no sample is meant.
type lineBounds struct {
	loInt, hiInt int
	lo, hi       float32
}

// sampleClassifier is a classifier that looks at each sample alone.
type sampleClassifier interface {
	// prepare checks the classifier against the samples and page lines it will meet.
	prepare(t SampleType, line0 int64, lines int) (lineClassifier, error)
}

// lineClassifier is what prepare gives, read only: classify sets the masks of samples s0 to s1 of a line of p, in
// which b and a start; s0 is a multiple of 64.
type lineClassifier interface {
	classify(p *Plane, line, s0, s1 int, b, a []uint64)
}

// classifySamples runs a classifier that looks at each sample alone over a whole body.
func classifySamples(c sampleClassifier, band Band, out *Masks) error {
	body := band.Body()
	if band.Lines == 0 || band.Samples == 0 { // an empty plane has no type to check
		out.Resize(band.Lines, band.Samples)
		return nil
	}
	p, err := c.prepare(body.Type(), band.Line0, band.Lines)
	if err != nil {
		return err
	}
	out.Resize(band.Lines, band.Samples)
	for l := range band.Lines {
		b, a := out.Line(l)
		p.classify(&body, l, 0, band.Samples, b, a)
	}
	return nil
}

type preparedThresholds struct {
	bounds       []lineBounds // one, or one a line of the band
	swap         bool
	nanLo, nanHi bool // NaN joins the set of v <= lo, of v >= hi
}

func (t *Thresholds) prepare(typ SampleType, line0 int64, lines int) (lineClassifier, error) {
	if t.NaN > Activation {
		return nil, fmt.Errorf("thresholds: %d is no class for NaN", t.NaN)
	}
	p := &preparedThresholds{swap: t.Swap}
	// NaN keeps its class through the exchange, so it must enter as the other one.
	nanB, nanA := t.NaN == Boundary, t.NaN == Activation
	p.nanLo, p.nanHi = nanB, nanA
	if t.Swap {
		p.nanLo, p.nanHi = nanA, nanB
	}
	n := 1
	if len(t.Lo) > 1 || len(t.Hi) > 1 {
		n = lines
	}
	for _, entries := range []int{len(t.Lo), len(t.Hi)} {
		if entries > 1 && (line0 < 0 || line0+int64(lines) > int64(entries)) {
			return nil, fmt.Errorf("thresholds: %d entries do not reach lines %d to %d of the page", entries, line0, line0+int64(lines)-1)
		}
	}
	p.bounds = make([]lineBounds, n)
	for i := range p.bounds {
		lo, hi := math.Inf(-1), math.Inf(1)
		if len(t.Lo) > 0 {
			lo = t.Lo[entry(t.Lo, line0, i)]
		}
		if len(t.Hi) > 0 {
			hi = t.Hi[entry(t.Hi, line0, i)]
		}
		p.bounds[i] = newLineBounds(typ, lo, hi)
	}
	return p, nil
}

func entry(v []float64, line0 int64, i int) int64 {
	if len(v) == 1 {
		return 0
	}
	return line0 + int64(i)
}

// newLineBounds turns lo and hi into bounds of the type that hold for exactly the same samples.
func newLineBounds(typ SampleType, lo, hi float64) lineBounds {
	if math.IsInf(lo, -1) {
		lo = math.NaN() // no sample, not even -Inf
	}
	if math.IsInf(hi, 1) {
		hi = math.NaN()
	}
	switch typ {
	case U8, U16:
		top := 255.
		if typ == U16 {
			top = 65535
		}
		b := lineBounds{loInt: -1, hiInt: int(top) + 1}
		if lo == lo {
			b.loInt = int(max(-1, min(math.Floor(lo), top)))
		}
		if hi == hi {
			b.hiInt = int(max(0, min(math.Ceil(hi), top+1)))
		}
		return b
	}
	return lineBounds{lo: float32Down(lo), hi: -float32Down(-hi)}
}

// float32Down is the greatest float32 not above v: the same samples are <= both.
func float32Down(v float64) float32 {
	f := float32(v)
	if float64(f) > v {
		f = math.Nextafter32(f, float32(math.Inf(-1)))
	}
	return f
}

func (t *preparedThresholds) classify(p *Plane, line, s0, s1 int, b, a []uint64) {
	k := t.bounds[0]
	if len(t.bounds) > 1 {
		k = t.bounds[line]
	}
	if t.swap {
		b, a = a, b
	}
	from, to := line*p.Stride+s0, line*p.Stride+s1
	switch {
	case p.U8 != nil:
		simd.ThresholdU8(b, a, p.U8[from:to], k.loInt, k.hiInt)
	case p.U16 != nil:
		simd.ThresholdU16(b, a, p.U16[from:to], k.loInt, k.hiInt)
	case p.F32 != nil:
		simd.ThresholdF32(b, a, p.F32[from:to], k.lo, k.hi, t.nanLo, t.nanHi)
	}
}
