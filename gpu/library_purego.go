//go:build !nogpu && ((linux && (amd64 || arm64)) || (windows && (amd64 || arm64)))

package gpu

import "github.com/ebitengine/purego"

// openLibrary opens the driver's library: path, or the system's if path is empty.
func openLibrary(path string) (library, error) {
	if path == "" {
		path = systemLibrary
	}
	h, err := openHandle(path)
	if err != nil {
		return nil, &Error{Op: "open " + path, Detail: err.Error(), Remedy: noDriverRemedy, kind: ErrNoDriver}
	}
	return &pureLibrary{h}, nil
}

type pureLibrary struct{ handle uintptr }

func (l *pureLibrary) find(name string) (uintptr, error) { return findSymbol(l.handle, name) }

func (l *pureLibrary) bind(to any, address uintptr) { purego.RegisterFunc(to, address) }
