//go:build linux && !nogpu

package gpu

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"segscan/segment"
)

// page is one of so many samples.
func page(samples int64) *segment.PageInfo {
	return &segment.PageInfo{Width: samples, Height: 1, Type: segment.U8}
}

// fast is a model of a device that saves a second each 10^9 samples and starts within one.
func fast() Model {
	return Model{StartUp: time.Second, CopyRate: 1e18, DeviceRate: 1e18, CoreRate: 1e9, Cores: 1}
}

// The model, by hand: 3e9 samples of 2 bytes, 2 cores of 1e9/s, copies at 10e9 B/s, device at 30e9/s. On the CPU 1.5 s;
// on the device 0.6 s up, 0.1 s there, 0.075 s of masks down.
func TestModel(t *testing.T) {
	m := Model{StartUp: time.Second, CopyRate: 10e9, DeviceRate: 30e9, CoreRate: 1e9, Cores: 2}
	w := Work{Samples: 3e9, SampleBytes: 2, OnDevice: true}
	if got, want := m.CPU(w), 1500*time.Millisecond; got != want {
		t.Errorf("on the CPU %v, want %v", got, want)
	}
	if got, want := m.Device(w), 775*time.Millisecond; got.Round(time.Microsecond) != want {
		t.Errorf("on the device %v, want %v", got, want)
	}
	if got, want := m.Saves(w), 725*time.Millisecond; got.Round(time.Microsecond) != want {
		t.Errorf("saves %v, want %v", got, want)
	}
	w.OnDevice = false
	if m.Saves(w) >= 0 {
		t.Error("a device pays for classes that the CPU finds")
	}
	// Classes of 0.1e9 a second and core take both cores 15 s, wherever the rest is done but on the device.
	slow := Work{Samples: 3e9, SampleBytes: 2, OnDevice: true, CoreRate: 0.1e9}
	if got, want := m.Saves(slow), 15725*time.Millisecond; got.Round(time.Microsecond) != want {
		t.Errorf("slow classes: saves %v, want %v", got, want)
	}
	if slow.OnDevice = false; m.Saves(slow) != m.Saves(w) {
		t.Error("a device makes classes faster that the CPU finds")
	}
	if d := DefaultModel(0); d.Cores < 1 || d.StartUp <= 0 || !strings.Contains(d.String(), "start-up") {
		t.Errorf("the model of this machine: %v", d)
	}
}

// Auto opens a device when what it would have saved comes to more than its start-up, and uses it from then on.
func TestAutoOpensWhenItPays(t *testing.T) {
	path := driverLibrary(t, "devices=1")
	probed := 0
	c := NewChooser(context.Background(), Policy{Model: fast(), OnDevice: true, Options: Options{Library: path}, Workers: 1,
		Notify: func(err error) { t.Errorf("fell back: %v", err) }, Probe: func(context.Context) error { probed++; return nil }})
	for i, want := range []string{"cpu", "cpu", "cuda:0", "cuda:0"} { // 0.4, 0.8, 1.2 s
		e, reason, err := c.For(page(400_000_000))
		if err != nil || e.Device() != want || (reason == "") != (want != "cpu") {
			t.Errorf("page %d: %s, reason %q, error %v; want %s", i, e.Device(), reason, err, want)
		}
	}
	if probed != 1 {
		t.Errorf("probed %d times", probed)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// What the device is no use for never opens it.
func TestAutoLeavesTheDeviceAlone(t *testing.T) {
	bound := new(driver) // any call panics
	for _, p := range []Policy{{Model: fast(), OnDevice: false}, {Model: DefaultModel(4), OnDevice: true}, {Mode: CPU, Model: fast(), OnDevice: true}} {
		p.Options.bound = bound
		p.Notify = func(err error) { t.Errorf("asked for a device: %v", err) }
		c := NewChooser(context.Background(), p)
		if err := c.Open(); err != nil {
			t.Error(err)
		}
		for range 50 {
			if e, _, err := c.For(page(1_000_000)); err != nil || e.Device() != "cpu" {
				t.Fatalf("%+v: %v, %v", p, e, err)
			}
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Auto says once why there is no device, and gives the reason with every page.
func TestAutoFallsBackAloud(t *testing.T) {
	for _, c := range []struct {
		config config
		probe  error
		want   string
	}{
		{"devices=0", nil, "CUDA_ERROR_NO_DEVICE"},
		{"driver=9000", nil, "the driver is of CUDA 9.0"},
		{"fail=cuDevicePrimaryCtxRetain:46", nil, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
		{"devices=1", errors.New("the driver crashed"), "the driver crashed"},
	} {
		heard := []error{}
		chooser := NewChooser(context.Background(), Policy{Model: fast(), OnDevice: true, Options: Options{Library: driverLibrary(t, c.config)},
			Notify: func(err error) { heard = append(heard, err) }, Probe: func(context.Context) error { return c.probe }})
		for range 3 {
			e, reason, err := chooser.For(page(2_000_000_000))
			if err != nil || e.Device() != "cpu" || !strings.Contains(reason, c.want) {
				t.Errorf("%s: %v, reason %q, error %v", c.config, e, reason, err)
			}
		}
		if len(heard) != 1 {
			t.Errorf("%s: heard %v", c.config, heard)
		}
		if err := chooser.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A device lost under way: the page in hand and those after it are the CPU's, with the reason.
func TestAutoLosesItsDevice(t *testing.T) {
	heard := 0
	c := NewChooser(context.Background(), Policy{Model: fast(), OnDevice: true, Options: Options{Library: driverLibrary(t, "fail=launch:719@1!")},
		Notify: func(error) { heard++ }})
	defer c.Close()
	e, reason, err := c.For(page(2_000_000_000))
	if err != nil || e.Device() != "cuda:0" || reason != "" {
		t.Fatalf("%v, %q, %v", e, reason, err)
	}
	checkSegments(t, e, "lost", bandOf(plane(segment.U8, 5, 300, 300, 7, 1)), sparse(segment.U8), segment.Options{Masks: true})
	if e.Device() != "cpu" || !strings.Contains(e.(*Fallback).FallbackReason(), "CUDA_ERROR_LAUNCH_FAILED") || heard != 1 {
		t.Errorf("on %s, heard %d times", e.Device(), heard)
	}
	if e, reason, err = c.For(page(2_000_000_000)); err != nil || e.Device() != "cpu" || !strings.Contains(reason, "CUDA_ERROR_LAUNCH_FAILED") {
		t.Errorf("the page after it: %v, %q, %v", e, reason, err)
	}
}

// CUDA: all devices in turn, those that are lost left out, and an error once all are.
func TestCUDATakesDevicesInTurn(t *testing.T) {
	c := NewChooser(context.Background(), Policy{Mode: CUDA, All: true, Options: Options{Library: driverLibrary(t, "devices=3")}})
	if err := c.Open(); err != nil {
		t.Fatal(err)
	}
	next := func() string {
		e, reason, err := c.For(page(1))
		if err != nil || reason != "" {
			t.Fatalf("reason %q, error %v", reason, err)
		}
		return e.Device()
	}
	if got := next() + next() + next() + next(); got != "cuda:0cuda:1cuda:2cuda:0" {
		t.Errorf("got %s", got)
	}
	c.devices[1].dead.Store(&lostError{&Error{Op: "test", kind: ErrLost}})
	if got := next() + next() + next(); got != "cuda:2cuda:0cuda:2" {
		t.Errorf("without the second: %s", got)
	}
	for _, e := range c.devices {
		e.dead.Store(&lostError{&Error{Op: "test", kind: ErrLost}})
	}
	if _, _, err := c.For(page(1)); !errors.Is(err, ErrLost) {
		t.Errorf("all lost: %v", err)
	}
	for _, e := range c.devices {
		e.dead.Store(nil)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func TestCUDACannotBeHad(t *testing.T) {
	for _, c := range []struct {
		config config
		all    bool
		device int
		kind   error
	}{{"devices=0", true, 0, ErrNoDevice}, {"devices=1", false, 1, ErrNoDevice}, {"devices=2,cc=50", true, 0, ErrNoDevice}, {"fail=cuDevicePrimaryCtxRetain:800@2,devices=2", true, 0, ErrNoPermission}} {
		chooser := NewChooser(context.Background(), Policy{Mode: CUDA, All: c.all, Device: c.device, Options: Options{Library: driverLibrary(t, c.config)}})
		if err := chooser.Open(); !errors.Is(err, c.kind) {
			t.Errorf("%s: got %v, want %v", c.config, err, c.kind)
		}
		if err := chooser.Close(); err != nil {
			t.Errorf("%s: close: %v", c.config, err)
		}
	}
}
