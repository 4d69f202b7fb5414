package kernels_test

// eachLine calls fn with every column and then with every row of v, reflected by r samples at both ends, border samples
// repeated, and with where its samples lie.
func eachLine(v []float64, w, h, r int, fn func(in []float64, at func(i int) *float64)) {
	line := func(n int, at func(i int) *float64) {
		in := make([]float64, n+2*r)
		for i := range in {
			j := i - r
			if j < 0 {
				j = -j - 1
			}
			in[i] = *at(min(j, 2*n-1-j))
		}
		fn(in, at)
	}
	for x := range w {
		line(h, func(i int) *float64 { return &v[i*w+x] })
	}
	for y := range h {
		line(w, func(i int) *float64 { return &v[y*w+i] })
	}
}

// uniformFilter is the mean of windows as scipy.ndimage.uniform_filter works it out in float64, which scikit-image's local
// mean is made of: by a running sum, down the columns and then, of what that gave, along the rows.
func uniformFilter(v []float64, w, h, size int) []float64 {
	eachLine(v, w, h, size/2, func(in []float64, at func(i int) *float64) {
		sum := 0.
		for _, x := range in[:size] {
			sum += x
		}
		*at(0) = sum / float64(size)
		for i := size; i < len(in); i++ {
			sum += in[i] - in[i-size]
			*at(i - size + 1) = sum / float64(size)
		}
	})
	return v
}

// windowSums are the exact sums of windows of whole numbers.
func windowSums(v []float64, w, h, size int) []float64 {
	sums := append([]float64(nil), v...)
	eachLine(sums, w, h, size/2, func(in []float64, at func(i int) *float64) {
		sum := 0.
		for _, x := range in[:size-1] {
			sum += x
		}
		for i := size - 1; i < len(in); i++ {
			sum += in[i]
			*at(i - size + 1) = sum
			sum -= in[i-size+1]
		}
	})
	return sums
}
