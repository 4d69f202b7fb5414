package kernels

import (
	"math"

	"segscan/kernels/internal/simd"
)

// extremeGroups says how windows of lines are put together: from lines of a group, a gap, whole blocks, as high as the
// group, and lines of the next block.
type extremeGroups struct{ group, gap, between int }

// groupExtremes chooses the groups for windows of a height. Low windows are a group each, without blocks between. Of
// higher ones, group and blocks are about as many lines as blocks, so that there are few rows to keep, and as high as
// leaves the smallest gap, whose lines are looked at again for every group.
func groupExtremes(height int) (best extremeGroups) {
	if height < 64 {
		return extremeGroups{group: height}
	}
	side := int(math.Sqrt(float64(height)))
	for g := side * 3 / 4; g <= side*3/2; g++ {
		// The blocks may begin with the last line of the group, but no earlier.
		between := (height - g + 1) / g
		c := extremeGroups{group: g, gap: max(0, height-g-between*g), between: between}
		if best.group == 0 || (c.gap+3)*best.group < (best.gap+3)*g { // three more rows for each group, in blockQueue
			best = c
		}
	}
	return best
}

// blockQueue holds blocks of lines from the first that windows cover on to that where they end, and the extremes of all but
// this last one, in two comparisons for each block: from the early blocks on to the last early one, and of all late ones.
type blockQueue[T sample] struct {
	rows               []extremeRow[T] // block i is rows[i%len(rows)], or, if i < early, all from it to block early-1
	first, early, next int             // next: the block where windows end
	late               extremeRow[T]   // of the blocks from early on to next-1
}

func (q *blockQueue[T]) row(i int) extremeRow[T] { return q.rows[i%len(q.rows)] }

// last is the block where windows end.
func (q *blockQueue[T]) last() extremeRow[T] { return q.row(q.next) }

// all gives the extremes of the blocks before the last one, which there are; they may be in buf.
func (q *blockQueue[T]) all(buf extremeRow[T]) extremeRow[T] {
	if q.first == q.early {
		for i := q.next - 2; i >= q.first; i-- {
			q.row(i).pair(q.row(i), q.row(i+1))
		}
		q.early = q.next
	}
	if q.early == q.next {
		return q.row(q.first)
	}
	buf.pair(q.row(q.first), q.late)
	return buf
}

// pass goes on to the next block: the last one is whole.
func (q *blockQueue[T]) pass() {
	if q.early == q.next {
		q.late.set(q.last())
	} else {
		q.late.pair(q.late, q.last())
	}
	q.first++
	q.next++
}

// pair sets r to the extremes of two rows, of which it may be one.
func (r extremeRow[T]) pair(a, b extremeRow[T]) {
	simd.Pair(r.low, r.high, a.low, a.high, b.low, b.high)
}

// set copies as much of a as r has.
func (r extremeRow[T]) set(a extremeRow[T]) {
	copy(r.low, a.low)
	copy(r.high, a.high)
}

func (r extremeRow[T]) slice(from, to int) extremeRow[T] {
	return extremeRow[T]{r.low[from:to], r.high[from:to]}
}
