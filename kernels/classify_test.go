package kernels

import (
	"math"
	"math/rand/v2"
	"testing"

	"segscan/segment"
)

// What an automatic kernel reports as t is what its classifier does: boundary v <= t[first], activation v > t[last];
// with two given thresholds, boundary v <= lo, activation v >= hi.
func TestClassifiersFollowReports(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	const n = 3000
	value := func() float64 { // two humps with tails, which every method can part
		x := 60 + 9*r.NormFloat64()
		if r.IntN(3) == 0 {
			x = 170 + 12*r.NormFloat64()
		}
		return min(max(x, 1), 254)
	}
	for _, typ := range []segment.SampleType{segment.U8, segment.U16, segment.F32} {
		plane := segment.NewPlane(typ, 1, n)
		samples, floating := make([]float64, n), make([]float32, n)
		for i := range samples {
			v := value()
			switch typ {
			case segment.U8:
				plane.U8[i] = uint8(v)
				samples[i] = float64(plane.U8[i])
			case segment.U16:
				plane.U16[i] = uint16(v * 3)
				samples[i] = float64(plane.U16[i])
			default:
				plane.F32[i] = float32(v - 100)
				samples[i] = float64(plane.F32[i])
			}
			floating[i] = float32(samples[i])
		}
		for _, spec := range allSpecs() {
			var th segment.Thresholds
			var rep Report
			if typ == segment.F32 {
				th, rep = twoPasses(t, spec, floating)
			} else {
				h := counts(typ)
				for _, v := range samples {
					h.Bins[int(v)]++
					h.N++
				}
				h.Min, h.Max = extremes(h.Bins)
				th, rep = bound(t, spec, h)
			}
			page := page(typ)
			page.Width, page.Height = n, 1
			var m segment.Masks
			band := segment.Band{Page: page, Lines: 1, Samples: n, V: plane}
			if err := th.Classify(band, &m); err != nil {
				t.Fatalf("%s %s: %v", typ, spec, err)
			}
			boundaries, activations := 0, 0
			for i, v := range samples {
				b, a := v <= rep.Lo[0], v >= rep.Hi[0]
				if single := len(rep.T) > 0 && mustParse(t, spec).(*global).name != "hysteresis"; single {
					b, a = v <= rep.T[0], v > rep.T[len(rep.T)-1]
				}
				if got := m.B[i/64]>>(i%64)&1 == 1; got != b {
					t.Fatalf("%s %s: boundary of %v is %v; %+v", typ, spec, v, got, rep)
				}
				if got := m.A[i/64]>>(i%64)&1 == 1; got != a {
					t.Fatalf("%s %s: activation of %v is %v; %+v", typ, spec, v, got, rep)
				}
				if b {
					boundaries++
				}
				if a {
					activations++
				}
			}
			if boundaries == 0 || activations == 0 {
				t.Errorf("%s %s: %d boundaries, %d activations: %+v", typ, spec, boundaries, activations, rep)
			}
			if math.IsNaN(rep.Lo[0]) || rep.Text == "" {
				t.Errorf("%s %s: %+v", typ, spec, rep)
			}
		}
	}
}
