package kernels

import (
	"math"
	"math/bits"

	"segscan/kernels/internal/simd"
	"segscan/segment"
)

// medianWide classifies samples of more than 256 values by the medians of windows. Block by block, samples get codes of
// eight bits that keep their order and are about as frequent as one another; medians of codes decide most samples.
// Where a sample and the median have the same code, those of that code in the window are counted one by one, once the
// block's medians say what codes that are.
func medianWide[T uint16 | float32](c *Local, v *localView, p []T, out *segment.Masks) {
	n, height := min(c.medianStrip(v.n), v.n), 2*v.rl+1
	rows := blockLines(v.b.Lines, max(256, min(4*height, 1024)))
	k := &medianRanks{medianRows: medianRows{c: c}, height: height, rs: v.rs}
	size := (rows + height - 1) * (n + 2*v.rs)
	k.keys, k.codes = make([]uint32, size), make([]uint8, size)
	k.same = make([]uint64, (n+63)/64)
	for s0 := 0; s0 < v.n; s0 += n {
		w := v.strip(s0, min(s0+n, v.n))
		k.columns = w.columns()
		k.start(w)
		for l0 := 0; l0 < v.b.Lines; l0 += rows {
			lines := min(rows, v.b.Lines-l0)
			k.lines = lines + height - 1
			for i := range k.lines {
				if k.image(w, l0-v.rl, i) == i {
					keys := k.keysOf(i)
					setKeys(keys[w.c0:w.c1], held(w, p, w.line(l0-v.rl+i)))
					mirrorColumns(w, keys)
				}
			}
			k.encode(w, l0-v.rl)
			masks := func(i int) (le, gt, nan []uint64) { return c.stripMasks(out, l0+i, s0, w.n) }
			for i := range lines {
				k.window(w, l0, i)
				w.ask.ranks(k, w, l0+i, i)
				le, gt, nan := masks(i)
				compareRanks(k, i, body(w, p, l0+i), le, gt, nan)
				if len(k.left.all) >= manyQueries || i == lines-1 {
					k.decide(masks)
				}
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
const noKey = simd.NoKey

// setKeys gives samples keys.
func setKeys[T uint16 | float32](keys []uint32, x []T) {
	switch x := any(x).(type) {
	case []uint16:
		simd.KeysU16(keys, x)
	case []float32:
		simd.KeysF32(keys, x)
	}
}

// medianRanks holds a block: lines of windows, one after another, with mirrored samples wherever they see some.
type medianRanks struct {
	medianRows
	rankCodes
	columns, lines, height int
	rs                     int
	gaps                   bool
	keys                   []uint32
	codes                  []uint8
	same                   []uint64 // of a line, where a sample has the median's code
	left                   rankQueries
	picks                  rankPicks
}

func (k *medianRanks) keysOf(i int) []uint32 { return k.keys[i*k.columns:][:k.columns] }
func (k *medianRanks) codesOf(i int) []uint8 { return k.codes[i*k.columns:][:k.columns] }

// image is the line of the block that its line i is, or is the mirror image of; the block's first is body line top.
func (k *medianRanks) image(v *localView, top, i int) int {
	return v.line(top+i) - int(v.b.Line0+int64(top)-v.first)
}

// encode gives the samples of the block codes, and mirror images their keys.
func (k *medianRanks) encode(v *localView, top int) {
	for i := range k.lines {
		if j := k.image(v, top, i); j != i {
			copy(k.keysOf(i), k.keysOf(j))
		}
	}
	k.cut(k.keys[:k.lines*k.columns])
	k.table()
	k.gaps = false
	for i := range k.lines {
		if k.image(v, top, i) == i {
			codes := k.codesOf(i)
			if k.rankCodes.encode(codes[v.c0:v.c1], k.keysOf(i)[v.c0:v.c1]) {
				k.gaps = true
			}
			mirrorColumns(v, codes)
		}
	}
	for i := range k.lines {
		if j := k.image(v, top, i); j != i {
			copy(k.codesOf(i), k.codesOf(j))
		}
	}
	k.m.Clear(k.columns)
}

// window moves the window to line i of the block, which begins with body line top, from the line before, and finds its
// medians.
func (k *medianRanks) window(v *localView, top, i int) {
	if i == 0 {
		k.first(v, top, func(l int) []uint8 { return k.codesOf(l - top + v.rl) })
	} else {
		k.m.Shift(k.codesOf(i+k.height-1), k.codesOf(i-1))
	}
	k.find(k.gaps)
}

// reaches tells whether the median of window x of line i is at least as large as a key, if codes say so much; else it
// leaves that to decide.
func (k *medianRanks) reaches(i, x int, key uint32, code uint8, what rankMasks) (known, reaches bool) {
	if m := k.med[x]; m != code {
		return true, m > code
	}
	if k.one(code) {
		return true, true
	}
	k.left.add(i, x, key, code, int((k.count[x]-1)/2)-int(k.below[x]), what)
	return false, false
}

// compareCodes is compareRanks without offset, margin and gaps: most samples are decided by their codes.
func (k *medianRanks) compareCodes(i int, le, gt []uint64) {
	from := (i+k.height/2)*k.columns + k.rs
	codes, keys := k.codes[from:][:len(k.med)], k.keys[from:][:len(k.med)]
	simd.CompareCodes(le, k.same, codes, k.med)
	for w := range le {
		open := uint64(0)
		for same := k.same[w]; same != 0; same &= same - 1 {
			at := 64*w + bits.TrailingZeros64(same)
			if known, _ := k.reaches(i, at, keys[at], codes[at], ofBoth); !known {
				open |= same & -same
			}
		}
		le[w], gt[w] = le[w]&^open, ^le[w]&(^uint64(0)>>max(0, 64*w+64-len(codes)))
	}
}

// compareRanks compares the samples x of line i of the block with medians.
func compareRanks[T uint16 | float32](k *medianRanks, i int, x []T, le, gt, nan []uint64) {
	c := k.c
	if c.Offset == 0 && c.Margin == 0 && !k.gaps {
		k.compareCodes(i, le, gt)
		return
	}
	from := (i+k.height/2)*k.columns + k.rs
	codes, keys := k.codes[from:][:len(x)], k.keys[from:][:len(x)]
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
			what := ofBoth
			if c.Margin != 0 {
				what = ofLower
			}
			key, code := keys[at], codes[at]
			if c.Offset != 0 || key == noKey {
				if key = leastMedianKey[T](float64(v), c.Offset, 0); key != noKey {
					code = k.code(key)
				}
			}
			known, below := true, false
			if key != noKey {
				known, below = k.reaches(i, at, key, code, what)
			}
			if below {
				b |= 1 << j
			}
			if c.Margin != 0 {
				known, below = true, false
				if key = leastMedianKey[T](float64(v), c.Offset, c.Margin); key != noKey {
					known, below = k.reaches(i, at, key, k.code(key), ofUpper)
				}
			}
			if known && !below {
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
		lo, hi = simd.KeyF32(-math.MaxFloat32), simd.KeyF32(math.MaxFloat32)
		sample = floatOfKey
		key = simd.KeyF32(float32(max(-math.MaxFloat32, min(guess, math.MaxFloat32))))
	} else {
		key = uint32(max(0, min(guess, math.MaxUint16)))
	}
	holds := func(key uint32) bool { return v <= float64(sample(key)-offset)+above }
	return leastKey(lo, hi, key, holds)
}

// leastKey is the least key from lo to hi from which on holds is true, or noKey. Most often that is guess or the next. It may
// be far away, as between numbers near 0, of which there are very many, and so steps grow.
func leastKey(lo, hi, guess uint32, holds func(uint32) bool) uint32 {
	below, key := guess, guess // the one does not hold, the other does
	if holds(guess) {
		for step := uint32(1); ; step *= 2 {
			if key == lo {
				return lo
			}
			below = key - min(step, key-lo)
			if !holds(below) {
				break
			}
			key = below
		}
	} else {
		for step := uint32(1); ; step *= 2 {
			if below == hi {
				return noKey
			}
			key = below + min(step, hi-below)
			if holds(key) {
				break
			}
			below = key
		}
	}
	for key-below > 1 {
		if middle := below + (key-below)/2; holds(middle) {
			key = middle
		} else {
			below = middle
		}
	}
	return key
}
