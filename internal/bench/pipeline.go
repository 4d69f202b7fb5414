package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"segscan/internal/batch"
	"segscan/internal/raster"
	"segscan/kernels"
	"segscan/segment"
	"segscan/viz"
)

// StageRow is one generated image from file to picture. Stages are on one core; Whole is the main job on that file with
// its records and its overlay, on one core and on all.
type StageRow struct {
	Scene    string      `json:"scene"`
	File     string      `json:"file"`
	Sample   string      `json:"sample"`
	Pixels   int64       `json:"pixels"`
	Segments int         `json:"segments"`
	Stages   []StageTime `json:"stages"`
	Whole    []WholeTime `json:"whole"`
}

// StageTime is one stage.
type StageTime struct {
	Stage string  `json:"stage"`
	Time  Time    `json:"seconds"`
	Mpx   float64 `json:"mpx_per_s"`
}

// WholeTime is all of it, by the clock.
type WholeTime struct {
	Cores int     `json:"cores"`
	Time  Time    `json:"seconds"`
	Mpx   float64 `json:"mpx_per_s"`
}

// sceneSide is the side of generated images.
func (b *bench) sceneSide() int {
	if b.o.Quick {
		return 256
	}
	return 2048
}

// pipeline measures all scenes in a temporary folder.
func (b *bench) pipeline(ctx context.Context) (err error) {
	b.store = nil // no more needed
	dir, err := os.MkdirTemp("", "segscan-bench-")
	if err != nil {
		return fmt.Errorf("making a temporary folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	for _, s := range scenes() {
		b.progress("pipeline, " + s.name)
		if err := b.scene(ctx, s, dir); err != nil {
			return fmt.Errorf("measuring the scene %s: %w", s.name, err)
		}
	}
	return nil
}

func (b *bench) scene(ctx context.Context, s scene, dir string) error {
	p, err := newPage(ctx, s, b.sceneSide(), dir)
	if err != nil {
		return err
	}
	stages := p.stages(ctx, segment.NewCPU(1), dir)
	var tasks []task
	for _, st := range stages {
		tasks = append(tasks, task{cores: 1, wall: st.wall, run: st.run})
	}
	cores := []int{1}
	if n := runtime.GOMAXPROCS(0); n > 1 {
		cores = append(cores, n)
	}
	for _, n := range cores {
		tasks = append(tasks, task{cores: n, wall: true, run: func() error { return p.whole(ctx, filepath.Join(dir, "out"), n) }})
	}
	times, err := b.clock.interleave(ctx, weightStages, tasks...)
	if err != nil {
		return err
	}
	row := StageRow{Scene: s.name, File: s.file, Sample: p.info.Type.String(), Pixels: p.pixels, Segments: len(p.result.Kept.Bounds)}
	mpx := func(t Time) float64 { return t.perSecond(float64(p.pixels)) / 1e6 }
	for k, st := range stages {
		row.Stages = append(row.Stages, StageTime{st.name, times[k], mpx(times[k])})
	}
	for k, n := range cores {
		t := times[len(stages)+k]
		row.Whole = append(row.Whole, WholeTime{n, t, mpx(t)})
	}
	b.report.Stages = append(b.report.Stages, row)
	return b.encode(ctx, p)
}

// whole runs the main job on the page's file.
func (p *page) whole(ctx context.Context, out string, cores int) error {
	if before := runtime.GOMAXPROCS(cores); before != cores {
		defer runtime.GOMAXPROCS(before)
	}
	kernel, err := kernels.Parse(fmt.Sprintf("hysteresis:lo=%g,hi=%g", p.thresholds.Lo[0], p.thresholds.Hi[0]))
	if err != nil {
		return err
	}
	engine := segment.NewCPU(cores)
	cfg := &batch.Config{
		Inputs: []string{p.path}, Out: out, Overwrite: true, Kernel: kernel, KernelOptions: kernels.Options{NaN: segment.Boundary},
		Refine: segment.NoRefine, Overlay: "png", Style: viz.Tint, Palette: viz.Palettes()[0], Records: "csv", Jobs: 1, Open: raster.Open,
		Engine: func(*segment.PageInfo) (segment.Engine, string, error) { return engine, "", nil },
	}
	plan, err := batch.NewPlan(ctx, cfg)
	if err != nil {
		return err
	}
	sum, err := batch.Run(ctx, cfg, plan, silent{})
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case len(sum.Failed) > 0:
		return sum.Failed[0]
	case sum.Segments != int64(len(p.result.Kept.Bounds)):
		return fmt.Errorf("the main job finds %d segments, the stages %d", sum.Segments, len(p.result.Kept.Bounds))
	}
	return nil
}

// silent hears of progress and says nothing.
type silent struct{}

func (silent) Start(int, int64)                         {}
func (silent) FileDone(batch.PlannedFile, int64, error) {}
func (silent) Warn(string, string, string)              {}
