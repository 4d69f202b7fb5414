package cli

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"

	"segscan/gpu"
	"segscan/internal/batch"
	"segscan/segment"
)

// libraryVariable names the CUDA driver's library where the system's is not meant.
const libraryVariable = "SEGSCAN_LIBCUDA"

// engines gives the chooser for --device; nothing is opened yet.
func (a *app) engines(o *options) *gpu.Chooser {
	p := gpu.Policy{Mode: gpu.Auto, Options: gpuOptions(), Model: gpu.DefaultModel(o.Jobs), Workers: o.Jobs, Notify: a.onFallback(o.quiet)}
	if exe := ownProgram(); exe != "" {
		p.Probe = func(ctx context.Context) error { return probe(ctx, probeTimeout, exe, "devices") }
		p.Model.StartUp *= 2 // the probe starts the driver once before
	}
	needs := o.Kernel.Needs().Needs
	name, _, _ := strings.Cut(o.Kernel.String(), ":")
	p.CoreRate = gpu.CoreRate(name)
	if o.verbose {
		p.Options.OnCPU = a.onCPU()
	}
	p.OnDevice = gpu.KernelOnDevice(name, needs) && len(o.Kernel.Filters()) == 0 && o.Background == ""
	switch which, number, _ := strings.Cut(o.device, ":"); {
	case which == "cpu":
		p.Mode = gpu.CPU
	case which == "cuda":
		p.Mode, p.All = gpu.CUDA, number == "all"
		p.Device, _ = strconv.Atoi(number) // none is device 0; parseDevice has checked it
	}
	return gpu.NewChooser(a.ctx, p)
}

// ptxVariable makes a device run the kernels of an older one, such as sm_70.
const ptxVariable = "SEGSCAN_PTX_TARGET"

func gpuOptions() gpu.Options {
	return gpu.Options{Library: os.Getenv(libraryVariable), PTXTarget: os.Getenv(ptxVariable)}
}

// onFallback says why the CPU is used in place of a device, each reason once.
func (a *app) onFallback(quiet bool) func(error) {
	var mu sync.Mutex
	said := map[string]bool{}
	return func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if quiet || said[err.Error()] {
			return
		}
		said[err.Error()] = true
		a.stderr.message("", "warning: the CPU goes on in place of the GPU: "+reasonText(err), hintOf(err))
	}
}

// engineFor gives each page its engine and says with -v, each once, that samples are filtered before a device gets them
// and that lines are sorted for it.
func (a *app) engineFor(o *options, engines *gpu.Chooser) batch.EngineFor {
	if !o.verbose {
		return engines.For
	}
	var filtered, sorted sync.Once
	return func(p *segment.PageInfo) (segment.Engine, string, error) {
		e, reason, err := engines.For(p)
		if err != nil || e.Device() == "cpu" {
			return e, reason, err
		}
		if o.Filters() {
			filtered.Do(func() {
				a.stderr.message("", "note: the CPU corrects and filters samples, and the GPU gets what it makes of them", "")
			})
		}
		if o.SortsLines(p) {
			sorted.Do(func() {
				a.stderr.message("", "note: the CPU sorts the float samples of each line to find its thresholds, and the GPU compares with these", "")
			})
		}
		return e, reason, err
	}
}

// onCPU says for which kernels the CPU finds the classes for a device, each once.
func (a *app) onCPU() func(reason string) {
	var said sync.Map
	return func(reason string) {
		if _, again := said.LoadOrStore(reason, true); !again {
			a.stderr.message("", "note: the CPU finds the classes and the GPU gets them as bit planes: it has no code for "+reason, "")
		}
	}
}

// reasonText is an error on one line.
func reasonText(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// openDevices takes the devices that --device names, or says that they cannot be had.
func openDevices(ctx context.Context, c *gpu.Chooser, device string) error {
	err := c.Open()
	if err == nil || ctx.Err() != nil {
		return errors.Join(err, context.Cause(ctx))
	}
	hint := "--device cpu or auto gives the same results"
	if more := hintOf(err); more != "" {
		hint += "; for the GPU: " + more
	}
	return &deviceError{"--device " + device + " cannot be had: " + reasonText(err), hint}
}
