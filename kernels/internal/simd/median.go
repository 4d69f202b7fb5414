package simd

// Medians finds the median of windows over 8-bit codes in a time that does not depend on the window: Perreault and
// Hébert, IEEE Trans. Image Process. 16(9), 2007. Every column of the window's lines has a histogram of two levels,
// which takes one sample in and lets one go from line to line; along a line, the window's takes one column in and lets
// one go. Counts are running sums here, so that the median's place is the number of counts that do not reach half.
type Medians struct {
	level        Level
	columns      int
	coarse, fine []Hist // of column x: [x], and of codes 16 h to 16 h + 15 [h*columns+x]
	sums         *fineSums
}

// NoCode is the code of samples that do not count; with it, codes go up to MaxCode.
const (
	NoCode  = 255
	MaxCode = 239
)

// MaxMedians is how many samples a window of Find may hold together with one more column.
const MaxMedians = 65535

// NewMedians is without histograms: Clear makes them.
func NewMedians() *Medians { return best.NewMedians() }

// NewMedians is the function of that name by this level.
func (l Level) NewMedians() *Medians { return &Medians{level: l} }

// Clear makes empty histograms of columns, if it can in the memory of those before.
func (m *Medians) Clear(columns int) {
	if cap(m.coarse) < columns {
		m.coarse, m.fine = make([]Hist, columns), make([]Hist, 16*columns)
	}
	m.columns, m.coarse, m.fine = columns, m.coarse[:columns], m.fine[:16*columns]
	clear(m.coarse)
	clear(m.fine)
}

// Add takes in a line, one code a column. A column holds 65535 codes at most.
func (m *Medians) Add(in []uint8) {
	m.level.count(m.coarse, m.fine, in[:m.columns])
}

// Double takes in once more all lines taken in so far. A column holds 65535 codes at most then.
func (m *Medians) Double() {
	for _, hists := range [][]Hist{m.coarse, m.fine} {
		for i := range hists {
			h := &hists[i]
			h[0], h[1], h[2], h[3] = h[0]<<1, h[1]<<1, h[2]<<1, h[3]<<1
		}
	}
}

// Shift takes in a line and lets go of one taken in before.
func (m *Medians) Shift(in, out []uint8) {
	m.level.recount(m.coarse, m.fine, in[:m.columns], out[:m.columns])
}

// Find sets med[x] to the code of rank half, from 0, in the window of w columns from x on, and below[x] to how many
// codes there are less. Every window holds more codes than half, and no more than MaxMedians together with a column.
func (m *Medians) Find(med []uint8, below []uint32, w, half int) {
	if len(med) > 0 {
		_ = m.coarse[len(med)+w-2]
		m.find(med, below[:len(med)], w, half)
	}
}

// FindAny is Find for windows of any size, less fast, of rank (count-1)/2: count[x] is how many codes there are in the
// window, without NoCode if gaps. Where there is none, med and below are 0.
func (m *Medians) FindAny(med []uint8, below, count []uint32, w int, gaps bool) {
	if len(med) > 0 {
		top := 15
		if gaps {
			top = MaxCode >> 4
		}
		_ = m.coarse[len(med)+w-2]
		anyMedians(med, below[:len(med)], count[:len(med)], m.coarse, m.fine, w, top)
	}
}
