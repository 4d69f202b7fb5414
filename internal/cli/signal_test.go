//go:build !windows

package cli

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"image/png"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// exitOf waits for cmd; a process that does not end within a minute fails the test.
func exitOf(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	killer := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer killer.Stop()
	err := cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}

// TestInterruptWhileReading: a signal ends a run that waits for stdin, and nothing is left behind.
func TestInterruptWhileReading(t *testing.T) {
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if signal.Ignored(sig) {
			t.Logf("%v is ignored here, as under nohup, and so it is by programs started from here", sig)
			continue
		}
		out, temp := filepath.Join(t.TempDir(), "out"), t.TempDir()
		cmd := exec.Command("segscan", "-o", out, "-")
		cmd.Env = append(os.Environ(), "TMPDIR="+temp)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// More than a pipe and memory hold: when this returns, the program is reading into a temporary file, so it
		// listens for signals.
		junk := append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, 20<<20)...)
		if _, err := stdin.Write(junk); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if code := exitOf(t, cmd); code != exitInterrupted {
			t.Errorf("%v: exit %d, want %d\n%s", sig, code, exitInterrupted, stderr.String())
		}
		if !strings.Contains(stderr.String(), "segscan: interrupted") {
			t.Errorf("%v: %q", sig, stderr.String())
		}
		noLeftovers(t, out)
		noLeftovers(t, temp)
	}
}

// TestInterruptWhileWriting: the files written when the signal comes are whole, no temporary file stays.
func TestInterruptWhileWriting(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	line := strings.Repeat("01020100", 64)
	for i := range 200 {
		name := filepath.Join(in, "f"+strings.Repeat("0", 3-len(itoa(i)))+itoa(i)+".png")
		if i == 0 {
			if err := writeImage(name, line+"*512"); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.Link(filepath.Join(in, "f000.png"), name); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("segscan", "--jobs", "2", "-k", "hysteresis:lo=10,hi=200", "-o", out, in)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool {
		done, _ := filepath.Glob(filepath.Join(out, "*.segments.csv"))
		return len(done) > 0
	})
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := exitOf(t, cmd); code != exitInterrupted {
		t.Fatalf("exit %d, want %d\n%s", code, exitInterrupted, stderr.String())
	}
	if n := noLeftovers(t, out); n == 0 || n >= 400 {
		t.Errorf("%d files checked; the run was not interrupted half-way", n)
	}
	if !strings.Contains(stderr.String(), "stopped") {
		t.Errorf("the summary does not say that it stopped:\n%s", stderr.String())
	}
}

// noLeftovers checks that every file below dir is a whole result, and counts them.
func noLeftovers(t *testing.T, dir string) int {
	t.Helper()
	n := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if errors.Is(err, os.ErrNotExist) || (err == nil && d.IsDir()) {
			return nil
		} else if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		n++
		switch {
		case strings.HasSuffix(path, ".csv"):
			if _, err := csv.NewReader(bytes.NewReader(data)).ReadAll(); err != nil || !bytes.HasSuffix(data, []byte("\n")) {
				t.Errorf("%s is not whole: %v", path, err)
			}
		case strings.HasSuffix(path, ".png"):
			if _, err := png.Decode(bytes.NewReader(data)); err != nil {
				t.Errorf("%s is not whole: %v", path, err)
			}
		default:
			t.Errorf("left behind: %s", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestClosedPipeEndsQuietly: `segscan --json ... | head -1` is no error to read about.
func TestClosedPipeEndsQuietly(t *testing.T) {
	dir := t.TempDir()
	pages := strings.TrimSuffix(strings.Repeat("01020100|", 3000), "|") // more than a pipe holds
	if err := writeImage(filepath.Join(dir, "a.tif"), pages); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	cmd := exec.Command("segscan", "--json", "--overlay", "none", "-k", "hysteresis:lo=10,hi=200", "-o", out, filepath.Join(dir, "a.tif"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || !strings.HasPrefix(line, "{") {
		t.Fatalf("first line %q, %v", line, err)
	}
	if err := stdout.Close(); err != nil {
		t.Fatal(err)
	}
	if code := exitOf(t, cmd); code != exitPipe || stderr.Len() > 0 {
		t.Errorf("exit %d, want %d; stderr %q", code, exitPipe, stderr.String())
	}
	noLeftovers(t, out)
}

// TestFullDiskOnStdoutIsSaid: an error of stdout that is no closed pipe is a message and a failure.
func TestFullDiskOnStdoutIsSaid(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("no /dev/full here: %v", err)
	}
	defer func() { _ = full.Close() }()
	var stderr strings.Builder
	image := filepath.Join(t.TempDir(), "a.png")
	if err := writeImage(image, "01020100"); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"kernels"}, {"--dry-run", image}, {"--json", "-o", t.TempDir(), image}, {"--table", "-", "-o", t.TempDir(), image}} {
		stderr.Reset()
		code := Run(args, strings.NewReader(""), full, &stderr)
		if code != exitSomeFailed || strings.Count(stderr.String(), "segscan: writing to standard output: ") != 1 {
			t.Errorf("%v: exit %d, %q", args, code, stderr.String())
		}
	}
}

// TestSecondInterruptEndsAtOnce: work that does not end in good order is left.
func TestSecondInterruptEndsAtOnce(t *testing.T) {
	stuck, unstick := io.Pipe()
	defer func() { _ = unstick.Close() }()
	var stderr lockedBuilder
	code := make(chan int, 1)
	// Stdout that blocks for ever stands for work that cannot be cancelled.
	go func() { code <- Run([]string{"version"}, strings.NewReader(""), unstick, &stderr) }()
	defer func() { _ = stuck.Close() }()
	if _, err := stuck.Read(make([]byte, 1)); err != nil { // the command is writing, so Run listens for signals
		t.Fatal(err)
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return strings.Contains(stderr.String(), "interrupted") })
	if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	select {
	case got := <-code:
		if got != exitInterrupted {
			t.Errorf("exit %d, want %d", got, exitInterrupted)
		}
	case <-time.After(time.Minute):
		t.Fatal("the second signal did not end the run")
	}
}

// TestSecondInterruptLeavesNothingHalf: a table that is being written goes with the run.
func TestSecondInterruptLeavesNothingHalf(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.png", "b.png"} {
		if err := writeImage(filepath.Join(dir, "in", name), "01020100"); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(dir, "out")
	stuck, unstick := io.Pipe()
	defer func() { _ = stuck.Close() }()
	var stderr lockedBuilder
	code := make(chan int, 1)
	args := []string{"--json", "-o", out, "--table", filepath.Join(out, "all.csv"), "-k", "hysteresis:lo=10,hi=200", filepath.Join(dir, "in")}
	go func() { code <- Run(args, strings.NewReader(""), unstick, &stderr) }()
	// The table is begun with the first file; of the second one's object a byte is read, and the rest blocks.
	if _, err := bufio.NewReaderSize(stuck, 16).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if _, err := stuck.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	half := func() int {
		found, _ := filepath.Glob(filepath.Join(out, ".segscan-*"))
		return len(found)
	}
	if half() == 0 {
		t.Error("no table is being written, so this test shows nothing")
	}
	for _, said := range []string{"interrupted", ""} {
		if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		waitFor(t, func() bool { return strings.Contains(stderr.String(), said) })
	}
	select {
	case got := <-code:
		if got != exitInterrupted {
			t.Errorf("exit %d, want %d", got, exitInterrupted)
		}
	case <-time.After(time.Minute):
		t.Fatal("the second signal did not end the run")
	}
	if n := half(); n > 0 {
		t.Errorf("%d temporary files are left", n)
	}
}

func waitFor(t *testing.T, happened func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !happened(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nothing happened for a minute")
		}
	}
}

// TestNamesCannotWriteToTheTerminal: a file name is shown, not obeyed.
func TestNamesCannotWriteToTheTerminal(t *testing.T) {
	dir := t.TempDir()
	name := "a\x1b[31m\n\xff.png"
	if err := os.WriteFile(filepath.Join(dir, name), []byte("no image"), 0o666); err != nil {
		t.Skipf("this file system does not take the name: %v", err)
	}
	for _, args := range [][]string{{"--dry-run"}, {}} {
		var out, errs strings.Builder
		code := Run(append(args, "-o", filepath.Join(dir, "out"), filepath.Join(dir, name)), strings.NewReader(""), &out, &errs)
		all := out.String() + errs.String()
		if code != exitOK && code != exitSomeFailed || strings.Contains(all, "\x1b") || strings.Contains(all, "\xff") || strings.Contains(all, "m\n\\xff") {
			t.Errorf("%v: exit %d, %q", args, code, all)
		}
		if !strings.Contains(all, `\xff.png`) {
			t.Errorf("%v: the name is not shown: %q", args, all)
		}
	}
}
