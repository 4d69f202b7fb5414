package bench

import (
	"context"
	"runtime"
	"sync"
	"unsafe"

	"segscan/segment"
)

// lineSamples is the length of the lines of the engine's measurements.
const lineSamples = 4096

// Samples at or below benchLo are boundaries, those from benchHi on activations. A generated sample is its class's
// base and noise below noiseSpan, so that none is near a threshold and histograms are not of three values only.
// 16-bit and float samples are 256 times and half of that.
const (
	benchLo, benchHi = 100, 200
	noiseSpan        = 32
)

// bases are the least samples of other, boundary, activation.
func bases() [3]uint32 { return [3]uint32{130, 50, 210} }

// store is the memory all measurements share: as large as asked for, and seen as samples of any type.
type store struct{ words []uint64 }

func newStore(bytes int64) *store {
	const line = lineSamples * 4 // whole lines of every type
	return &store{make([]uint64, max(1, bytes/line)*line/8)}
}

func (m *store) bytes() int { return 8 * len(m.words) }

// plane is the memory as lines of a type.
func (m *store) plane(t segment.SampleType) segment.Plane {
	return m.samples(t, m.bytes()/t.Bytes()/lineSamples, lineSamples)
}

// samples is the memory, which must have room, as lines of a length.
func (m *store) samples(t segment.SampleType, lines, length int) segment.Plane {
	n := lines * length
	p := segment.Plane{Lines: lines, Samples: length, Stride: length}
	first := unsafe.Pointer(unsafe.SliceData(m.words))
	switch t {
	case segment.U8:
		p.U8 = unsafe.Slice((*uint8)(first), n)
	case segment.U16:
		p.U16 = unsafe.Slice((*uint16)(first), n)
	default:
		p.F32 = unsafe.Slice((*float32)(first), n)
	}
	return p
}

// splitmix is Steele, Lea and Flood's SplitMix64: a generator that any line can start on its own.
type splitmix uint64

func (s *splitmix) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// fill makes each sample of p, on its own, a boundary with probability 1/q and an activation with probability 1/q (q at
// least 2 and at most 65536). What comes out depends on type, q and line only.
func fill(ctx context.Context, p *segment.Plane, q int) error {
	var next sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		next.Go(func() {
			for l := w; l < p.Lines && ctx.Err() == nil; l += workers {
				fillLine(p, l, q)
			}
		})
	}
	next.Wait()
	return ctx.Err()
}

func fillLine(p *segment.Plane, line, q int) {
	from, to := line*p.Stride, line*p.Stride+p.Samples
	rng := splitmix(uint64(q)<<32 + uint64(line)<<1)
	switch {
	case p.U8 != nil:
		fillSamples(p.U8[from:to], &rng, q, 1)
	case p.U16 != nil:
		fillSamples(p.U16[from:to], &rng, q, 256)
	default:
		fillSamples(p.F32[from:to], &rng, q, 0.5)
	}
}

// fillSamples takes 16 bits of chance and 5 of noise a sample.
func fillSamples[T uint8 | uint16 | float32](v []T, rng *splitmix, q int, scale T) {
	event := uint64(65536 / q)
	base := bases()
	for i := 0; i+4 <= len(v); i += 4 {
		chance, noise := rng.next(), rng.next()
		for k := range 4 {
			c := 0
			switch r := chance >> (16 * k) & 0xffff; {
			case r < event:
				c = 1
			case r < 2*event:
				c = 2
			}
			v[i+k] = T(base[c]+uint32(noise>>(16*k))%noiseSpan) * scale
		}
	}
}

// thresholdsOf are the bounds for generated samples of a type.
func thresholdsOf(t segment.SampleType) segment.Thresholds {
	scale := map[segment.SampleType]float64{segment.U8: 1, segment.U16: 256, segment.F32: 0.5}[t]
	return segment.Thresholds{Lo: []float64{benchLo * scale}, Hi: []float64{benchHi * scale}, NaN: segment.Boundary}
}

// tableOf says the same as a table, for u8 and u16.
func tableOf(t segment.SampleType) segment.Table {
	th := thresholdsOf(t)
	of := make([]segment.Class, 1<<(8*t.Bytes()))
	for v := range of {
		switch {
		case float64(v) <= th.Lo[0]:
			of[v] = segment.Boundary
		case float64(v) >= th.Hi[0]:
			of[v] = segment.Activation
		}
	}
	return segment.Table{Of: of}
}
