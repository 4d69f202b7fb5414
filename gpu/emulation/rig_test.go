//go:build linux

package emulation_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"segscan/gpu/emulation"
	"segscan/kernels/cuda"
)

// rig calls the emulated driver as barely as can be, so that what fails in these tests is the emulation or a kernel,
// not the engine. A rig belongs to the goroutine of its test, which it locks to a thread.
type rig struct {
	t         testing.TB
	path      string
	functions map[string]uintptr
	buffers   []uint64
	stream    uintptr

	init, ctxSet, sync, memAlloc, memFree, h2d, d2h, set8, launch uintptr
	getFunction, load, retain, release                            uintptr
}

// newRig opens the emulated driver with a configuration and loads every module.
func newRig(t testing.TB, config string) *rig {
	t.Helper()
	r := &rig{t: t, path: emulation.Library(t), functions: map[string]uintptr{}}
	if err := emulation.Configure(r.path, config); err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	for name, f := range map[string]*uintptr{"cuInit": &r.init, "cuCtxSetCurrent": &r.ctxSet, "cuCtxSynchronize": &r.sync,
		"cuMemAlloc_v2": &r.memAlloc, "cuMemFree_v2": &r.memFree, "cuMemcpyHtoD_v2": &r.h2d, "cuMemcpyDtoH_v2": &r.d2h,
		"cuMemsetD8Async": &r.set8, "cuLaunchKernel": &r.launch, "cuModuleGetFunction": &r.getFunction,
		"cuModuleLoadDataEx": &r.load, "cuDevicePrimaryCtxRetain": &r.retain, "cuDevicePrimaryCtxRelease_v2": &r.release} {
		*f = r.symbol(name)
	}
	r.must("cuInit", r.call(r.init, 0))
	var context uintptr
	r.must("retain", r.call(r.retain, uintptr(unsafe.Pointer(&context)), 0))
	r.must("set current", r.call(r.ctxSet, context))
	t.Cleanup(func() { r.call(r.release, 0) })
	for _, name := range cuda.Modules() {
		ptx, err := cuda.PTX(name)
		if err != nil {
			t.Fatal(err)
		}
		module, log, code := r.loadModule(ptx)
		if code != 0 {
			t.Fatalf("load %s: %d: %s", name, code, log)
		}
		for _, k := range cuda.Kernels() {
			if k.Module == name {
				r.functions[k.Entry] = r.function(module, k.Entry)
			}
		}
	}
	return r
}

func (r *rig) symbol(name string) uintptr {
	r.t.Helper()
	handle, err := purego.Dlopen(r.path, purego.RTLD_NOW)
	if err != nil {
		r.t.Fatal(err)
	}
	f, err := purego.Dlsym(handle, name)
	if err != nil {
		r.t.Fatal(err)
	}
	return f
}

// call calls a function of the driver. Go's memory is handed over by uintptr(unsafe.Pointer(&x)) in the call itself,
// which then keeps it where it is.
//
//go:uintptrescapes
func (r *rig) call(f uintptr, args ...uintptr) int {
	code, _, _ := purego.SyscallN(f, args...)
	return int(int32(code))
}

func (r *rig) must(what string, code int) {
	r.t.Helper()
	if code != 0 {
		fault, _ := emulation.LastFault(r.path)
		r.t.Fatalf("%s: code %d %s", what, code, fault)
	}
}

// loadModule gives the module, or the log and the code.
func (r *rig) loadModule(ptx string) (module uintptr, log string, code int) {
	text, buffer := append([]byte(ptx), 0), make([]byte, 1024)
	options := []uint32{5, 6} // buffer for errors, its size
	var pin runtime.Pinner
	pin.Pin(&buffer[0])
	defer pin.Unpin()
	values := []uintptr{uintptr(unsafe.Pointer(&buffer[0])), uintptr(len(buffer))}
	code = r.call(r.load, uintptr(unsafe.Pointer(&module)), uintptr(unsafe.Pointer(&text[0])), 2, uintptr(unsafe.Pointer(&options[0])), uintptr(unsafe.Pointer(&values[0])))
	log, _, _ = strings.Cut(string(buffer), "\x00")
	return module, log, code
}

func (r *rig) function(module uintptr, name string) (f uintptr) {
	r.t.Helper()
	text := append([]byte(name), 0)
	r.must("function "+name, r.call(r.getFunction, uintptr(unsafe.Pointer(&f)), module, uintptr(unsafe.Pointer(&text[0]))))
	return f
}

// bytesOf is the memory of a slice.
func bytesOf[T any](v []T) []byte {
	if len(v) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), len(v)*int(unsafe.Sizeof(v[0])))
}

// space gives device memory for n elements, at least one, zeroed if asked for.
func space[T any](r *rig, n int, zero bool) cuda.Ptr {
	r.t.Helper()
	var element T
	bytes := uintptr(max(n, 1)) * unsafe.Sizeof(element)
	var address uint64
	r.must("allocate", r.call(r.memAlloc, uintptr(unsafe.Pointer(&address)), bytes))
	r.buffers = append(r.buffers, address)
	if zero {
		r.must("zero", r.call(r.set8, uintptr(address), 0, bytes, r.stream))
	}
	return cuda.Ptr(address)
}

func upload[T any](r *rig, v []T) cuda.Ptr {
	r.t.Helper()
	p := space[T](r, len(v), false)
	if b := bytesOf(v); len(b) > 0 {
		r.must("copy to the device", r.call(r.h2d, uintptr(p), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b))))
	}
	return p
}

func download[T any](r *rig, p cuda.Ptr, n int) []T {
	r.t.Helper()
	v := make([]T, n)
	if b := bytesOf(v); len(b) > 0 {
		r.must("copy from the device", r.call(r.d2h, uintptr(unsafe.Pointer(&b[0])), uintptr(p), uintptr(len(b))))
	}
	return v
}

// free releases all buffers.
func (r *rig) free() {
	for _, b := range r.buffers {
		r.must("free", r.call(r.memFree, uintptr(b)))
	}
	r.buffers = nil
}

// start launches an entry on grid blocks with its parameters.
func start[P any](r *rig, entry string, grid int, params P) int {
	for _, k := range cuda.Kernels() {
		if k.Entry != entry {
			continue
		}
		if k.Params != unsafe.Sizeof(params) {
			r.t.Fatalf("%s takes %d bytes, %T has %d", entry, k.Params, params, unsafe.Sizeof(params))
		}
		array := []unsafe.Pointer{unsafe.Pointer(&params)}
		return r.call(r.launch, r.functions[entry], uintptr(grid), 1, 1, uintptr(k.Threads), 1, 1, 0, r.stream, uintptr(unsafe.Pointer(&array[0])), 0)
	}
	r.t.Fatalf("no kernel %s", entry)
	return 0
}

// run launches and waits.
func run[P any](r *rig, entry string, grid int, params P) {
	r.t.Helper()
	r.must(fmt.Sprintf("launch %s on %d blocks", entry, grid), start(r, entry, grid, params))
	r.must(entry, r.call(r.sync))
}

func ceil(n, to int) int { return (n + to - 1) / to }
