//go:build linux

package emulation

import (
	"fmt"

	"github.com/ebitengine/purego"
)

// Configure ends everything in the library at path, opened in this process or not, and starts it anew with a
// configuration (see README.md; "" is the default). No call of the driver may be in progress. To have several drivers
// in one process, copy the library: each path has its own state.
func Configure(path, config string) error {
	handle, err := open(path)
	if err != nil {
		return err
	}
	var reset func(string) string
	purego.RegisterLibFunc(&reset, handle, "emulationReset")
	if wrong := reset(config); wrong != "" {
		return fmt.Errorf("configure the emulated driver: %s", wrong)
	}
	return nil
}

// LastFault describes the last fault of a kernel in the library at path since it was configured; "" if there was
// none.
func LastFault(path string) (string, error) {
	handle, err := open(path)
	if err != nil {
		return "", err
	}
	var fault func() string
	purego.RegisterLibFunc(&fault, handle, "emulationLastFault")
	return fault(), nil
}

// Plant makes kernels in the library at path err at the place of that number (see FAULT in the kernels), so that a test
// can show it would notice; 0 makes them right again. No kernel may be running.
func Plant(path string, fault int) error {
	handle, err := open(path)
	if err != nil {
		return err
	}
	var plant func(int32)
	purego.RegisterLibFunc(&plant, handle, "emulationPlant")
	plant(int32(fault))
	return nil
}

func open(path string) (uintptr, error) {
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return 0, fmt.Errorf("open the emulated driver: %w", err)
	}
	return handle, nil
}
