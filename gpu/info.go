package gpu

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"

	"segscan/kernels/cuda"
)

// System is what the driver says of itself and its devices.
type System struct {
	Library string // as opened
	Driver  int    // CUDA version the driver supports: 1000*major + 10*minor
	Devices []Device
}

// DriverVersion is the CUDA version as text: 12.4.
func (s *System) DriverVersion() string { return versionText(s.Driver) }

// Device is one CUDA device.
type Device struct {
	Ordinal         int
	Name            string
	Memory          uint64 // bytes
	Major, Minor    int    // compute capability
	Multiprocessors int
	PTX             cuda.Target // of the embedded kernels
	Unusable        error       // why this build cannot use it, or nil
}

// Capability is the compute capability as text: 9.0.
func (d *Device) Capability() string { return fmt.Sprintf("%d.%d", d.Major, d.Minor) }

// Attributes of a device.
const (
	attributeMultiprocessors int32 = 16
	attributeComputeMode     int32 = 20
	attributeMajor           int32 = 75
	attributeMinor           int32 = 76
)

// computeModeProhibited: an administrator allows no contexts on the device.
const computeModeProhibited = 2

func versionText(v int) string { return fmt.Sprintf("%d.%d", v/1000, v%1000/10) }

// DefaultTimeout is how long Open and Devices wait for a driver. A first start, with the kernels still to be compiled
// by it and other programs on the device, takes a few seconds.
const DefaultTimeout = 30 * time.Second

// Devices asks the driver for its devices; nothing is left open. The error says exactly why there is none: no library
// (ErrNoDriver), one that lacks a function or is too old for the kernels (ErrDriverTooOld), no device (ErrNoDevice),
// and so on. Devices that cannot be used are listed with the reason.
//
// A driver that hangs is left behind after the timeout, with ErrTimeout.
func Devices(ctx context.Context, o Options) (*System, error) {
	t := startThread()
	defer t.stop()
	var s *System
	err := withTimeout(ctx, o, t, func() error {
		d, err := o.driver()
		if err != nil {
			return err
		}
		s, err = inspect(d, o)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// withTimeout runs f on the thread for at most the time the options give.
func withTimeout(ctx context.Context, o Options, t *thread, f func() error) error {
	limit := o.Timeout
	if limit <= 0 {
		limit = DefaultTimeout
	}
	inner, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := t.doContext(inner, f)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return &Error{Op: "start the CUDA driver", Detail: fmt.Sprintf("no answer within %v", limit),
			Remedy: "nvidia-smi shows whether the driver answers at all", kind: ErrTimeout}
	}
	return err
}

// driver opens the library the options name and binds it.
func (o *Options) driver() (*driver, error) {
	if o.bound != nil {
		return o.bound, nil
	}
	l, err := openLibrary(o.Library)
	if err != nil {
		return nil, err
	}
	d := new(driver)
	return d, d.bind(l)
}

// inspect starts the driver and lists the devices.
func inspect(d *driver, o Options) (*System, error) {
	if err := d.check(d.init(0), "cuInit"); err != nil {
		return nil, explainInit(err)
	}
	s := &System{Library: o.Library}
	var version, n int32
	if err := d.check(d.driverVersion(&version), "cuDriverGetVersion"); err != nil {
		return nil, err
	}
	s.Driver = int(version)
	if err := d.check(d.deviceCount(&n), "cuDeviceGetCount"); err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, &Error{Op: "cuDeviceGetCount", Detail: "the driver works and has no device", Remedy: meaningOf(codeNoDevice).remedy, kind: ErrNoDevice}
	}
	target, err := embeddedTarget()
	if err != nil {
		return nil, err
	}
	for i := range int(n) {
		v, err := describe(d, i)
		if err != nil {
			return nil, err
		}
		v.PTX = target
		if v.Unusable == nil {
			v.Unusable = suits(target, s.Driver, v)
		}
		s.Devices = append(s.Devices, *v)
	}
	return s, nil
}

// explainInit says more of a driver that does not start: its codes do not tell a missing device from one that may
// not be opened.
func explainInit(err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	if e.Code == int(codeUnknown) {
		e.kind, e.Remedy = ErrNoDevice, "nvidia-smi shows whether the driver's kernel module is loaded"
	}
	if runtime.GOOS != "linux" || !errors.Is(e.kind, ErrNoDevice) {
		return err
	}
	f, open := os.OpenFile("/dev/nvidiactl", os.O_RDWR, 0)
	if open == nil {
		_ = f.Close() // opened to see whether it can be
	} else if errors.Is(open, syscall.EACCES) || errors.Is(open, syscall.EPERM) {
		e.kind, e.Remedy = ErrNoPermission, meaningOf(codeNotPermitted).remedy
		e.Detail += "; " + open.Error()
	}
	return err
}

// describe asks for one device.
func describe(d *driver, ordinal int) (*Device, error) {
	v := &Device{Ordinal: ordinal}
	h, err := deviceHandle(d, ordinal)
	if err != nil {
		return nil, err
	}
	var name [256]byte
	if err := d.check(d.deviceName(&name[0], int32(len(name)), h), "cuDeviceGetName"); err != nil {
		return nil, err
	}
	v.Name = cText(name[:])
	var bytes uintptr
	if err := d.check(d.deviceMemory(&bytes, h), "cuDeviceTotalMem"); err != nil {
		return nil, err
	}
	v.Memory = uint64(bytes)
	var mode int
	for _, a := range []struct {
		number int32
		to     *int
	}{{attributeMajor, &v.Major}, {attributeMinor, &v.Minor}, {attributeMultiprocessors, &v.Multiprocessors}, {attributeComputeMode, &mode}} {
		var n int32
		if err := d.check(d.deviceAttribute(&n, a.number, h), fmt.Sprintf("cuDeviceGetAttribute %d", a.number)); err != nil {
			return nil, err
		}
		*a.to = int(n)
	}
	if mode == computeModeProhibited {
		v.Unusable = &Error{Op: fmt.Sprintf("device %d", ordinal), Detail: "its compute mode is Prohibited", Remedy: "nvidia-smi -c 0 allows programs on it", kind: ErrNoPermission}
	}
	return v, nil
}

func deviceHandle(d *driver, ordinal int) (device, error) {
	var h device
	return h, d.check(d.deviceGet(&h, int32(ordinal)), fmt.Sprintf("cuDeviceGet %d", ordinal))
}
