package batch

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"testing"

	"segscan/internal/raster"
	"segscan/kernels"
	"segscan/segment"
)

// config is a run of the kernel hysteresis with boundary v <= 10 and activation v >= 200 into a folder of its own.
func config(t *testing.T, inputs ...string) *Config {
	t.Helper()
	return &Config{
		Inputs: inputs, Out: filepath.Join(t.TempDir(), "out"),
		Kernel:        kernel(t, "hysteresis:lo=10,hi=200"),
		KernelOptions: kernels.Options{NaN: segment.Boundary},
		Refine:        segment.NoRefine, Overlay: "png", Records: "csv", Jobs: 1,
		Open: raster.Open, Engine: cpu, Stdout: &bytes.Buffer{},
	}
}

func kernel(t *testing.T, spec string) kernels.Spec {
	t.Helper()
	k, err := kernels.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func cpu(*segment.PageInfo) (segment.Engine, string, error) { return segment.NewCPU(2), "", nil }

// class lets tests write images as lines of 0, 1 and 2; other digits are samples of class other.
func class(c byte) uint8 {
	switch c {
	case '1':
		return 5
	case '2':
		return 250
	}
	return 100 + (c - '0')
}

// gray is the image with these lines of classes.
func gray(lines ...string) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, len(lines[0]), len(lines)))
	for y, line := range lines {
		for x := range line {
			img.SetGray(x, y, color.Gray{Y: class(line[x])})
		}
	}
	return img
}

func encode(t *testing.T, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// put writes a file below dir and returns its path.
func put(t *testing.T, dir, rel string, content []byte) string {
	t.Helper()
	name := filepath.Join(dir, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, content, 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// listener notes what the observer hears.
type listener struct {
	mu    sync.Mutex
	files int
	bytes int64
	lines []string
}

func (l *listener) Start(files int, bytes int64) { l.files, l.bytes = files, bytes }

func (l *listener) FileDone(f PlannedFile, _ int64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.lines = append(l.lines, "failed "+err.Error())
		return
	}
	l.lines = append(l.lines, "done "+f.Name())
}

func (l *listener) Warn(file, msg, hint string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, strings.TrimSpace(fmt.Sprintf("warn %s: %s; %s", file, msg, hint)))
}

// run plans and runs, and fails the test on errors of the run as a whole.
func run(t *testing.T, cfg *Config) (*Summary, *listener) {
	t.Helper()
	plan, err := NewPlan(context.Background(), cfg)
	if err != nil {
		t.Fatalf("planning: %v", err)
	}
	l := &listener{}
	sum, err := Run(context.Background(), cfg, plan, l)
	if err != nil {
		t.Fatalf("running: %v", err)
	}
	return sum, l
}

// succeed is run where no file may fail.
func succeed(t *testing.T, cfg *Config) *Summary {
	t.Helper()
	sum, _ := run(t, cfg)
	for _, f := range sum.Failed {
		t.Errorf("failed: %v", f)
	}
	return sum
}

func read(t *testing.T, parts ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// tree lists the files below dir, slash-separated and sorted; temporary ones would show up too.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.Walk(dir, func(name string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			rel, _ := filepath.Rel(dir, name)
			names = append(names, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(names)
	return names
}

func wantText(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\ngot\n%s\nwant\n%s", what, got, want)
	}
}

func wantList(t *testing.T, what string, got, want []string) {
	t.Helper()
	wantText(t, what, strings.Join(got, "\n"), strings.Join(want, "\n"))
}

// failing is an engine that cannot be had.
func failing(err error) EngineFor {
	return func(*segment.PageInfo) (segment.Engine, string, error) { return nil, "", err }
}
