package simd

// Weights are those of distances 0 to r: whole numbers from 0 to 2^14 that, with the others twice and the first once, add
// up to WeightSum.
type Weights struct {
	w            []float64
	pairs, twice []uint32 // two distances, and one twice, in 16 bits each
}

// WeightSum is what weights add up to.
const WeightSum = 1 << 14

// NewWeights takes the weights of distances 0 to r.
func NewWeights(w []float64) *Weights {
	k := &Weights{w: w}
	for d, x := range w {
		if d%2 == 0 {
			k.pairs = append(k.pairs, uint32(x))
		} else {
			k.pairs[d/2] |= uint32(x) << 16
		}
		k.twice = append(k.twice, uint32(x)<<16|uint32(x))
	}
	return k
}

// Down weighs lines: rows holds those at distances 0, -1, 1, -2, 2 ... as long as col at least, which is set to the sum
// of weight by sample, in this order and each product rounded on its own. Of integers, that is exact.
func Down[T Sample](k *Weights, col []float64, rows [][]T) { DownBy(best, k, col, rows) }

// DownBy is Down by a level.
func DownBy[T Sample](l Level, k *Weights, col []float64, rows [][]T) {
	rows = rows[:2*len(k.w)-1]
	for _, row := range rows {
		_ = row[:len(col)]
	}
	n := 0
	switch rows := any(rows).(type) {
	case [][]uint8:
		if len(k.w)%2 == 1 { // the last weight has a partner of weight 0
			rows = append(rows[:len(rows):len(rows)], rows[0], rows[0])
		}
		n = l.weighU8(col, rows, k.pairs)
	case [][]uint16:
		n = l.weighU16(col, rows, k.twice)
	case [][]float32:
		n = l.weighF32(col, rows, k.w)
	}
	if n < len(col) {
		rest := make([][]T, len(rows))
		for i, row := range rows {
			rest[i] = row[n:]
		}
		weighGo(col[n:], rest, k.w)
	}
}

// Along weighs columns: sum[i] is that of the window from column i on, its middle first and then pairs of columns at
// equal distance, added before they are weighed. whole tells that all columns are whole numbers below 2^31; then all sums
// are exact, in any order.
func (k *Weights) Along(sum, col []float64, whole bool) { k.AlongBy(best, sum, col, whole) }

// AlongBy is Along by a level.
func (k *Weights) AlongBy(l Level, sum, col []float64, whole bool) {
	col = col[:len(sum)+2*len(k.w)-2]
	n := l.weighAlong(sum, col, k.w, whole)
	weighAlongGo(sum[n:], col[n:], k.w)
}
