package simd

import (
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

// Nothing beyond the samples, masks and lists may be touched: a single byte would end the test program.
func TestNothingIsReadBeyond(t *testing.T) {
	of := make([]uint8, 65536)
	for v := range of {
		of[v] = uint8(v % 3)
	}
	t8, t16 := NewTable8(of[:256]), NewTable16(of)
	for _, first := range []bool{false, true} {
		v8, v16, vf := fenced[uint8](t, 300, first), fenced[uint16](t, 300, first), fenced[float32](t, 300, first)
		b, a := fenced[uint64](t, Words(300), first), fenced[uint64](t, Words(300), first)
		list, pairs := fenced[Closing](t, Words(300), first), fenced[Pair](t, 512, false)
		for i := range v8 {
			v8[i], v16[i], vf[i] = uint8(i*7), uint16(i*777), float32(i)
		}
		cut := func(n int) (int, int) { // n samples at the fence
			if first {
				return 0, n
			}
			return 300 - n, 300
		}
		for n := 1; n <= 300; n++ {
			from, to := cut(n)
			words := Words(n)
			mb, ma := b[len(b)-words:], a[len(a)-words:]
			if first {
				mb, ma = b[:words], a[:words]
			}
			for _, l := range Levels() {
				l.ThresholdU8(mb, ma, v8[from:to], 30, 200)
				l.ThresholdU16(mb, ma, v16[from:to], 3000, 20000)
				l.ThresholdF32(mb, ma, vf[from:to], 100, 200, true, false)
				l.TableU16(mb, ma, v16[from:to], t16)
				l.TableU8(mb, ma, v8[from:to], t8)
				l.StatU8(v8[from:to])
				l.StatU16(v16[from:to])
				l.Sum(mb)
				k, _ := l.Close(list[len(list)-words:], mb, ma, 0, 0)
				found := list[len(list)-words:][:k]
				_, _, want := plainScan(mb, ma, 0, 0, 0)
				out := pairs[len(pairs)-len(want)-1:]
				if got := SpansBy(l, out, found, 0); got != len(want) {
					t.Fatalf("%s, %d samples: %d spans, want %d", l, n, got, len(want))
				}
			}
		}
	}
}
