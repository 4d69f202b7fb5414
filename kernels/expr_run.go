package kernels

import (
	"fmt"
	"math"

	"segscan/segment"
)

// exprSlab is the number of samples whose comparisons with constants are made at once, by segment.Thresholds: whole
// lines, or a piece of a line, a multiple of exprBlock.
const exprSlab = 1 << 16

// exprMachine holds the registers of a program and what it needs to run over a slab. It is for one goroutine.
type exprMachine struct {
	p   *Program
	i   []intVec
	f   []floatVec
	b   []boolVec
	bad boolVec // of execTrapping

	tests []segment.Masks // of a slab, one each of p.tests
	nan   segment.Masks   // B: v is NaN
}

func newExprMachine(p *Program) *exprMachine {
	m := &exprMachine{p: p, bad: make(boolVec, exprWords), tests: make([]segment.Masks, len(p.tests))}
	for range p.Ints {
		m.i = append(m.i, make(intVec, exprBlock))
	}
	for range p.Floats {
		m.f = append(m.f, make(floatVec, exprBlock))
	}
	for range p.Bools {
		m.b = append(m.b, make(boolVec, exprWords))
	}
	for k := range p.Setup {
		m.exec(&p.Instrs[k], exprBlock)
	}
	return m
}

// Classify implements segment.Classifier.
func (c *Code) Classify(b segment.Band, out *segment.Masks) error {
	out.Resize(b.Lines, b.Samples)
	if b.Lines == 0 || b.Samples == 0 { // empty planes have no type to check
		return nil
	}
	p, err := c.programFor(&b)
	if err != nil {
		return err
	}
	m, ok := c.pool.Get().(*exprMachine)
	if !ok || m.p != p {
		m = newExprMachine(p)
	}
	defer c.pool.Put(m)
	lines := max(1, exprSlab/b.Samples)
	for l := 0; l < b.Lines; l += lines {
		for s := 0; s < b.Samples; s += exprSlab {
			r := exprRun{c: c, m: m, band: &b, line: l, sample: s,
				lines: min(lines, b.Lines-l), samples: min(exprSlab, b.Samples-s)}
			if err := r.slab(out); err != nil {
				return err
			}
		}
	}
	return nil
}

// programFor chooses the program for the planes of a band, which must be those it was made for.
func (c *Code) programFor(b *segment.Band) (*Program, error) {
	p, err := c.Program(b.C[0].Type())
	if err != nil {
		return nil, err
	}
	if (b.V.Type() == segment.F32) != p.SampleFloats {
		return nil, fmt.Errorf("kernel expr: a band of %s samples on a page of %s", b.V.Type(), c.page.Type)
	}
	if !c.channels {
		return p, nil
	}
	lines, samples := b.Before.Lines+b.Lines, b.Before.Samples+b.Samples
	for i := range b.C {
		if b.C[i].Lines < lines || b.C[i].Samples < samples || b.C[i].Type() != b.C[0].Type() {
			return nil, fmt.Errorf("kernel expr: a band without the colour channels that it asked for")
		}
	}
	return p, nil
}

// exprRun is a program on a slab: lines and samples from line and sample of the band's body.
type exprRun struct {
	c              *Code
	m              *exprMachine
	band           *segment.Band
	line, sample   int
	lines, samples int
}

// plane is the slab of a source.
func (r *exprRun) plane(source uint16) segment.Plane {
	p := r.band.V
	if source != SourceV {
		p = r.band.C[source-SourceR]
	}
	return p.Sub(r.band.Before.Lines+r.line, r.band.Before.Samples+r.sample, r.lines, r.samples)
}

func (r *exprRun) slab(out *segment.Masks) error {
	p := r.m.p
	for k, t := range p.tests {
		if t.source >= SourceX {
			continue
		}
		v := segment.Band{Page: r.band.Page, Lines: r.lines, Samples: r.samples, V: r.plane(t.source)}
		th := segment.Thresholds{Lo: []float64{t.lo}, Hi: []float64{t.hi}}
		if err := th.Classify(v, &r.m.tests[k]); err != nil {
			return fmt.Errorf("kernel expr: %w", err)
		}
	}
	if p.SampleFloats {
		v := segment.Band{Page: r.band.Page, Lines: r.lines, Samples: r.samples, V: r.plane(SourceV)}
		if err := (segment.Thresholds{NaN: segment.Boundary}).Classify(v, &r.m.nan); err != nil {
			return fmt.Errorf("kernel expr: %w", err)
		}
	}
	for l := range r.lines {
		outB, outA := out.Line(r.line + l)
		for s := 0; s < r.samples; s += exprBlock {
			n := min(exprBlock, r.samples-s)
			if err := r.block(l, s, n); err != nil {
				return err
			}
			at, words := (r.sample+s)/64, (n+63)/64
			r.classes(outB[at:at+words], outA[at:at+words], l, s, n)
		}
	}
	return nil
}

// block runs the program on n samples from sample s of line l of the slab.
func (r *exprRun) block(l, s, n int) error {
	m, p := r.m, r.m.p
	var failed *exprTrapError
	first := n
	for k := p.Setup; k < len(p.Instrs); k++ {
		in := &p.Instrs[k]
		switch in.Op {
		case OpLoadI, OpLoadF:
			r.load(in, l, s, n)
			continue
		case OpLeS, OpGeS:
			r.test(in, p.testOf[k], l, s, n)
			continue
		}
		if bad := m.exec(in, n); bad != nil {
			if at := r.firstBad(bad, in.C, l, s, first); at < first {
				first = at
				x, y := r.place(l, s+at)
				failed = &exprTrapError{p.traps[k], x, y}
			}
		}
	}
	if failed != nil {
		return failed
	}
	return nil
}

// firstBad is the first of n samples that really trapped: the guard asks for it and v is not NaN; n if there is none.
func (r *exprRun) firstBad(bad boolVec, guard uint16, l, s, n int) int {
	for k := range n {
		w, b := k/64, k%64
		switch {
		case bad[w]>>b&1 == 0:
		case guard != NoReg && r.m.b[guard][w]>>b&1 == 0:
		case r.isNaN(l, s+k):
		default:
			return k
		}
	}
	return n
}

func (r *exprRun) isNaN(l, s int) bool {
	if !r.m.p.SampleFloats {
		return false
	}
	b, _ := r.m.nan.Line(l)
	return b[s/64]>>(s%64)&1 != 0
}

// place gives the page coordinates of sample s of line l of the slab.
func (r *exprRun) place(l, s int) (x, y int64) {
	line, sample := r.band.Line0+int64(r.line+l), r.band.Sample0+int64(r.sample+s)
	if r.band.Axis == segment.Cols {
		return line, sample
	}
	return sample, line
}

// along is the first sample's value of a coordinate, and whether it grows by one a sample or is the same for all.
func (r *exprRun) along(source uint16, l, s int) (from int64, grows bool) {
	x, y := r.place(l, s)
	if source == SourceX {
		return x, r.band.Axis == segment.Rows
	}
	return y, r.band.Axis == segment.Cols
}

func (r *exprRun) load(in *Instr, l, s, n int) {
	if in.A >= SourceX {
		d := r.m.i[in.Dst][:n]
		from, grows := r.along(in.A, l, s)
		if !grows {
			fillVec(d, from)
			return
		}
		for k := range d {
			d[k] = from + int64(k)
		}
		return
	}
	p := r.plane(in.A)
	at := l*p.Stride + s
	switch {
	case p.U8 != nil:
		widen(r.m.i[in.Dst][:n], p.U8[at:at+n])
	case p.U16 != nil:
		widen(r.m.i[in.Dst][:n], p.U16[at:at+n])
	case p.F32 != nil:
		widen(r.m.f[in.Dst][:n], p.F32[at:at+n])
	}
}

func widen[D int64 | float64, S uint8 | uint16 | float32](d []D, s []S) {
	s = s[:len(d)]
	for k := range d {
		d[k] = D(s[k])
	}
}

// test gives the bits of a comparison with a constant: those of the slab, or of a coordinate, which need no samples.
func (r *exprRun) test(in *Instr, t testRef, l, s, n int) {
	d := r.m.b[in.Dst][:(n+63)/64]
	if in.A < SourceX {
		b, a := r.m.tests[t.test].Line(l)
		if t.high {
			b = a
		}
		copy(d, b[s/64:])
		return
	}
	from, grows := r.along(in.A, l, s)
	// The samples that are at most the bound are the first k.
	bound, k := int64(in.Imm), 0
	if in.Op == OpGeS {
		bound = max(bound, math.MinInt64+1) - 1
	}
	switch {
	case from > bound:
	case !grows:
		k = n
	default:
		k = int(min(int64(n), bound-from+1))
	}
	for w := range d {
		d[w] = uint64(1)<<min(64, max(0, k-64*w)) - 1
		if in.Op == OpGeS {
			d[w] = ^d[w]
		}
	}
}

// classes writes the masks of a block: boundary wins, the exchange, then NaN.
func (r *exprRun) classes(outB, outA []uint64, l, s, n int) {
	m := r.m
	b, a := m.b[m.p.Boundary], m.b[m.p.Activation]
	var nan []uint64
	if m.p.SampleFloats {
		nan, _ = m.nan.Line(l)
		nan = nan[s/64:]
	}
	for w := range outB {
		x, y := b[w], a[w]&^b[w]
		if r.c.Swap {
			x, y = y, x
		}
		if nan != nil {
			x, y = x&^nan[w], y&^nan[w]
			switch r.c.NaN {
			case segment.Boundary:
				x |= nan[w]
			case segment.Activation:
				y |= nan[w]
			}
		}
		if rest := n - 64*w; rest < 64 {
			keep := uint64(1)<<rest - 1
			x, y = x&keep, y&keep
		}
		outB[w], outA[w] = x, y
	}
}
