//go:build unix

package emulation

import (
	"os"

	"golang.org/x/sys/unix"
)

// lockFile waits until no other process holds the file; the lock ends with the process if not before.
func lockFile(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}
