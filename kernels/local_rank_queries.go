package kernels

import (
	"slices"

	"segscan/kernels/internal/simd"
)

// rankMasks are the masks of a sample that a query decides.
type rankMasks uint8

const (
	ofLower rankMasks = 1 << iota // v <= T
	ofUpper                       // v > T + margin
	ofBoth  = ofLower | ofUpper
)

// rankQueries are questions that codes left open: whether the median of a window is at least as large as a key, which has
// the median's code. They come line by line.
type rankQueries struct {
	all    []rankQuery
	asked  [256]bool // codes
	lists  [256]rankList
	items  []simd.Item
	places []uint32 // of items, line by line: line<<16 | column
}

// rankQuery is about window x of a line: no more than most samples of the code may be less than the key.
type rankQuery struct {
	line, x uint16
	key     uint32
	most    int32
	code    uint8
	what    rankMasks
}

// rankList is a run of items of one code, by lines. Those of the window's lines are items[lo:hi].
type rankList struct{ lo, hi, end int }

func (q *rankQueries) add(line, x int, key uint32, code uint8, most int, what rankMasks) {
	q.asked[code] = true
	q.all = append(q.all, rankQuery{uint16(line), uint16(x), key, int32(most), code, what})
}

// manyQueries are answered before the block's end, so that memory is bounded.
const manyQueries = 1 << 18

// decide answers the queries about a block, and sets the bits of its masks.
func (k *medianRanks) decide(masks func(line int) (le, gt, nan []uint64)) {
	q := &k.left
	if len(q.all) == 0 {
		return
	}
	k.list(q)
	line := -1
	var le, gt []uint64
	for _, a := range q.all {
		if int(a.line) != line {
			line = int(a.line)
			le, gt, _ = masks(line)
		}
		to := gt
		what := ofUpper
		if int32(simd.CountItems(q.window(a.code, line, k.height), int(a.x), k.w, a.key)) <= a.most {
			to, what = le, ofLower
		}
		if a.what&what != 0 {
			to[a.x/64] |= 1 << (a.x % 64)
		}
	}
	q.all = q.all[:0]
	q.asked = [256]bool{}
}

// window gives the items of a code in so many lines. Neither end of them goes back from one call to the next.
func (q *rankQueries) window(code uint8, line, height int) []simd.Item {
	l := &q.lists[code]
	for l.lo < l.end && int(q.items[l.lo].Line) < line {
		l.lo++
	}
	l.hi = max(l.hi, l.lo)
	for l.hi < l.end && int(q.items[l.hi].Line) < line+height {
		l.hi++
	}
	return q.items[l.lo:l.hi]
}

// list makes the lists of the codes that are asked for.
func (k *medianRanks) list(q *rankQueries) {
	var asked [256]int
	for code, a := range q.asked {
		if a {
			asked[code] = 1
		}
	}
	// First where the samples of all these codes are, without a jump for each.
	var count [256]int
	q.places = q.places[:0]
	for i := range k.lines {
		n := len(q.places)
		q.places = slices.Grow(q.places, k.columns)[:n+k.columns]
		for x, code := range k.codesOf(i) {
			q.places[n] = uint32(i)<<16 | uint32(x)
			n += asked[code]
			count[code] += asked[code]
		}
		q.places = q.places[:n]
	}
	at := 0
	for code, n := range count {
		q.lists[code] = rankList{lo: at, hi: at, end: at}
		at += n
	}
	q.items = slices.Grow(q.items[:0], at)[:at]
	for _, p := range q.places {
		line, x := uint16(p>>16), uint16(p)
		i := int(line)*k.columns + int(x)
		l := &q.lists[k.codes[i]]
		q.items[l.end] = simd.Item{Line: line, Column: x, Key: k.keys[i]}
		l.end++
	}
}
