package batch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestTempsAreRemoved(t *testing.T) {
	dir := t.TempDir()
	temps := &Temps{}
	done, err := newPending(filepath.Join(dir, "done"), temps)
	if err != nil {
		t.Fatal(err)
	}
	if err := done.commit(false); err != nil {
		t.Fatal(err)
	}
	if _, err := newPending(filepath.Join(dir, "half"), temps); err != nil {
		t.Fatal(err)
	}
	if got := tree(t, dir); len(got) != 2 {
		t.Fatalf("before: %v", got)
	}
	temps.Remove()
	wantList(t, "files", tree(t, dir), []string{"done"})
	if _, err := newPending(filepath.Join(dir, "late"), temps); !errors.Is(err, errOver) {
		t.Errorf("a file after the end: %v", err)
	}
	wantList(t, "files", tree(t, dir), []string{"done"})
}

// endless gives head and then zeros for ever.
type endless struct {
	head string
	read int64
}

func (e *endless) Read(b []byte) (int, error) {
	n := copy(b, e.head)
	e.head = e.head[n:]
	clear(b[n:])
	e.read += int64(len(b))
	return len(b), nil
}

// A stream that is no image is not read to its end, which may not be.
func TestStreamIsLookedAtFirst(t *testing.T) {
	cfg := config(t, "-")
	in := &endless{head: strings.Repeat("y\n", 600)}
	cfg.Stdin = in
	sum, _ := run(t, cfg)
	if len(sum.Failed) != 1 || !strings.Contains(sum.Failed[0].Error(), "stdin: looks like text") {
		t.Errorf("failed %v", sum.Failed)
	}
	if in.read > 1<<20 {
		t.Errorf("%d bytes were read", in.read)
	}
}

func TestStreamIsBounded(t *testing.T) {
	for _, c := range []struct{ bytes, want int64 }{{99, 99}, {100, 100}, {101, 0}, {1 << 20, 0}} {
		var out bytes.Buffer
		n, err := spill(&out, bytes.NewBufferString("0123456789"), io.LimitReader(&endless{}, c.bytes-10), 100)
		if n != c.want || (err == nil) != (c.want > 0) {
			t.Errorf("%d bytes: %d, %v", c.bytes, n, err)
		}
	}
}

// An interrupted run leaves nothing of a stream behind.
func TestInterruptedStream(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	ctx, cancel := context.WithCancel(context.Background())
	cfg := config(t)
	in := &endless{head: "\x89PNG\r\n\x1a\n"}
	stop := readerFunc(func(b []byte) (int, error) {
		if in.read > stdinMemory+1<<20 {
			cancel()
		}
		return in.Read(b)
	})
	_, err := readStream(ctx, cfg, func() (io.ReadCloser, error) { return io.NopCloser(stop), nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	wantList(t, "files left", tree(t, os.TempDir()), nil)
}

type readerFunc func(b []byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

func TestOutputErrorsNameThePathOnce(t *testing.T) {
	full := &os.PathError{Op: "write", Path: "/tmp/x", Err: syscall.ENOSPC}
	inner := writing("out/a.png", full)
	outer := writing("out/a.png", fmt.Errorf("writing png: %w", inner))
	wantText(t, "error", outer.Error(), "writing out/a.png: "+syscall.ENOSPC.Error())
	wantText(t, "of the file itself", itself("out/a.png", outer).Error(), "cannot be written: "+syscall.ENOSPC.Error())
	if !takesNoMore(&FileError{File: "a.png", Err: outer}) || takesNoMore(&FileError{File: "a.png", Err: full}) {
		t.Error("a full disk stops a run where an output meets it, and only there")
	}
}

// When the file system takes no more, the files that follow are not begun.
func TestFullDiskStops(t *testing.T) {
	dir := t.TempDir()
	for i := range 40 {
		put(t, dir, fmt.Sprintf("in/%02d.png", i), encode(t, gray("121")))
	}
	cfg := config(t, filepath.Join(dir, "in"))
	cfg.Engine = failing(&OutputError{"out/x", syscall.ENOSPC})
	sum, _ := run(t, cfg)
	if len(sum.Failed) != stopAfter {
		t.Errorf("%d files failed, want %d", len(sum.Failed), stopAfter)
	}
	if sum.LeftOut != 40-stopAfter {
		t.Errorf("%d files left out, want %d", sum.LeftOut, 40-stopAfter)
	}
	wantText(t, "message", LeftOut("o", 37), "files left out, for nothing more can be written to o: 37")
	if _, err := os.Stat(cfg.Out); err == nil {
		t.Error("an empty output folder was left")
	}
}
