package gpu

import (
	"errors"
	"testing"

	"segscan/kernels/cuda"
)

// fakeMemory is device memory of so many bytes: it hands out addresses and counts.
type fakeMemory struct {
	size, used uint64
	live       map[cuda.Ptr]uint64
	next       cuda.Ptr
}

func (m *fakeMemory) driver() *driver {
	m.live = map[cuda.Ptr]uint64{}
	return &driver{
		alloc: func(p *cuda.Ptr, n uintptr) code {
			if m.used+uint64(n) > m.size {
				return codeOutOfMemory
			}
			m.next += 1 << 20
			m.live[m.next], m.used = uint64(n), m.used+uint64(n)
			*p = m.next
			return 0
		},
		free: func(p cuda.Ptr) code {
			if _, ok := m.live[p]; !ok {
				return 1
			}
			m.used -= m.live[p]
			delete(m.live, p)
			return 0
		},
		memoryInfo: func(free, total *uintptr) code { *free, *total = uintptr(m.size-m.used), uintptr(m.size); return 0 },
		fill:       func(cuda.Ptr, uint8, uintptr, stream) code { return 0 },
	}
}

// Classes hold what they are asked to, waste at most an eighth, and are classes of themselves.
func TestClassBytes(t *testing.T) {
	for n := uint64(1); n < 1<<40; n += n/7 + 1 {
		for _, n := range []uint64{n - 1, n, n + 1} {
			c := classBytes(n)
			if c < n || n > 512 && c > n+n/8+1 || classBytes(c) != c {
				t.Fatalf("%d bytes: class %d, whose class is %d", n, c, classBytes(c))
			}
		}
	}
}

func TestPoolUsesMemoryAgain(t *testing.T) {
	m := &fakeMemory{size: 1 << 20}
	p := newPool(m.driver(), 1<<20, false)
	a, err := p.alloc(1000, 0)
	if err != nil || a.held < 1000 {
		t.Fatal(a, err)
	}
	if err := p.free(a); err != nil {
		t.Fatal(err)
	}
	b, err := p.alloc(990, 0)
	if err != nil || b.ptr != a.ptr {
		t.Errorf("got %+v after %+v, %v", b, a, err)
	}
	if err := errors.Join(p.free(b), p.free(buffer{}), p.trim()); err != nil || len(m.live) > 0 || p.used != 0 || p.kept != 0 {
		t.Errorf("%v; left %v, used %d, kept %d", err, m.live, p.used, p.kept)
	}
}

// Idle buffers of other sizes give way, to the limit of the pool and to that of the device.
func TestPoolGivesIdleMemoryUp(t *testing.T) {
	for _, c := range []struct{ device, limit uint64 }{{1 << 20, 4096}, {4096, 1 << 20}} {
		m := &fakeMemory{size: c.device}
		p := newPool(m.driver(), c.limit, false)
		a, err := p.alloc(3000, 0)
		if err != nil {
			t.Fatal(err)
		}
		var full *MemoryError
		if _, err := p.alloc(2000, 0); !errors.As(err, &full) || full.Needed != 2048 || full.Free != 4096-3072 {
			t.Errorf("while it is used: %v", err)
		}
		if err := p.free(a); err != nil {
			t.Fatal(err)
		}
		if b, err := p.alloc(2000, 0); err != nil || b.ptr == a.ptr {
			t.Errorf("after it was given back: %+v, %v", b, err)
		}
	}
}

// A plan is taken as a whole or not at all.
func TestPlanIsAllOrNothing(t *testing.T) {
	m := &fakeMemory{size: 5000}
	p := newPool(m.driver(), 5000, true)
	var a, b, c buffer
	w := new(plan)
	w.add(&a, 2000)
	w.add(&b, 2000)
	w.add(&c, 2000)
	if w.bytes != 3*classBytes(2000) {
		t.Errorf("planned %d bytes", w.bytes)
	}
	var full *MemoryError
	if err := p.take(w, 0); !errors.As(err, &full) || full.Needed != w.bytes || !errors.Is(err, ErrOutOfMemory) {
		t.Errorf("got %v", err)
	}
	if len(m.live) > 0 || a.ptr != 0 || p.used != 0 {
		t.Errorf("left behind: %v", m.live)
	}
	m.size = 6000
	p.limit = 6000
	if err := p.take(w, 0); err != nil || a.ptr == 0 || c.ptr == 0 || len(m.live) != 3 || a.held != 2000 {
		t.Errorf("%v: %v", err, m.live)
	}
	if err := p.giveBack(w); err != nil || len(m.live) > 0 || b.ptr != 0 {
		t.Errorf("%v: %v", err, m.live)
	}
}
