//go:build !windows

package cli

import (
	"errors"
	"syscall"
)

// brokenPipe tells that the reader of a pipe has gone.
func brokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
