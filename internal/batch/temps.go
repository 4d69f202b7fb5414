package batch

import (
	"errors"
	"os"
	"sync"
)

// Temps keeps the names of a run's temporary files, for a program that must end before the run does. The zero value is
// ready for use, and so is nil, which keeps none.
type Temps struct {
	mu    sync.Mutex
	names map[string]bool
	over  bool
}

// errOver is met by work that goes on while the program ends.
var errOver = errors.New("the program is ending")

// Remove removes the temporary files there are, and lets no more be made.
func (t *Temps) Remove() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	for name := range t.names {
		os.Remove(name)
	}
	t.names = nil
}

// create makes a temporary file in dir. While it does none is removed, so none is missed.
func (t *Temps) create(dir string) (*os.File, error) {
	if t == nil {
		return createTemp(dir)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return nil, errOver
	}
	f, err := createTemp(dir)
	if err == nil {
		if t.names == nil {
			t.names = map[string]bool{}
		}
		t.names[f.Name()] = true
	}
	return f, err
}

// forget drops a file that has been renamed or removed.
func (t *Temps) forget(name string) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.names, name)
}

// anonymous makes a temporary file in dir that nobody else can open, where the system allows without a name: then
// nothing is left of it however the program ends. remove closes and removes it.
func (t *Temps) anonymous(dir string) (f *os.File, remove func(), err error) {
	f, err = t.create(dir)
	if err != nil {
		return nil, nil, err
	}
	name := f.Name()
	if os.Remove(name) == nil {
		t.forget(name)
		return f, func() { f.Close() }, nil
	}
	return f, func() {
		f.Close()
		os.Remove(name)
		t.forget(name)
	}, nil
}
