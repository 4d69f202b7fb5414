package emulation

// Symbols lists the functions of the driver that the library has, by the names a program must bind.
func Symbols() []string {
	return []string{
		"cuInit", "cuDriverGetVersion",
		"cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName", "cuDeviceGetUuid_v2", "cuDeviceTotalMem_v2",
		"cuDeviceGetAttribute", "cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease_v2",
		"cuCtxSetCurrent", "cuCtxSynchronize", "cuMemGetInfo_v2",
		"cuModuleLoadDataEx", "cuModuleUnload", "cuModuleGetFunction", "cuFuncSetAttribute", "cuFuncGetAttribute",
		"cuLaunchKernel", "cuLaunchCooperativeKernel", "cuOccupancyMaxActiveBlocksPerMultiprocessor",
		"cuMemAlloc_v2", "cuMemFree_v2", "cuMemHostAlloc", "cuMemFreeHost",
		"cuMemcpyHtoD_v2", "cuMemcpyDtoH_v2", "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2", "cuMemcpyDtoDAsync_v2",
		"cuMemcpy2DAsync_v2", "cuMemsetD8Async", "cuMemsetD32Async",
		"cuStreamCreate", "cuStreamDestroy_v2", "cuStreamSynchronize", "cuStreamQuery", "cuStreamWaitEvent",
		"cuEventCreate", "cuEventDestroy_v2", "cuEventRecord", "cuEventSynchronize", "cuEventQuery", "cuEventElapsedTime",
		"cuGetErrorName", "cuGetErrorString",
	}
}
