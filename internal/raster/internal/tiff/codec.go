package tiff

import (
	"bufio"
	"bytes"
	stdlzw "compress/lzw"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"github.com/klauspost/compress/zstd"
	tifflzw "golang.org/x/image/tiff/lzw"

	"segscan/internal/raster/internal/inflate"
)

// scratch is the memory of one decoding goroutine, kept between chunks.
type scratch struct {
	stored []byte
	row    []byte
	flate  *inflate.Reader
	zstd   *zstd.Decoder
	br     bytes.Reader
	bufio  *bufio.Reader
	f32    []float32
	u8     []uint8
	u16    []uint16
}

func (s *scratch) close() {
	if s.zstd != nil {
		s.zstd.Close()
		s.zstd = nil
	}
}

// smallChunk is the stored size up to which a chunk is read in one piece.
const smallChunk = 4 << 20

// stored gives the stored bytes of a chunk as a reader, bits put in order. n < 0: up to the end of the file.
func (p *Page) stored(s *scratch, off, n int64) (io.Reader, error) {
	if rest := p.f.src.size - off; n < 0 || n > rest {
		n = rest
	}
	reverse := p.fillLSB && !p.faxes() && p.Compression != CompJPEG
	if n <= smallChunk {
		s.stored = grow(s.stored, n)
		if err := p.f.src.read(s.stored, off); err != nil {
			return nil, fmt.Errorf("reading %d bytes at %d: %w", n, off, err)
		}
		if reverse {
			reverseBits(s.stored)
		}
		s.br.Reset(s.stored)
		return &s.br, nil
	}
	var r io.Reader = io.NewSectionReader(p.f.src.r, off, n)
	if reverse {
		r = bitReverser{r}
	}
	if s.bufio == nil {
		s.bufio = bufio.NewReaderSize(r, 256<<10)
	} else {
		s.bufio.Reset(r)
	}
	return s.bufio, nil
}

func grow(b []byte, n int64) []byte {
	if int64(cap(b)) < n {
		return make([]byte, n)
	}
	return b[:n]
}

func reverseBits(b []byte) {
	for i, v := range b {
		b[i] = bits.Reverse8(v)
	}
}

type bitReverser struct{ r io.Reader }

func (b bitReverser) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	reverseBits(p[:n])
	return n, err
}

// faxes says whether the data is fax code, whose decoder minds the bit order itself.
func (p *Page) faxes() bool {
	switch p.Compression {
	case CompCCITTRLE, CompCCITTRLEW, CompFax3, CompFax4:
		return true
	}
	return false
}

// decoder gives the decompressed bytes of a chunk that was stored as r, for the codecs that work byte by byte. What
// it gives lives as long as s is not used for another chunk.
func (p *Page) decoder(s *scratch, r io.Reader, width int) (io.Reader, error) {
	switch p.Compression {
	case CompNone:
		return r, nil
	case CompPackBits:
		return newPackBits(r), nil
	case CompLZW:
		br := asPeeker(r)
		// Old libtiff wrote codes from the low bit; such data begins with the clear code 256 in that order.
		if h, _ := br.Peek(2); len(h) == 2 && h[0] == 0 && h[1]&1 == 1 {
			return stdlzw.NewReader(br, stdlzw.LSB, 8), nil
		}
		return tifflzw.NewReader(br, tifflzw.MSB, 8), nil
	case CompDeflate, CompDeflateOl:
		if s.flate == nil {
			s.flate = new(inflate.Reader)
		}
		if r == io.Reader(&s.br) {
			s.flate.ResetBytes(s.stored)
		} else {
			s.flate.Reset(r)
		}
		return s.flate, nil
	case CompZstd:
		if s.zstd == nil {
			d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
				zstd.WithDecoderMaxWindow(128<<20))
			if err != nil {
				return nil, err
			}
			s.zstd = d
		}
		return s.zstd, s.zstd.Reset(r)
	case CompCCITTRLE, CompCCITTRLEW, CompFax3, CompFax4:
		return newFax(asPeeker(r), p.faxMode(), width, p.fillLSB), nil
	}
	return nil, fmt.Errorf("no decoder for compression %d", p.Compression)
}

// peeker is what LZW and fax decoders read from.
type peeker interface {
	io.Reader
	io.ByteReader
	Peek(n int) ([]byte, error)
}

func asPeeker(r io.Reader) peeker {
	if p, ok := r.(peeker); ok {
		return p
	}
	return bufio.NewReaderSize(r, 16<<10)
}

// readFull reads all of p. A stream that ends early is named as such; so is a checksum at its end that is wrong.
func readFull(r io.Reader, p []byte) error {
	n, err := io.ReadFull(r, p)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("data ends after %d of %d bytes: %w", n, len(p), io.ErrUnexpectedEOF)
	}
	return err
}

// checkEnd reads past the last byte needed, where Deflate finds its checksum. Data after the image is harmless.
func checkEnd(r io.Reader) error {
	var one [1]byte
	if _, err := r.Read(one[:]); errors.Is(err, inflate.ErrChecksum) || errors.Is(err, zstd.ErrCRCMismatch) {
		return err
	}
	return nil
}

// packBits decodes runs of bytes, as Macintosh's PackBits wrote them.
type packBits struct {
	r   io.ByteReader
	lit int // literal bytes left
	rep int // repeats left of val
	val byte
}

func newPackBits(r io.Reader) *packBits {
	if b, ok := r.(io.ByteReader); ok {
		return &packBits{r: b}
	}
	return &packBits{r: bufio.NewReader(r)}
}

func (d *packBits) Read(p []byte) (int, error) {
	for n := range p {
		for d.lit == 0 && d.rep == 0 {
			c, err := d.r.ReadByte()
			if err != nil {
				return n, err
			}
			switch k := int(int8(c)); {
			case k >= 0:
				d.lit = k + 1
			case k != -128: // -128 does nothing
				v, err := d.r.ReadByte()
				if err != nil {
					return n, err
				}
				d.rep, d.val = 1-k, v
			}
		}
		if d.rep > 0 {
			d.rep--
			p[n] = d.val
			continue
		}
		v, err := d.r.ReadByte()
		if err != nil {
			return n, err
		}
		d.lit--
		p[n] = v
	}
	return len(p), nil
}
