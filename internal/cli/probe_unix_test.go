//go:build unix

package cli

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// A trial that ends well, crashes, hangs, cannot be started, or is interrupted.
func TestProbe(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{"exit 0", ""},
		{"kill -SEGV $$", "the CUDA driver crashed when it was tried: signal: segmentation fault"},
		{"exit 2", "the CUDA driver crashed when it was tried: exit status 2"},
		{"sleep 60", "the CUDA driver did not answer within 300ms"},
	} {
		err := probe(context.Background(), 300*time.Millisecond, "/bin/sh", "-c", c.script)
		if c.want == "" && err == nil {
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || hintOf(err) == "" {
			t.Errorf("%s: got %v, want %q", c.script, err, c.want)
		}
	}
	if err := probe(context.Background(), time.Second, "/no/such/program"); err == nil || !strings.Contains(err.Error(), "/no/such/program") {
		t.Errorf("no program: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := probe(ctx, time.Second, "/bin/sh", "-c", "sleep 60"); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// A test is no program to run again.
func TestOwnProgramIsNoTest(t *testing.T) {
	if exe := ownProgram(); exe != "" {
		t.Errorf("the program is %s", exe)
	}
}
