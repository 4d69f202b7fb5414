package inflate

import (
	"encoding/binary"
	"fmt"
)

// codes decodes symbols of a block until its end, or until the output is full.
func (r *Reader) codes() error {
	for r.op < windowSize+outputSize {
		done, err := r.fast()
		if err != nil || done {
			return err
		}
		if r.op >= windowSize+outputSize {
			return nil
		}
		// Little input is at hand: get more, or go on with care up to its end.
		if r.srcErr == nil {
			if err := r.fill(); err == nil {
				continue
			}
		}
		if done, err = r.slow(); err != nil || done {
			return err
		}
	}
	return nil
}

func (r *Reader) endBlock() { r.state = stateBlock }

// fast decodes while at least 16 bytes of input are at hand and the output has room.
func (r *Reader) fast() (done bool, err error) {
	in, out := r.in, (*[outLen]byte)(r.out)
	ip, op := r.ip, r.op
	b, nb := r.bits, r.nb
	lit, dist := &r.lit, &r.dist
	const limit = windowSize + outputSize
	inLimit := len(in) - 16
loop:
	for ip <= inLimit && op < limit {
		// A refill leaves at least 56 bits; bits above nb may be set already, to what they will be.
		b |= binary.LittleEndian.Uint64(in[ip:]) << (nb & 63)
		ip += int((63 - nb) >> 3)
		nb |= 56
		e := lit[b&(1<<litBits-1)]
		if int32(e) < 0 {
			b >>= e & 63
			nb -= uint(e & 63)
			binary.LittleEndian.PutUint16(out[op:], uint16(e>>16&0xff|e&0xff00))
			op += 1 + int(e>>24&1)
			if e = lit[b&(1<<litBits-1)]; int32(e) < 0 {
				b >>= e & 63
				nb -= uint(e & 63)
				binary.LittleEndian.PutUint16(out[op:], uint16(e>>16&0xff|e&0xff00))
				op += 1 + int(e>>24&1)
				if e = lit[b&(1<<litBits-1)]; int32(e) < 0 {
					b >>= e & 63
					nb -= uint(e & 63)
					binary.LittleEndian.PutUint16(out[op:], uint16(e>>16&0xff|e&0xff00))
					op += 1 + int(e>>24&1)
					continue
				}
			}
		}
		// 34 bits are left or more; a length takes 20.
		if e&special != 0 {
			if e&subTable != 0 {
				b >>= litBits
				nb -= litBits
				e = lit[(e>>8&0xfff)+uint32(b)&(1<<(e&15)-1)]
				if int32(e) < 0 {
					b >>= e & 63
					nb -= uint(e & 63)
					out[op] = byte(e >> 16)
					op++
					continue
				}
			}
			if e&special != 0 {
				if e&endOfBlock == 0 {
					err = errCode
					break loop
				}
				b >>= e & 63
				nb -= uint(e & 63)
				done = true
				break loop
			}
		}
		b >>= e & 63
		x := e >> 8 & 63
		length := int(e>>16) + int(b&(1<<x-1))
		b >>= x
		nb -= uint(e&63 + x)

		b |= binary.LittleEndian.Uint64(in[ip:]) << (nb & 63)
		ip += int((63 - nb) >> 3)
		nb |= 56
		e = dist[b&(1<<distBits-1)]
		if int32(e) < 0 {
			if e&subTable == 0 {
				err = errCode
				break loop
			}
			b >>= distBits
			nb -= distBits
			if e = dist[(e>>8&0xfff)+uint32(b)&(1<<(e&15)-1)]; int32(e) < 0 {
				err = errCode
				break loop
			}
		}
		b >>= e & 63
		x = e >> 8 & 63
		d := int(e>>16) + int(b&(1<<x-1))
		b >>= x
		nb -= uint(e&63 + x)
		if d > op {
			err = errDistance
			break loop
		}
		copyMatch(out[:], op, d, length)
		op += length
	}
	r.ip, r.op = ip, op
	r.bits, r.nb = b&(1<<(nb&63)-1), nb
	if done {
		r.endBlock()
	}
	return done, err
}

// copyMatch repeats the n bytes that lie d before op. It may write up to 7 bytes more.
func copyMatch(out []byte, op, d, n int) {
	from := op - d
	switch {
	case d >= 8 && n <= 64:
		src, dst := out[from:from+n+8], out[op:op+n+8]
		for i := 0; i < n; i += 8 {
			binary.LittleEndian.PutUint64(dst[i:], binary.LittleEndian.Uint64(src[i:]))
		}
	case d >= n:
		copy(out[op:op+n], out[from:from+n])
	case d == 1 && n <= 32:
		v := uint64(out[from]) * 0x0101010101010101
		dst := out[op : op+n+8]
		for i := 0; i < n; i += 8 {
			binary.LittleEndian.PutUint64(dst[i:], v)
		}
	case n < 24:
		for i := range n {
			out[op+i] = out[from+i]
		}
	default: // eight periods one byte at a time, then what is there doubles with every step
		done := min(n, 8*d)
		for i := range done {
			out[op+i] = out[from+i]
		}
		for done < n {
			done += copy(out[op+done:op+n], out[from:op+done])
		}
	}
}

// slow decodes one symbol with every check, for the last bytes of the input.
func (r *Reader) slow() (done bool, err error) {
	for r.nb <= 56 && r.ip < len(r.in) {
		r.bits |= uint64(r.in[r.ip]) << r.nb
		r.ip++
		r.nb += 8
	}
	// A symbol takes 48 bits at most; beyond the end of the input they read as zeros, which is found out below.
	b, used := r.bits, uint(0)
	symbol := func(table []uint32, root uint, sub uint32) uint32 {
		e := table[b&(1<<root-1)]
		if e&sub == sub {
			b >>= root
			used += root
			e = table[(e>>8&0xfff)+uint32(b)&(1<<(e&15)-1)]
		}
		n := e & 15
		if int32(e) < 0 && e&pair != 0 { // the first literal only
			n = e >> 25 & 15
		}
		b >>= n
		used += uint(n)
		return e
	}
	extra := func(e uint32) int {
		x := e >> 8 & 63
		v := int(e>>16) + int(b&(1<<x-1))
		b >>= x
		used += uint(x)
		return v
	}
	short := func(err error) error {
		if used > r.nb {
			return r.fill() // gives the end of the input as an error
		}
		r.bits = b
		r.nb -= used
		return err
	}
	e := symbol(r.lit[:], litBits, special|subTable)
	if int32(e) < 0 {
		if err := short(nil); err != nil {
			return false, err
		}
		r.out[r.op] = byte(e >> 16)
		r.op++
		return false, nil
	}
	if e&special != 0 {
		if e&endOfBlock == 0 {
			return false, r.codeError(used)
		}
		if err := short(nil); err != nil {
			return false, err
		}
		r.endBlock()
		return true, nil
	}
	length := extra(e)
	e = symbol(r.dist[:], distBits, distNone|subTable)
	if int32(e) < 0 {
		return false, r.codeError(used)
	}
	d := extra(e)
	if err := short(nil); err != nil {
		return false, err
	}
	if d > r.op {
		return false, errDistance
	}
	copyMatch(r.out, r.op, d, length)
	r.op += length
	return false, nil
}

// codeError tells a code that does not exist from input that ends inside one.
func (r *Reader) codeError(used uint) error {
	if used > r.nb || r.nb < 15 {
		return r.fill()
	}
	return errCode
}

var (
	errCode     = fmt.Errorf("%w: a code that the block does not define", ErrCorrupt)
	errDistance = fmt.Errorf("%w: a repetition from before the start", ErrCorrupt)
)
