package simd

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"unsafe"
)

// fenced gives n samples that end right before memory that must not be read, or, with first, begin right after some.
func fenced[T any](t *testing.T, n int, first bool) []T {
	t.Helper()
	page := syscall.Getpagesize()
	size := n * int(unsafe.Sizeof(*new(T)))
	body := (size + page - 1) / page * page
	mem, err := syscall.Mmap(-1, 0, body+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(mem); err != nil {
			t.Error(err)
		}
	})
	for _, fence := range [][]byte{mem[:page], mem[page+body:]} {
		if err := syscall.Mprotect(fence, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	from := page
	if !first {
		from += body - size
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&mem[from])), n)
}

// fencedLike is fenced memory that holds v.
func fencedLike[T any](t *testing.T, v []T, first bool) []T {
	f := fenced[T](t, len(v), first)
	copy(f, v)
	return f
}

// TestNothingIsReadBeyond works on memory with a fence behind or before it: a single byte beyond would end the test
// program. The windows of a line reach as far as its columns, and no further.
func TestNothingIsReadBeyond(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	for _, level := range Levels() {
		for _, n := range []int{1, 31, 32, 33, 64, 130} {
			for _, first := range []bool{false, true} {
				guardSamples[uint8](t, rng, level, n, first)
				guardSamples[uint16](t, rng, level, n, first)
				guardSamples[float32](t, rng, level, n, first)
				guardSums(t, rng, level, n, first)
				guardLines(t, rng, level, n, first)
				guardMedians(t, rng, level, n, first)
			}
		}
	}
}

func guardSamples[T Sample](t *testing.T, rng *rand.Rand, level Level, n int, first bool) {
	v, l, h := fencedLike(t, samplesOf[T](rng, n, true), first), fencedLike(t, samplesOf[T](rng, n, false), first), fencedLike(t, samplesOf[T](rng, n, false), first)
	words := (n + 63) / 64
	b, a, nan := fenced[uint64](t, words, first), fenced[uint64](t, words, first), fenced[uint64](t, words, first)
	thresholds, w := fencedLike(t, numbers(rng, n)[:n], first), someWeights(rng, 2)
	PairBy(level, l, h, l, h, h, l)
	guardSlide[T](t, rng, level, n, first)
	DownBy(level, NewWeights(w), fenced[float64](t, n, first), [][]T{l, h, l, h, l})
	switch v := any(v).(type) {
	case []uint8:
		level.MidsU8(b, a, v, any(l).([]uint8), any(h).([]uint8), Mids{Contrast: 9})
		level.CompareU8(b, a, v, thresholds, 9, 0)
		level.ShiftU8(fenced[uint32](t, n, first), v, any(l).([]uint8))
		level.ShiftPacked(fenced[uint64](t, n, first), v, any(l).([]uint8))
	case []uint16:
		level.MidsU16(b, a, v, any(l).([]uint16), any(h).([]uint16), Mids{Contrast: 9})
		level.CompareU16(b, a, v, thresholds, 9, 0)
		level.ShiftOneU16(fenced[uint64](t, n, first), v, any(l).([]uint16))
		level.ShiftU16(fenced[uint64](t, n, first), fenced[uint64](t, n, first), v, any(l).([]uint16))
	case []float32:
		level.MidsF32(b, a, nan, v, any(l).([]float32), any(h).([]float32), FloatMids{})
		level.CompareF32(b, a, nan, v, thresholds, 9, 0)
		level.TakeF32(any(l).([]float32), any(h).([]float32), any(l).([]float32), any(h).([]float32), v)
		level.Finite(v)
	}
}

func guardSums(t *testing.T, rng *rand.Rand, level Level, n int, first bool) {
	s, d, to := fencedLike(t, numbers(rng, n)[:n], first), fencedLike(t, numbers(rng, n)[:n], first), fenced[float64](t, n, first)
	sums := fenced[uint64](t, n, first)
	level.Unpack(s, d, sums, 9)
	level.Widen(s, d, sums, sums, 9)
	level.Means(to, sums, 9)
	level.MeansU32(to, fenced[uint32](t, n, first), 9)
	level.Niblack(to, s, d, 9)
	level.Sauvola(to, s, d, 9, 9)
	level.Wolf(to, s, d, 9, 9, 9)
	level.Phansalkar(to, s, d, &Phansalkar{Steps: 1, Exp: fenced[float64](t, 64, first)})
	level.Largest(s)
	level.Deviations(d, s, 9)
	for _, whole := range []bool{false, true} {
		NewWeights(someWeights(rng, 2)).AlongBy(level, to, fenced[float64](t, n+4, first), whole)
	}
}

func guardLines(t *testing.T, rng *rand.Rand, level Level, n int, first bool) {
	s, x, rows := fenced[float64](t, n, first), someLines(rng, n), fenced[float64](t, TogetherLines*n, first)
	for k := range x {
		x[k] = fencedLike(t, x[k][:n], first)
	}
	col, tail, sum := fenced[Together](t, n+2, first), fenced[Together](t, n, first), fenced[Together](t, n, first)
	for _, squares := range []bool{false, true} {
		level.AddLines(s, s, &x, squares)
		level.WindowLines(tail, s, s, &x, &x, squares)
	}
	level.TailLines(tail, sum)
	level.HeadLines(sum, tail, col, 2)
	level.PartLines(rows, n, sum)
}

func guardMedians(t *testing.T, rng *rand.Rand, level Level, n int, first bool) {
	const w = 5
	columns := n + w - 1
	m := &Medians{level: level, columns: columns, coarse: fenced[Hist](t, columns, first), fine: fenced[Hist](t, 16*columns, first)}
	line := fencedLike(t, samplesOf[uint8](rng, columns, false), first)
	m.Add(line)
	m.Shift(line, line)
	level.CompareCodes(fenced[uint64](t, (n+63)/64, first), fenced[uint64](t, (n+63)/64, first), line[:n], fencedLike(t, line[:n], first))
	level.KeysU16(fenced[uint32](t, n, first), fenced[uint16](t, n, first))
	level.KeysF32(fenced[uint32](t, n, first), fenced[float32](t, n, first))
	level.CountItems(fenced[Item](t, n, first), 1, w, 9)
	m.Find(fenced[uint8](t, n, first), fenced[uint32](t, n, first), w, w/2)
}
