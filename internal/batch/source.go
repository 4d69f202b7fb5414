package batch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"segscan/internal/raster"
)

// stdinMemory is how many bytes of a stream are kept in memory; more go to a temporary file.
const stdinMemory = 16 << 20

// streamMost bounds the temporary file: a stream that is an image by its first bytes may still have no end.
const streamMost = 64 << 30

// streamEnd is how long an interrupted run waits for a read of a stream to end.
const streamEnd = 2 * time.Second

// source is an input that is open for reading anywhere.
type source struct {
	io.ReaderAt
	size  int64
	close func()
}

// openSource opens a planned file. Standard input and named pipes are read to their end first, because decoders
// read here and there.
func openSource(ctx context.Context, cfg *Config, f *PlannedFile) (*source, error) {
	if f.Path == "-" {
		if cfg.Stdin == nil {
			return nil, errors.New("there is no standard input")
		}
		return readStream(ctx, cfg, func() (io.ReadCloser, error) { return io.NopCloser(cfg.Stdin), nil })
	}
	info, err := os.Stat(f.Path)
	if err != nil {
		return nil, cannotOpen(err)
	}
	switch mode := info.Mode(); {
	case mode&fs.ModeNamedPipe != 0:
		return readStream(ctx, cfg, func() (io.ReadCloser, error) { return os.Open(f.Path) })
	case mode&(fs.ModeDevice|fs.ModeCharDevice) != 0:
		return nil, errors.New("is a device, not a file; pipe its content to -")
	case mode&fs.ModeSocket != 0:
		return nil, errors.New("is a socket, not a file; pipe its content to -")
	case mode.IsDir():
		return nil, errors.New("is a folder, not a file")
	}
	file, err := os.Open(f.Path)
	if err != nil {
		return nil, cannotOpen(err)
	}
	if info, err = file.Stat(); err != nil {
		file.Close()
		return nil, cannotOpen(err)
	}
	return &source{ReaderAt: file, size: info.Size(), close: func() { file.Close() }}, nil
}

func cannotOpen(err error) error {
	return fmt.Errorf("cannot be opened: %w", bare(err))
}

// readStream reads to the end of what open gives. When ctx ends first it waits for the read in hand, so that nothing is
// left behind; one that is blocked for longer cleans up as soon as bytes come.
func readStream(ctx context.Context, cfg *Config, open func() (io.ReadCloser, error)) (*source, error) {
	type result struct {
		s   *source
		err error
	}
	done := make(chan result)
	gone := make(chan struct{})
	defer close(gone)
	go func() {
		s, err := slurp(ctx, cfg, open)
		select {
		case done <- result{s, err}:
		case <-gone:
			s.drop()
		}
	}()
	select {
	case r := <-done:
		return r.s, r.err
	case <-ctx.Done():
	}
	select {
	case r := <-done:
		r.s.drop()
	case <-time.After(streamEnd):
	}
	return nil, ctx.Err()
}

func (s *source) drop() {
	if s != nil {
		s.close()
	}
}

func slurp(ctx context.Context, cfg *Config, open func() (io.ReadCloser, error)) (*source, error) {
	r, err := open()
	if err != nil {
		return nil, cannotOpen(err)
	}
	defer r.Close()
	in := contextReader{ctx, r}
	var mem bytes.Buffer
	n, err := io.CopyN(&mem, in, raster.HeadBytes)
	if err == nil {
		// What is no image may have no end.
		if err := raster.CheckHead(mem.Bytes()); err != nil {
			return nil, err
		}
		var more int64
		more, err = io.CopyN(&mem, in, stdinMemory-n)
		n += more
	}
	if err == io.EOF {
		return &source{ReaderAt: bytes.NewReader(mem.Bytes()), size: n, close: func() {}}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", bare(err))
	}
	file, remove, err := cfg.Temps.anonymous(os.TempDir())
	if err != nil {
		return nil, fmt.Errorf("keeping it in a temporary file: %w", bare(err))
	}
	if n, err = spill(file, &mem, in, streamMost); err != nil {
		remove()
		return nil, err
	}
	return &source{ReaderAt: file, size: n, close: remove}, nil
}

// spill writes what was read and all that follows to a file, most bytes at most.
func spill(file io.Writer, read *bytes.Buffer, in io.Reader, most int64) (int64, error) {
	n, err := read.WriteTo(file)
	if err == nil {
		var more int64
		more, err = io.Copy(file, io.LimitReader(in, most-n+1))
		n += more
	}
	if err == nil && n > most {
		err = fmt.Errorf("it does not end after %d bytes; give what is larger as a file", most)
	}
	if err != nil {
		return 0, fmt.Errorf("keeping it in a temporary file: %w", bare(err))
	}
	return n, nil
}

// contextReader ends with the context's error between reads.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}
