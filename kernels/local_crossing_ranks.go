package kernels

import (
	"math/bits"
	"slices"

	"segscan/kernels/internal/simd"
)

// rankPicks are medians to be found that codes do not tell, by rising lines and columns of a block. For those of a line
// that have the same code, a window moves along the samples of that code, which are bits in the order of their keys.
type rankPicks struct {
	all     []rankPick
	queries rankQueries  // for its lists of the samples of these codes
	groups  [256][]int32 // of picks, by code
	sorted  []uint64     // key<<32 | item, of each list
	ranks   []uint32     // of items: their places in that
	ends    []int        // of columns, in lined
	lined   []uint32     // ranks, column by column
	present []uint64     // bits of the samples in the window, by ranks
}

// rankPick is about a window of a line of the block: its median is the one of a rank among the samples of a code in it.
type rankPick struct {
	above   *float64
	value   float64 // of the window's sample
	line, x int
	rank    int
	code    uint8
}

// ranks takes the medians of the windows of line i of a block, which is body line l of the view, as soon as they are known.
func (a *asked) ranks(k *medianRanks, v *localView, l, i int) {
	if a == nil {
		return
	}
	p := &k.picks
	a.each(v, l, 0, v.n, func(above *float64, x int, value float64) {
		switch code := k.med[x]; {
		case k.count[x] == 0:
		case k.one(code):
			*above = a.aboveMedian(value, ofKey(v, k.cuts[code]))
		default:
			rank := int((k.count[x]-1)/2) - int(k.below[x])
			p.queries.asked[code] = true
			p.all = append(p.all, rankPick{above, value, i, x, rank, code})
		}
	})
	if len(p.all) >= manyQueries || len(p.all) > 0 && i == k.lines-k.height {
		k.pick(func(r *rankPick, key uint32) { *r.above = a.aboveMedian(r.value, ofKey(v, key)) })
	}
}

// pick finds the medians that codes left open, and tells their keys.
func (k *medianRanks) pick(found func(r *rankPick, key uint32)) {
	p := &k.picks
	k.list(&p.queries)
	starts := p.sort()
	var codes []uint8
	for i := 0; i < len(p.all); {
		codes = codes[:0]
		line := p.all[i].line
		for ; i < len(p.all) && p.all[i].line == line; i++ {
			code := p.all[i].code
			if len(p.groups[code]) == 0 {
				codes = append(codes, code)
			}
			p.groups[code] = append(p.groups[code], int32(i))
		}
		for _, code := range codes {
			p.move(code, starts[code], line, k.height, k.w, found)
			p.groups[code] = p.groups[code][:0]
		}
	}
	p.all, p.queries.asked = p.all[:0], [256]bool{}
}

// sort ranks the items of each list by their keys. It returns where lists start.
func (p *rankPicks) sort() (starts [256]int) {
	q := &p.queries
	p.sorted, p.ranks = grown(p.sorted, len(q.items)), grown(p.ranks, len(q.items))
	for i, it := range q.items {
		p.sorted[i] = uint64(it.Key)<<32 | uint64(i)
	}
	longest := 0
	for code, l := range q.lists {
		starts[code] = l.lo
		list := p.sorted[l.lo:l.end]
		slices.Sort(list)
		for rank, s := range list {
			p.ranks[uint32(s)] = uint32(rank)
		}
		longest = max(longest, len(list))
	}
	p.present = grown(p.present, (longest+63)/64)
	clear(p.present)
	return starts
}

// move finds the medians of a code's group, all in windows of one line, w columns wide.
func (p *rankPicks) move(code uint8, start, line, height, w int, found func(r *rankPick, key uint32)) {
	group := p.groups[code]
	items := p.queries.window(code, line, height)
	ranks := p.ranks[p.queries.lists[code].lo:][:len(items)]
	from := p.all[group[0]].x
	p.line(items, ranks, from, p.all[group[len(group)-1]].x+w-from)
	end := func(x int) int { // of the columns before x
		if x == from {
			return 0
		}
		return p.ends[x-from-1]
	}
	in, out := 0, 0
	for _, i := range group {
		r := &p.all[i]
		for last := end(r.x + w); in < last; in++ {
			p.present[p.lined[in]/64] |= 1 << (p.lined[in] % 64)
		}
		for first := end(r.x); out < first; out++ {
			p.present[p.lined[out]/64] &^= 1 << (p.lined[out] % 64)
		}
		found(r, uint32(p.sorted[start+p.nth(r.rank)]>>32))
	}
	for ; out < in; out++ {
		p.present[p.lined[out]/64] = 0
	}
}

// line puts the ranks of items in the order of their columns, of which there are n from a first one on.
func (p *rankPicks) line(items []simd.Item, ranks []uint32, from, n int) {
	p.ends, p.lined = grown(p.ends, n), grown(p.lined, len(items))
	clear(p.ends)
	for _, it := range items {
		if x := int(it.Column) - from; uint(x) < uint(n) {
			p.ends[x]++
		}
	}
	sum := 0
	for x, count := range p.ends {
		p.ends[x] = sum
		sum += count
	}
	for i, it := range items {
		if x := int(it.Column) - from; uint(x) < uint(n) {
			p.lined[p.ends[x]] = ranks[i]
			p.ends[x]++
		}
	}
}

// nth is the place of the bit that has n others before it.
func (p *rankPicks) nth(n int) int {
	for i, w := range p.present {
		if count := bits.OnesCount64(w); n >= count {
			n -= count
			continue
		}
		for ; n > 0; n-- {
			w &= w - 1
		}
		return 64*i + bits.TrailingZeros64(w)
	}
	return 0 // no window has so few
}

// ofKey is the sample that has a key.
func ofKey(v *localView, key uint32) float64 {
	if v.b.V.U16 != nil {
		return float64(key)
	}
	return floatOfKey(key)
}
