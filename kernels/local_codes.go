package kernels

import (
	"math/bits"
	"slices"

	"segscan/kernels/internal/simd"
)

// rankCodes gives keys codes of eight bits that keep their order and are about as frequent as one another.
type rankCodes struct {
	cuts  [256]uint32 // code i has keys from cuts[i] on, below cuts[i+1]
	least uint32      // the last key of code 0
	shift int
	near  []uint8 // by the bits of a key from shift on, beyond least: the code of the least such key
	steps int     // how many codes the last such key is further, at most
}

// one tells whether all samples of a code have the same key.
func (k *rankCodes) one(code uint8) bool { return k.cuts[code+1] == k.cuts[code]+1 }

// cut chooses where codes begin, by a share of the keys: wherever enough of them have come, and on both sides of a key
// that is frequent itself, so that flat ground has a code of its own.
func (k *rankCodes) cut(keys []uint32) {
	const most = 2048
	step := len(keys)/most | 1 // odd, so that it does not keep to some columns
	var share []uint32
	for i := 0; i < len(keys); i += step {
		if keys[i] != noKey {
			share = append(share, keys[i])
		}
	}
	slices.Sort(share)
	for each := len(share) / simd.MaxCode; ; each += each/4 + 1 {
		cuts := k.cuts[:1]
		add := func(key uint32) bool {
			if key != cuts[len(cuts)-1] {
				cuts = append(cuts, key)
			}
			return len(cuts) <= simd.MaxCode+1
		}
		fits, since := true, 0
		for i := 0; i < len(share) && fits; {
			j := i + 1
			for j < len(share) && share[j] == share[i] {
				j++
			}
			if since += j - i; since > each {
				fits, since = add(share[i]), 0
				if j-i > each/2 {
					fits = fits && add(share[i]+1)
				}
			}
			i = j
		}
		if fits {
			for i := len(cuts); i < len(k.cuts); i++ {
				k.cuts[i] = noKey
			}
			return
		}
	}
}

// codeBits is how many bits of a key, beyond the least one, find its code but for a step or two.
const codeBits = 14

// table fills in where to look for the code of a key.
func (k *rankCodes) table() {
	k.least = k.cuts[1] - 1
	last := k.least
	for _, cut := range k.cuts[1:] {
		if cut != noKey {
			last = cut
		}
	}
	k.shift = max(0, bits.Len32(last-k.least)-codeBits)
	k.near = slices.Grow(k.near[:0], 1<<codeBits)[:int((last-k.least)>>k.shift)+1]
	k.steps = 0
	at := uint8(0)
	for i := range k.near {
		first := k.least + uint32(i)<<k.shift
		for k.cuts[at+1] <= first {
			at++
		}
		k.near[i] = at
		end := at
		for k.cuts[end+1]-first < 1<<k.shift {
			end++
		}
		k.steps = max(k.steps, int(end-at))
	}
}

// code is the last code that begins at or below a key other than noKey.
func (k *rankCodes) code(key uint32) uint8 {
	code := k.near[min(int((max(key, k.least)-k.least)>>k.shift), len(k.near)-1)]
	for k.cuts[code+1] <= key {
		code++
	}
	return code
}

// encode gives the keys of a line codes, counts these, and tells whether a key is noKey.
func (k *rankCodes) encode(codes []uint8, keys []uint32, count *[256]uint32) (gaps bool) {
	codes = codes[:len(keys)]
	near, least, shift := k.near, k.least, k.shift&31
	last := uint32(len(near) - 1)
	for x, key := range keys {
		code := near[min((max(key, least)-least)>>shift, last)]
		for range k.steps { // most often one: no jump depends on the key
			next := code + 1
			if k.cuts[next] > key {
				next = code
			}
			code = next
		}
		if key == noKey {
			code, gaps = simd.NoCode, true
		}
		codes[x] = code
		count[code]++
	}
	return gaps
}
