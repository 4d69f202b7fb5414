//go:build linux && !nogpu

package gpu

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"segscan/gpu/emulation"
	"segscan/segment"
)

// What a driver that cannot be used says, and what of it a user sees.
func TestOpenFails(t *testing.T) {
	for _, c := range []struct {
		name   string
		config config
		o      Options
		kind   error
		code   int
		want   string
		remedy string
	}{
		{"no device", "devices=0", Options{}, ErrNoDevice, 100, "cuInit: CUDA_ERROR_NO_DEVICE (100)", "nvidia-smi"},
		{"no such device", "devices=2", Options{Device: 2}, ErrNoDevice, 0, "the driver has 2, from 0", "segscan devices"},
		{"negative device", "devices=2", Options{Device: -1}, ErrNoDevice, 0, "device -1", ""},
		{"driver too old", "driver=9020", Options{}, ErrDriverTooOld, 0, "the driver is of CUDA 9.2, the kernels are PTX 6.3, which needs CUDA 10.0", "update"},
		{"device too old", "cc=61", Options{}, ErrNoDevice, 0, "has compute capability 6.1, the kernels need 7.0", ""},
		{"driver broken", "fail=cuInit:999", Options{}, ErrNoDevice, 999, "cuInit: CUDA_ERROR_UNKNOWN (999)", "kernel module"},
		{"parts of the driver differ", "fail=cuInit:803", Options{}, ErrDriverTooOld, 803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "restart"},
		{"not permitted", "fail=cuDevicePrimaryCtxRetain:800", Options{}, ErrNoPermission, 800, "cuDevicePrimaryCtxRetain", "/dev/nvidia"},
		{"busy", "fail=cuDevicePrimaryCtxRetain:46", Options{}, ErrBusy, 46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "another program"},
		{"no memory for a context", "fail=cuDevicePrimaryCtxRetain:2", Options{}, ErrOutOfMemory, 2, "CUDA_ERROR_OUT_OF_MEMORY", "free memory"},
		{"PTX refused", "fail=cuModuleLoadDataEx:222@2", Options{}, ErrDriverTooOld, 222, "cuModuleLoadDataEx scan: CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222)", "update"},
		{"no compiler", "fail=cuModuleLoadDataEx:221", Options{}, ErrPTX, 221, "driver of CUDA 13.0", "compiler library"},
		{"no kernel", "fail=cuModuleGetFunction:500@9", Options{}, nil, 500, "cuModuleGetFunction ", ""},
		{"lost at once", "fail=cuCtxSetCurrent:719!", Options{}, ErrLost, 719, "cuCtxSetCurrent", ""},
		{"not PTX", "devices=1", Options{alter: func(m map[string]string) { m["scan"] = "not PTX\n" }}, ErrPTX, 218, "cuModuleLoadDataEx scan", "update"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.Library = driverLibrary(t, c.config)
			_, err := Open(context.Background(), c.o)
			var e *Error
			if !errors.As(err, &e) || e.Code != c.code || (c.kind != nil && !errors.Is(err, c.kind)) {
				t.Fatalf("got %v of kind %v, want code %d of kind %v", err, errors.Unwrap(err), c.code, c.kind)
			}
			if !strings.Contains(err.Error(), c.want) || !strings.Contains(e.Hint(), c.remedy) {
				t.Errorf("got %q, hint %q; want %q, %q", err, e.Hint(), c.want, c.remedy)
			}
			if c.code != 0 && !errors.Is(err, &Error{Code: c.code}) {
				t.Error("the error is not one of its code")
			}
		})
	}
}

// Libraries that are none, or are no driver's.
func TestLibraryThatIsNone(t *testing.T) {
	for _, c := range []struct {
		path string
		kind error
		want string
	}{
		{filepath.Join(t.TempDir(), "libcuda.so.1"), ErrNoDriver, "cannot open shared object file"},
		{"libm.so.6", ErrDriverTooOld, "find cuInit: the driver library lacks it"},
	} {
		_, err := Open(context.Background(), Options{Library: c.path})
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) || e.Remedy == "" {
			t.Errorf("%s: got %v, want %v, %q", c.path, err, c.kind, c.want)
		}
		if _, err := Devices(context.Background(), Options{Library: c.path}); !errors.Is(err, c.kind) {
			t.Errorf("%s: devices: %v", c.path, err)
		}
	}
}

func TestDevices(t *testing.T) {
	path := driverLibrary(t, "devices=2,cc=120,driver=13010,memory=3G,sms=7")
	s, err := Devices(context.Background(), Options{Library: path})
	if err != nil {
		t.Fatal(err)
	}
	if s.DriverVersion() != "13.1" || s.Library != path || len(s.Devices) != 2 {
		t.Errorf("got %+v", s)
	}
	for i, d := range s.Devices {
		if d.Ordinal != i || d.Name == "" || d.Memory != 3<<30 || d.Capability() != "12.0" || d.Multiprocessors != 7 || d.Unusable != nil || d.PTX.SM < 70 {
			t.Errorf("device %d: %+v", i, d)
		}
	}
	path = driverLibrary(t, "cc=60")
	if s, err = Devices(context.Background(), Options{Library: path}); err != nil || !errors.Is(s.Devices[0].Unusable, ErrNoDevice) {
		t.Errorf("an old device: %+v, %v", s, err)
	}
}

// A device lost at any moment: the call fails with the reason, every later one too, and closing is quiet.
func TestDeviceIsLost(t *testing.T) {
	for _, c := range []config{"fail=launch:719@2!", "fail=copy:700@1!", "fail=cuLaunchKernel:719@1!", "fail=cuMemcpyDtoHAsync_v2:214@1!", "fail=cuStreamQuery:702@1!"} {
		t.Run(string(c), func(t *testing.T) {
			e, err := Open(context.Background(), Options{Library: driverLibrary(t, c), stages: true})
			if err != nil {
				t.Fatal(err)
			}
			b := bandOf(plane(segment.U8, 9, 500, 500, 7, 2))
			l, err := e.Load(context.Background(), b)
			if err == nil {
				err = l.Segment(context.Background(), sparse(segment.U8), segment.Options{}, nil, new(segment.Result))
				defer l.Release()
			}
			if !errors.Is(err, ErrLost) || e.Lost() == nil {
				t.Fatalf("got %v, lost: %v", err, e.Lost())
			}
			if _, again := e.Load(context.Background(), b); !errors.Is(again, ErrLost) {
				t.Errorf("a later call: %v", again)
			}
			if p, free := e.Alloc(segment.U8, 10); len(p.U8) != 10 {
				t.Errorf("memory of a lost engine: %+v", p)
			} else {
				free()
			}
			if l != nil {
				l.Release()
			}
			if err := e.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		})
	}
}

// At whatever call something fails, the answer is the CPU's, by way of Fallback, or the error has a type. Nothing is
// left changed by half.
func TestFallbackAtEveryCall(t *testing.T) {
	b := bandOf(plane(segment.F32, 21, 300, 300, 7, 4))
	o := segment.Options{Masks: true, Edges: segment.EdgesKeep, Rejected: true}
	work := func(e segment.Engine) (r segment.Result, stats []segment.Stat, h []segment.Histogram, err error) {
		ctx := context.Background()
		h = make([]segment.Histogram, 1)
		l, err := e.Load(ctx, b)
		if err != nil {
			return
		}
		defer l.Release()
		if err = l.Histogram(ctx, false, h); err != nil {
			return
		}
		f, err := l.Filter(ctx, doubles{})
		if err != nil {
			return
		}
		defer f.Release()
		if err = f.Segment(ctx, sparse(segment.F32), o, nil, &r); err != nil {
			return
		}
		stats = make([]segment.Stat, len(r.Kept.Bounds))
		err = l.Measure(ctx, r.Kept, r.Masks, stats)
		return
	}
	cpu := segment.NewCPU(2)
	wantR, wantS, wantH, err := work(cpu)
	if err != nil {
		t.Fatal(err)
	}
	path := driverLibrary(t, "devices=1")
	fell := 0
	for _, f := range []struct {
		call string
		most int
	}{{"cuMemAlloc_v2:2", 30}, {"cuMemHostAlloc:2", 6}, {"cuLaunchKernel:719", 10}, {"launch:700", 10}, {"cuMemcpyHtoDAsync_v2:719", 4},
		{"copy:719", 12}, {"cuMemcpyDtoHAsync_v2:719", 10}, {"cuMemsetD8Async:719", 8}, {"cuStreamCreate:2", 2}, {"cuEventCreate:2", 4},
		{"cuEventRecord:719", 8}, {"cuEventQuery:719", 4}} {
		for at := 1; at <= f.most; at++ {
			if testing.Short() && at%3 != 0 {
				continue
			}
			if err := emulation.Configure(path, fmt.Sprintf("fail=%s@%d", f.call, at)); err != nil {
				t.Fatal(err)
			}
			e, err := Open(context.Background(), Options{Library: path, small: true, stages: at%2 == 0})
			if err != nil {
				t.Fatal(err)
			}
			heard := 0
			fb := NewFallback(e, cpu, func(error) { heard++ })
			r, s, h, err := work(fb)
			if err != nil {
				t.Fatalf("%s at call %d: %v", f.call, at, err)
			}
			for what, d := range map[string]string{"segments": diffResult(&r, &wantR), "measures": diffStats(s, wantS), "histogram": diffHistograms(h, wantH)} {
				if d != "" {
					t.Fatalf("%s at call %d: %s: %s", f.call, at, what, d)
				}
			}
			if on := fb.FallbackReason() != ""; on != (heard == 1) || on != (fb.Device() == "cpu") {
				t.Errorf("%s at call %d: reason %q, heard %d times, on %s", f.call, at, fb.FallbackReason(), heard, fb.Device())
			} else if on {
				fell++
			}
			if err := e.Close(); err != nil {
				t.Errorf("%s at call %d: close: %v", f.call, at, err)
			}
		}
	}
	if fell < 10 {
		t.Errorf("only %d of the failures made a page fall back", fell)
	}
}

// doubles is a filter: twice the samples, as f32.
type doubles struct{}

func (doubles) Needs() segment.Needs { return segment.Needs{} }
func (doubles) Apply(in segment.Band, out *segment.Band) error {
	*out = in
	body := in.Body()
	out.Before, out.After = segment.Halo{}, segment.Halo{}
	out.V = segment.NewPlane(segment.F32, in.Lines, in.Samples)
	for l := range in.Lines {
		for s := range in.Samples {
			out.V.F32[l*in.Samples+s] = 2 * body.F32[l*body.Stride+s]
		}
	}
	return nil
}

// A skip is a decision: what asks for the emulation or a device must not pass without.
func TestSkipsAreDecisions(t *testing.T) {
	if os.Getenv(emulation.Require) == "1" && onDevice() {
		t.Fatalf("%s and %s contradict each other", emulation.Require, requireGPU)
	}
}
