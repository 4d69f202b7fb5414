package bench

import "segscan/segment"

// automaton is the definition as one writes it without an engine: one pass over the samples of each line with the last
// boundary and whether an activation came since. It appends the segments of all lines to out.
//
// It is to be a fair opponent: most samples pass after two comparisons, which makes it up to twice as fast as asking for
// boundaries first, and the loops are written out for each type, because the compiler makes slower ones of a generic
// function.
func automaton(p *segment.Plane, t *segment.Thresholds, out []segment.Bound) []segment.Bound {
	lo, hi := t.Lo[0], t.Hi[0]
	for l := range p.Lines {
		from, to := l*p.Stride, l*p.Stride+p.Samples
		switch {
		case p.U8 != nil:
			out = automatonU8(p.U8[from:to], uint8(lo), uint8(hi), out)
		case p.U16 != nil:
			out = automatonU16(p.U16[from:to], uint16(lo), uint16(hi), out)
		case p.F32 != nil:
			out = automatonF32(p.F32[from:to], float32(lo), float32(hi), out)
		}
	}
	return out
}

func automatonU8(v []uint8, lo, hi uint8, out []segment.Bound) []segment.Bound {
	last, active := -1, false
	for i, x := range v {
		if x > lo && x < hi {
			continue
		}
		if x >= hi {
			active = true
			continue
		}
		if active && last >= 0 {
			out = append(out, segment.Bound{Start: uint32(last), End: uint32(i)})
		}
		last, active = i, false
	}
	return out
}

func automatonU16(v []uint16, lo, hi uint16, out []segment.Bound) []segment.Bound {
	last, active := -1, false
	for i, x := range v {
		if x > lo && x < hi {
			continue
		}
		if x >= hi {
			active = true
			continue
		}
		if active && last >= 0 {
			out = append(out, segment.Bound{Start: uint32(last), End: uint32(i)})
		}
		last, active = i, false
	}
	return out
}

func automatonF32(v []float32, lo, hi float32, out []segment.Bound) []segment.Bound {
	last, active := -1, false
	for i, x := range v {
		if x > lo && x < hi {
			continue
		}
		if x >= hi {
			active = true
			continue
		}
		if active && last >= 0 {
			out = append(out, segment.Bound{Start: uint32(last), End: uint32(i)})
		}
		last, active = i, false
	}
	return out
}
