//go:build !nogpu && !((linux || windows) && (amd64 || arm64))

package gpu

import "runtime"

// openLibrary says that there is no driver for this system.
func openLibrary(string) (library, error) {
	return nil, &Error{Op: "open the CUDA driver", Detail: "there is no CUDA on " + runtime.GOOS + "/" + runtime.GOARCH, kind: ErrNoDriver}
}
