//go:build !nogpu && windows && (amd64 || arm64)

package gpu

import "golang.org/x/sys/windows"

const systemLibrary = "nvcuda.dll"

const noDriverRemedy = "install the NVIDIA driver"

// openHandle takes the driver's library from the system's folder only, so that a file of that name beside an image is
// never run; a path of one's own is taken as it is.
func openHandle(path string) (uintptr, error) {
	flags := uintptr(0)
	if path == systemLibrary {
		flags = windows.LOAD_LIBRARY_SEARCH_SYSTEM32
	}
	h, err := windows.LoadLibraryEx(path, 0, flags)
	return uintptr(h), err
}

func findSymbol(handle uintptr, name string) (uintptr, error) {
	return windows.GetProcAddress(windows.Handle(handle), name)
}
