//go:build nogpu

package gpu

// openLibrary says that this program was built without the driver binding.
func openLibrary(string) (library, error) {
	return nil, &Error{Op: "open the CUDA driver", Detail: "this program was built without it (build tag nogpu)",
		Remedy: "use a program built without that tag", kind: ErrNoGPUBuild}
}
