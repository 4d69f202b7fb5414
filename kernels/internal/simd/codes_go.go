package simd

import "math"

func compareCodesGo(le, eq []uint64, v, m []uint8) {
	for i := range le {
		x := v[64*i : min(64*i+64, len(v))]
		y := m[64*i:][:len(x)]
		var over, under uint64 // by the signs of differences
		for j, x := range x {
			d := int64(x) - int64(y[j])
			over = over>>1 | uint64(-d)&(1<<63)
			under = under>>1 | uint64(d)&(1<<63)
		}
		over, under = over>>(64-len(x)), under>>(64-len(x))
		all := ^uint64(0) >> (64 - len(x))
		le[i], eq[i] = all&^over, all&^(over|under)
	}
}

func keysF32Go(to []uint32, x []float32) {
	for i, v := range x {
		to[i] = KeyF32(v)
	}
}

// KeyF32 is the key of a sample by KeysF32.
func KeyF32(v float32) uint32 {
	if v-v != 0 {
		return NoKey
	}
	b := math.Float32bits(v + 0) // -0 is 0
	return b ^ (uint32(int32(b)>>31) | 1<<31)
}

func keysU16Go(to []uint32, x []uint16) {
	for i, v := range x {
		to[i] = uint32(v)
	}
}
