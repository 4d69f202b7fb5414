// The survey of a page's windows on the device. Its device text is kernels/cuda/local_survey.cu, its definition
// kernels/local_wolf.go.

package gpu

import (
	"context"
	"fmt"
	"math"
	"slices"

	rules "segscan/kernels"
	"segscan/kernels/cuda"
	"segscan/segment"
)

// surveyor is a band at an engine that may survey it.
type surveyor interface {
	Survey(context.Context, rules.Survey) (done bool, err error)
}

// Survey adds the band to a survey, on the device. It does nothing, and says so, where that has no code for the survey, or
// what the survey asks for is an error: Add is for these.
func (l *loaded) Survey(ctx context.Context, s rules.Survey) (done bool, err error) {
	look, ok := s.(rules.LocalSurvey)
	if !ok || l.plain != nil {
		return false, nil
	}
	c := look.Local()
	v, err := c.View(&l.band)
	if err != nil {
		return false, nil // Add words the error
	}
	r := &surveyRun{loaded: l, least: math.Inf(1)}
	r.params = cuda.LocalParams{Pitch: l.pitch, Area: float64(c.WindowX * c.WindowY), Width: uint32(l.band.Samples),
		Left: uint32(v.Left), Right: uint32(v.Right), HalfLines: uint32(v.HalfLines), HalfSamples: uint32(v.HalfSamples), Edge: uint32(v.Edge)}
	r.passes.anchored = true
	r.passes.bytes, r.down = 16, "local_survey_down_"
	if l.typ() == segment.F32 {
		r.passes.bytes, r.down = 24, "passes_down_sums_"
	}
	err = l.guard(ctx, "survey", func() error { return l.steps(ctx, "survey", r.need, r.run) })
	if err != nil {
		return false, err
	}
	if l.typ() != segment.F32 {
		r.most = math.Sqrt(r.most) / r.params.Area
	}
	look.Found(r.least, r.most)
	return true, nil
}

// surveyRun is one Survey call.
type surveyRun struct {
	*loaded
	params       cuda.LocalParams
	down         string // what the first kernel's name begins with
	passes       localPasses
	most, least  float64
	spreads, key buffer
}

// blocks is how many the second kernel has.
func (r *surveyRun) blocks() uint64 {
	return uint64(max(1, r.e.info.Multiprocessors)) * blocksPerProcessor
}

func (r *surveyRun) need(l0, l1 int) *plan {
	w := new(plan)
	r.passes.need(w, &r.params, uint64(l1-l0))
	w.add(&r.spreads, 8*r.blocks()*cuda.PlainThreads/32)
	w.add(&r.key, 4)
	return w
}

// run looks at lines l0 to l1-1.
func (r *surveyRun) run(l0, l1 int, at cuda.Ptr) error {
	lines := uint64(l1 - l0)
	if err := r.e.do(func() error { return r.launch(l0, lines, at) }); err != nil {
		return err
	}
	spreads, inverse := make([]float64, r.blocks()*cuda.PlainThreads/32), uint32(0)
	if err := r.lane.download(bytesOf(spreads), r.spreads.ptr); err != nil {
		return err
	}
	if err := r.lane.download(valueBytes(&inverse), r.key.ptr); err != nil {
		return err
	}
	r.most = max(r.most, slices.Max(spreads))
	switch key := ^inverse; {
	case inverse == 0: // no sample is finite
	case r.typ() == segment.F32:
		r.least = min(r.least, float64(segment.FloatFromKey(key)))
	default:
		r.least = min(r.least, float64(key))
	}
	return nil
}

// launch starts the kernels of a step; it runs on the thread.
func (r *surveyRun) launch(l0 int, lines uint64, at cuda.Ptr) error {
	p := r.params
	p.Samples, p.Columns, p.Scratch, p.Table, p.Low = at, r.passes.columns.ptr, r.passes.scratch.ptr, r.spreads.ptr, r.key.ptr
	p.Lines = uint32(lines)
	p.Top, p.Bottom = r.pageEdges(l0)
	r.passes.place(r.loaded, &p, l0)
	columns := uint64(p.Right - p.Left)
	p.Tiles = uint32(ceil(columns, cuda.PlainThreads))
	down := uint64(p.Tiles) * r.passes.strips(&p, lines)
	p.StripLines = uint32(r.passes.lines)
	if err := r.e.driver.check(r.e.driver.fill(r.key.ptr, 0, 4, r.lane.stream), "cuMemsetD8Async"); err != nil {
		return err
	}
	for _, step := range []struct {
		name   string
		blocks uint64
	}{{r.down, down}, {"local_survey_along_", r.blocks()}} {
		name := fmt.Sprint(step.name, typeNames[r.typ()])
		k, err := onDemand[cuda.LocalParams](r.e, r.e.fused, name)
		if err != nil {
			return err
		}
		if err := k.launch(r.e.driver, r.lane.stream, step.blocks, &p); err != nil {
			return err
		}
		if err := r.e.synced(name); err != nil {
			return err
		}
	}
	return nil
}
