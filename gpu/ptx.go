package gpu

import (
	"fmt"

	"segscan/kernels/cuda"
)

// embeddedTarget is what all embedded modules need: the most that any of them does.
func embeddedTarget() (cuda.Target, error) {
	var most cuda.Target
	for _, name := range cuda.Modules() {
		text, err := cuda.PTX(name)
		if err != nil {
			return most, fmt.Errorf("gpu: %w", err)
		}
		t, err := cuda.TargetOf(text)
		if err != nil {
			return most, fmt.Errorf("gpu: PTX of %s: %w", name, err)
		}
		if isa(t) > isa(most) {
			most.Major, most.Minor = t.Major, t.Minor
		}
		most.SM = max(most.SM, t.SM)
	}
	return most, nil
}

// isa is a version of the PTX language as one number: 63 for 6.3.
func isa(t cuda.Target) int { return 10*t.Major + t.Minor }

// ptxSince lists the CUDA versions that brought a version of the PTX language, newest first (PTX ISA, release notes).
var ptxSince = [...]struct{ driver, isa int }{
	{13000, 90}, {12090, 88}, {12080, 87}, {12070, 86}, {12050, 85}, {12040, 84}, {12030, 83}, {12020, 82}, {12010, 81},
	{12000, 80}, {11080, 78}, {11070, 77}, {11060, 76}, {11050, 75}, {11040, 74}, {11030, 73}, {11020, 72}, {11010, 71},
	{11000, 70}, {10020, 65}, {10010, 64}, {10000, 63}, {9020, 62}, {9010, 61}, {9000, 60}, {8000, 50},
}

// driverISA is the newest version of the PTX language that a driver of a CUDA version surely takes, as isa gives it; 0
// where it is older than the list.
func driverISA(driver int) int {
	for _, p := range ptxSince {
		if driver >= p.driver {
			return p.isa
		}
	}
	return 0
}

// driverFor is the first CUDA version whose drivers take a version of the language.
func driverFor(isa int) int {
	first := 0
	for _, p := range ptxSince {
		if p.isa >= isa {
			first = p.driver
		}
	}
	return first
}

// suits tells why the kernels cannot run on a device, or nil. PTX runs on its target and everything newer; a driver
// takes the language up to its own version.
func suits(t cuda.Target, driver int, v *Device) error {
	if have := driverISA(driver); have < isa(t) {
		return &Error{Op: fmt.Sprintf("device %d", v.Ordinal), kind: ErrDriverTooOld,
			Detail: fmt.Sprintf("the driver is of CUDA %s, the kernels are PTX %d.%d, which needs CUDA %s or newer",
				versionText(driver), t.Major, t.Minor, versionText(driverFor(isa(t)))),
			Remedy: "update the NVIDIA driver"}
	}
	if have := 10*v.Major + v.Minor; have < t.SM {
		return &Error{Op: fmt.Sprintf("device %d", v.Ordinal), kind: ErrNoDevice,
			Detail: fmt.Sprintf("%s has compute capability %s, the kernels need %d.%d", v.Name, v.Capability(), t.SM/10, t.SM%10)}
	}
	return nil
}
