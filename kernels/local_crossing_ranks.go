package kernels

import "slices"

// rankPicks are medians to be found that codes do not tell, by rising lines of a block.
type rankPicks struct {
	all     []rankPick
	queries rankQueries // for its lists of the samples of these codes
	keys    []uint32    // to work in
}

// rankPick is about a window of a line of the block: its median is the one of a rank among the samples of a code.
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
	a.each(v, l, 0, v.n, func(above *float64, x int, value float64) {
		switch code := k.med[x]; {
		case k.count[x] == 0:
		case k.one(code):
			*above = a.aboveMedian(value, ofKey(v, k.cuts[code]))
		default:
			rank := int((k.count[x]-1)/2) - int(k.below[x])
			k.picks.queries.asked[code] = true
			k.picks.all = append(k.picks.all, rankPick{above, value, i, x, rank, code})
		}
	})
	if len(k.picks.all) >= manyQueries || i == k.lines-k.height {
		a.pick(k, v)
	}
}

// pick finds the medians that codes left open.
func (a *asked) pick(k *medianRanks, v *localView) {
	p := &k.picks
	if len(p.all) == 0 {
		return
	}
	k.list(&p.queries)
	for _, r := range p.all {
		p.keys = p.keys[:0]
		for _, it := range p.queries.window(r.code, r.line, k.height) {
			if x := int(it.Column) - r.x; x >= 0 && x < k.w {
				p.keys = append(p.keys, it.Key)
			}
		}
		slices.Sort(p.keys)
		*r.above = a.aboveMedian(r.value, ofKey(v, p.keys[r.rank]))
	}
	p.all, p.queries.asked = p.all[:0], [256]bool{}
}

// ofKey is the sample that has a key.
func ofKey(v *localView, key uint32) float64 {
	if v.b.V.U16 != nil {
		return float64(key)
	}
	return floatOfKey(key)
}
