package cli

import (
	"errors"
	"syscall"
)

// brokenPipe tells that the reader of a pipe has gone: ERROR_BROKEN_PIPE or ERROR_NO_DATA.
func brokenPipe(err error) bool {
	const noData = syscall.Errno(232)
	return errors.Is(err, syscall.ERROR_BROKEN_PIPE) || errors.Is(err, noData)
}
