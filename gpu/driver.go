package gpu

import (
	"fmt"
	"unsafe"

	"segscan/kernels/cuda"
)

// Types of the driver's interface. Handles are opaque.
type (
	code          int32 // CUresult
	device        int32
	contextHandle uintptr
	module        uintptr
	entry         uintptr // a kernel
	stream        uintptr
	event         uintptr
)

// driver is what is called of the CUDA driver, one field a function. Tests fill it with functions of their own.
type driver struct {
	init          func(flags uint32) code
	driverVersion func(version *int32) code
	errorName     func(c code, name **byte) code
	errorText     func(c code, text **byte) code

	deviceCount     func(n *int32) code
	deviceGet       func(d *device, ordinal int32) code
	deviceName      func(name *byte, size int32, d device) code
	deviceMemory    func(bytes *uintptr, d device) code
	deviceAttribute func(value *int32, attribute int32, d device) code

	contextRetain  func(c *contextHandle, d device) code
	contextRelease func(d device) code
	contextSet     func(c contextHandle) code
	contextSync    func() code

	memoryInfo func(free, total *uintptr) code
	alloc      func(p *cuda.Ptr, bytes uintptr) code
	free       func(p cuda.Ptr) code
	hostAlloc  func(p *unsafe.Pointer, bytes uintptr, flags uint32) code
	hostFree   func(p unsafe.Pointer) code
	toDevice   func(to cuda.Ptr, from unsafe.Pointer, bytes uintptr, s stream) code
	toHost     func(to unsafe.Pointer, from cuda.Ptr, bytes uintptr, s stream) code
	fill       func(to cuda.Ptr, value uint8, bytes uintptr, s stream) code

	moduleLoad   func(m *module, image unsafe.Pointer, n uint32, options *int32, values *uintptr) code
	moduleUnload func(m module) code
	moduleEntry  func(e *entry, m module, name string) code
	launch       func(e entry, gridX, gridY, gridZ, blockX, blockY, blockZ, shared uint32, s stream, params *unsafe.Pointer, extra uintptr) code

	// A launch all of whose blocks run at once.
	launchTogether  func(e entry, gridX, gridY, gridZ, blockX, blockY, blockZ, shared uint32, s stream, params *unsafe.Pointer) code
	kernelAttribute func(e entry, attribute, value int32) code

	streamCreate  func(s *stream, flags uint32) code
	streamDestroy func(s stream) code
	streamQuery   func(s stream) code
	eventCreate   func(e *event, flags uint32) code
	eventDestroy  func(e event) code
	eventRecord   func(e event, s stream) code
	eventQuery    func(e event) code
	eventElapsed  func(ms *float32, start, end event) code
}

// symbol is one function of the driver's library.
type symbol struct {
	name string
	to   any // a pointer to the field of driver
}

// symbols is the whole table. Names with a suffix are the present interface of functions whose plain name is an old
// one. cuCtxCreate is not here: the primary context is shared with other users of the process, and its signature
// has stayed the same.
func (d *driver) symbols() []symbol {
	return []symbol{
		{"cuInit", &d.init},
		{"cuDriverGetVersion", &d.driverVersion},
		{"cuGetErrorName", &d.errorName},
		{"cuGetErrorString", &d.errorText},
		{"cuDeviceGetCount", &d.deviceCount},
		{"cuDeviceGet", &d.deviceGet},
		{"cuDeviceGetName", &d.deviceName},
		{"cuDeviceTotalMem_v2", &d.deviceMemory},
		{"cuDeviceGetAttribute", &d.deviceAttribute},
		{"cuDevicePrimaryCtxRetain", &d.contextRetain},
		{"cuDevicePrimaryCtxRelease_v2", &d.contextRelease},
		{"cuCtxSetCurrent", &d.contextSet},
		{"cuCtxSynchronize", &d.contextSync},
		{"cuMemGetInfo_v2", &d.memoryInfo},
		{"cuMemAlloc_v2", &d.alloc},
		{"cuMemFree_v2", &d.free},
		{"cuMemHostAlloc", &d.hostAlloc},
		{"cuMemFreeHost", &d.hostFree},
		{"cuMemcpyHtoDAsync_v2", &d.toDevice},
		{"cuMemcpyDtoHAsync_v2", &d.toHost},
		{"cuMemsetD8Async", &d.fill},
		{"cuModuleLoadDataEx", &d.moduleLoad},
		{"cuModuleUnload", &d.moduleUnload},
		{"cuModuleGetFunction", &d.moduleEntry},
		{"cuLaunchKernel", &d.launch},
		{"cuLaunchCooperativeKernel", &d.launchTogether},
		{"cuFuncSetAttribute", &d.kernelAttribute},
		{"cuStreamCreate", &d.streamCreate},
		{"cuStreamDestroy_v2", &d.streamDestroy},
		{"cuStreamQuery", &d.streamQuery},
		{"cuEventCreate", &d.eventCreate},
		{"cuEventDestroy_v2", &d.eventDestroy},
		{"cuEventRecord", &d.eventRecord},
		{"cuEventQuery", &d.eventQuery},
		{"cuEventElapsedTime", &d.eventElapsed},
	}
}

// library is a dynamic library that has been opened.
type library interface {
	// find gives the address of a symbol.
	find(name string) (uintptr, error)
	// bind makes *to, a function, call the code at an address.
	bind(to any, address uintptr)
}

// bind fills d from a library. Every symbol is looked up before the first is bound, so that what is missing is an
// error that names it and not a panic.
func (d *driver) bind(l library) error {
	table := d.symbols()
	addresses := make([]uintptr, len(table))
	for i, s := range table {
		a, err := l.find(s.name)
		if err != nil {
			return &Error{Op: "find " + s.name, Detail: fmt.Sprintf("the driver library lacks it: %v", err),
				Remedy: "update the NVIDIA driver", kind: ErrDriverTooOld}
		}
		addresses[i] = a
	}
	for i, s := range table {
		l.bind(s.to, addresses[i])
	}
	return nil
}
