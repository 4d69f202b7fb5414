package simd

import "math"

// CompareCodes sets the bits of v <= m in le, and of v = m in eq, one a code. m is as long as v.
func CompareCodes(le, eq []uint64, v, m []uint8) { best.CompareCodes(le, eq, v, m) }

// CompareCodes is the function of that name by this level.
func (l Level) CompareCodes(le, eq []uint64, v, m []uint8) {
	words := (len(v) + 63) / 64
	w := l.compareCodes(le[:words], eq[:words], v, m[:len(v)])
	compareCodesGo(le[w:words], eq[w:words], v[64*w:], m[64*w:])
}

// NoKey is the key of NaN and infinities, above all others.
const NoKey = math.MaxUint32

// KeysF32 gives samples keys that keep the order of finite ones; those of both zeros are equal. to is as long as x.
func KeysF32(to []uint32, x []float32) { best.KeysF32(to, x) }

// KeysF32 is the function of that name by this level.
func (l Level) KeysF32(to []uint32, x []float32) {
	to = to[:len(x)]
	n := l.keysF32(to, x)
	keysF32Go(to[n:], x[n:])
}

// KeysU16 gives samples their values as keys. to is as long as x.
func KeysU16(to []uint32, x []uint16) { best.KeysU16(to, x) }

// KeysU16 is the function of that name by this level.
func (l Level) KeysU16(to []uint32, x []uint16) {
	to = to[:len(x)]
	n := l.keysU16(to, x)
	keysU16Go(to[n:], x[n:])
}
