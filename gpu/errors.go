package gpu

import (
	"errors"
	"fmt"
	"strings"
)

// Kinds of failure, for errors.Is. Error and MemoryError carry the details.
var (
	ErrNoGPUBuild   = errors.New("no GPU in this build")
	ErrNoDriver     = errors.New("no CUDA driver")
	ErrNoDevice     = errors.New("no usable CUDA device")
	ErrDriverTooOld = errors.New("the CUDA driver is too old")
	ErrNoPermission = errors.New("no permission to use the CUDA device")
	ErrBusy         = errors.New("the CUDA device is busy")
	ErrTimeout      = errors.New("the CUDA driver does not answer")
	ErrPTX          = errors.New("the CUDA driver refuses the kernels")
	ErrOutOfMemory  = errors.New("out of device memory")
	ErrLost         = errors.New("the CUDA device is lost") // nothing works on it any more
	ErrClosed       = errors.New("the GPU engine is closed")
)

// Error is a failure of the driver or the device.
type Error struct {
	Op     string // what was being done, with the name of the driver's function
	Code   int    // CUresult; 0 where the driver was not asked
	Name   string // of Code: CUDA_ERROR_...
	Detail string // what the driver or this package says of it
	Remedy string // what a user can do, or empty

	kind error
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("gpu: " + e.Op)
	if e.Code != 0 {
		fmt.Fprintf(&b, ": %s (%d)", e.Name, e.Code)
	}
	if e.Detail != "" {
		b.WriteString(": " + e.Detail)
	}
	return b.String()
}

// Unwrap gives the kind: one of the Err values of this package, or nil.
func (e *Error) Unwrap() error { return e.kind }

// Is reports whether target is an *Error with the same code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code && t.Code != 0
}

// Hint is the remedy.
func (e *Error) Hint() string { return e.Remedy }

// MemoryError says that not even the smallest piece of work fits the device's memory.
type MemoryError struct {
	Op           string
	Needed, Free uint64 // bytes
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("gpu: %s: %d bytes of device memory needed, %d free", e.Op, e.Needed, e.Free)
}

// Unwrap gives ErrOutOfMemory.
func (e *MemoryError) Unwrap() error { return ErrOutOfMemory }

// Hint is the remedy.
func (e *MemoryError) Hint() string {
	return "free memory of the device, or use --device cpu or auto"
}

// Codes of the driver that the package acts on.
const (
	codeOutOfMemory    code = 2
	codeNotInitialized code = 3
	codeDeinitialized  code = 4
	codeStub           code = 34
	codeUnavailable    code = 46
	codeNoDevice       code = 100
	codeInvalidDevice  code = 101
	codeNoBinary       code = 209
	codeECC            code = 214
	codeInvalidPTX     code = 218
	codeNVLink         code = 220
	codeNoCompiler     code = 221
	codeUnsupportedPTX code = 222
	codeNotReady       code = 600
	codeIllegalAddress code = 700
	codeLaunchTimeout  code = 702
	codeContextIsGone  code = 709
	codeAssert         code = 710
	codeStackError     code = 714
	codeIllegalInstr   code = 715
	codeMisaligned     code = 716
	codeAddressSpace   code = 717
	codeInvalidPC      code = 718
	codeLaunchFailed   code = 719
	codeNotPermitted   code = 800
	codeNotSupported   code = 801
	codeSystemNotReady code = 802
	codeDriverMismatch code = 803
	codeUnknown        code = 999
)

// meaning is what a code says to a user.
type meaning struct {
	name   string
	kind   error
	remedy string
}

const lostRemedy = "nvidia-smi shows the state of the device; a restart of the program takes it anew"

// meaningOf explains a code. Codes that leave a context unusable are of kind ErrLost.
func meaningOf(c code) meaning {
	switch c {
	case codeOutOfMemory:
		return meaning{"CUDA_ERROR_OUT_OF_MEMORY", ErrOutOfMemory, "free memory of the device, or use --device cpu or auto"}
	case codeNotInitialized:
		return meaning{"CUDA_ERROR_NOT_INITIALIZED", nil, ""}
	case codeDeinitialized:
		return meaning{"CUDA_ERROR_DEINITIALIZED", ErrLost, ""}
	case codeStub:
		return meaning{"CUDA_ERROR_STUB_LIBRARY", ErrNoDriver, "the library found is a stub of the CUDA toolkit; install the NVIDIA driver"}
	case codeUnavailable:
		return meaning{"CUDA_ERROR_DEVICE_UNAVAILABLE", ErrBusy, "another program holds the device (nvidia-smi shows which)"}
	case codeNoDevice:
		return meaning{"CUDA_ERROR_NO_DEVICE", ErrNoDevice, "check nvidia-smi and CUDA_VISIBLE_DEVICES; in a container, that the device is passed through"}
	case codeInvalidDevice:
		return meaning{"CUDA_ERROR_INVALID_DEVICE", ErrNoDevice, "segscan devices lists what there is"}
	case codeNoBinary:
		return meaning{"CUDA_ERROR_NO_BINARY_FOR_GPU", ErrPTX, "segscan devices shows what the device and the kernels need"}
	case codeECC:
		return meaning{"CUDA_ERROR_ECC_UNCORRECTABLE", ErrLost, lostRemedy}
	case codeInvalidPTX:
		return meaning{"CUDA_ERROR_INVALID_PTX", ErrPTX, "update the NVIDIA driver"}
	case codeNVLink:
		return meaning{"CUDA_ERROR_NVLINK_UNCORRECTABLE", ErrLost, lostRemedy}
	case codeNoCompiler:
		return meaning{"CUDA_ERROR_JIT_COMPILER_NOT_FOUND", ErrPTX, "install the whole NVIDIA driver: its compiler library is missing"}
	case codeUnsupportedPTX:
		return meaning{"CUDA_ERROR_UNSUPPORTED_PTX_VERSION", ErrDriverTooOld, "update the NVIDIA driver"}
	case codeNotReady:
		return meaning{"CUDA_ERROR_NOT_READY", nil, ""}
	case codeIllegalAddress:
		return meaning{"CUDA_ERROR_ILLEGAL_ADDRESS", ErrLost, lostRemedy}
	case codeLaunchTimeout:
		return meaning{"CUDA_ERROR_LAUNCH_TIMEOUT", ErrLost, "the device also drives a display, which limits how long kernels may run"}
	case codeContextIsGone:
		return meaning{"CUDA_ERROR_CONTEXT_IS_DESTROYED", ErrLost, lostRemedy}
	case codeAssert:
		return meaning{"CUDA_ERROR_ASSERT", ErrLost, lostRemedy}
	case codeStackError:
		return meaning{"CUDA_ERROR_HARDWARE_STACK_ERROR", ErrLost, lostRemedy}
	case codeIllegalInstr:
		return meaning{"CUDA_ERROR_ILLEGAL_INSTRUCTION", ErrLost, lostRemedy}
	case codeMisaligned:
		return meaning{"CUDA_ERROR_MISALIGNED_ADDRESS", ErrLost, lostRemedy}
	case codeAddressSpace:
		return meaning{"CUDA_ERROR_INVALID_ADDRESS_SPACE", ErrLost, lostRemedy}
	case codeInvalidPC:
		return meaning{"CUDA_ERROR_INVALID_PC", ErrLost, lostRemedy}
	case codeLaunchFailed:
		return meaning{"CUDA_ERROR_LAUNCH_FAILED", ErrLost, lostRemedy}
	case codeNotPermitted:
		return meaning{"CUDA_ERROR_NOT_PERMITTED", ErrNoPermission, "check the permissions of /dev/nvidia*"}
	case codeNotSupported:
		return meaning{"CUDA_ERROR_NOT_SUPPORTED", nil, ""}
	case codeSystemNotReady:
		return meaning{"CUDA_ERROR_SYSTEM_NOT_READY", ErrNoDevice, "a service of the driver (such as nvidia-fabricmanager) is not running"}
	case codeDriverMismatch:
		return meaning{"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", ErrDriverTooOld, "the driver's parts are of different versions; restart the system after an update"}
	case codeUnknown:
		return meaning{"CUDA_ERROR_UNKNOWN", ErrLost, lostRemedy}
	}
	return meaning{fmt.Sprintf("CUDA_ERROR_%d", int(c)), nil, ""}
}

// check makes an error of a code that is not 0.
func (d *driver) check(c code, op string) error {
	if c == 0 {
		return nil
	}
	m := meaningOf(c)
	e := &Error{Op: op, Code: int(c), Name: m.name, Remedy: m.remedy, kind: m.kind}
	if d.errorName != nil {
		var s *byte
		if d.errorName(c, &s) == 0 && s != nil {
			e.Name = cString(s)
		}
	}
	if d.errorText != nil {
		var s *byte
		if d.errorText(c, &s) == 0 && s != nil {
			e.Detail = cString(s)
		}
	}
	return e
}
