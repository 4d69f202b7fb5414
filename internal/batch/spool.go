package batch

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// spoolLimit is what a spool holds in memory.
const spoolLimit = 1 << 18

// spool keeps bytes until it is their turn to be written: the first in memory, then all in a temporary file in dir.
type spool struct {
	dir    string
	temps  *Temps
	mem    bytes.Buffer
	file   *os.File
	remove func()
}

func (s *spool) Write(b []byte) (int, error) {
	if s.file == nil {
		if s.mem.Len()+len(b) <= spoolLimit {
			return s.mem.Write(b)
		}
		if err := os.MkdirAll(s.dir, 0o777); err != nil {
			return 0, fmt.Errorf("keeping rows in %s: %w", s.dir, bare(err))
		}
		f, remove, err := s.temps.anonymous(s.dir)
		if err != nil {
			return 0, fmt.Errorf("keeping rows in %s: %w", s.dir, bare(err))
		}
		s.file, s.remove = f, remove
	}
	// From here on mem is the write buffer.
	if s.mem.Len()+len(b) > spoolLimit {
		if err := s.flush(); err != nil {
			return 0, err
		}
	}
	return s.mem.Write(b)
}

func (s *spool) flush() error {
	if _, err := s.file.Write(s.mem.Bytes()); err != nil {
		return fmt.Errorf("keeping rows in %s: %w", s.dir, bare(err))
	}
	s.mem.Reset()
	return nil
}

// WriteTo writes everything to w in the order it came.
func (s *spool) WriteTo(w io.Writer) (int64, error) {
	if s.file == nil {
		n, err := w.Write(s.mem.Bytes())
		return int64(n), err
	}
	if err := s.flush(); err != nil {
		return 0, err
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return 0, fmt.Errorf("reading rows kept in %s: %w", s.dir, bare(err))
	}
	return io.Copy(w, s.file)
}

// Close removes the temporary file, if there is one.
func (s *spool) Close() {
	if s == nil || s.file == nil {
		return
	}
	s.remove()
	s.file = nil
}
