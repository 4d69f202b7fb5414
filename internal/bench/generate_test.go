package bench

import (
	"context"
	"math"
	"slices"
	"testing"
	"unsafe"

	"segscan/segment"
)

func filled(t *testing.T, typ segment.SampleType, q int) segment.Plane {
	t.Helper()
	p := newStore(1 << 20).plane(typ)
	if err := fill(context.Background(), &p, q); err != nil {
		t.Fatal(err)
	}
	return p
}

// classesOf classifies by the definition of thresholds, sample by sample.
func classesOf(p *segment.Plane, line int) []segment.Class {
	th := thresholdsOf(p.Type())
	out := make([]segment.Class, p.Samples)
	for s := range out {
		var v float64
		switch i := line*p.Stride + s; {
		case p.U8 != nil:
			v = float64(p.U8[i])
		case p.U16 != nil:
			v = float64(p.U16[i])
		default:
			v = float64(p.F32[i])
		}
		switch {
		case v <= th.Lo[0]:
			out[s] = segment.Boundary
		case v >= th.Hi[0]:
			out[s] = segment.Activation
		}
	}
	return out
}

// TestDensity: as many boundaries and activations as asked for, within five standard deviations, the same classes in
// every type, and the same samples each time.
func TestDensity(t *testing.T) {
	for _, q := range Densities() {
		planes := []segment.Plane{filled(t, segment.U8, q), filled(t, segment.U16, q), filled(t, segment.F32, q)}
		count := map[segment.Class]int{}
		n := 0
		for l := range planes[0].Lines {
			want := classesOf(&planes[0], l)
			for _, c := range want {
				count[c]++
			}
			n += len(want)
			for k := range planes {
				if l < planes[k].Lines && !slices.Equal(classesOf(&planes[k], l), want) {
					t.Fatalf("1 in %d, line %d: %s has other classes than u8", q, l, planes[k].Type())
				}
			}
		}
		expect := float64(n) / float64(q)
		for _, c := range []segment.Class{segment.Boundary, segment.Activation} {
			if d := math.Abs(float64(count[c]) - expect); d > 5*math.Sqrt(expect) {
				t.Errorf("1 in %d: %d of class %d in %d samples, %.0f expected", q, count[c], c, n, expect)
			}
		}
		again := filled(t, segment.U8, q)
		if !slices.Equal(again.U8, planes[0].U8) {
			t.Errorf("1 in %d: other samples the second time", q)
		}
	}
}

// TestAutomaton: the plain loop finds what the definition says, in every type.
func TestAutomaton(t *testing.T) {
	for _, typ := range sampleTypes() {
		for _, q := range Densities() {
			p := filled(t, typ, q)
			th := thresholdsOf(typ)
			var want []segment.Bound
			for l := range p.Lines {
				want = append(want, segment.Sequential(classesOf(&p, l), segment.EdgesDrop, false).Kept...)
			}
			if got := automaton(&p, &th, nil); !slices.Equal(got, want) || len(want) == 0 {
				t.Errorf("%s, 1 in %d: %d segments, want %d", typ, q, len(got), len(want))
			}
		}
	}
}

// TestTablesSayTheSame: the tables of the passes classify as the thresholds do.
func TestTablesSayTheSame(t *testing.T) {
	for _, typ := range []segment.SampleType{segment.U8, segment.U16} {
		p := filled(t, typ, 8)
		band := segment.Band{Lines: p.Lines, Samples: p.Samples, V: p}
		var want, got segment.Masks
		if err := thresholdsOf(typ).Classify(band, &want); err != nil {
			t.Fatal(err)
		}
		if err := tableOf(typ).Classify(band, &got); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.B, want.B) || !slices.Equal(got.A, want.A) {
			t.Errorf("%s: other masks", typ)
		}
	}
}

// TestReadersReadAll: with one bit more anywhere the sums are one more, with any number of workers; the search finds
// each byte it looks for.
func TestReadersReadAll(t *testing.T) {
	v := make([]uint64, 2*pieceWords+3*streamWords+5)
	for _, form := range readers() {
		for _, workers := range []int{1, 2, 5} {
			for _, at := range []int{0, 1, streamWords, len(v) / 4, len(v) / 2, pieceWords - 1, pieceWords, len(v) - 1} {
				v[at] = 1
				if form.Name == "search for a byte" {
					v[at] = 0xff << 24
				}
				got := form.readAll(v, workers)
				if got != 1 {
					t.Errorf("%s, %d workers: %d where word %d of %d counts 1", form.Name, workers, got, at, len(v))
				}
				v[at] = 0
			}
		}
		if got := form.read(v); got != 0 {
			t.Errorf("%s: %d in zeros", form.Name, got)
		}
	}
}

// TestStoreIsWhole: planes of every type cover the memory exactly.
func TestStoreIsWhole(t *testing.T) {
	for _, bytes := range []int64{1, 16384, 1<<20 + 5000} {
		m := newStore(bytes)
		for _, typ := range sampleTypes() {
			p := m.plane(typ)
			var last unsafe.Pointer
			n := p.Lines * p.Samples
			switch typ {
			case segment.U8:
				last = unsafe.Pointer(&p.U8[n-1])
			case segment.U16:
				last = unsafe.Pointer(&p.U16[n-1])
			default:
				last = unsafe.Pointer(&p.F32[n-1])
			}
			end := uintptr(last) + uintptr(typ.Bytes()) - uintptr(unsafe.Pointer(&m.words[0]))
			if int(end) != m.bytes() || p.Samples != lineSamples {
				t.Errorf("%d bytes, %s: a plane of %d x %d ends at byte %d of %d", bytes, typ, p.Lines, p.Samples, end, m.bytes())
			}
		}
	}
}
