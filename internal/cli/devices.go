package cli

import (
	"fmt"
	"runtime"
	"strings"

	"segscan/gpu"
)

const devicesHelp = `lists the devices this build can run on, and says why others are missing; --device chooses one

--device auto uses a GPU where the cost model, shown in the last line, says that it pays: samples that lie in ordinary
memory after decoding must be copied to the GPU first, which takes about as long as a core takes to segment them.
SEGSCAN_LIBCUDA names another library of the CUDA driver than the system's. SEGSCAN_PTX_TARGET=sm_70 makes a device run
the kernels for older ones, sm_80 those for newer ones where it can.
`

func (a *app) devices([]string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "cpu     %s, %s\n", plural(runtime.GOMAXPROCS(0), "core", "cores"), runtime.GOARCH)
	s, err := gpu.Devices(a.ctx, gpuOptions())
	switch {
	case a.ctx.Err() != nil:
		return err
	case err != nil:
		b.WriteString("cuda    none: " + reasonText(err) + remedyText(err) + "\n")
	default:
		fmt.Fprintf(&b, "cuda    driver of CUDA %s\n", s.DriverVersion())
		for i := range s.Devices {
			b.WriteString(deviceLine(&s.Devices[i]))
		}
	}
	fmt.Fprintf(&b, "auto    %v\n", gpu.DefaultModel(0))
	return a.print(cleanText(b.String()))
}

// deviceLine is the line of one device.
func deviceLine(d *gpu.Device) string {
	s := fmt.Sprintf("%-7s %s, %.1f GiB, compute capability %s, %s, kernels in PTX %d.%d for sm_%d",
		fmt.Sprintf("cuda:%d", d.Ordinal), d.Name, float64(d.Memory)/(1<<30), d.Capability(),
		plural(d.Multiprocessors, "multiprocessor", "multiprocessors"), d.PTX.Major, d.PTX.Minor, d.PTX.SM)
	if d.Unusable != nil {
		s += "; not usable: " + reasonText(d.Unusable) + remedyText(d.Unusable)
	}
	return s + "\n"
}

func remedyText(err error) string {
	if h := hintOf(err); h != "" {
		return " (" + h + ")"
	}
	return ""
}
