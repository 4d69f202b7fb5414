package batch

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"github.com/natefinch/atomic"
)

// tempPrefix and tempSuffix enclose the names of files that are being written: hidden, so that no later run takes one for
// an input.
const (
	tempPrefix = ".segscan-"
	tempSuffix = ".tmp"
)

// createTemp makes a new file in dir with the rights of any new file (os.CreateTemp would keep it from others).
func createTemp(dir string) (*os.File, error) {
	for try := 0; ; try++ {
		name := filepath.Join(dir, tempPrefix+strconv.FormatUint(rand.Uint64(), 36)+tempSuffix)
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil || !errors.Is(err, fs.ErrExist) || try > 100 {
			return f, err
		}
	}
}

// pending is an output that is being written under a temporary name in the folder where it will be. Exactly one of
// commit and discard ends it.
type pending struct {
	path   string // final
	temps  *Temps
	file   *os.File
	buf    *bufio.Writer
	closed bool
	done   bool
}

// newPending makes the folder of path and the temporary file in it.
func newPending(path string, temps *Temps) (*pending, error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, writing(path, err)
	}
	f, err := temps.create(dir)
	if err != nil {
		return nil, writing(path, err)
	}
	return &pending{path: path, temps: temps, file: f, buf: bufio.NewWriterSize(f, 1<<16)}, nil
}

// OutputError is an output that cannot be written.
type OutputError struct {
	Path string
	Err  error // without the path
}

func (e *OutputError) Error() string {
	return fmt.Sprintf("writing %s: %v", recordName(e.Path), e.Err)
}

func (e *OutputError) Unwrap() error { return e.Err }

// itself is an error of the output at path for a message that begins with that path.
func itself(path string, err error) error {
	if o := (*OutputError)(nil); errors.As(err, &o) && o.Path == path {
		return fmt.Errorf("cannot be written: %w", o.Err)
	}
	return err
}

// writing names the output that an error concerns, once.
func writing(path string, err error) error {
	if o := (*OutputError)(nil); errors.As(err, &o) && o.Path == path {
		return o
	}
	return &OutputError{path, bare(err)}
}

func (p *pending) Write(b []byte) (int, error) {
	n, err := p.buf.Write(b)
	if err != nil {
		err = writing(p.path, err)
	}
	return n, err
}

// Seek serves formats whose first bytes are known last.
func (p *pending) Seek(offset int64, whence int) (int64, error) {
	if err := p.buf.Flush(); err != nil {
		return 0, writing(p.path, err)
	}
	n, err := p.file.Seek(offset, whence)
	if err != nil {
		return n, writing(p.path, err)
	}
	return n, nil
}

// finish puts what was written on the disk. The output has its final name only after commit.
func (p *pending) finish() error {
	if p.closed {
		return nil
	}
	p.closed = true
	err := p.buf.Flush()
	if err == nil {
		err = p.file.Sync()
	}
	if e := p.file.Close(); err == nil {
		err = e
	}
	if err != nil {
		return writing(p.path, err)
	}
	return nil
}

// commit gives the output its name. Without replace one that exists by now is an error.
func (p *pending) commit(replace bool) error {
	if err := p.finish(); err != nil {
		return err
	}
	if !replace {
		// The plan found the name free; this is for what appeared since.
		if _, err := os.Lstat(p.path); err == nil {
			return writing(p.path, errors.New("it exists by now; --overwrite replaces it"))
		}
	}
	if err := atomic.ReplaceFile(p.file.Name(), p.path); err != nil {
		return writing(p.path, err)
	}
	p.temps.forget(p.file.Name())
	p.done = true
	return nil
}

// discard removes the temporary file; after commit it does nothing.
func (p *pending) discard() {
	if p == nil || p.done {
		return
	}
	if !p.closed {
		p.closed = true
		p.file.Close()
	}
	os.Remove(p.file.Name())
	p.temps.forget(p.file.Name())
	p.done = true
}

// outputSet is the outputs of one input: all appear, or none.
type outputSet struct {
	replace bool
	files   []*pending
}

// commit renames the records last, so that their being there means that the pictures are. When one rename fails
// those before it are taken back.
func (s *outputSet) commit() (paths []string, err error) {
	for _, p := range s.files {
		if err := p.finish(); err != nil {
			s.discard()
			return nil, err
		}
	}
	for i := len(s.files) - 1; i >= 0; i-- {
		if err := s.files[i].commit(s.replace); err != nil {
			for _, p := range s.files[i+1:] {
				os.Remove(p.path)
			}
			s.discard()
			return nil, err
		}
	}
	for _, p := range s.files {
		paths = append(paths, p.path)
	}
	return paths, nil
}

func (s *outputSet) discard() {
	for _, p := range s.files {
		p.discard()
	}
}
