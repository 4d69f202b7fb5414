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
	near  *[1 << codeBits]uint8 // by the bits of a key from shift on, beyond least: the code of the least such key
	bins  int                   // of near, that are used
	steps int                   // how many codes further the last such key's is, at most
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
	if k.near == nil {
		k.near = new([1 << codeBits]uint8)
	}
	k.bins, k.steps = int((last-k.least)>>k.shift)+1, 0
	at := uint8(0)
	for i := range k.bins {
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
	code := k.near[min(int((max(key, k.least)-k.least)>>k.shift), k.bins-1)]
	for k.cuts[code+1] <= key {
		code++
	}
	return code
}

// encode gives the keys of a line codes, and tells whether one is noKey. No jump depends on a key, but for those beyond
// the outer cuts.
func (k *rankCodes) encode(codes []uint8, keys []uint32) (gaps bool) {
	codes = codes[:len(keys)]
	near, least, shift, last := k.near, k.least, k.shift&31, uint32(k.bins-1)
	for x, key := range keys {
		codes[x] = near[min((max(key, least)-least)>>shift, last)%(1<<codeBits)]
	}
	for by := 1 << bits.Len(uint(k.steps)) >> 1; by > 0; by >>= 1 {
		for x, key := range keys {
			code := int(codes[x])
			next := min(code+by, 255) // where no code begins
			codes[x] = uint8(code + by&(int(int64(k.cuts[next])-int64(key)-1)>>63))
		}
	}
	for x, key := range keys {
		if key == noKey {
			codes[x], gaps = simd.NoCode, true
		}
	}
	return gaps
}
