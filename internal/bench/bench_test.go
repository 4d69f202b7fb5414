package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"segscan/gpu"
	"segscan/segment"
)

// TestReport: a quick run has every part, and its JSON form reads back.
func TestReport(t *testing.T) {
	r, err := Run(context.Background(), Options{Quick: true, Bytes: 1 << 20, Pipeline: true, NoGPU: true, Model: gpu.DefaultModel(2)})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Engine) != 12 || len(r.Read) != min(2, r.Machine.Cores) || len(r.Passes) != 8 || len(r.Stages) != 4 || len(r.Encode) != 4 {
		t.Errorf("%d engine, %d read, %d pass, %d stage and %d encode rows", len(r.Engine), len(r.Read), len(r.Passes), len(r.Stages), len(r.Encode))
	}
	for _, e := range r.Engine {
		if e.Segments == 0 || e.One.GBs <= 0 || e.Bound == "" {
			t.Errorf("%+v", e)
		}
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if back.Engine[3] != r.Engine[3] || back.Schema != Schema {
		t.Errorf("came back as %+v, was %+v", back.Engine[3], r.Engine[3])
	}
	if s := r.Text(); strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
		t.Errorf("a figure is none:\n%s", s)
	}
}

func TestRunEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var parts []string
	start := time.Now()
	_, err := Run(ctx, Options{Bytes: 64 << 20, Rounds: 1000, NoGPU: true, Progress: func(what string) {
		if parts = append(parts, what); len(parts) == 2 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || len(parts) != 2 {
		t.Errorf("%v after %v", err, parts)
	}
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("it took %v to end", d)
	}
}

// TestDeviceIsSaidToBeMissing: a device asked for that is not there is an error that says so, and nothing else is done.
func TestDeviceIsSaidToBeMissing(t *testing.T) {
	o := Options{Quick: true, Device: true, GPU: gpu.Options{Library: filepath.Join(t.TempDir(), "none.so")}}
	o.Progress = func(what string) {
		if what != "asking for a GPU" {
			t.Errorf("%s without a device", what)
		}
	}
	var device *DeviceError
	if _, err := Run(context.Background(), o); !errors.As(err, &device) {
		t.Errorf("%v", err)
	}
	o.Device, o.Progress = false, nil
	b := newBench(o)
	if _, err := b.openDevice(context.Background()); err != nil || !strings.Contains(b.report.GPU.None, "none.so") {
		t.Errorf("%+v, %v", b.report.GPU, err)
	}
}

// TestChecksCanFail: a segment that is not the definition's is found, on the engine and on a device.
func TestChecksCanFail(t *testing.T) {
	p := filled(t, segment.U8, 64)
	ctx := context.Background()
	g, err := newGroup(ctx, &p)
	if err != nil {
		t.Fatal(err)
	}
	defer g.close()
	for _, run := range []func() error{g.segment(ctx, g.one, g.thresholds, &g.result), g.segment(ctx, g.all, g.thresholds, &g.resultAll)} {
		if err := run(); err != nil {
			t.Fatal(err)
		}
	}
	g.spans = automaton(&p, &g.thresholds, nil)
	if err := g.check(); err != nil {
		t.Error(err)
	}
	g.resultAll.Kept.Bounds[5].End++
	if err := g.check(); err == nil {
		t.Error("a wrong segment passes")
	}

	for _, resident := range []bool{false, true} {
		d := &deviceRun{engine: segment.NewCPU(1), bands: bandsOf(p, 7), atOnce: 3}
		d.results = make([]segment.Result, len(d.bands))
		if resident {
			if err := d.load(ctx); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(d.each(ctx, d.copy), d.each(ctx, d.segment), d.check()); err != nil {
			t.Fatal(err)
		}
		d.results[len(d.results)-1].Kept.Bounds[0].Start++
		if err := d.check(); err == nil {
			t.Error("a wrong segment of the last band passes")
		}
		d.release()
	}
}

// TestBandsOf: every line is in one band, in order.
func TestBandsOf(t *testing.T) {
	for _, n := range []int{1, 7, 16, 300} {
		p := segment.NewPlane(segment.U8, 256, 3)
		line := 0
		for _, b := range bandsOf(p, n) {
			if b.Line0 != int64(line) || &b.V.U8[0] != &p.U8[line*3] {
				t.Errorf("%d bands: one begins at line %d, not %d", n, b.Line0, line)
			}
			line += b.Lines
		}
		if line != 256 {
			t.Errorf("%d bands hold %d lines", n, line)
		}
	}
}

// TestScenes: each is read back as it was stored, has segments, and a picture of its size.
func TestScenes(t *testing.T) {
	dir := t.TempDir()
	for _, s := range scenes() {
		const side = 200
		p, err := newPage(context.Background(), s, side, dir)
		if err != nil {
			t.Fatal(s.name, err)
		}
		g := newCanvas(side, side)
		if err := s.draw(g); err != nil {
			t.Fatal(err)
		}
		if s.wide && !slices.Equal(p.band.V.U16, g.samples16()) || !s.wide && !slices.Equal(p.band.V.U8, g.samples8()) {
			t.Errorf("%s: samples came back changed", s.name)
		}
		if n := len(p.result.Kept.Bounds); n < 10 || len(p.stats) != n {
			t.Errorf("%s: %d segments, %d measured", s.name, n, len(p.stats))
		}
		m, err := png.Decode(bytes.NewReader(p.encoded.Bytes()))
		if err != nil || m.Bounds().Dx() != side || m.Bounds().Dy() != side {
			t.Errorf("%s: %v, %v", s.name, m, err)
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, "picture-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestImageErrorsNameNoPath: who reports them names the file.
func TestImageErrorsNameNoPath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none.png")
	_, err := RunImage(context.Background(), Options{Quick: true}, path, 1, 2)
	var image *ImageError
	if !errors.As(err, &image) || !errors.Is(err, os.ErrNotExist) || strings.Contains(err.Error(), path) {
		t.Errorf("%v", err)
	}
}
