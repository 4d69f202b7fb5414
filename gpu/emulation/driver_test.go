//go:build linux

package emulation_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unsafe"

	"segscan/gpu/emulation"
	"segscan/kernels/cuda"
)

func TestLibraryHasTheSymbols(t *testing.T) {
	r := newRig(t, "")
	for _, name := range emulation.Symbols() {
		r.symbol(name)
	}
	if n := len(emulation.Symbols()); n < 40 {
		t.Errorf("only %d symbols are listed", n)
	}
}

// initialize opens a driver with a configuration, as far as cuInit, and gives its code.
func initialize(t *testing.T, config string) (*rig, int) {
	t.Helper()
	r := newRig(t, "")
	if err := emulation.Configure(r.path, config); err != nil {
		t.Fatal(err)
	}
	return r, r.call(r.init, 0)
}

func TestNothingWorksBeforeItsTime(t *testing.T) {
	r := newRig(t, "")
	if err := emulation.Configure(r.path, ""); err != nil {
		t.Fatal(err)
	}
	var n int32
	count := func() int { return r.call(r.symbol("cuDeviceGetCount"), uintptr(unsafe.Pointer(&n))) }
	if code := count(); code != 3 {
		t.Errorf("before cuInit: code %d, want 3", code)
	}
	r.must("init", r.call(r.init, 0))
	if code := count(); code != 0 || n != 1 {
		t.Errorf("after cuInit: code %d, %d devices", code, n)
	}
	if code := r.call(r.sync); code != 201 {
		t.Errorf("without a context: code %d, want 201", code)
	}
}

func TestFailuresOnRequest(t *testing.T) {
	for config, want := range map[string]int{"devices=0": 100, "fail=cuInit:800": 800, "fail=cuInit:999": 999} {
		if _, code := initialize(t, config); code != want {
			t.Errorf("%s: cuInit gives %d, want %d", config, code, want)
		}
	}
	r := newRig(t, "fail=cuMemAlloc_v2:2@2,memory=1M")
	var a uint64
	alloc := func(bytes uintptr) int { return r.call(r.memAlloc, uintptr(unsafe.Pointer(&a)), bytes) }
	for i, want := range []int{0, 2, 0} {
		if code := alloc(100); code != want {
			t.Errorf("allocation %d: code %d, want %d", i+1, code, want)
		}
	}
	if code := alloc(1<<20 - 200 + 1); code != 2 {
		t.Errorf("over the budget: code %d, want 2", code)
	}
	if code := alloc(1<<20 - 200); code != 0 {
		t.Errorf("just within the budget: code %d", code)
	}

	// A device that is lost gives its code for ever, one that a kernel has ended until its context is closed.
	r = newRig(t, "fail=cuLaunchKernel:46@2!")
	p := cuda.CountsParams{Counts: space[cuda.Counts](r, 1, true), Sums: space[cuda.Counts](r, 1, true), N: 1}
	for i, want := range []int{0, 46, 46} {
		if code := start(r, "compact_counts", 1, p); code != want {
			t.Errorf("launch %d: code %d, want %d", i+1, code, want)
		}
	}
	if code := r.call(r.sync); code != 46 {
		t.Errorf("a lost device gives %d, want 46", code)
	}

	r = newRig(t, "fail=launch:719@2")
	p = cuda.CountsParams{Counts: space[cuda.Counts](r, 1, true), Sums: space[cuda.Counts](r, 1, true), N: 1}
	start(r, "compact_counts", 1, p)
	r.must("the first launch", r.call(r.sync))
	if code := start(r, "compact_counts", 1, p); code != 0 {
		t.Errorf("a launch that fails later gives %d at once", code)
	}
	if code := r.call(r.sync); code != 719 {
		t.Errorf("waiting for it gives %d, want 719", code)
	}
}

func TestPTXIsRefusedWithALog(t *testing.T) {
	r := newRig(t, "driver=10000,cc=70")
	scan, err := cuda.PTX("scan")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		ptx, log string
		code     int
	}{
		{strings.Replace(scan, ".version 6.3", ".version 6.4", 1), "Unsupported .version 6.4; current version is '6.3'", 222},
		{strings.Replace(scan, ".target sm_70", ".target sm_75", 1), "SM version", 209},
		{strings.ReplaceAll(scan, "scan_param_0[48]", "scan_param_0[56]"), "parameter of another size", 218},
		{strings.ReplaceAll(scan, ".entry scan", ".entry other"), "not built in", 218},
		{"", "Missing .version", 218},
	} {
		if _, log, code := r.loadModule(c.ptx); code != c.code || !strings.Contains(log, c.log) {
			t.Errorf("got %d %q, want %d %q", code, log, c.code, c.log)
		}
	}
	if _, _, code := r.loadModule(scan); code != 0 {
		t.Errorf("the true text gives %d", code)
	}
	r = newRig(t, fmt.Sprintf("fail=cuModuleLoadDataEx:222@%d", len(cuda.Modules())+1))
	if _, log, code := r.loadModule(scan); code != 222 || log == "" {
		t.Errorf("refused on request: %d %q", code, log)
	}
}

func TestConfigurationErrors(t *testing.T) {
	path := emulation.Library(t)
	for _, config := range []string{"devices", "devices=x", "colour=1", "fail=cuInit", "fail=cuInit:x", "fail=:1", "fail=a:1@0", "sms=0", "memory=1T"} {
		if err := emulation.Configure(path, config); err == nil {
			t.Errorf("%q is taken", config)
		}
	}
	if err := emulation.Configure(path, "memory=2G,,cc=80,fail=cuInit:3@2!"); err != nil {
		t.Error(err)
	}
}

// Copies from page-locked memory happen later, so that what is changed too early shows; others are read at once.
func TestAsyncCopies(t *testing.T) {
	r := newRig(t, "copyrate=1M")
	device := space[byte](r, 8192, false)
	var stream uintptr
	r.must("stream", r.call(r.symbol("cuStreamCreate"), uintptr(unsafe.Pointer(&stream)), 1))
	var address unsafe.Pointer
	r.must("host memory", r.call(r.symbol("cuMemHostAlloc"), uintptr(unsafe.Pointer(&address)), 8192, 0))
	pinned := unsafe.Slice((*byte)(address), 8192)
	ordinary := make([]byte, 4096)
	copyAsync, query := r.symbol("cuMemcpyHtoDAsync_v2"), r.symbol("cuStreamQuery")
	fill := func(b []byte, v byte) {
		for i := range b {
			b[i] = v
		}
	}
	fill(pinned, 1)
	fill(ordinary, 2)
	r.must("copy", r.call(copyAsync, uintptr(device), uintptr(address), 4096, stream)) // takes 4 ms
	r.must("copy", r.call(copyAsync, uintptr(device)+4096, uintptr(unsafe.Pointer(&ordinary[0])), 4096, stream))
	if code := r.call(query, stream); code != 600 {
		t.Errorf("the stream is at rest while it copies: code %d, want 600", code)
	}
	fill(ordinary, 3)
	fill(pinned[4000:], 4) // 4000 of the first 4096 may have been copied, or not
	r.must("wait", r.call(r.symbol("cuStreamSynchronize"), stream))
	got := download[byte](r, device, 8192)
	if got[0] != 1 || got[4096] != 2 || got[8191] != 2 {
		t.Errorf("got %d, %d, %d, want 1, 2, 2", got[0], got[4096], got[8191])
	}
	if code := r.call(query, stream); code != 0 {
		t.Errorf("the stream at rest: code %d", code)
	}
}

func TestEventsOrderStreams(t *testing.T) {
	r := newRig(t, "delays=3000")
	symbol := r.symbol
	var streams [2]uintptr
	var events [2]uintptr
	for i := range streams {
		r.must("stream", r.call(symbol("cuStreamCreate"), uintptr(unsafe.Pointer(&streams[i])), 1))
		r.must("event", r.call(symbol("cuEventCreate"), uintptr(unsafe.Pointer(&events[i])), 0))
	}
	device := space[byte](r, 100, false)
	for round := range 10 {
		r.must("fill", r.call(r.set8, uintptr(device), uintptr(round), 100, streams[0]))
		r.must("record", r.call(symbol("cuEventRecord"), events[0], streams[0]))
		r.must("wait", r.call(symbol("cuStreamWaitEvent"), streams[1], events[0], 0))
		r.must("fill", r.call(r.set8, uintptr(device), uintptr(round+100), 50, streams[1]))
		r.must("record", r.call(symbol("cuEventRecord"), events[1], streams[1]))
		r.must("wait", r.call(symbol("cuEventSynchronize"), events[1]))
		if got := download[byte](r, device, 100); got[0] != byte(round+100) || got[99] != byte(round) {
			t.Fatalf("round %d: got %d and %d", round, got[0], got[99])
		}
	}
	var ms float32
	r.must("elapsed", r.call(symbol("cuEventElapsedTime"), uintptr(unsafe.Pointer(&ms)), events[0], events[1]))
	if ms < 0 || time.Duration(ms*1e6) > time.Minute {
		t.Errorf("%g ms between the events", ms)
	}
}

func TestCopy2D(t *testing.T) {
	r := newRig(t, "")
	host := make([]byte, 40)
	for i := range host {
		host[i] = byte(i)
	}
	type rectangle struct { // CUDA_MEMCPY2D
		srcX, srcY       uintptr
		srcType          int32
		srcHost          unsafe.Pointer
		srcDevice, src   uintptr
		srcPitch         uintptr
		dstX, dstY       uintptr
		dstType          int32
		dstHost          unsafe.Pointer
		dstDevice, dst   uintptr
		dstPitch         uintptr
		widthBytes, rows uintptr
	}
	device := upload(r, make([]byte, 12))
	c := rectangle{srcX: 2, srcY: 1, srcType: 1, srcHost: unsafe.Pointer(&host[0]), srcPitch: 10, dstType: 2, dstDevice: uintptr(device), dstPitch: 4, widthBytes: 4, rows: 3}
	copy2D := r.symbol("cuMemcpy2DAsync_v2")
	r.must("copy", r.call(copy2D, uintptr(unsafe.Pointer(&c)), 0))
	r.must("wait", r.call(r.sync))
	if d := firstDifference("bytes", download[byte](r, device, 12), []byte{12, 13, 14, 15, 22, 23, 24, 25, 32, 33, 34, 35}, 4); d != "" {
		t.Error(d)
	}
	c.rows = 4
	if code := r.call(copy2D, uintptr(unsafe.Pointer(&c)), 0); code != 1 {
		t.Errorf("a row too many: code %d, want 1", code)
	}
}

// fakeTB notes how a test would end.
type fakeTB struct {
	testing.TB
	skipped, failed bool
}

func (f *fakeTB) Helper()               {}
func (f *fakeTB) Skipf(string, ...any)  { f.skipped = true }
func (f *fakeTB) Fatalf(string, ...any) { f.failed = true }

func TestWithoutACompiler(t *testing.T) {
	t.Setenv("CXX", "no-such-compiler")
	if _, err := emulation.Build(); !errors.Is(err, emulation.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
	for require, want := range map[string]fakeTB{"": {skipped: true}, "1": {failed: true}} {
		t.Setenv(emulation.Require, require)
		var got fakeTB
		emulation.Library(&got)
		if got != want {
			t.Errorf("%s=%s: got %+v, want %+v", emulation.Require, require, got, want)
		}
	}
}
