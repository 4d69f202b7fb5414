//go:build linux

package emulation_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"segscan/gpu/emulation"
	"segscan/kernels/cuda"
)

// selftestParams are those of driver/selftest.cpp.
type selftestParams struct {
	Words   cuda.Ptr
	N, What uint32
}

// selftestPTX is what a compiler would say of those kernels.
const selftestPTX = `.version 7.1
.target sm_80
.visible .entry selftest_faults(
	.param .align 8 .b8 selftest_faults_param_0[16]
)
.visible .entry selftest_roles(
	.param .align 8 .b8 selftest_roles_param_0[16]
)
`

// What a kernel of selftest.cpp does, by number.
const (
	nothingWrong = iota
	behindAllocation
	farFromAny
	barrierDeadlock
	differentOperations
	halfAWarp
	endlessWait
	barrierMissing
	barrierThere
	waitsForALaterBlock
)

// selftest launches selftest_faults and gives the code of the launch and that of waiting for it.
func selftest(r *rig, grid int, p selftestParams) (launched, waited int) {
	r.t.Helper()
	module, log, code := r.loadModule(selftestPTX)
	if code != 0 {
		r.t.Fatalf("load: %d %s", code, log)
	}
	array := []unsafe.Pointer{unsafe.Pointer(&p)}
	launched = r.call(r.launch, r.function(module, "selftest_faults"), uintptr(grid), 1, 1, 64, 1, 1, 0, 0, uintptr(unsafe.Pointer(&array[0])), 0)
	return launched, r.call(r.sync)
}

func TestFaultsOfKernelsBecomeCodes(t *testing.T) {
	for _, c := range []struct {
		what uint32
		code int
		text string
	}{
		{nothingWrong, 0, ""},
		{behindAllocation, 700, "0 bytes after an allocation of 280 bytes"},
		{farFromAny, 700, "which is no device memory"},
		{barrierDeadlock, 702, "deadlock"},
		{differentOperations, 719, "different warp operations"},
		{halfAWarp, 719, "a thread"},
		{endlessWait, 702, "no block has ended for 1"},
	} {
		config := "timeout=30"
		if c.what == endlessWait {
			config = "timeout=1"
		}
		r := newRig(t, config)
		words := upload(r, make([]uint32, 70))
		_, got := selftest(r, 1, selftestParams{words, 70, c.what})
		fault, err := emulation.LastFault(r.path)
		if err != nil {
			t.Fatal(err)
		}
		if got != c.code || !strings.Contains(fault, c.text) {
			t.Errorf("case %d: got code %d, %q, want %d, %q", c.what, got, fault, c.code, c.text)
		}
		var address uint64
		if next := r.call(r.memAlloc, uintptr(unsafe.Pointer(&address)), 8); next != c.code {
			t.Errorf("case %d: the next call gives %d; an error must stay", c.what, next)
		}
	}
}

// A barrier that is missing shows in some order of the warps, a barrier that is there in none.
func TestMissingBarriersShow(t *testing.T) {
	r := newRig(t, "")
	wrong := func(what uint32) (n int) {
		const blocks = 40
		words := space[uint32](r, 64*blocks, false)
		if _, code := selftest(r, blocks, selftestParams{words, 0, what}); code != 0 {
			t.Fatalf("code %d", code)
		}
		for i, w := range download[uint32](r, words, 64*blocks) {
			if w != uint32(64-i%64) {
				n++
			}
		}
		return n
	}
	if wrong(barrierMissing) == 0 {
		t.Error("a missing barrier does not show")
	}
	if n := wrong(barrierThere); n != 0 {
		t.Errorf("%d words are wrong in spite of the barrier", n)
	}
}

// Waiting for a block that may not have started: with enough blocks at once it happens to work, else it hangs.
func TestWaitingForLaterBlocksHangs(t *testing.T) {
	for config, want := range map[string]int{"timeout=30,resident=32": 0, "timeout=1,resident=1": 702} {
		r := newRig(t, config)
		words := upload(r, make([]uint64, 32))
		if _, code := selftest(r, 32, selftestParams{words, 0, waitsForALaterBlock}); code != want {
			t.Errorf("%s: code %d, want %d", config, code, want)
		}
	}
}

// A look-back over a state that was not zeroed must not go unseen.
func TestStateThatIsNotZeroedShows(t *testing.T) {
	r := newRig(t, "timeout=2")
	p := cuda.ScanParams{Pairs: upload(r, make([]cuda.Pair, 640)), State: space[uint64](r, 11, false), N: 640, BeforeIndex: cuda.NoIndex}
	p.Scan = p.Pairs
	if code := start(r, "scan_small", 10, p); code != 0 {
		t.Fatalf("launch: %d", code)
	}
	if code := r.call(r.sync); code == 0 {
		t.Error("a scan with a dirty ticket works")
	}
}

func TestHostPointersAreNoDevicePointers(t *testing.T) {
	host := make([]cuda.Pair, 64)
	r := newRig(t, "")
	p := cuda.ScanParams{Pairs: cuda.Ptr(uintptr(unsafe.Pointer(&host[0]))), State: space[uint64](r, 2, true), N: 64}
	p.Scan = p.Pairs
	start(r, "scan_small", 1, p)
	if code := r.call(r.sync); code != 700 {
		t.Errorf("a kernel on host memory: code %d, want 700", code)
	}

	r = newRig(t, "")
	device := space[byte](r, 64, false)
	if code := r.call(r.h2d, uintptr(unsafe.Pointer(&host[0])), uintptr(device), 8); code != 1 {
		t.Errorf("a copy with the sides exchanged: code %d, want 1", code)
	}
	if code := r.call(r.h2d, uintptr(device), uintptr(unsafe.Pointer(&host[0])), 65); code != 1 {
		t.Errorf("a copy over the end: code %d, want 1", code)
	}
	if code := r.call(r.set8, uintptr(device)+1, 0, 64, 0); code != 1 {
		t.Errorf("a fill over the end: code %d, want 1", code)
	}
	p = cuda.ScanParams{Pairs: device + 4, Scan: device, State: device, N: 1}
	start(r, "scan_small", 1, p)
	if code := r.call(r.sync); code == 0 {
		t.Error("a misaligned address works")
	}
}

func TestLaunchLimits(t *testing.T) {
	r := newRig(t, "")
	params := selftestParams{}
	module, _, _ := r.loadModule(selftestPTX)
	f := r.function(module, "selftest_faults")
	array := []unsafe.Pointer{unsafe.Pointer(&params)}
	for name, args := range map[string][6]uintptr{ // grid, blocks of y, threads, threads of y, shared, function
		"no blocks":            {0, 1, 64, 1, 0, f},
		"two dimensions":       {1, 2, 64, 1, 0, f},
		"no threads":           {1, 1, 0, 1, 0, f},
		"over the bound":       {1, 1, 96, 1, 0, f},
		"too much shared":      {1, 1, 64, 1, 50 << 10, f},
		"no function":          {1, 1, 64, 1, 0, 12345},
		"threads of two sides": {1, 1, 32, 2, 0, f},
	} {
		want := 1
		if args[5] != f {
			want = 400
		}
		if code := r.call(r.launch, args[5], args[0], args[1], 1, args[2], args[3], 1, args[4], 0, uintptr(unsafe.Pointer(&array[0])), 0); code != want {
			t.Errorf("%s: code %d, want %d", name, code, want)
		}
	}
}

// The shape of a persistent kernel: 832 threads, warps with different work, copies in the background, barriers that
// count, 210 KB of shared memory, blocks that wait for each other.
func TestCooperativeKernelWithRoles(t *testing.T) {
	r := newRig(t, "sms=3")
	module, log, code := r.loadModule(selftestPTX)
	if code != 0 {
		t.Fatalf("load: %d %s", code, log)
	}
	f := r.function(module, "selftest_roles")
	const blocks, n, shared = 3, 24 * 32 * 4 * 5, 210 << 10
	rng := rand.New(rand.NewPCG(3, 3))
	words := make([]uint32, blocks*(n+2)+2)
	want := make([]uint32, blocks)
	for i := range blocks * n {
		words[i] = rng.Uint32()
		want[i/n] += words[i]
	}
	params := selftestParams{Words: upload(r, words), N: n}
	array := []unsafe.Pointer{unsafe.Pointer(&params)}
	cooperative := r.symbol("cuLaunchCooperativeKernel")
	launch := func(grid uintptr) int {
		return r.call(cooperative, f, grid, 1, 1, 832, 1, 1, shared, 0, uintptr(unsafe.Pointer(&array[0])))
	}
	if code := launch(blocks); code != 1 {
		t.Errorf("210 KB that were not asked for: code %d, want 1", code)
	}
	r.must("attribute", r.call(r.symbol("cuFuncSetAttribute"), f, 8, shared))
	if code := launch(blocks + 1); code != 720 {
		t.Errorf("more blocks than fit at once: code %d, want 720", code)
	}
	var fit int32
	r.must("occupancy", r.call(r.symbol("cuOccupancyMaxActiveBlocksPerMultiprocessor"), uintptr(unsafe.Pointer(&fit)), f, 832, shared))
	if fit != 1 {
		t.Errorf("%d blocks fit on a multiprocessor, want 1", fit)
	}
	r.must("launch", launch(blocks))
	r.must("roles", r.call(r.sync))
	if d := firstDifference("sums", download[uint32](r, params.Words, blocks*(n+1))[blocks*n:], want, 0); d != "" {
		t.Error(d)
	}
}
