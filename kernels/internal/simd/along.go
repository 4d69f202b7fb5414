package simd

// Along is Weights.Along with weights of any value: sum[i] is w[0] times column i+r, r = len(w)-1, and then, for
// d = 1 to r, w[d] times the sum of columns i+r-d and i+r+d, each product rounded on its own. col holds 2r columns more
// than sum.
func Along(sum, col, w []float64) { AlongBy(best, sum, col, w) }

// AlongBy is Along by a level.
func AlongBy(l Level, sum, col, w []float64) {
	col = col[:len(sum)+2*len(w)-2]
	n := l.weighAlong(sum, col, w, false)
	weighAlongGo(sum[n:], col[n:], w)
}
