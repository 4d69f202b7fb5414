// Expressions on the device: their program, run on each sample. The device's text is kernels/cuda/code.cu, the
// definition kernels/expr_code.go.

package gpu

import (
	"context"
	"math"
	"slices"

	rules "segscan/kernels"
	"segscan/kernels/cuda"
	"segscan/segment"
)

// codeClasses are classes by the program of an expression. Where the device refuses a sample (see CodeParams), the CPU
// classifies the lines in hand.
type codeClasses struct {
	code     *rules.Code
	program  *rules.Program
	channels [4]bool // that the program reads
	params   cuda.CodeParams

	instrs, refused buffer
	colours         [4]buffer
}

// codeReason says why the device does not run an expression, or is empty.
func codeReason(c *rules.Code, colour segment.SampleType) string {
	p, err := c.Program(colour)
	if err != nil {
		return "" // the CPU words the error
	}
	if p.Ints > cuda.CodeInts || p.Floats > cuda.CodeFloats || p.Bools > cuda.CodeBools {
		return "an expression of so many parts"
	}
	for _, in := range p.Instrs {
		if y := math.Float64frombits(in.Imm); in.Op == rules.OpPowF && y != 2 && math.Abs(y) != 0.5 {
			return "powers but squares and roots"
		}
	}
	return ""
}

// codeClasses makes an expression ready for the device; nil where it is not for one.
func (l *loaded) codeClasses(c *rules.Code) (classSource, error) {
	p, err := c.Program(l.band.C[0].Type())
	if err != nil || (l.typ() == segment.F32) != p.SampleFloats {
		return nil, nil // the CPU words the error
	}
	s := &codeClasses{code: c, program: p}
	for _, in := range p.Instrs {
		switch in.Op {
		case rules.OpLoadI, rules.OpLoadF, rules.OpLeS, rules.OpGeS:
			if in.A >= rules.SourceR && in.A <= rules.SourceA {
				s.channels[in.A-rules.SourceR] = true
			}
		}
	}
	lines, samples := l.band.Before.Lines+l.band.Lines, l.band.Before.Samples+l.band.Samples
	for i, used := range s.channels {
		if ch := &l.band.C[i]; used && (ch.Lines < lines || ch.Samples < samples || ch.Type() != l.band.C[0].Type()) {
			return nil, nil // the CPU words the error
		}
	}
	s.params = cuda.CodeParams{Pitch: l.pitch, ColourPitch: l.width(), Sample: uint64(l.band.Sample0), Width: uint32(l.band.Samples),
		WordsPerLine: uint32((l.band.Samples + 63) / 64 * 2), Count: uint32(len(p.Instrs)),
		BoundaryReg: uint32(p.Boundary), ActivationReg: uint32(p.Activation), SampleType: uint32(l.typ()),
		ColourType: uint32(l.band.C[0].Type()), Columns: flag(l.band.Axis == segment.Cols), Swap: flag(c.Swap), NanClass: uint32(c.NaN),
		Ints: uint32(max(1, p.Ints)), Floats: uint32(max(1, p.Floats))}
	if s.shared() > l.e.fused.shared {
		return nil, nil // an old device: the CPU, then
	}
	return s, nil
}

// shared is the memory of a block, for the registers of its threads.
func (c *codeClasses) shared() uint32 {
	return 8 * cuda.PlainThreads * (c.params.Ints + c.params.Floats)
}

func (c *codeClasses) planes() planeSource { return madePlanes }

func (c *codeClasses) need(w *plan, b *segmentBuffers, lines, words uint64) {
	w.add(&b.boundary, 8*lines*words)
	w.add(&b.activation, 8*lines*words)
	w.add(&c.instrs, uint64(len(bytesOf(c.program.Instrs))))
	w.add(&c.refused, 4)
	for i, used := range c.channels {
		if used {
			w.add(&c.colours[i], lines*c.params.ColourPitch*uint64(segment.SampleType(c.params.ColourType).Bytes()))
		}
	}
}

// send makes the planes, so that what the device refuses can be done here before anything reads them.
func (c *codeClasses) send(ctx context.Context, s *segmentRun, l0, l1 int) error {
	if err := s.lane.uploadBytes(ctx, c.instrs.ptr, bytesOf(c.program.Instrs)); err != nil {
		return err
	}
	p := c.params
	p.Samples, p.Lines, p.Line = s.at, uint32(l1-l0), uint64(s.band.Line0)+uint64(l0)
	p.Code, p.Refused, p.Boundary, p.Activation = c.instrs.ptr, c.refused.ptr, s.buffers.boundary.ptr, s.buffers.activation.ptr
	for i, to := range []*cuda.Ptr{&p.Red, &p.Green, &p.Blue, &p.Alpha} {
		if !c.channels[i] {
			continue
		}
		*to = c.colours[i].ptr
		b := &s.band
		part := b.C[i].Sub(b.Before.Lines+l0, b.Before.Samples, l1-l0, b.Samples)
		if err := s.lane.upload(ctx, *to, part.Lines*part.Samples*part.Type().Bytes(), linesOf(&part)); err != nil {
			return err
		}
	}
	err := s.e.do(func() error {
		k, err := onDemand[cuda.CodeParams](s.e, s.e.fused, "code_planes")
		if err != nil {
			return err
		}
		if err := s.e.driver.check(s.e.driver.kernelAttribute(k.entry, kernelMaxDynamicShared, int32(max(c.shared(), sharedWithoutOptIn))), "cuFuncSetAttribute code_planes"); err != nil {
			return err
		}
		if err := s.zero(c.refused, 4); err != nil {
			return err
		}
		words := uint64(p.Lines) * uint64(p.WordsPerLine)
		blocks := min((words+cuda.PlainThreads/32-1)/(cuda.PlainThreads/32), uint64(max(1, s.e.info.Multiprocessors))*8)
		if err := k.launchShared(s.e.driver, s.lane.stream, blocks, c.shared(), &p); err != nil {
			return err
		}
		return s.e.synced("code_planes")
	})
	if err != nil || !c.program.CanTrap && !slices.ContainsFunc(c.program.Instrs, func(in rules.Instr) bool { return in.Op == rules.OpPowF }) {
		return err
	}
	var refused uint32
	if err := s.lane.download(valueBytes(&refused), c.refused.ptr); err != nil || refused == 0 {
		return err
	}
	var m segment.Masks
	m.Resize(l1-l0, s.band.Samples)
	if err := classifyHere(ctx, s.band.Window(l0, l1, 0), c.code, &m); err != nil {
		return err
	}
	return (&maskClasses{&m}).send(ctx, s, 0, l1-l0)
}

// linesOf gives the bytes of a plane's lines, one after the other, from an offset on.
func linesOf(p *segment.Plane) func(part []byte, at int) {
	all, size := planeBytes(p), p.Type().Bytes()
	width, stride := p.Samples*size, p.Stride*size
	return func(part []byte, at int) {
		for len(part) > 0 {
			line, x := at/width, at%width
			n := copy(part, all[line*stride+x:line*stride+width])
			part, at = part[n:], at+n
		}
	}
}

func (c *codeClasses) launch(s *segmentRun) error {
	k := &s.e.kernels.classifyMasks
	return k.launch(s.e.driver, s.lane.stream, k.tiles(s.n), s.maskParams())
}
