package simd

import "math"

// Counter8 counts 8-bit samples. The zero value is ready for use.
type Counter8 struct {
	tables [8][256]uint32 // in turn: with one, equal neighbours would wait for each other's store
	since  uint64         // samples in tables, below 2^32
	bins   [256]uint64    // those before
}

// Add counts v.
func (c *Counter8) Add(v []uint8) { c.AddBy(best, v) }

// AddBy is Add by a chosen level.
func (c *Counter8) AddBy(l Level, v []uint8) {
	for len(v) > 0 {
		part := v[:min(uint64(len(v)), math.MaxUint32-c.since)]
		l.histogramU8(&c.tables, part)
		v, c.since = v[len(part):], c.since+uint64(len(part))
		if c.since == math.MaxUint32 {
			c.settle()
		}
	}
}

func (c *Counter8) settle() {
	for k := range c.tables {
		for i, n := range &c.tables[k] {
			c.bins[i] += uint64(n)
		}
	}
	c.tables, c.since = [8][256]uint32{}, 0
}

// Bins gives the number of samples of each value so far, valid until the next Add.
func (c *Counter8) Bins() *[256]uint64 {
	c.settle()
	return &c.bins
}

// Counter16 counts 16-bit samples. The zero value is ready for use.
type Counter16 struct {
	table [65536]uint32 // by place16: half of what 64 bits would take from the caches
	since uint64        // samples in table, below 2^32
	bins  [65536]uint64 // those before
}

// place16 is where a value is counted. Samples of 8 or 12 bits are often stored as multiples of 256 or 16, whose counts
// would share a few sets of the first-level cache; the top bits part them. Neighbours of 16 stay in one cache line.
// It is its own inverse.
func place16(v uint16) uint16 { return v ^ v>>6&0x3f0 }

// Add counts v.
func (c *Counter16) Add(v []uint16) { c.AddBy(best, v) }

// AddBy is Add by a chosen level.
func (c *Counter16) AddBy(l Level, v []uint16) {
	for len(v) > 0 {
		part := v[:min(uint64(len(v)), math.MaxUint32-c.since)]
		l.histogramU16(&c.table, part)
		v, c.since = v[len(part):], c.since+uint64(len(part))
		if c.since == math.MaxUint32 {
			c.settle()
		}
	}
}

func (c *Counter16) settle() {
	for i, n := range &c.table {
		c.bins[place16(uint16(i))] += uint64(n)
	}
	clear(c.table[:])
	c.since = 0
}

// Bins gives the number of samples of each value so far, valid until the next Add.
func (c *Counter16) Bins() *[65536]uint64 {
	c.settle()
	return &c.bins
}

// CountU8 adds v to bins. It needs no tables, which for a single line would cost more than they save.
func CountU8(bins *[256]uint64, v []uint8) {
	for _, x := range v {
		bins[x]++
	}
}

// CountU16 is CountU8 for 16-bit samples.
func CountU16(bins *[65536]uint64, v []uint16) {
	for ; len(v) >= 4; v = v[4:] {
		p := (*[4]uint16)(v)
		if p[0] == p[1] && p[0] == p[2] && p[0] == p[3] { // flat regions: one store, not four in a chain
			bins[p[0]] += 4
			continue
		}
		bins[p[0]]++
		bins[p[1]]++
		bins[p[2]]++
		bins[p[3]]++
	}
	for _, x := range v {
		bins[x]++
	}
}
