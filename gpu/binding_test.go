package gpu

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"segscan/kernels/cuda"
)

// fakeLibrary has every symbol but those missing, and binds nothing real.
type fakeLibrary struct {
	missing string
	bound   []uintptr
	found   []string
}

func (l *fakeLibrary) find(name string) (uintptr, error) {
	if name == l.missing {
		return 0, errors.New("undefined symbol: " + name)
	}
	l.found = append(l.found, name)
	return uintptr(len(l.found)), nil
}

func (l *fakeLibrary) bind(to any, address uintptr) {
	if reflect.TypeOf(to).Elem().Kind() != reflect.Func {
		panic("not a function")
	}
	l.bound = append(l.bound, address)
}

// Every field of the driver has a symbol and no symbol comes twice, so that none is left nil.
func TestEveryFunctionHasASymbol(t *testing.T) {
	d := new(driver)
	fields := map[unsafe.Pointer]string{}
	v := reflect.ValueOf(d).Elem()
	for i := range v.NumField() {
		fields[v.Field(i).Addr().UnsafePointer()] = v.Type().Field(i).Name
	}
	names := map[string]bool{}
	for _, s := range d.symbols() {
		at := reflect.ValueOf(s.to).UnsafePointer()
		if fields[at] == "" {
			t.Errorf("%s is bound to no field, or to one that is bound already", s.name)
		}
		delete(fields, at)
		if names[s.name] || !strings.HasPrefix(s.name, "cu") {
			t.Errorf("symbol %s", s.name)
		}
		names[s.name] = true
	}
	for _, name := range fields {
		t.Errorf("the field %s has no symbol", name)
	}
	// The plain names of these are an interface of before CUDA 4.
	for _, name := range []string{"cuMemAlloc", "cuMemFree", "cuMemGetInfo", "cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync", "cuStreamDestroy", "cuEventDestroy", "cuDeviceTotalMem", "cuDevicePrimaryCtxRelease"} {
		if names[name] || !names[name+"_v2"] {
			t.Errorf("%s must be bound as %s_v2", name, name)
		}
	}
}

// All symbols are looked up before the first is bound; one that is missing is an error that names it.
func TestBind(t *testing.T) {
	d := new(driver)
	l := &fakeLibrary{}
	if err := d.bind(l); err != nil {
		t.Fatal(err)
	}
	for i, a := range l.bound {
		if a != uintptr(i+1) {
			t.Errorf("binding %d has the address of symbol %d", i, a)
		}
	}
	for _, s := range d.symbols() {
		l := &fakeLibrary{missing: s.name}
		err := d.bind(l)
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, ErrDriverTooOld) || !strings.Contains(err.Error(), "find "+s.name) || e.Remedy == "" {
			t.Errorf("without %s: %v", s.name, err)
		}
		if len(l.bound) > 0 {
			t.Errorf("without %s some functions were bound", s.name)
		}
	}
}

// fakeDriver is a driver of one device that works as far as Open goes; calls counts by name what was called.
func fakeDriver() (d *driver, calls map[string]int) {
	calls = map[string]int{}
	var mu sync.Mutex
	count := func(name string) {
		mu.Lock()
		calls[name]++
		mu.Unlock()
	}
	d = &driver{
		init:          func(uint32) code { count("init"); return 0 },
		driverVersion: func(v *int32) code { *v = 12040; return 0 },
		deviceCount:   func(n *int32) code { *n = 1; return 0 },
		deviceGet:     func(d *device, ordinal int32) code { *d = device(ordinal); return 0 },
		deviceName: func(name *byte, size int32, _ device) code {
			copy(unsafe.Slice(name, size), "Fake\x00")
			return 0
		},
		deviceMemory: func(bytes *uintptr, _ device) code { *bytes = 1 << 30; return 0 },
		deviceAttribute: func(v *int32, a int32, _ device) code {
			*v = map[int32]int32{attributeMajor: 8, attributeMinor: 6, attributeMultiprocessors: 3}[a]
			return 0
		},
		contextRetain:  func(c *contextHandle, _ device) code { count("retain"); *c = 7; return 0 },
		contextRelease: func(device) code { count("release"); return 0 },
		contextSet:     func(c contextHandle) code { count(fmt.Sprint("set ", c)); return 0 },
		memoryInfo:     func(free, total *uintptr) code { *free, *total = 1<<30, 1<<30; return 0 },
		moduleLoad: func(m *module, image unsafe.Pointer, n uint32, options *int32, values *uintptr) code {
			count("load")
			*m = module(calls["load"])
			return 0
		},
		moduleUnload: func(module) code { count("unload"); return 0 },
		moduleEntry:  func(e *entry, m module, name string) code { count(name); *e = entry(len(calls)); return 0 },
	}
	return d, calls
}

// Open makes the primary context current and loads every module once; Close gives it all back, once.
func TestOpenAndClose(t *testing.T) {
	d, calls := fakeDriver()
	e, err := Open(context.Background(), Options{bound: d})
	if err != nil {
		t.Fatal(err)
	}
	if info := e.Info(); e.Device() != "cuda:0" || info.Name != "Fake" || info.Capability() != "8.6" || e.Slots() < 2 {
		t.Errorf("%s, %+v", e.Device(), info)
	}
	loaded := calls["load"]
	if calls["init"] != 1 || calls["retain"] != 1 || calls["set 7"] != 1 || loaded < len(cuda.Modules())/2 || calls["scan"] != 1 || calls["scan_small"] != 0 {
		t.Errorf("after Open: %v", calls)
	}
	for range 2 {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
	if calls["unload"] != loaded || calls["release"] != 1 {
		t.Errorf("after Close: %v", calls)
	}
	if err := e.do(func() error { return nil }); !errors.Is(err, ErrClosed) {
		t.Errorf("a call after Close: %v", err)
	}
}

// Whatever fails while opening, the context is given back if it was taken.
func TestOpenGivesBack(t *testing.T) {
	for _, f := range []struct {
		what  string
		spoil func(d *driver)
		taken int
	}{
		{"init", func(d *driver) { d.init = func(uint32) code { return 3 } }, 0},
		{"driverVersion", func(d *driver) { d.driverVersion = func(*int32) code { return 1 } }, 0},
		{"deviceCount", func(d *driver) { d.deviceCount = func(*int32) code { return 1 } }, 0},
		{"no device", func(d *driver) { d.deviceCount = func(n *int32) code { *n = 0; return 0 } }, 0},
		{"deviceName", func(d *driver) { d.deviceName = func(*byte, int32, device) code { return 1 } }, 0},
		{"attribute", func(d *driver) { d.deviceAttribute = func(*int32, int32, device) code { return 1 } }, 0},
		{"prohibited", func(d *driver) {
			d.deviceAttribute = func(v *int32, a int32, _ device) code {
				*v = 9
				if a == attributeComputeMode {
					*v = computeModeProhibited
				}
				return 0
			}
		}, 0},
		{"contextSet", func(d *driver) { d.contextSet = func(contextHandle) code { return 201 } }, 1},
		{"memoryInfo", func(d *driver) { d.memoryInfo = func(_, _ *uintptr) code { return 1 } }, 1},
		{"moduleEntry", func(d *driver) { d.moduleEntry = func(*entry, module, string) code { return 500 } }, 1},
		{"a panic", func(d *driver) { d.memoryInfo = nil }, 1},
	} {
		d, calls := fakeDriver()
		f.spoil(d)
		_, err := Open(context.Background(), Options{bound: d})
		if err == nil {
			t.Errorf("%s: no error", f.what)
		}
		if calls["retain"] != f.taken || (f.what != "a panic" && calls["release"] != f.taken) || calls["unload"] != calls["load"] {
			t.Errorf("%s: %v", f.what, calls)
		}
		if f.what == "a panic" {
			var p *PanicError
			if !errors.As(err, &p) || len(p.Stack) == 0 || !strings.Contains(err.Error(), "internal error") {
				t.Errorf("a panic became %v", err)
			}
		}
	}
}

// A driver that hangs is left behind.
func TestDriverThatHangs(t *testing.T) {
	d, _ := fakeDriver()
	hang := make(chan struct{})
	d.init = func(uint32) code { <-hang; return 0 }
	defer close(hang)
	for _, f := range []func(context.Context, Options) error{
		func(ctx context.Context, o Options) error { _, err := Open(ctx, o); return err },
		func(ctx context.Context, o Options) error { _, err := Devices(ctx, o); return err },
	} {
		err := f(context.Background(), Options{bound: d, Timeout: 20 * time.Millisecond})
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, ErrTimeout) || e.Remedy == "" {
			t.Errorf("got %v", err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := f(ctx, Options{bound: d}); !errors.Is(err, context.Canceled) {
			t.Errorf("with a context that has ended: %v", err)
		}
	}
}

// The driver's words are kept; without them the package has its own.
func TestErrorsSayWhatIsKnown(t *testing.T) {
	name, text := []byte("CUDA_ERROR_LAUNCH_FAILED\x00junk"), []byte("unspecified launch failure\x00")
	d := &driver{
		errorName: func(c code, s **byte) code { *s = &name[0]; return 0 },
		errorText: func(c code, s **byte) code { *s = &text[0]; return 0 },
	}
	err := d.check(719, "cuStreamQuery")
	if want := "gpu: cuStreamQuery: CUDA_ERROR_LAUNCH_FAILED (719): unspecified launch failure"; err.Error() != want || !errors.Is(err, ErrLost) {
		t.Errorf("got %v, want %s", err, want)
	}
	if d.check(0, "x") != nil {
		t.Error("success is an error")
	}
	err = new(driver).check(12345, "x")
	if want := "gpu: x: CUDA_ERROR_12345 (12345)"; err.Error() != want || errors.Unwrap(err) != nil {
		t.Errorf("got %v, want %s", err, want)
	}
	if errors.Is(err, &Error{Code: 1}) || !errors.Is(err, &Error{Code: 12345}) || errors.Is(&Error{}, &Error{}) {
		t.Error("errors are told apart by their code alone, and those without one are never the same")
	}
}

// Versions of the driver and what they take, from NVIDIA's table of PTX releases.
func TestDriverISA(t *testing.T) {
	for _, c := range []struct{ driver, isa int }{{7050, 0}, {9000, 60}, {9020, 62}, {10000, 63}, {10020, 65}, {11000, 70}, {11040, 74}, {11080, 78},
		{12000, 80}, {12060, 85}, {12080, 87}, {13000, 90}, {14000, 90}} {
		if got := driverISA(c.driver); got != c.isa {
			t.Errorf("CUDA %s: PTX %d, want %d", versionText(c.driver), got, c.isa)
		}
	}
	for i, p := range ptxSince {
		if i > 0 && (ptxSince[i-1].driver <= p.driver || ptxSince[i-1].isa <= p.isa) {
			t.Errorf("the table is out of order at %+v", p)
		}
		if driverFor(p.isa) != p.driver {
			t.Errorf("PTX %d: CUDA %d, want %d", p.isa, driverFor(p.isa), p.driver)
		}
	}
}

func TestSuits(t *testing.T) {
	target := cuda.Target{Major: 6, Minor: 3, SM: 70}
	for _, c := range []struct {
		driver, major, minor int
		kind                 error
	}{{13000, 9, 0, nil}, {13000, 12, 0, nil}, {10000, 7, 0, nil}, {9020, 7, 0, ErrDriverTooOld}, {12000, 6, 1, ErrNoDevice}} {
		err := suits(target, c.driver, &Device{Major: c.major, Minor: c.minor})
		if (err == nil) != (c.kind == nil) || !errors.Is(err, c.kind) {
			t.Errorf("CUDA %d, capability %d.%d: %v, want %v", c.driver, c.major, c.minor, err, c.kind)
		}
	}
}
