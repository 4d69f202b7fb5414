package gpu

import (
	"errors"
	"math/bits"
	"slices"
	"sync"
	"unsafe"

	"segscan/segment"
)

// pinned is host memory that the device copies from and to directly, several times as fast as ordinary memory.
type pinned struct {
	p     unsafe.Pointer
	bytes uintptr
}

// slice is the first n bytes.
func (m pinned) slice(n int) []byte { return unsafe.Slice((*byte)(m.p), n) }

// pins keeps pinned memory: getting it from the driver takes about as long as copying it. The driver is called on the
// engine's thread; the rest is safe for concurrent use.
type pins struct {
	mu    sync.Mutex
	limit uintptr
	held  uintptr
	idle  map[uintptr][]unsafe.Pointer
	out   []pinned // handed out, by address
}

func newPins(limit uintptr) *pins { return &pins{limit: limit, idle: map[uintptr][]unsafe.Pointer{}} }

// pinnedBytes bounds the pinned memory of an engine: it cannot be swapped out, so it must not take all there is.
const pinnedBytes = 2 << 30

func (o *Options) pinned() uintptr {
	if o.Pinned > 0 {
		return uintptr(o.Pinned)
	}
	return pinnedBytes
}

// leastPinned is the smallest size class: a driver pins whole pages.
const leastPinned = 64 << 10

// size is the class of n bytes.
func (*pins) size(n int) uintptr {
	return max(leastPinned, uintptr(1)<<bits.Len(uint(max(n, 1)-1)))
}

// reuse takes an idle piece of a class, or says whether a new one may be made.
func (h *pins) reuse(size uintptr) (m pinned, ok, room bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if list := h.idle[size]; len(list) > 0 {
		m = pinned{list[len(list)-1], size}
		h.idle[size] = list[:len(list)-1]
		h.insert(m)
		return m, true, true
	}
	return pinned{}, false, h.held+size <= h.limit
}

// added notes a new piece that is handed out.
func (h *pins) added(m pinned) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held += m.bytes
	h.insert(m)
}

func (h *pins) find(p uintptr) (int, bool) {
	return slices.BinarySearchFunc(h.out, p, func(m pinned, p uintptr) int {
		switch a := uintptr(m.p); {
		case a < p:
			return -1
		case a > p:
			return 1
		}
		return 0
	})
}

func (h *pins) insert(m pinned) {
	i, _ := h.find(uintptr(m.p))
	h.out = slices.Insert(h.out, i, m)
}

// giveBack makes a piece idle.
func (h *pins) giveBack(m pinned) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if i, ok := h.find(uintptr(m.p)); ok {
		h.out = slices.Delete(h.out, i, i+1)
		h.idle[m.bytes] = append(h.idle[m.bytes], m.p)
	}
}

// holds tells whether all of b lies in a piece that is handed out.
func (h *pins) holds(b []byte) bool {
	if len(b) == 0 {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	p := uintptr(unsafe.Pointer(&b[0]))
	i, ok := h.find(p)
	if !ok {
		i--
	}
	return i >= 0 && p+uintptr(len(b)) <= uintptr(h.out[i].p)+h.out[i].bytes
}

// close frees idle pieces and tells how many are still handed out; those stay, for somebody may read them.
func (h *pins) close(d *driver) (out int, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var errs []error
	for _, list := range h.idle {
		for _, p := range list {
			errs = append(errs, d.check(d.hostFree(p), "cuMemFreeHost"))
		}
	}
	clear(h.idle)
	return len(h.out), errors.Join(errs...)
}

// hostPortable: the memory is pinned for every context.
const hostPortable = 1

// pin gives pinned memory of at least n bytes.
func (e *Engine) pin(n int) (pinned, error) {
	size := e.pins.size(n)
	m, ok, room := e.pins.reuse(size)
	if ok {
		return m, nil
	}
	if !room {
		return pinned{}, errNoPins
	}
	m.bytes = size
	err := e.do(func() error {
		return e.driver.check(e.driver.hostAlloc(&m.p, size, hostPortable), "cuMemHostAlloc")
	})
	if err != nil {
		return pinned{}, err
	}
	e.pins.added(m)
	return m, nil
}

var errNoPins = errors.New("gpu: no more pinned memory")

// Alloc gives pinned memory, or, where there is none left or the device is lost, ordinary memory. It holds no meaning
// at first. A band in it must be released before its memory is.
func (e *Engine) Alloc(t segment.SampleType, n int) (segment.Plane, func()) {
	bytes := n * t.Bytes()
	if n <= 0 || bytes/t.Bytes() != n {
		return segment.NewPlane(t, 1, n), func() {}
	}
	m, err := e.pin(bytes)
	if err != nil { // pinned memory is for speed only; a lost device shows at the next call that needs it
		return segment.NewPlane(t, 1, n), func() {}
	}
	p := segment.Plane{Lines: 1, Samples: n, Stride: n}
	switch t {
	case segment.U8:
		p.U8 = unsafe.Slice((*uint8)(m.p), n)
	case segment.U16:
		p.U16 = unsafe.Slice((*uint16)(m.p), n)
	default:
		p.F32 = unsafe.Slice((*float32)(m.p), n)
	}
	var once sync.Once
	return p, func() { once.Do(func() { e.pins.giveBack(m) }) }
}
