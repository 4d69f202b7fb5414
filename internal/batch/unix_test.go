//go:build unix

package batch

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// pipe makes a named pipe, or skips where there is none.
func pipe(t *testing.T, name string) {
	t.Helper()
	if err := syscall.Mkfifo(name, 0o666); err != nil {
		t.Skip("named pipes cannot be made here:", err)
	}
}

// A pipe in a folder is no image, and is not waited for. One named outright is read like standard input.
func TestPipes(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "in/a.png", encode(t, gray("121")))
	name := filepath.Join(dir, "in", "pipe.png")
	pipe(t, name)
	cfg := config(t, filepath.Join(dir, "in"))
	if sum := succeed(t, cfg); sum.Done != 1 || sum.Plan.OtherKinds != 1 {
		t.Errorf("%d done, %d of other kinds", sum.Done, sum.Plan.OtherKinds)
	}
	png := encode(t, gray("1221"))
	go func() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close()
		if _, err := f.Write(png); err != nil {
			t.Error(err)
		}
	}()
	cfg = config(t, name)
	succeed(t, cfg)
	wantText(t, "records", read(t, cfg.Out, "pipe.png.segments.csv"), plainHeader+"pipe.png,0,0,0,3,4,2,250,250,250,\n")
}

// A pipe that nobody writes to does not keep an interrupted run.
func TestInterruptedPipe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe.png")
	pipe(t, name)
	cfg := config(t, name)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	plan, err := NewPlan(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := Run(ctx, cfg, plan, &listener{})
	if err != nil || !sum.Interrupted || sum.Done != 0 || len(sum.Failed) != 0 {
		t.Errorf("error %v, %+v", err, sum)
	}
	// Let the open that was left behind go.
	if f, err := os.OpenFile(name, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
		f.Close()
	}
}

func TestDevices(t *testing.T) {
	sum, _ := run(t, config(t, os.DevNull))
	if len(sum.Failed) != 1 || !strings.Contains(sum.Failed[0].Error(), "is a device, not a file") {
		t.Errorf("failed %v", sum.Failed)
	}
}

func TestForbidden(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("nothing is forbidden to root")
	}
	dir := t.TempDir()
	put(t, dir, "in/a.png", encode(t, gray("121")))
	shut := func(name string, mode fs.FileMode) {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(name, 0o777) })
	}
	shut(put(t, dir, "in/b.png", nil), 0)
	put(t, dir, "in/sub/c.png", nil)
	shut(filepath.Join(dir, "in", "sub"), 0)
	cfg := config(t, filepath.Join(dir, "in"))
	cfg.Recursive = true
	sum, _ := run(t, cfg)
	if sum.Done != 1 || len(sum.Failed) != 2 || sum.Failed[0].File != "sub" || sum.Failed[1].File != "b.png" {
		t.Errorf("%d done, failed %v", sum.Done, sum.Failed)
	}
	cfg = config(t, filepath.Join(dir, "in", "a.png"))
	if err := os.Mkdir(cfg.Out, 0o555); err != nil {
		t.Fatal(err)
	}
	if sum, _ := run(t, cfg); sum.Done != 0 || len(sum.Failed) != 1 || !strings.Contains(sum.Failed[0].Error(), "permission denied") {
		t.Errorf("%d done, failed %v", sum.Done, sum.Failed)
	}
}
