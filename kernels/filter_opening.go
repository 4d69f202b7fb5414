package kernels

import (
	"math"

	"segscan/segment"
)

// openingWork subtracts openings: the greatest of the least of windows, in a number of comparisons that does not depend
// on their size (van Herk, Pattern Recognit. Lett. 13(7), 1992; Gil and Werman, IEEE Trans. Pattern Anal. Mach. Intell.
// 15(5), 1993).
type openingWork struct{ keys, ends []int32 }

// run sets out[i] to x[n-1+i] less the opening there, n samples wide, of the finite samples; x holds n-1 samples more
// than out each side.
func (o *openingWork) run(out, x []float32, n int, t segment.SampleType) {
	if cap(o.keys) < len(x) {
		o.keys, o.ends = make([]int32, len(x)), make([]int32, len(x))
	}
	k := o.keys[:len(x)]
	gaps := false
	if t == segment.F32 {
		for i, v := range x {
			k[i] = inOrder(v)
			if !finite(v) {
				k[i], gaps = math.MaxInt32, true
			}
		}
	} else {
		for i, v := range x {
			k[i] = int32(v)
		}
	}
	k = slideLeast(k, o.ends, n)
	if gaps {
		for i, v := range k {
			if v == math.MaxInt32 { // a window without finite samples
				k[i] = math.MinInt32
			}
		}
	}
	k = slideGreatest(k, o.ends, n)
	x = x[n-1:][:len(out)]
	k = k[:len(out)]
	if t != segment.F32 {
		for i, v := range x {
			out[i] = v - float32(k[i])
		}
		return
	}
	for i, v := range x {
		if out[i] = v; finite(v) {
			out[i] = v - fromOrder(k[i])
		}
	}
}

// slideLeast replaces k[i] by the least of w from i on, for all i that have so many, and cuts k to those. Blocks of w
// end with k[x+w-1]; each window from x on covers the end of one and the start of the next.
func slideLeast(k, ends []int32, w int) []int32 {
	n := len(k) - w + 1
	for x := 0; x < n; x += w {
		block, tail := k[x:x+w], ends[:w]
		low := block[w-1]
		for i := w - 1; i >= 0; i-- {
			low = min(low, block[i])
			tail[i] = low
		}
		block[0] = tail[0]
		m := min(w, n-x)
		if m < 2 {
			continue
		}
		next := k[x+w:][:m-1]
		to, tail := block[1:][:m-1], tail[1:][:m-1]
		low = next[0]
		for i, v := range next {
			low = min(low, v)
			to[i] = min(tail[i], low)
		}
	}
	return k[:n]
}

// slideGreatest is the same of the greatest.
func slideGreatest(k, ends []int32, w int) []int32 {
	n := len(k) - w + 1
	for x := 0; x < n; x += w {
		block, tail := k[x:x+w], ends[:w]
		high := block[w-1]
		for i := w - 1; i >= 0; i-- {
			high = max(high, block[i])
			tail[i] = high
		}
		block[0] = tail[0]
		m := min(w, n-x)
		if m < 2 {
			continue
		}
		next := k[x+w:][:m-1]
		to, tail := block[1:][:m-1], tail[1:][:m-1]
		high = next[0]
		for i, v := range next {
			high = max(high, v)
			to[i] = max(tail[i], high)
		}
	}
	return k[:n]
}
