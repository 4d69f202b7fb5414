package segment

import (
	"fmt"

	"segscan/segment/internal/simd"
)

// Needs says that a table looks at each sample alone.
func (t Table) Needs() Needs { return Needs{} }

// Classify is the definition: the classes of the band's body. A table of the wrong size for the sample type, or for
// f32, is an error.
func (t Table) Classify(b Band, out *Masks) error { return classifySamples(&t, b, out) }

// preparedTable holds one of the two.
type preparedTable struct {
	u8  *simd.Table8
	u16 *simd.Table16
}

func (t *Table) prepare(typ SampleType, _ int64, _ int) (lineClassifier, error) {
	want := map[SampleType]int{U8: 256, U16: 65536}[typ]
	if want == 0 {
		return nil, fmt.Errorf("table: %s samples have no table; use thresholds", typ)
	}
	if len(t.Of) != want {
		return nil, fmt.Errorf("table: %d entries for %s samples, want %d", len(t.Of), typ, want)
	}
	for v, c := range t.Of {
		if c > Activation {
			return nil, fmt.Errorf("table: value %d: %d is no class", v, c)
		}
	}
	if typ == U8 {
		return &preparedTable{u8: simd.NewTable8(t.Of)}, nil
	}
	return &preparedTable{u16: simd.NewTable16(t.Of)}, nil
}

func (t *preparedTable) classify(p *Plane, line, s0, s1 int, b, a []uint64) {
	from, to := line*p.Stride+s0, line*p.Stride+s1
	switch {
	case p.U8 != nil:
		simd.TableU8(b, a, p.U8[from:to], t.u8)
	case p.U16 != nil:
		simd.TableU16(b, a, p.U16[from:to], t.u16)
	}
}
