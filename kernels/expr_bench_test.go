package kernels

import (
	"math/rand/v2"
	"testing"

	"segscan/segment"
)

// BenchmarkExpr classifies a band of 4 Mpx on one core. One byte is declared a pixel, so that MB/s reads as Mpx/s.
func BenchmarkExpr(b *testing.B) {
	const lines, samples = 1024, 4096
	for _, c := range []struct {
		name, spec string
		t          segment.SampleType
	}{
		{"table/u8", "expr:boundary=v<40,activation=v>200 && v%2==0", segment.U8},
		{"table/u16", "expr:boundary=v<4000,activation=v>20000 && v%2==0", segment.U16},
		{"thresholds/f32", "expr:boundary=v<40,activation=v>200", segment.F32},
		{"comparisons/u8", "expr:boundary=v<40,activation=v>200 && x>10", segment.U8},
		{"comparisons/u16", "expr:boundary=v<4000,activation=v>20000 && x>10", segment.U16},
		{"comparisons/f32", "expr:boundary=v<0,activation=v>10 && x>10", segment.F32},
		{"variables/u8", "expr:boundary=v<x,activation=v>y", segment.U8},
		{"arithmetic/f32", "expr:boundary=abs(v-3)<0.5*x,activation=v*v>200.0", segment.F32},
		{"colour/u8", "expr:boundary=r<40 && g<40,activation=r>200 && b<100", segment.U8},
		{"colour/difference", "expr:boundary=max(r,g,b)<40,activation=r-g>30 && r-b>30", segment.U8},
		{"colour/distance", "expr:boundary=max(r,g,b)<40,activation=(r-200)**2+(g-30)**2+(b-30)**2<2500", segment.U8},
		{"modulo/u8", "expr:boundary=(v+x)%3==0,activation=v>200", segment.U8},
	} {
		b.Run(c.name, func(b *testing.B) {
			spec, err := Parse(c.spec)
			if err != nil {
				b.Fatal(err)
			}
			p := newExprPage(rand.New(rand.NewPCG(1, 1)), c.t, c.t, segment.Rows, lines, samples)
			classifier, _, err := spec.Bind(&p.info, nil, Options{})
			if err != nil {
				b.Fatal(err)
			}
			var m segment.Masks
			b.SetBytes(lines * samples)
			for b.Loop() {
				if err := classifier.Classify(p.band, &m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkExprParse: a spec of two conditions from text to code.
func BenchmarkExprParse(b *testing.B) {
	for b.Loop() {
		if _, err := Parse("expr:boundary=v<40,activation=v>200 && x>10"); err != nil {
			b.Fatal(err)
		}
	}
}
