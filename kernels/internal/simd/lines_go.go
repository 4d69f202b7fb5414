package simd

// value is a sample or its square.
func value(x float32, squares bool) float64 {
	y := float64(x)
	if squares {
		y = float64(y * y)
	}
	return y
}

func addLinesGo(t, s []float64, x *Lines, squares bool) {
	for i := range t {
		sum := s[i]
		for k := TogetherLines - 1; k >= 0; k-- {
			sum += value(x[k][i], squares)
		}
		t[i] = sum
	}
}

func windowLinesGo(col []Together, heads, stop []float64, tail, head *Lines, squares bool) {
	for i, h := range heads {
		to, sum := &col[i], stop[i]
		for k := TogetherLines - 1; k >= 0; k-- {
			sum += value(tail[k][i], squares)
			to[k] = sum
		}
		for k := range to {
			h += value(head[k][i], squares)
			to[k] += h
		}
		heads[i] = h
	}
}

func tailLinesGo(tail, col []Together) {
	var sum Together
	for i := len(col) - 1; i >= 0; i-- {
		sum.add(&col[i])
		tail[i] = sum
	}
}

func (s *Together) add(x *Together) {
	for k := range s {
		s[k] += x[k]
	}
}

func headLinesGo(sum, tail, col []Together, skip int) {
	var head Together
	for i := range skip {
		head.add(&col[i])
	}
	for i := range sum {
		head.add(&col[i+skip])
		to := tail[i]
		to.add(&head)
		sum[i] = to
	}
}

// partLinesGo does so from a column on.
func partLinesGo(rows []float64, apart int, sums []Together, from int) {
	for i := from; i < len(sums); i++ {
		for k, x := range sums[i] {
			rows[k*apart+i] = x
		}
	}
}
