package cli

import (
	"fmt"
	"runtime"

	"segscan/segment"
)

const devicesHelp = `lists the devices this build can run on, and says why others are missing; --device chooses one
`

// noGPU is why there is no other device than the CPU.
const noGPU = "this build has no GPU engine"

func (a *app) devices([]string) error {
	return a.print(fmt.Sprintf("cpu   %s, %s, used by --device auto\ncuda  none: %s\n",
		plural(runtime.GOMAXPROCS(0), "core", "cores"), runtime.GOARCH, noGPU))
}

// engineFor opens the device asked for.
func engineFor(device string, jobs int) (engine func(*segment.PageInfo) (segment.Engine, string, error), done func() error, err error) {
	if device != "auto" && device != "cpu" {
		return nil, nil, &deviceError{"--device " + device + " cannot be had: " + noGPU, "--device cpu or auto gives the same results"}
	}
	reason := ""
	if device == "auto" {
		reason = noGPU
	}
	cpu := segment.NewCPU(jobs)
	return func(*segment.PageInfo) (segment.Engine, string, error) { return cpu, reason, nil }, cpu.Close, nil
}
