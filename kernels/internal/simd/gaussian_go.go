package simd

// weighGo adds the middle line first, then pairs at equal distance, outwards.
func weighGo[T Sample](col []float64, rows [][]T, w []float64) {
	clear(col)
	for k, row := range rows {
		weight, row := w[(k+1)/2], row[:len(col)]
		for i, x := range row {
			col[i] += float64(weight * float64(x))
		}
	}
}

// weighAlongGo does so with columns; that of the first window's middle is column len(w)-1.
func weighAlongGo(sum, col, w []float64) {
	r := len(w) - 1
	weight, middle := w[0], col[r:][:len(sum)]
	for i := range sum {
		sum[i] = float64(weight * middle[i])
	}
	for d := 1; d <= r; d++ {
		weight = w[d]
		a, b := col[r-d:][:len(sum)], col[r+d:][:len(sum)]
		for i := range sum {
			sum[i] += float64(weight * (a[i] + b[i]))
		}
	}
}
