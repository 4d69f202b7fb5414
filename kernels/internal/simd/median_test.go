package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// windowCodes are codes of columns by lines, and a window of w columns that is as high as all lines.
type windowCodes struct {
	lines [][]uint8
	w     int
}

func newWindowCodes(rng *rand.Rand, columns, lines, w, spread int, gaps bool) windowCodes {
	c := windowCodes{w: w}
	for range lines {
		line := make([]uint8, columns)
		for x := range line {
			// Codes drift along the line, so that some segments are asked for again after a while.
			line[x] = uint8(min(max(0, x*2%300-20+rng.IntN(spread)), 255))
			if gaps && (line[x] > MaxCode || rng.IntN(3) == 0) {
				line[x] = NoCode
			}
		}
		c.lines = append(c.lines, line)
	}
	return c
}

// median sorts the codes of the window from column x on.
func (c *windowCodes) median(x, from, to int, gaps bool) (med uint8, below, count uint32) {
	var all []uint8
	for _, line := range c.lines[from:to] {
		for _, v := range line[x : x+c.w] {
			if !gaps || v != NoCode {
				all = append(all, v)
			}
		}
	}
	if len(all) == 0 {
		return 0, 0, 0
	}
	slices.Sort(all)
	med = all[(len(all)-1)/2]
	return med, uint32(slices.Index(all, med)), uint32(len(all))
}

// TestMedians moves windows of several sizes down lines of codes, by every level, and compares with sorting.
func TestMedians(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for _, level := range Levels() {
		for _, w := range []int{1, 2, 3, 7, 30, 31, 64} {
			for _, spread := range []int{1, 3, 40, 256} {
				const height, steps = 5, 4
				n := 1 + rng.IntN(120)
				c := newWindowCodes(rng, n+w-1, height+steps, w, spread, false)
				m := level.NewMedians()
				m.Clear(n + w - 1)
				for _, line := range c.lines[:height] {
					m.Add(line)
				}
				med, below, wide, widely, count := make([]uint8, n+1), make([]uint32, n+1), make([]uint8, n), make([]uint32, n), make([]uint32, n)
				med[n], below[n] = 77, 77
				for l := range steps {
					m.Find(med[:n], below[:n], w, (height*w-1)/2)
					m.FindAny(wide, widely, count, w, false)
					for x := range n {
						v, b, all := c.median(x, l, l+height, false)
						if med[x] != v || below[x] != b || wide[x] != v || widely[x] != b || count[x] != all {
							t.Fatalf("%s: %d columns, spread %d, window %d of line %d: %d above %d, or %d above %d of %d, want %d above %d of %d",
								level, w, spread, x, l, med[x], below[x], wide[x], widely[x], count[x], v, b, all)
						}
					}
					m.Shift(c.lines[l+height], c.lines[l])
				}
				if med[n] != 77 || below[n] != 77 {
					t.Fatalf("%s: %d columns: the element behind %d windows was written", level, w, n)
				}
			}
		}
	}
}

// TestMediansOfGaps leaves samples out.
func TestMediansOfGaps(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	for _, w := range []int{1, 4, 9, 40} {
		const n, height = 90, 3
		c := newWindowCodes(rng, n+w-1, height, w, 60, true)
		for x := range 2 * w {
			for l := range c.lines {
				c.lines[l][min(x+5, n+w-2)] = NoCode // windows without any
			}
		}
		m := NewMedians()
		m.Clear(n + w - 1)
		for _, line := range c.lines {
			m.Add(line)
		}
		med, below, count := make([]uint8, n), make([]uint32, n), make([]uint32, n)
		m.FindAny(med, below, count, w, true)
		empty := 0
		for x := range n {
			v, b, all := c.median(x, 0, height, true)
			if med[x] != v || below[x] != b || count[x] != all {
				t.Fatalf("%d columns, window %d: %d above %d of %d, want %d above %d of %d", w, x, med[x], below[x], count[x], v, b, all)
			}
			if all == 0 {
				empty++
			}
		}
		if empty == 0 {
			t.Errorf("%d columns: no window was empty", w)
		}
	}
}

// TestMediansOfManySamples uses windows about as large as counts of 16 bits allow, and far beyond.
func TestMediansOfManySamples(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 3))
	for _, w := range []int{255, 700} {
		const n, height = 3, 255
		c := newWindowCodes(rng, n+w-1, height, w, 256, false)
		for l := range c.lines {
			if w == 255 && l > 2 {
				clear(c.lines[l]) // counts near the most that there are
			}
		}
		want, b, all := c.median(1, 0, height, false)
		for _, level := range Levels() {
			m := level.NewMedians()
			m.Clear(n + w - 1)
			for _, line := range c.lines {
				m.Add(line)
			}
			med, below, count := make([]uint8, n), make([]uint32, n), make([]uint32, n)
			if m.FindAny(med, below, count, w, false); med[1] != want || below[1] != b || count[1] != all {
				t.Errorf("%s, %d columns: %d above %d of %d, want %d above %d of %d", level, w, med[1], below[1], count[1], want, b, all)
			}
			if (w+1)*height > MaxMedians {
				continue
			}
			if m.Find(med, below, w, (height*w-1)/2); med[1] != want || below[1] != b {
				t.Errorf("%s, %d columns: %d above %d, want %d above %d", level, w, med[1], below[1], want, b)
			}
		}
	}
}

// TestCountItems counts one by one, with keys on both sides of 2^31 and columns on both sides of the window.
func TestCountItems(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, level := range Levels() {
		for range 400 {
			items := make([]Item, rng.IntN(40))
			for i := range items {
				items[i] = Item{uint16(rng.IntN(70000)), uint16(rng.IntN(60)), rng.Uint32() >> rng.IntN(32)}
			}
			x, w, key := rng.IntN(50), 1+rng.IntN(40), rng.Uint32()>>rng.IntN(32)
			if len(items) > 0 && rng.IntN(2) == 0 {
				key = items[0].Key
			}
			want := uint32(0)
			for _, it := range items {
				if c := int(it.Column); c >= x && c < x+w && it.Key < key {
					want++
				}
			}
			if got := level.CountItems(items, x, w, key); got != want {
				t.Fatalf("%s: %d in columns %d to %d below %d, want %d: %v", level, got, x, x+w-1, key, want, items)
			}
		}
	}
}

// TestDouble compares with taking in every line twice.
func TestDouble(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	c := newWindowCodes(rng, 50, 5, 9, 256, false)
	once, twice := NewMedians(), NewMedians()
	once.Clear(50)
	twice.Clear(50)
	for _, line := range c.lines {
		once.Add(line)
		twice.Add(line)
		twice.Add(line)
	}
	once.Double()
	if !slices.Equal(once.coarse, twice.coarse) || !slices.Equal(once.fine, twice.fine) {
		t.Error("other histograms")
	}
}

// TestCompareCodes compares one by one; codes are often equal.
func TestCompareCodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, level := range Levels() {
		for _, n := range sizes(rng) {
			v, m := samplesOf[uint8](rng, n, false), samplesOf[uint8](rng, n, false)
			for i := range v {
				if rng.IntN(3) == 0 {
					m[i] = v[i]
				}
			}
			le, eq := words(n), words(n)
			level.CompareCodes(le, eq, v, m)
			checkMasks(t, level.String(), n, [][]uint64{le, eq}, func(i, mask int) bool {
				return v[i] == m[i] || mask == 0 && v[i] < m[i]
			})
		}
	}
}

// TestKeys compares the order of keys with that of samples, and looks at the key behind.
func TestKeys(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 7))
	for _, level := range Levels() {
		for _, n := range sizes(rng) {
			x, y := samplesOf[float32](rng, n, true), samplesOf[uint16](rng, n, false)
			if n > 2 {
				x[0], x[1], x[n-1] = 0, float32(math.Copysign(0, -1)), -math.MaxFloat32
			}
			keys, whole := make([]uint32, n+1), make([]uint32, n+1)
			level.KeysF32(keys[:n], x)
			level.KeysU16(whole[:n], y)
			if keys[n] != 0 || whole[n] != 0 {
				t.Fatalf("%s: the key behind %d was written", level, n)
			}
			for i, v := range x {
				if whole[i] != uint32(y[i]) {
					t.Fatalf("%s: %d has the key %d", level, y[i], whole[i])
				}
				if v-v != 0 {
					if keys[i] != NoKey {
						t.Fatalf("%s: %v has the key %d", level, v, keys[i])
					}
					continue
				}
				if w := x[rng.IntN(i+1)]; w-w == 0 && (v < w) != (keys[i] < KeyF32(w)) || keys[i] != KeyF32(v) || keys[i] == NoKey {
					t.Fatalf("%s: the keys of %v and %v are %d and %d", level, v, w, keys[i], KeyF32(w))
				}
			}
		}
	}
}

func BenchmarkMedians(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 4))
	const n, w = 512, 31
	c := newWindowCodes(rng, n+w-1, 2*w, w, 80, false)
	for _, level := range Levels() {
		b.Run(level.String(), func(b *testing.B) {
			m := level.NewMedians()
			m.Clear(n + w - 1)
			for _, line := range c.lines[:w] {
				m.Add(line)
			}
			med, below := make([]uint8, n), make([]uint32, n)
			l := 0
			for b.Loop() {
				m.Shift(c.lines[(l+w)%(2*w)], c.lines[l])
				m.Find(med, below, w, (w*w-1)/2)
				l = (l + 1) % (2 * w)
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gpx/s")
		})
	}
}
