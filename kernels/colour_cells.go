package kernels

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"segscan/segment"
)

// colourCells remembers for 16-bit and float colours which cells of 64 x 64 x 64 are of one class, in four bits each: 128
// KiB, made when they are first needed. Like colourMemo it is safe for concurrent use.
type colourCells struct {
	once  sync.Once
	words []uint32
}

// cellMixed says of a cell that its colours are not, or not surely, of one class. The others are memoBoundary,
// memoActivation, memoOther and 0, not known.
const cellMixed uint32 = 4

// cellSteps is the number of cells along a channel, from 0 to white.
const cellSteps = 64

func (c *colourCells) make() { c.words = make([]uint32, cellSteps*cellSteps*cellSteps/8) }

// look gives the bits of boundaries and activations among the first n colours of a block, as far as cells tell, and of
// those of which they do not. scale is 1 / white.
func (c *colourCells) look(rule colourRule, block *colourBlock, n int, scale float32) (isB, isA, open uint64) {
	c.once.Do(c.make)
	words := (*[cellSteps * cellSteps * cellSteps / 8]uint32)(c.words)
	scale *= cellSteps
	for k := range min(n, 64) {
		x, y, z := block.r[k]*scale, block.g[k]*scale, block.b[k]*scale
		if !(x >= 0 && y >= 0 && z >= 0 && x <= cellSteps && y <= cellSteps && z <= cellSteps) {
			open |= 1 << k
			continue
		}
		i, j, l := min(uint32(int32(x)), cellSteps-1), min(uint32(int32(y)), cellSteps-1), min(uint32(int32(z)), cellSteps-1)
		id := i*cellSteps*cellSteps + j*cellSteps + l
		state := atomic.LoadUint32(&words[id/8&(uint32(len(words))-1)]) >> (id % 8 * 4) & 7
		if state == 0 {
			state = c.learn(rule, [3]uint32{i, j, l}, id, scale)
		}
		isB |= uint64(state&1) << k
		isA |= uint64(state>>1&1) << k
		open |= uint64(state>>2) << k
	}
	both := isB & isA // memoOther
	return isB &^ both, isA &^ both, open
}

// learn asks about a cell as a whole. Its bounds are a little wider than it, as products are rounded.
func (c *colourCells) learn(rule colourRule, at [3]uint32, id uint32, scale float32) uint32 {
	var least, most [3]float32
	for i, k := range at {
		least[i], most[i] = (float32(k)-0.001)/scale, (float32(k)+1.001)/scale
		least[i] = max(0, least[i])
	}
	state := cellMixed
	if class := rule.uniform(least, most); class != colourUnsure {
		state = memoOf(class)
	}
	atomic.OrUint32(&c.words[id/8], state<<(id%8*4))
	return state
}

// colourLine classes one line of 16-bit or float colours: by cells, by guesses where these do not tell, and by the
// definition where guesses do not.
func colourLine[T uint16 | float32](rule colourRule, cells *colourCells, scale float32, r, g, b []T, outB, outA []uint64) {
	var block, rest colourBlock
	var out [64]segment.Class
	for w := range outB {
		n := min(64, len(r))
		x, y, z := r[:n], g[:n], b[:n]
		r, g, b = r[n:], g[n:], b[n:]
		for k := range x {
			block.r[k], block.g[k], block.b[k] = float32(x[k]), float32(y[k]), float32(z[k])
		}
		isB, isA, open := cells.look(rule, &block, n, scale)
		var asked [64]uint8
		m := 0
		for o := open; o != 0; o &= o - 1 {
			k := bits.TrailingZeros64(o)
			rest.r[m], rest.g[m], rest.b[m] = block.r[k], block.g[k], block.b[k]
			if sum := (rest.r[m] + rest.g[m] + rest.b[m]) * 0; sum == 0 { // all are finite
				asked[m] = uint8(k)
				m++
				continue
			}
			class := rule.class(float64(x[k]), float64(y[k]), float64(z[k]))
			isB |= uint64(class&1) << k
			isA |= uint64(class>>1) << k
		}
		if m > 0 {
			rule.guess(&rest, m, &out)
		}
		for i, class := range out[:m] {
			k := asked[i] & 63
			if class == colourUnsure {
				class = rule.class(float64(x[k]), float64(y[k]), float64(z[k]))
			}
			isB |= uint64(class&1) << k
			isA |= uint64(class>>1) << k
		}
		outB[w], outA[w] = isB, isA
	}
}
