//go:build !noasm

package kernels

// pair16 is pairBytes of n bytes, a multiple of 16.
//
//go:noescape
func pair16(tl, th, al, ah, bl, bh *uint8, n int)

// pairBytes is pairSamples, sixteen at a time.
func pairBytes(tl, th, al, ah, bl, bh []uint8) {
	n := len(tl)
	th, al, ah, bl, bh = th[:n], al[:n], ah[:n], bl[:n], bh[:n]
	i := n &^ 15
	if i > 0 {
		pair16(&tl[0], &th[0], &al[0], &ah[0], &bl[0], &bh[0], i)
	}
	pairSamples(tl[i:], th[i:], al[i:], ah[i:], bl[i:], bh[i:])
}
