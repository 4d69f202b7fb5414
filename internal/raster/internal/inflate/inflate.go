// Package inflate reads zlib streams (RFC 1950) of DEFLATE data (RFC 1951). It exists because decompression is most
// of the time it takes to read a PNG or a deflated TIFF, and this decoder, made for whole images rather than for small
// messages, is about twice as fast as those of the standard library and of klauspost/compress. compress/flate is its
// reference in tests.
//
// It decodes from a 64-bit bit buffer through tables of 11 and 8 bits with second-level tables for longer codes, up
// to three literals a refill, into one buffer that holds the 32 KiB window and what has not been read.
package inflate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Errors of damaged data; io.ErrUnexpectedEOF is that of data which ends early.
var (
	ErrHeader   = errors.New("invalid zlib header")
	ErrChecksum = errors.New("zlib checksum does not match")
	ErrCorrupt  = errors.New("corrupt deflate data")
)

const (
	windowSize = 32 << 10
	inputSize  = 64 << 10
	// outputSize is how much is decoded ahead of the reader.
	outputSize = 64 << 10
	// slack is room behind the output's limit: three literals, a match of 258, and the rest of its last word.
	slack  = 3 + 258 + 16
	outLen = windowSize + outputSize + slack
)

// Reader decompresses one zlib stream. Its buffers take about 240 KiB; Reset reuses them.
type Reader struct {
	src    io.Reader
	srcErr error // io.EOF once src has given all

	own  []byte // input buffer
	in   []byte // input: a part of own, or the caller's bytes
	ip   int    // next byte of in
	bits uint64 // bits taken from in and not used, lowest first
	nb   uint   // how many

	out    []byte
	op     int // end of the output
	rp     int // output read so far
	summed int // output in the checksum so far
	sum    uint32

	state state
	last  bool // block at hand is the last
	left  int  // bytes left of a stored block
	err   error

	lit  [litSize]uint32
	dist [distSize]uint32
	lens [maxLit + maxDist]uint8
}

type state uint8

const (
	stateHeader state = iota // zlib header is next
	stateBlock               // a block header is next
	stateStored
	stateCodes
	stateTail // checksum is next
)

// NewReader decompresses from src, which it reads in large pieces.
func NewReader(src io.Reader) *Reader {
	r := &Reader{}
	r.Reset(src)
	return r
}

// Reset starts over with another source.
func (r *Reader) Reset(src io.Reader) {
	if r.own == nil {
		r.own = make([]byte, inputSize)
	}
	r.reset()
	r.src, r.srcErr, r.in = src, nil, r.own[:0]
}

// ResetBytes starts over with all of the input in memory.
func (r *Reader) ResetBytes(b []byte) {
	r.reset()
	r.src, r.srcErr, r.in = nil, io.EOF, b
}

func (r *Reader) reset() {
	if r.out == nil {
		r.out = make([]byte, outLen)
	}
	r.ip, r.bits, r.nb = 0, 0, 0
	r.op, r.rp, r.summed, r.sum = 0, 0, 0, 1
	r.state, r.last, r.left, r.err = stateHeader, false, 0, nil
}

// Read gives decompressed bytes; at the end io.EOF, once the checksum has been found right.
func (r *Reader) Read(p []byte) (int, error) {
	n := copy(p, r.out[r.rp:r.op])
	r.rp += n
	for n < len(p) && r.err == nil {
		r.more()
		k := copy(p[n:], r.out[r.rp:r.op])
		r.rp += k
		if n += k; k > 0 {
			break
		}
	}
	if n == 0 && len(p) > 0 {
		return 0, r.err
	}
	return n, nil
}

// Full reads exactly len(p) bytes. Unlike with io.ReadFull, any end before that is io.ErrUnexpectedEOF.
func (r *Reader) Full(p []byte) error {
	for {
		n := copy(p, r.out[r.rp:r.op])
		r.rp += n
		if p = p[n:]; len(p) == 0 {
			return nil
		}
		if r.err != nil {
			if r.err == io.EOF {
				return io.ErrUnexpectedEOF
			}
			return r.err
		}
		r.more()
	}
}

// Rest reads what of the source follows the stream, drops it, and gives its size.
func (r *Reader) Rest() (int64, error) {
	r.unread()
	n := int64(len(r.in) - r.ip)
	r.ip = len(r.in)
	if r.src == nil {
		return n, nil
	}
	if r.srcErr == nil {
		k, err := io.Copy(io.Discard, r.src)
		return n + k, err
	}
	if r.srcErr == io.EOF {
		return n, nil
	}
	return n, r.srcErr
}

// more decodes until there is output to read or an error; everything decoded before has been read.
func (r *Reader) more() {
	if r.op > windowSize {
		copy(r.out, r.out[r.op-windowSize:r.op])
		r.op, r.rp, r.summed = windowSize, windowSize, windowSize
	}
	for r.err == nil && r.op < windowSize+outputSize {
		switch r.state {
		case stateHeader:
			r.err = r.header()
		case stateBlock:
			r.err = r.block()
		case stateStored:
			r.err = r.stored()
		case stateCodes:
			r.err = r.codes()
		case stateTail:
			r.err = r.tail()
		}
	}
	r.addSum()
}

func (r *Reader) addSum() {
	r.sum = adlerUpdate(r.sum, r.out[r.summed:r.op])
	r.summed = r.op
}

// fill gets more input, at least a byte; it is kept behind what has not been used. At the end of the source it gives
// io.ErrUnexpectedEOF, or the source's own error.
func (r *Reader) fill() error {
	r.unread()
	if r.srcErr != nil {
		if r.srcErr == io.EOF {
			return io.ErrUnexpectedEOF
		}
		return r.srcErr
	}
	r.in = r.own[:copy(r.own, r.in[r.ip:])]
	r.ip = 0
	for try := 0; r.srcErr == nil && try < 100; try++ {
		n, err := r.src.Read(r.own[len(r.in):])
		r.in, r.srcErr = r.own[:len(r.in)+n], err
		if n > 0 {
			return nil
		}
	}
	if r.srcErr == nil {
		r.srcErr = io.ErrNoProgress
	}
	return r.fill()
}

// unread gives whole bytes in the bit buffer back to the input.
func (r *Reader) unread() {
	r.ip -= int(r.nb >> 3)
	r.nb &= 7
	r.bits &= 1<<r.nb - 1
}

// need makes sure that n <= 32 bits are in the bit buffer.
func (r *Reader) need(n uint) error {
	for r.nb < n {
		if r.ip == len(r.in) {
			if err := r.fill(); err != nil {
				return err
			}
		}
		r.bits |= uint64(r.in[r.ip]) << r.nb
		r.ip++
		r.nb += 8
	}
	return nil
}

// take gives the next n bits, which need has seen to.
func (r *Reader) take(n uint) uint {
	v := uint(r.bits & (1<<n - 1))
	r.bits >>= n
	r.nb -= n
	return v
}

func (r *Reader) header() error {
	if err := r.need(16); err != nil {
		return err
	}
	cmf, flags := r.take(8), r.take(8)
	if cmf&15 != 8 || cmf>>4 > 7 || (cmf<<8|flags)%31 != 0 {
		return ErrHeader
	}
	if flags&0x20 != 0 {
		return fmt.Errorf("%w: a preset dictionary is asked for", ErrHeader)
	}
	r.state = stateBlock
	return nil
}

func (r *Reader) tail() error {
	r.addSum()
	r.take(r.nb & 7)
	if err := r.need(32); err != nil {
		return err
	}
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], uint32(r.take(32)))
	if binary.BigEndian.Uint32(b[:]) != r.sum {
		return ErrChecksum
	}
	return io.EOF
}

func (r *Reader) block() error {
	if r.last {
		r.state = stateTail
		return nil
	}
	if err := r.need(3); err != nil {
		return err
	}
	r.last = r.take(1) == 1
	switch r.take(2) {
	case 0:
		r.take(r.nb & 7)
		if err := r.need(32); err != nil {
			return err
		}
		n, not := r.take(16), r.take(16)
		if n != not^0xffff {
			return fmt.Errorf("%w: length of a stored block", ErrCorrupt)
		}
		r.unread()
		r.left, r.state = int(n), stateStored
		return nil
	case 1:
		if err := r.fixed(); err != nil {
			return err
		}
	case 2:
		if err := r.dynamic(); err != nil {
			return err
		}
	default:
		return fmt.Errorf("%w: unknown kind of block", ErrCorrupt)
	}
	r.state = stateCodes
	return nil
}

// stored copies from a stored block, as far as there is room. The bit buffer is empty.
func (r *Reader) stored() error {
	for r.left > 0 && r.op < windowSize+outputSize {
		if r.ip == len(r.in) {
			if err := r.fill(); err != nil {
				return err
			}
		}
		n := min(r.left, windowSize+outputSize-r.op)
		n = copy(r.out[r.op:r.op+n], r.in[r.ip:])
		r.op += n
		r.ip += n
		r.left -= n
	}
	if r.left == 0 {
		r.state = stateBlock
	}
	return nil
}
