//go:build !unix

package emulation

import "errors"

// lockFile is never called: the emulation is for Linux.
func lockFile(string) (unlock func(), err error) { return nil, errors.ErrUnsupported }
