package simd

// TogetherLines is how many lines are summed at once.
const TogetherLines = 8

// Together are the sums of as many lines, side by side.
type Together [TogetherLines]float64

// Lines are float samples of as many lines. All are finite.
type Lines [TogetherLines][]float32

// from is the lines from a column on.
func (x *Lines) from(i int) (rest Lines) {
	for k := range x {
		rest[k] = x[k][i:]
	}
	return rest
}

// AddLines sets t = s + the lines x, or their squares, one after another, the last first. s and the lines are as long as
// t.
func AddLines(t, s []float64, x *Lines, squares bool) { best.AddLines(t, s, x, squares) }

// AddLines is the function of that name by this level.
func (l Level) AddLines(t, s []float64, x *Lines, squares bool) {
	if len(t) == 0 {
		return
	}
	s = s[:len(t)]
	x.atLeast(len(t))
	n := l.addLines(t, s, x, squares)
	if n < len(t) {
		rest := x.from(n)
		addLinesGo(t[n:], s[n:], &rest, squares)
	}
}

// atLeast sees to it that lines have so many samples.
func (x *Lines) atLeast(n int) {
	for k := range x {
		_ = x[k][:n]
	}
}

// WindowLines sums the columns of windows that begin in lines one after another, in col: sums that go on
// from stop through the lines of tail, the last first, and to each the sum of heads and the lines of head, or squares,
// up to its own. That with all lines is left in heads. All are as long as heads.
func WindowLines(col []Together, heads, stop []float64, tail, head *Lines, squares bool) {
	best.WindowLines(col, heads, stop, tail, head, squares)
}

// WindowLines is the function of that name by this level.
func (l Level) WindowLines(col []Together, heads, stop []float64, tail, head *Lines, squares bool) {
	if len(heads) == 0 {
		return
	}
	col, stop = col[:len(heads)], stop[:len(heads)]
	tail.atLeast(len(heads))
	head.atLeast(len(heads))
	n := l.windowLines(col, heads, stop, tail, head, squares)
	if n < len(heads) {
		t, h := tail.from(n), head.from(n)
		windowLinesGo(col[n:], heads[n:], stop[n:], &t, &h, squares)
	}
}

// TailLines sets tail to the sums of the columns from each of col to the last, added from the last
// on. tail is as long as col.
func TailLines(tail, col []Together) { best.TailLines(tail, col) }

// TailLines is the function of that name by this level.
func (l Level) TailLines(tail, col []Together) {
	if tail = tail[:len(col)]; !l.tailLines(tail, col) {
		tailLinesGo(tail, col)
	}
}

// HeadLines sets sum = tail + the sums of the columns from the first of col to one that is skip columns further, added
// from the first on. tail is as long as sum, and col skip columns longer.
func HeadLines(sum, tail, col []Together, skip int) { best.HeadLines(sum, tail, col, skip) }

// HeadLines is the function of that name by this level.
func (l Level) HeadLines(sum, tail, col []Together, skip int) {
	tail, col = tail[:len(sum)], col[:len(sum)+skip]
	if !l.headLines(sum, tail, col, skip) {
		headLinesGo(sum, tail, col, skip)
	}
}

// PartLines sets row k of rows, which are as long as sums and lie apart by so many elements, to the sums of line k.
func PartLines(rows []float64, apart int, sums []Together) { best.PartLines(rows, apart, sums) }

// PartLines is the function of that name by this level.
func (l Level) PartLines(rows []float64, apart int, sums []Together) {
	rows = rows[:apart*(TogetherLines-1)+len(sums)]
	partLinesGo(rows, apart, sums, l.partLines(rows, apart, sums))
}
