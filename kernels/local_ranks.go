package kernels

import (
	"math"
	"math/bits"
	"slices"

	"segscan/kernels/internal/simd"
	"segscan/segment"
)

// medianWide classifies samples of more than 256 values by the medians of windows. Block by block, samples get codes of
// eight bits that keep their order and are about as frequent as one another; medians of codes decide most samples.
// Where a sample and the median have the same code, those of that code in the window are counted one by one; every
// block keeps them in lists.
func medianWide[T uint16 | float32](c *Local, v *localView, p []T, keyOf func(T) uint32, out *segment.Masks) {
	n, height := min(c.medianStrip(v.n), v.n), 2*v.rl+1
	rows := blockLines(v.b.Lines, max(256, min(4*height, 1024)))
	k := &medianRanks{medianRows: medianRows{c: c}, height: height, rs: v.rs}
	held := (rows + height - 1) * (n + 2*v.rs)
	k.keys, k.codes = make([]uint32, held), make([]uint8, held)
	row := make([]T, n+2*v.rs)
	for s0 := 0; s0 < v.n; s0 += n {
		w := v.strip(s0, min(s0+n, v.n))
		k.columns = w.columns()
		k.start(w)
		buf := row[:k.columns]
		for l0 := 0; l0 < v.b.Lines; l0 += rows {
			lines := min(rows, v.b.Lines-l0)
			k.lines = lines + height - 1
			for i := range k.lines {
				to := k.keys[i*k.columns:][:k.columns]
				for x, y := range mirrored(w, p, l0-v.rl+i, buf) {
					to[x] = keyOf(y)
				}
			}
			k.encode()
			for i := range lines {
				k.window(i)
				le, gt, nan := c.stripMasks(out, l0+i, s0, w.n)
				compareRanks(k, i, body(w, p, l0+i), keyOf, le, gt, nan)
			}
		}
	}
}

// blockLines divides lines into blocks of about so many, hardly more, all alike: every block looks at the lines around it
// again, so that a low last one would cost much.
func blockLines(lines, about int) int {
	most := about + about/8
	blocks := max(1, (lines+most-1)/most)
	return (lines + blocks - 1) / blocks
}

// noKey is the key of NaN and infinities, above all others.
const noKey = math.MaxUint32

func keyU16(v uint16) uint32 { return uint32(v) }

// keyF32 keeps the order of finite samples.
func keyF32(v float32) uint32 {
	if v-v != 0 {
		return noKey
	}
	return segment.FloatKey(v + 0) // -0 is 0
}

// medianRanks holds a block: lines of windows, one after another, with mirrored samples wherever they see some.
type medianRanks struct {
	medianRows
	columns, lines, height int
	rs                     int
	gaps                   bool
	keys                   []uint32
	codes                  []uint8
	cuts                   [256]uint32 // code i has keys from cuts[i] on, below cuts[i+1]
	least                  uint32      // of the keys of code 1
	shift                  int
	near                   []uint8 // by the bits of a key from shift on, beyond least: the code of the least such key
	lists                  [256]rankList
	items                  []simd.Item
}

// rankList is a run of items of one code, by lines. Those of the window's lines are items[lo:hi].
type rankList struct {
	lo, hi, end int
	one         bool // all have the same key, and are not in the list
}

// encode gives the samples of the block codes, and makes the lists.
func (k *medianRanks) encode() {
	n := k.lines * k.columns
	k.cut(k.keys[:n])
	k.table()
	var count [256]int
	k.gaps = false
	for i, key := range k.keys[:n] {
		code := uint8(simd.NoCode)
		if key != noKey {
			code = k.code(key)
		} else {
			k.gaps = true
		}
		k.codes[i] = code
		count[code]++
	}
	at := 0
	for code := range k.lists {
		one := code > simd.MaxCode || k.cuts[code+1] == k.cuts[code]+1
		k.lists[code] = rankList{lo: at, hi: at, end: at, one: one}
		if !one {
			at += count[code]
		}
	}
	k.items = slices.Grow(k.items[:0], at)[:at]
	for i := range k.lines {
		keys := k.keys[i*k.columns:][:k.columns]
		for x, code := range k.codes[i*k.columns:][:k.columns] {
			if l := &k.lists[code]; !l.one {
				k.items[l.end] = simd.Item{Line: uint16(i), Column: uint16(x), Key: keys[x]}
				l.end++
			}
		}
	}
	k.m.Clear(k.columns)
}

// cut chooses where codes begin, by a share of the keys: wherever enough of them have come, and on both sides of a key
// that is frequent itself, so that flat ground has a code of its own.
func (k *medianRanks) cut(keys []uint32) {
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
func (k *medianRanks) table() {
	k.least = k.cuts[1]
	last := k.least
	for _, cut := range k.cuts[1:] {
		if cut != noKey {
			last = cut
		}
	}
	k.shift = max(0, bits.Len32(last-k.least)-codeBits)
	k.near = slices.Grow(k.near[:0], 1<<codeBits)[:int((last-k.least)>>k.shift)+1]
	code := uint8(0)
	for i := range k.near {
		for k.cuts[code+1] <= k.least+uint32(i)<<k.shift {
			code++
		}
		k.near[i] = code
	}
}

// code is the last code that begins at or below a key other than noKey.
func (k *medianRanks) code(key uint32) uint8 {
	if key < k.least {
		return 0
	}
	code := k.near[min(int((key-k.least)>>k.shift), len(k.near)-1)]
	for k.cuts[code+1] <= key {
		code++
	}
	return code
}

// window moves the window to line i of the block, from the line before, and finds its medians.
func (k *medianRanks) window(i int) {
	line := func(i int) []uint8 { return k.codes[i*k.columns:][:k.columns] }
	if i == 0 {
		for j := range k.height {
			k.m.Add(line(j))
		}
	} else {
		k.m.Shift(line(i+k.height-1), line(i-1))
	}
	k.find(k.gaps)
}

// reaches tells whether the median of window x of line i is at least as large as a key.
func (k *medianRanks) reaches(i, x int, key uint32, code uint8) bool {
	if m := k.med[x]; m != code {
		return m > code
	}
	l := &k.lists[code]
	if l.one {
		return true
	}
	for l.lo < l.end && int(k.items[l.lo].Line) < i {
		l.lo++
	}
	l.hi = max(l.hi, l.lo)
	for l.hi < l.end && int(k.items[l.hi].Line) < i+k.height {
		l.hi++
	}
	less := k.below[x] + simd.CountItems(k.items[l.lo:l.hi], x, k.w, key)
	return less <= (k.count[x]-1)/2
}

// compareCodes is compareRanks without offset, margin and gaps: most samples are decided by their codes, by the signs of
// differences.
func (k *medianRanks) compareCodes(i int, le, gt []uint64) {
	from := (i+k.height/2)*k.columns + k.rs
	codes, keys := k.codes[from:][:len(k.med)], k.keys[from:][:len(k.med)]
	for w := range le {
		c := codes[64*w : min(64*w+64, len(codes))]
		m := k.med[64*w:][:len(c)]
		var below, most uint64 // and those of the median's code
		for j, c := range c {
			d := int64(c) - int64(m[j])
			below = below>>1 | uint64(d)&(1<<63)
			most = most>>1 | uint64(d-1)&(1<<63)
		}
		below, most = below>>(64-len(c)), most>>(64-len(c))
		for same := most &^ below; same != 0; same &= same - 1 {
			j := bits.TrailingZeros64(same)
			if at := 64*w + j; k.reaches(i, at, keys[at], c[j]) {
				below |= 1 << j
			}
		}
		le[w], gt[w] = below, ^below&(^uint64(0)>>(64-len(c)))
	}
}

// compareRanks compares the samples x of line i of the block with medians.
func compareRanks[T uint16 | float32](k *medianRanks, i int, x []T, keyOf func(T) uint32, le, gt, nan []uint64) {
	c := k.c
	if c.Offset == 0 && c.Margin == 0 && !k.gaps {
		k.compareCodes(i, le, gt)
		return
	}
	codes := k.codes[(i+k.height/2)*k.columns+k.rs:][:len(x)]
	for w := range le {
		var b, a, none uint64
		n := min(64, len(x)-64*w)
		for j := range n {
			at := 64*w + j
			v := x[at]
			if v != v {
				none |= 1 << j
				continue
			}
			if k.count[at] == 0 {
				continue
			}
			key, code := keyOf(v), codes[at]
			if c.Offset != 0 || key == noKey {
				if key = leastMedianKey[T](float64(v), c.Offset, 0); key != noKey {
					code = k.code(key)
				}
			}
			below := key != noKey && k.reaches(i, at, key, code)
			if below {
				b |= 1 << j
			}
			if c.Margin != 0 {
				if key = leastMedianKey[T](float64(v), c.Offset, c.Margin); key != noKey {
					below = k.reaches(i, at, key, k.code(key))
				}
			}
			if !below {
				a |= 1 << j
			}
		}
		le[w], gt[w] = b, a
		if nan != nil {
			nan[w] |= none
		}
	}
}

// leastMedianKey is the key of the least median from which on v <= T + above holds, or noKey if it holds for none.
func leastMedianKey[T uint16 | float32](v, offset, above float64) uint32 {
	var lo, hi uint32 = 0, math.MaxUint16
	sample := func(key uint32) float64 { return float64(key) }
	guess := v + offset - above
	var key uint32
	if _, float := any(T(0)).(float32); float {
		lo, hi = keyF32(-math.MaxFloat32), keyF32(math.MaxFloat32)
		sample = floatOfKey
		key = keyF32(float32(max(-math.MaxFloat32, min(guess, math.MaxFloat32))))
	} else {
		key = uint32(max(0, min(guess, math.MaxUint16)))
	}
	holds := func(key uint32) bool { return v <= float64(sample(key)-offset)+above }
	for key > lo && holds(key-1) {
		key--
	}
	for !holds(key) {
		if key == hi {
			return noKey
		}
		key++
	}
	return key
}
