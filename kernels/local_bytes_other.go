//go:build !amd64 || noasm

package kernels

// pairBytes is pairSamples, eight at a time.
func pairBytes(tl, th, al, ah, bl, bh []uint8) { pairWords(tl, th, al, ah, bl, bh) }
