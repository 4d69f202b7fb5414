package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"segscan/segment"
)

// ReadRow is the rate at which a loop that only reads goes through memory: the ceiling.
type ReadRow struct {
	Cores int     `json:"cores"`
	Form  string  `json:"form"`
	Time  Time    `json:"seconds"`
	GBs   float64 `json:"gb_per_s"`
}

// EngineRow is one sample type at one density: boundaries and activations are each one sample in Density. OfRead is
// against reading in the same rounds, Times against the automaton.
type EngineRow struct {
	Sample   string `json:"sample"`
	Density  int    `json:"one_in"`
	Segments int    `json:"segments"`
	One      Rate   `json:"one_core"`
	All      Rate   `json:"all_cores"`

	Automaton    Time    `json:"automaton_seconds"`
	AutomatonGBs float64 `json:"automaton_gb_per_s"`
	Times        float64 `json:"times_automaton"`

	// Scaling is how much faster all cores are than one, against how much faster they read.
	Scaling float64 `json:"scaling"`

	// SegmentNs is the time beyond reading, in nanoseconds a segment; Bound is what most of the time goes to.
	SegmentNs float64 `json:"ns_a_segment"`
	Bound     string  `json:"bound"`
}

// Rate is a time with what follows from it.
type Rate struct {
	Cores  int     `json:"cores"`
	Time   Time    `json:"seconds"`
	Read   Time    `json:"read_seconds"`
	GBs    float64 `json:"gb_per_s"`
	OfRead float64 `json:"of_read"`
}

func newRate(cores int, t, read Time, bytes int) Rate {
	return Rate{cores, t, read, t.perSecond(float64(bytes)) / 1e9, read.Median / t.Median}
}

// PassRow is another pass over the samples, on one core: classification by a table with the scan behind it, the
// histogram, measurement of the segments found.
type PassRow struct {
	Pass    string `json:"pass"`
	Sample  string `json:"sample"`
	Density int    `json:"one_in"`
	Rate
}

func sampleTypes() []segment.SampleType {
	return []segment.SampleType{segment.U8, segment.U16, segment.F32}
}

// Densities are the q of the engine's measurements: one sample in q is a boundary, and one an activation.
func Densities() []int { return []int{8, 64, 512, 4096} }

// passDensity is that of the other passes.
const passDensity = 512

// engine measures reading, and the engine on every type and density.
func (b *bench) engine(ctx context.Context) error {
	b.progress("reading memory")
	b.store = newStore(b.o.Bytes)
	b.report.Bytes = b.store.bytes()
	p := b.store.plane(segment.U8)
	if err := fill(ctx, &p, passDensity); err != nil {
		return err
	}
	b.clock.weight += weightRead
	if err := b.fastestReader(ctx, b.store.words); err != nil {
		return err
	}
	cores := runtime.GOMAXPROCS(0)
	times, err := b.clock.interleave(ctx, weightRead, b.readTask(1), b.readTask(cores))
	if err != nil {
		return err
	}
	for k, n := range []int{1, cores} {
		if k > 0 && cores == 1 {
			break
		}
		t := times[k]
		b.report.Read = append(b.report.Read, ReadRow{n, b.reader.Name, t, t.perSecond(float64(b.store.bytes())) / 1e9})
	}
	for _, t := range sampleTypes() {
		for _, q := range Densities() {
			b.progress(fmt.Sprintf("%s, 1 in %d", t, q))
			if err := b.group(ctx, t, q); err != nil {
				return fmt.Errorf("measuring %s at 1 in %d: %w", t, q, err)
			}
		}
	}
	b.bounds()
	return nil
}

func (b *bench) readTask(cores int) task {
	return task{cores: cores, run: func() error {
		if cores == 1 {
			b.sink += b.reader.read(b.store.words)
		} else {
			b.sink += b.reader.readAll(b.store.words, cores)
		}
		return nil
	}}
}

// group measures one type at one density, the passes too if it is theirs.
func (b *bench) group(ctx context.Context, t segment.SampleType, q int) error {
	p := b.store.plane(t)
	if err := fill(ctx, &p, q); err != nil {
		return err
	}
	g, err := newGroup(ctx, &p)
	if err != nil {
		return err
	}
	defer g.close()
	cores := runtime.GOMAXPROCS(0)
	tasks := []task{
		b.readTask(1), {cores: 1, run: g.segment(ctx, g.one, g.thresholds, &g.result)},
		{cores: 1, run: func() error { g.spans = automaton(&p, &g.thresholds, g.spans[:0]); return nil }},
		b.readTask(cores), {cores: cores, run: g.segment(ctx, g.all, g.thresholds, &g.resultAll)},
	}
	var passes []string
	if q == passDensity {
		more, names, err := g.passes(ctx, t)
		if err != nil {
			return err
		}
		passes, tasks = names, append(tasks, more...)
	}
	times, err := b.clock.interleave(ctx, weightGroup, tasks...)
	if err != nil {
		return err
	}
	if err := g.check(); err != nil {
		return err
	}
	bytes := b.store.bytes()
	row := EngineRow{
		Sample: t.String(), Density: q, Segments: len(g.spans),
		One: newRate(1, times[1], times[0], bytes), All: newRate(cores, times[4], times[3], bytes),
		Automaton: times[2], AutomatonGBs: times[2].perSecond(float64(bytes)) / 1e9, Times: times[2].Median / times[1].Median,
	}
	row.Scaling = row.All.OfRead / row.One.OfRead
	if row.Segments > 0 {
		row.SegmentNs = max(0, times[1].Median-times[0].Median) / float64(row.Segments) * 1e9
	}
	b.report.Engine = append(b.report.Engine, row)
	for k, name := range passes {
		b.report.Passes = append(b.report.Passes, PassRow{name, t.String(), q, newRate(1, times[5+k], times[0], bytes)})
	}
	return nil
}

// group is a plane at the engines of one core and of all, with the results that are filled again and again.
type group struct {
	thresholds        segment.Thresholds
	engines           []segment.Engine
	one, all          segment.Loaded
	result, resultAll segment.Result
	spans             []segment.Bound
}

func newGroup(ctx context.Context, p *segment.Plane) (*group, error) {
	g := &group{thresholds: thresholdsOf(p.Type())}
	band := segment.Band{Lines: p.Lines, Samples: p.Samples, V: *p}
	for _, at := range []struct {
		workers int
		to      *segment.Loaded
	}{{1, &g.one}, {runtime.GOMAXPROCS(0), &g.all}} {
		e := segment.NewCPU(at.workers)
		g.engines = append(g.engines, e)
		l, err := e.Load(ctx, band)
		if err != nil {
			return nil, err
		}
		*at.to = l
	}
	return g, nil
}

func (g *group) segment(ctx context.Context, l segment.Loaded, c segment.Classifier, r *segment.Result) func() error {
	return func() error { return l.Segment(ctx, c, segment.Options{}, nil, r) }
}

// check compares what the paths found; a figure of a path that finds something else would mean nothing.
func (g *group) check() error {
	for _, r := range []*segment.Result{&g.result, &g.resultAll} {
		if !slices.Equal(g.spans, r.Kept.Bounds) {
			return errors.New("the engine finds other segments than the definition")
		}
	}
	return nil
}

// passes are the other passes that exist for a type.
func (g *group) passes(ctx context.Context, t segment.SampleType) (tasks []task, names []string, err error) {
	add := func(name string, run func() error) {
		tasks, names = append(tasks, task{cores: 1, run: run}), append(names, name)
	}
	if t != segment.F32 {
		add("table, scan", g.segment(ctx, g.one, tableOf(t), new(segment.Result)))
	}
	add("histogram", func() error { return g.one.Histogram(ctx, false, make([]segment.Histogram, 1)) })
	var r segment.Result
	if err := g.one.Segment(ctx, g.thresholds, segment.Options{Masks: true}, nil, &r); err != nil {
		return nil, nil, err
	}
	stats := make([]segment.Stat, len(r.Kept.Bounds))
	add("measure", func() error { return g.one.Measure(ctx, r.Kept, r.Masks, stats) })
	return tasks, names, nil
}

func (g *group) close() {
	g.one.Release()
	g.all.Release()
	for _, e := range g.engines {
		_ = e.Close() // the CPU engine holds memory only
	}
}

// What the time of a row goes to.
const (
	boundMemory   = "memory"
	boundCompare  = "comparing"
	boundSegments = "segments"
)

// bounds names for each row what bounds it: memory where reading takes four fifths of the time or more, else segments
// where the time is a quarter or more above that of the sparsest density of the type, else what is done a sample.
func (b *bench) bounds() {
	rows := b.report.Engine
	sparsest := map[string]float64{}
	for _, r := range rows {
		if t, ok := sparsest[r.Sample]; !ok || r.One.Time.Median < t {
			sparsest[r.Sample] = r.One.Time.Median
		}
	}
	for i := range rows {
		switch r := &rows[i]; {
		case r.One.OfRead >= 0.8:
			r.Bound = boundMemory
		case r.One.Time.Median >= 1.25*sparsest[r.Sample]:
			r.Bound = boundSegments
		default:
			r.Bound = boundCompare
		}
	}
}
