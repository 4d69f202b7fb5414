package batch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// stdinMemory is how many bytes of a stream are kept in memory; more go to a temporary file.
const stdinMemory = 16 << 20

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
		return readStream(ctx, func() (io.ReadCloser, error) { return io.NopCloser(cfg.Stdin), nil })
	}
	info, err := os.Stat(f.Path)
	if err != nil {
		return nil, cannotOpen(err)
	}
	switch mode := info.Mode(); {
	case mode&fs.ModeNamedPipe != 0:
		return readStream(ctx, func() (io.ReadCloser, error) { return os.Open(f.Path) })
	case mode&(fs.ModeDevice|fs.ModeCharDevice) != 0:
		return nil, errors.New("is a device, not a file; pipe its content to -")
	case mode&fs.ModeSocket != 0:
		return nil, errors.New("is a socket, not a file; pipe its content to -")
	case mode.IsDir():
		return nil, errors.New("is a folder by now")
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

// readStream reads to the end of what open gives. When ctx ends first it returns; the goroutine that waits for
// bytes then cleans up as soon as some come.
func readStream(ctx context.Context, open func() (io.ReadCloser, error)) (*source, error) {
	type result struct {
		s   *source
		err error
	}
	done := make(chan result)
	go func() {
		s, err := slurp(ctx, open)
		select {
		case done <- result{s, err}:
		case <-ctx.Done():
			if s != nil {
				s.close()
			}
		}
	}()
	select {
	case r := <-done:
		return r.s, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func slurp(ctx context.Context, open func() (io.ReadCloser, error)) (*source, error) {
	r, err := open()
	if err != nil {
		return nil, cannotOpen(err)
	}
	defer r.Close()
	in := contextReader{ctx, r}
	var mem bytes.Buffer
	n, err := io.CopyN(&mem, in, stdinMemory)
	if err == io.EOF {
		return &source{ReaderAt: bytes.NewReader(mem.Bytes()), size: n, close: func() {}}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", bare(err))
	}
	file, err := os.CreateTemp("", tempPrefix+"*.tmp")
	if err != nil {
		return nil, fmt.Errorf("keeping it in a temporary file: %w", bare(err))
	}
	remove := func() {
		file.Close()
		os.Remove(file.Name())
	}
	if _, err = file.Write(mem.Bytes()); err == nil {
		var more int64
		more, err = io.Copy(file, in)
		n += more
	}
	if err != nil {
		remove()
		return nil, fmt.Errorf("keeping it in a temporary file: %w", bare(err))
	}
	return &source{ReaderAt: file, size: n, close: remove}, nil
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
