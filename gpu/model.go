package gpu

import (
	"fmt"
	"runtime"
	"time"
)

// Model estimates how long work takes on the CPU and on a device, to tell where opening a device pays. It knows no
// image's density beforehand and assumes one boundary in 64 samples. Its numbers are of the machines this was measured
// on; a wrong one costs time and never changes a result.
//
// What it says plainly: samples that lie in ordinary memory after decoding must be copied to a device first, and that
// takes about as long as one core takes to segment them. So a device pays for many samples on few cores, or where the
// CPU's loops are slow.
type Model struct {
	StartUp    time.Duration // to open the driver and a device
	CopyRate   float64       // bytes a second from the host to the device, and back
	DeviceRate float64       // samples a second through all stages on the device
	CoreRate   float64       // samples a second of one core through all stages
	Cores      int
}

// DefaultModel is for this machine's cores and an unknown device.
func DefaultModel(cores int) Model {
	m := Model{StartUp: 700 * time.Millisecond, CopyRate: 12e9, DeviceRate: 30e9, CoreRate: 1.5e9, Cores: cores}
	if runtime.GOARCH == "amd64" {
		m.CoreRate = 6e9 // 32 or 64 samples are compared at once
	}
	if m.Cores <= 0 {
		m.Cores = runtime.GOMAXPROCS(0)
	}
	return m
}

// Work is what is known of a page before it is decoded.
type Work struct {
	Samples     int64
	SampleBytes int
	OnDevice    bool    // the kernel's classes are found on the device; else the CPU finds them all the same
	CoreRate    float64 // samples a second of one core for classes alone, where they take much longer than the rest; else 0
}

// maskBytes a sample are read back: two bits.
const maskBytes = 0.25

// CPU is how long the work takes on all cores.
func (m Model) CPU(w Work) time.Duration {
	return seconds(float64(w.Samples)/(m.CoreRate*float64(m.Cores)) + m.classes(w))
}

// classes is how many seconds slow classes take on all cores.
func (m Model) classes(w Work) float64 {
	if w.CoreRate == 0 {
		return 0
	}
	return float64(w.Samples) / (w.CoreRate * float64(m.Cores))
}

// Device is how long it takes on an open device.
func (m Model) Device(w Work) time.Duration {
	s := float64(w.Samples) * (float64(w.SampleBytes)/m.CopyRate + 1/m.DeviceRate + maskBytes/m.CopyRate)
	if !w.OnDevice { // two masks go up instead of down, and the cores do most of their part before
		s += float64(w.Samples)/(m.CoreRate*float64(m.Cores)) + m.classes(w)
	}
	return seconds(s)
}

// Saves is how much shorter the work is on an open device; negative if it is longer.
func (m Model) Saves(w Work) time.Duration { return m.CPU(w) - m.Device(w) }

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// String shows the numbers.
func (m Model) String() string {
	return fmt.Sprintf("start-up %v, copy %.3g GB/s, device %.3g Gsamples/s, %d cores of %.3g Gsamples/s each, one boundary in 64 samples",
		m.StartUp, m.CopyRate/1e9, m.DeviceRate/1e9, m.Cores, m.CoreRate/1e9)
}
