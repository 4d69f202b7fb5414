// The measure stage. Its device text is kernels/cuda/measure.cu, its definition segment/cpu_measure.go.

package gpu

import (
	"context"
	"errors"
	"fmt"
	"math"

	"segscan/kernels/cuda"
	"segscan/segment"
)

// Measure measures on the device.
func (l *loaded) Measure(ctx context.Context, s segment.Spans, masks *segment.Masks, out []segment.Stat) error {
	if l.plain != nil {
		return l.plain.Measure(ctx, s, masks, out)
	}
	return l.guard(ctx, "measure", func() error { return l.measure(ctx, s, masks, out) })
}

func (l *loaded) measure(ctx context.Context, s segment.Spans, masks *segment.Masks, out []segment.Stat) error {
	switch {
	case len(out) != len(s.Bounds):
		return fmt.Errorf("%d results for %d spans", len(out), len(s.Bounds))
	case len(out) == 0:
		return nil
	case masks == nil:
		return errors.New("no masks; ask for them in the options of Segment")
	case masks.Lines != l.band.Lines || masks.Samples != l.band.Samples:
		return fmt.Errorf("masks of %d x %d for a band of %d x %d", masks.Lines, masks.Samples, l.band.Lines, l.band.Samples)
	case len(s.First) != l.band.Lines+1 || s.First[l.band.Lines] != int64(len(s.Bounds)):
		return errors.New("spans do not belong to this band")
	}
	m := &measureRun{loaded: l, s: s, masks: masks, out: out}
	if err := m.findLong(); err != nil {
		return err
	}
	return l.steps(ctx, "measure", m.need, func(l0, l1 int, at cuda.Ptr) error { return m.run(ctx, l0, l1, at) })
}

// measureRun is one Measure call.
type measureRun struct {
	*loaded
	s     segment.Spans
	masks *segment.Masks
	out   []segment.Stat
	long  []uint64 // numbers of the spans with cuda.MeasureLong samples inside or more, in order

	spans, first, lineEdges, activation, list, results buffer
}

// findLong checks the spans, for a device would read beyond its samples, and notes the long ones.
func (m *measureRun) findLong() error {
	for line := range m.band.Lines {
		if m.s.First[line] > m.s.First[line+1] || m.s.First[line] < 0 {
			return errors.New("spans do not belong to this band")
		}
		for i := m.s.First[line]; i < m.s.First[line+1]; i++ {
			b := m.s.Bounds[i]
			if b.End < b.Start || int64(b.End) >= int64(m.band.Samples) {
				return fmt.Errorf("span [%d, %d] of line %d is not in lines of %d samples", b.Start, b.End, line, m.band.Samples)
			}
			lo, hi := int64(b.Start)+1, int64(b.End)
			if line < len(m.s.Edge) {
				if m.s.Edge[line]&segment.EdgeLeft != 0 && i == m.s.First[line] {
					lo--
				}
				if m.s.Edge[line]&segment.EdgeRight != 0 && i+1 == m.s.First[line+1] {
					hi++
				}
			}
			if hi-lo >= cuda.MeasureLong {
				m.long = append(m.long, uint64(i))
			}
		}
	}
	return nil
}

// of gives the numbers of the spans of lines l0 to l1-1, from and to, and of the long ones among them.
func (m *measureRun) of(l0, l1 int) (from, to uint64, long []uint64) {
	from, to = uint64(m.s.First[l0]), uint64(m.s.First[l1])
	for _, i := range m.long {
		if i >= from && i < to {
			long = append(long, i-from)
		}
	}
	return from, to, long
}

func (m *measureRun) edges() bool { return len(m.s.Edge) >= m.band.Lines }

func (m *measureRun) need(l0, l1 int) *plan {
	w, lines := new(plan), uint64(l1-l0)
	from, to, long := m.of(l0, l1)
	w.add(&m.spans, 8*(to-from))
	w.add(&m.first, 8*(lines+1))
	if m.edges() {
		w.add(&m.lineEdges, lines)
	}
	w.add(&m.activation, 8*lines*uint64(m.masks.Words))
	w.add(&m.results, 40*(to-from))
	if len(long) > 0 {
		w.add(&m.list, 8*uint64(len(long)))
	}
	return w
}

func (m *measureRun) run(ctx context.Context, l0, l1 int, at cuda.Ptr) error {
	from, to, long := m.of(l0, l1)
	if from == to {
		return nil
	}
	first := make([]int64, l1-l0+1)
	for i := range first {
		first[i] = m.s.First[l0+i] - int64(from)
	}
	type part struct {
		to    buffer
		bytes []byte
	}
	parts := []part{{m.spans, bytesOf(m.s.Bounds[from:to])}, {m.first, bytesOf(first)},
		{m.activation, bytesOf(m.masks.A[l0*m.masks.Words : l1*m.masks.Words])}, {m.list, bytesOf(long)}}
	if m.edges() {
		parts = append(parts, part{m.lineEdges, m.s.Edge[l0:l1]})
	}
	for _, p := range parts {
		if err := m.lane.uploadBytes(ctx, p.to.ptr, p.bytes); err != nil {
			return err
		}
	}
	p := &cuda.MeasureParams{Samples: at, Spans: m.spans.ptr, First: m.first.ptr, LineEdges: m.lineEdges.ptr,
		Activation: m.activation.ptr, Out: m.results.ptr, List: m.list.ptr, Count: to - from, Lines: uint64(l1 - l0),
		Pitch: m.pitch, Width: uint32(m.band.Samples), WordsPerLine: uint32(m.masks.Words)}
	if err := m.e.do(func() error { return m.launch(p, uint64(len(long))) }); err != nil {
		return err
	}
	results := make([]cuda.Measured, to-from)
	if err := m.lane.download(bytesOf(results), m.results.ptr); err != nil {
		return err
	}
	for i := range results {
		m.out[from+uint64(i)] = statOf(&results[i], m.typ())
	}
	return nil
}

// launch starts the kernels; it runs on the thread. Short spans take a warp each, long ones a block.
func (m *measureRun) launch(p *cuda.MeasureParams, long uint64) error {
	d, st, k := m.e.driver, m.lane.stream, m.e.kernels
	const warps = cuda.PlainThreads / 32
	if err := k.measure[m.typ()].launch(d, st, m.e.shared((p.Count+warps-1)/warps), p); err != nil {
		return err
	}
	if err := m.e.synced("measure"); err != nil || long == 0 {
		return err
	}
	q := *p
	q.Count = long
	if err := k.measureLong[m.typ()].launch(d, st, m.e.shared(long), &q); err != nil {
		return err
	}
	return m.e.synced("measure_long")
}

// statOf is a device's result as a Stat.
func statOf(m *cuda.Measured, t segment.SampleType) segment.Stat {
	s := segment.Stat{N: int64(m.N), Activations: int64(m.Activations), Min: math.NaN(), Max: math.NaN(), Mean: math.NaN()}
	if m.Used == 0 {
		return s
	}
	if t == segment.F32 {
		s.Min, s.Max = float64(segment.FloatFromKey(m.Min)), float64(segment.FloatFromKey(m.Max))
		s.Mean = math.Float64frombits(m.Sum) / float64(m.Used)
		return s
	}
	s.Min, s.Max, s.Mean = float64(m.Min), float64(m.Max), float64(m.Sum)/float64(m.Used)
	return s
}
