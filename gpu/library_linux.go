//go:build !nogpu && linux && (amd64 || arm64)

package gpu

import "github.com/ebitengine/purego"

// systemLibrary is the driver's own name; libcuda.so without a number is for linking and may be a stub.
const systemLibrary = "libcuda.so.1"

const noDriverRemedy = "install the NVIDIA driver"

func openHandle(path string) (uintptr, error) {
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func findSymbol(handle uintptr, name string) (uintptr, error) { return purego.Dlsym(handle, name) }
