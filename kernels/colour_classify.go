package kernels

import (
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"

	"segscan/segment"
)

// colourRule gives the class of a colour, before exchange and NaN. It is safe for concurrent use.
type colourRule interface {
	// class is the definition, of samples r, g, b as they are, NaN too.
	class(r, g, b float64) segment.Class
	// guess gives the classes of the first n colours of a block, or colourUnsure where only class can tell. The samples
	// are finite.
	guess(c *colourBlock, n int, out *[64]segment.Class)
	// uniform gives the class that all colours from least to most in each channel have, or colourUnsure where they may
	// differ. Bounds are finite and not below 0.
	uniform(least, most [3]float32) segment.Class
}

// colourBlock is up to 64 colours.
type colourBlock struct{ r, g, b [64]float32 }

const colourUnsure segment.Class = 3

// colourClassifier is a kernel that looks at the colour of each sample alone. Use it by pointer.
type colourClassifier struct {
	kernel string
	nan    segment.Class
	swap   bool
	rule   colourRule
	scale  float32 // 1 / white
	memo   *colourMemo
}

// Needs says that it looks at the channels of each sample.
func (c *colourClassifier) Needs() segment.Needs { return segment.Needs{Channels: true} }

// Classify implements segment.Classifier.
func (c *colourClassifier) Classify(b segment.Band, out *segment.Masks) error {
	out.Resize(b.Lines, b.Samples)
	if b.Lines == 0 || b.Samples == 0 { // empty planes have no type to check
		return nil
	}
	var p [3]segment.Plane
	lines, samples := b.Before.Lines+b.Lines, b.Before.Samples+b.Samples
	for i := range p {
		if b.C[i].Lines < lines || b.C[i].Samples < samples || b.C[i].Type() != b.C[0].Type() {
			return fmt.Errorf("kernel %s: a band without the colour channels that it asked for", c.kernel)
		}
		p[i] = b.C[i].Sub(b.Before.Lines, b.Before.Samples, b.Lines, b.Samples)
	}
	v := b.Body()
	for l := range b.Lines {
		outB, outA := out.Line(l)
		from := [3]int{l * p[0].Stride, l * p[1].Stride, l * p[2].Stride}
		switch {
		case p[0].U8 != nil:
			c.memo.line(c.rule, p[0].U8[from[0]:][:b.Samples], p[1].U8[from[1]:][:b.Samples], p[2].U8[from[2]:][:b.Samples], outB, outA)
		case p[0].U16 != nil:
			colourLine(c.rule, &c.memo.cells, c.scale, p[0].U16[from[0]:][:b.Samples], p[1].U16[from[1]:][:b.Samples], p[2].U16[from[2]:][:b.Samples], outB, outA)
		default:
			colourLine(c.rule, &c.memo.cells, c.scale, p[0].F32[from[0]:][:b.Samples], p[1].F32[from[1]:][:b.Samples], p[2].F32[from[2]:][:b.Samples], outB, outA)
		}
		if c.swap {
			for w := range outB {
				outB[w], outA[w] = outA[w], outB[w]
			}
		}
		if v.F32 != nil {
			c.setNaN(v.F32[l*v.Stride:][:b.Samples], outB, outA)
		}
	}
	return nil
}

// setNaN gives the samples that are NaN their class.
func (c *colourClassifier) setNaN(v []float32, outB, outA []uint64) {
	for w := range outB {
		var nan uint64
		for k, x := range v[64*w : min(len(v), 64*w+64)] {
			if x != x {
				nan |= 1 << k
			}
		}
		if nan == 0 {
			continue
		}
		outB[w], outA[w] = outB[w]&^nan, outA[w]&^nan
		switch c.nan {
		case segment.Boundary:
			outB[w] |= nan
		case segment.Activation:
			outA[w] |= nan
		}
	}
}

// colourMemo remembers the class of each 8-bit colour, once it was asked for, in two bits: 4 MiB, made when they are
// first needed. It is safe for concurrent use: who learns a colour at the same time writes the same.
type colourMemo struct {
	once  sync.Once
	words []uint32
	tried []uint32 // a bit a block: it was asked about as a whole
	// place says where a colour is: the sum of three. The colours of a block of 8 x 8 x 4 share a cache line, as
	// neighbours in an image differ little.
	place [3][256]uint32

	cells colourCells // of other colours than 8-bit ones
}

// What the two bits say of a colour; 0 is not known.
const (
	memoBoundary   uint32 = 1
	memoActivation uint32 = 2
	memoOther      uint32 = 3
)

// memoBlock is the number of colours in a block.
const memoBlock = 8 * 8 * 4

func (m *colourMemo) make() {
	m.words = make([]uint32, 1<<24/16)
	m.tried = make([]uint32, 1<<24/memoBlock/32)
	for v := range uint32(256) {
		m.place[0][v] = v>>3<<19 | v&7<<5
		m.place[1][v] = v>>3<<14 | v&7<<2
		m.place[2][v] = v>>2<<8 | v&3
	}
}

// line classes one line.
func (m *colourMemo) line(rule colourRule, r, g, b []uint8, outB, outA []uint64) {
	m.once.Do(m.make)
	words := (*[1 << 20]uint32)(m.words)
	for w := range outB {
		n := min(64, len(r))
		x, y, z := r[:n], g[:n], b[:n]
		r, g, b = r[n:], g[n:], b[n:]
		for {
			var low, high uint64
			for k := range x {
				at := m.place[0][x[k]] | m.place[1][y[k]] | m.place[2][z[k]]
				c := atomic.LoadUint32(&words[at>>4&(1<<20-1)]) >> ((at & 15) * 2)
				low |= uint64(c&1) << (k & 63)
				high |= uint64(c>>1&1) << (k & 63)
			}
			if unknown := ^(low | high) & (1<<n - 1); unknown != 0 {
				m.learn(rule, unknown, x, y, z)
				continue
			}
			outB[w], outA[w] = low&^high, high&^low
			break
		}
	}
}

// learn notes the classes of some colours of a line, and of the blocks around them that are all of one class.
func (m *colourMemo) learn(rule colourRule, which uint64, r, g, b []uint8) {
	var block colourBlock
	var out [64]segment.Class
	n := 0
	for rest := which; rest != 0; rest &= rest - 1 {
		k := bits.TrailingZeros64(rest)
		if m.learnBlock(rule, r[k], g[k], b[k]) {
			continue
		}
		block.r[n], block.g[n], block.b[n] = float32(r[k]), float32(g[k]), float32(b[k])
		n++
	}
	rule.guess(&block, n, &out)
	for i, c := range out[:n] {
		if c == colourUnsure {
			c = rule.class(float64(block.r[i]), float64(block.g[i]), float64(block.b[i]))
		}
		at := m.place[0][uint8(block.r[i])] | m.place[1][uint8(block.g[i])] | m.place[2][uint8(block.b[i])]
		atomic.OrUint32(&m.words[at>>4], memoOf(c)<<((at&15)*2))
	}
}

// learnBlock notes the class of all colours around one, if they have the same, and tells whether its class is known now.
func (m *colourMemo) learnBlock(rule colourRule, r, g, b uint8) bool {
	at := m.place[0][r] | m.place[1][g] | m.place[2][b]
	id := at / memoBlock
	if atomic.LoadUint32(&m.tried[id/32])>>(id%32)&1 != 0 {
		return atomic.LoadUint32(&m.words[at>>4])>>((at&15)*2)&3 != 0
	}
	least := [3]float32{float32(r &^ 7), float32(g &^ 7), float32(b &^ 3)}
	c := rule.uniform(least, [3]float32{least[0] + 7, least[1] + 7, least[2] + 3})
	if c != colourUnsure {
		words := m.words[id*(memoBlock/16):][:memoBlock/16]
		for k := range words {
			atomic.StoreUint32(&words[k], memoOf(c)*0x55555555)
		}
	}
	atomic.OrUint32(&m.tried[id/32], 1<<(id%32))
	return c != colourUnsure
}

// memoOf is what the two bits say of a class.
func memoOf(c segment.Class) uint32 {
	return [...]uint32{segment.Other: memoOther, segment.Boundary: memoBoundary, segment.Activation: memoActivation}[c]
}
