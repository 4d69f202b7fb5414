package gpu

import (
	"errors"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"segscan/segment"
)

// placing turns spans by position, as the fused kernels write them, into spans by line.
type placing struct {
	origin       uint64 // position of the first sample
	pitch, width uint64 // of lines in positions; samples used
	keep         bool   // there are virtual boundaries: starts before their line, ends one after it
	share        int    // spans that are worth a goroutine; 0: as many as it takes
}

// noPosition is the start of a span that begins at the virtual boundary before the first line.
const noPosition = ^uint32(0)

// shareOfSpans is how many spans are worth a goroutine.
const shareOfSpans = 1 << 18

// errPlaces: what the device gave are no spans of the band.
var errPlaces = errors.New("gpu: the device wrote spans outside of the band or out of order")

// place does it in place, for spans in order, and writes for each line how many spans come before it, base counted
// in, and its edge bits.
func (p placing) place(spans []segment.Bound, first []int64, edge []uint8, base int64) error {
	if len(spans) == 0 {
		for l := range first {
			first[l] = base
		}
		return nil
	}
	cuts := p.cut(spans)
	// Where each share begins is found before any of them is written over.
	lines := make([]int, len(cuts))
	for i, at := range cuts[:len(cuts)-1] {
		lines[i] = p.line(spans[at])
	}
	lines[len(cuts)-1] = len(first)
	for l := 0; l <= lines[0] && l < len(first); l++ {
		first[l] = base
	}
	if len(cuts) == 2 {
		return p.placeShare(spans, 0, len(spans), lines[0], lines[1], first, edge, base)
	}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range len(cuts) - 1 {
		g.Go(func() error {
			return p.placeShare(spans, cuts[i], cuts[i+1], lines[i], lines[i+1], first, edge, base)
		})
	}
	return g.Wait()
}

// line is the line of a span by position. Its end is not the first sample of a line: nothing would lie before it.
func (p placing) line(b segment.Bound) int {
	if uint64(b.End) <= p.origin {
		return math.MaxInt // no line has it
	}
	return int((uint64(b.End) - 1 - p.origin) / p.pitch)
}

// cut divides spans into shares that begin with a new line, so that no two write the edge bits of one. The last entry
// is their number; the first is 0 even if there are none.
func (p placing) cut(spans []segment.Bound) []int {
	cuts := []int{0}
	each := p.share
	if each == 0 {
		each = max(shareOfSpans, len(spans)/(4*runtime.GOMAXPROCS(0))+1)
	}
	for at := each; at < len(spans); at += each {
		line := p.line(spans[at-1])
		n, _ := slices.BinarySearchFunc(spans[at:], line+1, func(b segment.Bound, line int) int { return p.line(b) - line })
		if at += n; at < len(spans) {
			cuts = append(cuts, at)
		}
	}
	return append(cuts, len(spans))
}

// placeShare places spans from to to-1, the first of which is in line `line`, and sets first of the lines after it up to
// the one that the next share begins with.
func (p placing) placeShare(spans []segment.Bound, from, to, line, last int, first []int64, edge []uint8, base int64) error {
	if line >= len(first) {
		return errPlaces
	}
	start := p.origin + uint64(line)*p.pitch
	for i := from; i < to; i++ {
		b := &spans[i]
		for uint64(b.End)-1 >= start+p.pitch { // one more is the virtual end
			line++
			start += p.pitch
			if line >= len(first) {
				return errPlaces
			}
			first[line] = base + int64(i)
		}
		if uint64(b.End) <= start {
			return errPlaces
		}
		end := uint64(b.End) - start
		if !p.keep {
			*b = segment.Bound{Start: uint32(uint64(b.Start) - start), End: uint32(end)}
			continue
		}
		if b.Start == noPosition || uint64(b.Start) < start {
			edge[line] |= segment.EdgeLeft
			b.Start = 0
		} else {
			b.Start = uint32(uint64(b.Start) - start)
		}
		if end >= p.width {
			edge[line] |= segment.EdgeRight
			end = p.width - 1
		}
		b.End = uint32(end)
	}
	for line++; line <= last && line < len(first); line++ {
		first[line] = base + int64(to)
	}
	return nil
}
