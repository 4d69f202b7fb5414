package kernels

import "encoding/binary"

// tops marks the highest bit of each of eight bytes.
const tops = 0x8080808080808080

// notBelow gives 255 in every byte of x that is not below that of y, else 0.
func notBelow(x, y uint64) uint64 {
	low := (x | tops) - (y &^ tops) // highest bits: how the seven others compare
	ge := (x&^y | ^(x^y)&low) & tops
	return ge<<1 - ge>>7
}

// pairWords is pairSamples, eight bytes at a time.
func pairWords(tl, th, al, ah, bl, bh []uint8) {
	n := len(tl)
	th, al, ah, bl, bh = th[:n], al[:n], ah[:n], bl[:n], bh[:n]
	i := 0
	for ; i <= n-8; i += 8 { // the array pointers cost one bounds check each
		x, y := binary.LittleEndian.Uint64((*[8]uint8)(al[i:])[:]), binary.LittleEndian.Uint64((*[8]uint8)(bl[i:])[:])
		binary.LittleEndian.PutUint64((*[8]uint8)(tl[i:])[:], x^(x^y)&notBelow(x, y))
		x, y = binary.LittleEndian.Uint64((*[8]uint8)(ah[i:])[:]), binary.LittleEndian.Uint64((*[8]uint8)(bh[i:])[:])
		binary.LittleEndian.PutUint64((*[8]uint8)(th[i:])[:], y^(x^y)&notBelow(x, y))
	}
	pairSamples(tl[i:], th[i:], al[i:], ah[i:], bl[i:], bh[i:])
}

// slideBytes is slideSamples by doubling: the extremes of 2, 4, 8 ... columns, and at last of two runs that overlap. That
// takes more steps for wider windows, one for each doubling, and each takes eight columns at a time.
func slideBytes(l, h, _, _ []uint8, w int) {
	k := 1
	for ; 2*k <= w; k *= 2 {
		n := len(l) - k
		pairBytes(l[:n], h[:n], l[:n], h[:n], l[k:], h[k:])
	}
	if rest := w - k; rest > 0 {
		n := len(l) - rest
		pairBytes(l[:n], h[:n], l[:n], h[:n], l[rest:], h[rest:])
	}
}
