package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"segscan/internal/batch"
	"segscan/kernels"
)

func itoa(n int) string { return strconv.Itoa(n) }

// lockedBuilder is a strings.Builder that may be read while it is written to.
type lockedBuilder struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuilder) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuilder) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newApp(stderr *strings.Builder) *app {
	ctx, cancel := context.WithCancelCause(context.Background())
	return &app{ctx: ctx, cancel: cancel, stdout: &stdoutWriter{w: stderr, cancel: cancel}, stderr: &printer{w: stderr}}
}

// TestExitCodes: every kind of error has its code, wrapped or not, and says what it is.
func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		err  error
		code int
		says string
	}{
		{nil, exitOK, ""},
		{errors.New("what nobody thought of"), exitInternal, "segscan: internal error, a bug in segscan: what nobody thought of\nhint: please report"},
		{&usageError{"no", "yes"}, exitUsage, "segscan: no\nhint: yes\n"},
		{fmt.Errorf("plan: %w", &batch.UsageError{Msg: "no", Hint: "yes"}), exitUsage, "segscan: plan: no\nhint: yes\n"},
		{&kernels.UsageError{Msg: "no"}, exitUsage, "segscan: no\n"},
		{&someFailed{}, exitSomeFailed, ""},
		{&batch.FileError{File: "a", Err: errors.New("broken")}, exitSomeFailed, "segscan: a: broken\n"},
		{fmt.Errorf("summary: %w", &fs.PathError{Op: "open", Path: "p", Err: fs.ErrPermission}), exitSomeFailed, "segscan: summary: open p: permission denied\n"},
		{&batch.NoInputError{Msg: "nothing"}, exitNoInput, "segscan: nothing\n"},
		{&deviceError{"no device", "cpu"}, exitNoDevice, "segscan: no device\nhint: cpu\n"},
		{fmt.Errorf("read: %w", errInterrupted), exitInterrupted, ""},
		{context.Canceled, exitInterrupted, ""},
	} {
		var said strings.Builder
		if code := newApp(&said).exitCode(c.err); code != c.code {
			t.Errorf("%v: exit %d, want %d", c.err, code, c.code)
		}
		if !strings.HasPrefix(said.String(), c.says) || (c.says == "") != (said.Len() == 0) {
			t.Errorf("%v: said %q, want %q", c.err, said.String(), c.says)
		}
	}
}

// TestPanicIsAMessage: no stack but for those who ask.
func TestPanicIsAMessage(t *testing.T) {
	for _, debug := range []bool{false, true} {
		var said strings.Builder
		a := newApp(&said)
		a.debug = debug
		a.stdin = nil
		// a nil context is a programming error deep inside the main job
		a.ctx = nil
		code := a.guarded([]string{"--dry-run", "."})
		if code != exitInternal || !strings.HasPrefix(said.String(), "segscan: internal error, a bug in segscan: ") {
			t.Errorf("exit %d, said %q", code, said.String())
		}
		if strings.Contains(said.String(), "goroutine") != debug {
			t.Errorf("debug %v, said %q", debug, said.String())
		}
	}
}

func TestVersionText(t *testing.T) {
	info := &debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"}}}
	info.Main.Version = "(devel)"
	if got := versionText(info, true); !strings.HasPrefix(got, "segscan devel (abc, modified) go1.") {
		t.Errorf("got %q", got)
	}
	info.Main.Version = "v1.2.3"
	if got := versionText(info, true); !strings.HasPrefix(got, "segscan v1.2.3 (abc, modified) go1.") {
		t.Errorf("got %q", got)
	}
	if got := versionText(nil, false); !strings.HasPrefix(got, "segscan devel go1.") {
		t.Errorf("got %q", got)
	}
}

// TestWarningsDoNotFlood: of many equal ones the first few are printed, the rest counted; failures once each.
func TestWarningsDoNotFlood(t *testing.T) {
	var said strings.Builder
	r := newReporter(&printer{w: &said}, &options{}, nil)
	r.Start(10, 100)
	for i := range 10 {
		r.Warn("f"+itoa(i), "has an orientation tag", "--auto-orient")
	}
	broken := &batch.FileError{File: "x", Page: 2, Err: errors.New("broken")}
	r.FileDone(batch.PlannedFile{Rel: "x"}, 10, broken)
	r.FileDone(batch.PlannedFile{Rel: "y"}, 10, context.Canceled)
	r.finish(&batch.Summary{Failed: []*batch.FileError{broken, {File: "z", Page: -1, Err: errors.New("gone")}}})
	want := `segscan: f0: warning: has an orientation tag
hint: --auto-orient
segscan: f1: warning: has an orientation tag
segscan: f2: warning: has an orientation tag
segscan: x: page 2: broken
segscan: z: gone
segscan: warning, 7 times more: has an orientation tag
`
	if said.String() != want {
		t.Errorf("got\n%s\nwant\n%s", said.String(), want)
	}
}

func TestLongListsAreCounted(t *testing.T) {
	var paths []string
	for i := range 20 {
		paths = append(paths, "out/f"+itoa(i)+".segments.csv", "out/f"+itoa(i)+".overlay.png")
	}
	got := strings.Join(outputLines("out", append(paths, "out/summary.csv")), "\n")
	if want := "out: 20 .segments.csv, 20 .overlay.png\nout/summary.csv"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	s := &batch.Summary{}
	for i := range 12 {
		s.Failed = append(s.Failed, &batch.FileError{File: "f" + itoa(i)})
	}
	if got := failedText(s); !strings.HasPrefix(got, "12 files: f0, f1, ") || !strings.HasSuffix(got, ", f9 and 2 more") {
		t.Errorf("got %q", got)
	}
}

// TestProgressLeavesTheLine: a message clears the bar before it is printed, and nothing of the bar stays at the end.
func TestProgressLeavesTheLine(t *testing.T) {
	term, err := os.Create(filepath.Join(t.TempDir(), "terminal"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = term.Close() }()
	r := newReporter(&printer{w: term}, &options{}, term)
	r.Start(3, 300)
	r.FileDone(batch.PlannedFile{Rel: "a"}, 100, nil)
	time.Sleep(120 * time.Millisecond) // longer than the bar waits between two drawings
	r.FileDone(batch.PlannedFile{Rel: "b"}, 100, &batch.FileError{File: "b", Page: -1, Err: errors.New("broken")})
	r.finish(&batch.Summary{})
	data, err := os.ReadFile(term.Name())
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	at := strings.Index(text, "segscan: b: broken\n")
	if !strings.Contains(text, "/3 files") || at < 0 || !strings.HasSuffix(text[:at], "\r") {
		t.Errorf("got %q", text)
	}
	if !strings.HasSuffix(text, "\r") {
		t.Errorf("the bar stays at the end: %q", text)
	}
	for _, o := range []*options{{quiet: true}, {Config: batch.Config{JSON: true}}, {Config: batch.Config{Table: "-"}}} {
		if newReporter(&printer{w: term}, o, term).term != nil {
			t.Errorf("%+v draws progress", o)
		}
	}
}
