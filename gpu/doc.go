// Package gpu runs the stages of segmentation on a CUDA device: it is the engine behind --device cuda.
//
// The driver is opened at run time, by Open, and never before: with no driver on the system the same program runs on
// the CPU. No CUDA toolkit and no C compiler is needed to build it. The kernels are PTX text embedded from
// kernels/cuda, which the driver compiles for its device.
//
// Each Engine owns one goroutine that is locked to its thread and holds the device's primary context; all calls of the
// driver go through it, whole pipelines at a time. Nothing else in the package touches the driver, and nothing of it
// is global, so several engines can be open at once.
//
// Segment runs a fused kernel: samples to spans in one launch a group. Where that cannot be (--compaction multi-pass, local
// thresholds and expressions, whose classes are made as bit planes, and kernels that only the CPU knows, whose bit planes
// are copied to the device: see Reason) it runs the stages one by one. All are explained in kernels/cuda.
//
// Results are those of the CPU engine to the byte. Where a device cannot do something, that is an error with a type
// (see Error and MemoryError); going on with the CPU is for Fallback and Chooser, which say so.
//
// The build tag nogpu leaves the driver binding out. Such a program needs no dynamic linker on Linux, and Open
// returns ErrNoGPUBuild.
package gpu
