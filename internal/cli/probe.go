package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Where a GPU is not asked for but would be used (--device auto), the driver is first tried in a process of its own: a
// broken one may end the process that loads it, or never answer, and must not take the run with it. Where a GPU is
// asked for there is no such trial; a driver that hangs is still left behind after a while.

// probeTimeout is how long the trial may take.
const probeTimeout = 20 * time.Second

// ownProgram is the path of this program, or empty where it is not known or is a test.
func ownProgram() string {
	exe, err := os.Executable()
	if err != nil || strings.HasSuffix(strings.TrimSuffix(exe, ".exe"), ".test") {
		return ""
	}
	return exe
}

// probeError says that the trial failed.
type probeError struct{ msg string }

func (e *probeError) Error() string { return e.msg }

func (e *probeError) Hint() string {
	return "segscan devices shows what the driver does; --device cpu leaves it alone"
}

// probe runs a program that asks the driver for its devices. What it says does not matter, only that it ends well.
func probe(ctx context.Context, limit time.Duration, program string, args ...string) error {
	inner, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(inner, program, args...)
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case inner.Err() != nil:
		return &probeError{fmt.Sprintf("the CUDA driver did not answer within %v", limit)}
	case errors.As(err, &exit):
		return &probeError{"the CUDA driver crashed when it was tried: " + exit.Error()}
	}
	return fmt.Errorf("trying the CUDA driver: %w", err)
}
