// The fused kernels: all stages in one launch. Their device text is kernels/cuda/fused*.cuh, their CPU mirror the CPU
// engine's scan on bits.

package gpu

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"segscan/kernels/cuda"
	"segscan/segment"
)

// fusedKernels are the fused kernels of a device. Modules are loaded when they are first needed: a driver takes a
// while to compile one. It belongs to the driver's thread.
type fusedKernels struct {
	basic   bool   // those for old devices
	shared  uint32 // bytes of memory that a block can ask for
	modules map[string]module
	entries map[string]*kernel[cuda.FusedParams]
}

// fusedSince is the compute capability, ten times, that the pipelined kernels need; older devices get fused_basic.
const fusedSince = 80

// fusedISA is the PTX version that they need, as isa gives it.
const fusedISA = 71

// Attributes of a device and of a kernel.
const (
	attributeSharedOptIn   int32 = 97
	attributeCooperative   int32 = 95
	kernelMaxDynamicShared int32 = 8
)

// sharedWithoutOptIn is the memory that every block can have.
const sharedWithoutOptIn = 48 << 10

// basicBlocks is how many blocks of fused_basic a multiprocessor is given: as many as may hide each other's waiting.
const basicBlocks = 8

// newFused finds out what the device can do.
func (e *Engine) newFused(driverVersion int) (*fusedKernels, error) {
	f := &fusedKernels{modules: map[string]module{}, entries: map[string]*kernel[cuda.FusedParams]{}}
	var shared, cooperative int32
	for attribute, to := range map[int32]*int32{attributeSharedOptIn: &shared, attributeCooperative: &cooperative} {
		if err := e.driver.check(e.driver.deviceAttribute(to, attribute, e.handle), fmt.Sprintf("cuDeviceGetAttribute %d", attribute)); err != nil {
			return nil, err
		}
	}
	capability := 10*e.info.Major + e.info.Minor
	if e.o.PTXTarget != "" {
		number, ok := strings.CutPrefix(e.o.PTXTarget, "sm_")
		target, err := strconv.Atoi(number)
		if !ok || err != nil || target < 10 {
			return nil, &Error{Op: "PTX target " + strconv.Quote(e.o.PTXTarget), Detail: "it names no kind of device", Remedy: "sm_70 are the kernels for old devices, sm_80 those for new ones"}
		}
		capability = min(capability, target)
	}
	f.shared = uint32(max(shared, sharedWithoutOptIn))
	f.basic = capability < fusedSince || driverISA(driverVersion) < fusedISA || cooperative == 0
	return f, nil
}

// kernel gives a fused kernel by name, such as u8 or table_u16; it runs on the thread.
func (f *fusedKernels) kernel(e *Engine, name string) (*kernel[cuda.FusedParams], error) {
	name = f.entryName(name, e.o.small)
	if k := f.entries[name]; k != nil {
		return k, nil
	}
	k, err := onDemand[cuda.FusedParams](e, f, name)
	if err != nil {
		return nil, err
	}
	if err := e.driver.check(e.driver.kernelAttribute(k.entry, kernelMaxDynamicShared, int32(f.shared)), "cuFuncSetAttribute "+name); err != nil {
		return nil, err
	}
	f.entries[name] = k
	return k, nil
}

// onDemand finds a kernel in the modules that are loaded when they are needed; it runs on the thread.
func onDemand[P any](e *Engine, f *fusedKernels, name string) (*kernel[P], error) {
	all := cuda.Kernels()
	i := slices.IndexFunc(all, func(k cuda.Kernel) bool { return k.Entry == name })
	if i < 0 {
		return nil, &Error{Op: "bind " + name, Detail: "no such kernel is embedded"}
	}
	info := all[i]
	m, ok := f.modules[info.Module]
	if !ok {
		text, err := cuda.PTX(info.Module)
		if err != nil {
			return nil, fmt.Errorf("gpu: %w", err)
		}
		if m, err = loadModule(e.driver, info.Module, text, e.about); err != nil {
			return nil, err
		}
		f.modules[info.Module] = m
	}
	var handle entry
	if err := e.driver.check(e.driver.moduleEntry(&handle, m, name), "cuModuleGetFunction "+name); err != nil {
		return nil, err
	}
	k := new(kernel[P])
	return k, bindTo(name, false, k).bind(info, handle)
}

func (f *fusedKernels) entryName(name string, small bool) string {
	switch {
	case f.basic:
		return "fused_basic_" + name
	case small && (name == "u8" || name == "u16"):
		return cuda.Small("fused_" + name)
	}
	return "fused_" + name
}

func (f *fusedKernels) unload(d *driver) (errs []error) {
	for name, m := range f.modules {
		if err := d.check(d.moduleUnload(m), "cuModuleUnload "+name); err != nil {
			errs = append(errs, err)
		}
	}
	clear(f.modules)
	clear(f.entries)
	return errs
}

// fusedShape is how samples are dealt to runs and tiles.
type fusedShape struct {
	run    uint64 // samples
	warps  uint32 // runs of a tile
	shared uint32 // bytes of a block's memory
}

// shape chooses the tile for so many samples: small images want many blocks, large ones all the warps that a block can
// have.
func (f *fusedKernels) shape(e *Engine, name string, t segment.SampleType, samples uint64) fusedShape {
	run := [...]uint64{cuda.FusedRunU8, cuda.FusedRunU16, cuda.FusedRunSmall}[t]
	each := [...]uint32{cuda.FusedWarpBytesU8, cuda.FusedWarpBytesU16, cuda.FusedWarpBytesF32}[t]
	fixed, most := uint32(cuda.FusedFixedBytes), uint32(cuda.FusedWarps)
	if f.basic {
		each = [...]uint32{cuda.FusedBasicWarpBytesU8, cuda.FusedBasicWarpBytesU16, cuda.FusedBasicWarpBytesF32}[t]
		fixed, most = cuda.FusedBasicFixedBytes, cuda.FusedBasicWarps
	}
	if f.entryName(name, e.o.small) == cuda.Small("fused_"+name) {
		run = cuda.FusedRunSmall
	}
	if strings.HasSuffix(name, "table_u16") {
		fixed += cuda.FusedWordTableBytes
	}
	warps := min(most, (f.shared-fixed)/each)
	switch bytes := samples * uint64(t.Bytes()); {
	case e.o.warps > 0:
		warps = min(warps, e.o.warps)
	case e.o.small:
		warps = 1
	case bytes <= 4<<20:
		warps = min(warps, 4)
	case bytes <= 16<<20:
		warps = min(warps, 8)
	case bytes <= 64<<20:
		warps = min(warps, 16)
	}
	if e.o.warps == 0 && !f.basic {
		warps = evenWarps(warps, (samples+run-1)/run, uint64(e.info.Multiprocessors))
	}
	return fusedShape{run, warps, fixed + warps*each}
}

// evenWarps takes a few warps less for a tile if all blocks are done sooner then: all do as many tiles as the one that
// does most.
func evenWarps(most uint32, runs, blocks uint64) uint32 {
	turns := func(warps uint32) uint64 {
		tiles := (runs + uint64(warps) - 1) / uint64(warps)
		return (tiles + blocks - 1) / blocks * uint64(warps)
	}
	best := most
	for warps := most - 1; warps+3 > most && warps >= 16; warps-- {
		if 50*turns(warps) < 49*turns(best) {
			best = warps
		}
	}
	return best
}

// fusedGrid is what a launch looks like.
type fusedGrid struct {
	kernel  *kernel[cuda.FusedParams]
	shape   fusedShape
	basic   bool
	tiles   uint64
	blocks  uint32
	counted uint64 // entries of dropped
}

// grid plans a launch on so many samples, padding counted; it runs on the thread.
func (f *fusedKernels) grid(e *Engine, name string, t segment.SampleType, samples uint64) (fusedGrid, error) {
	k, err := f.kernel(e, name)
	if err != nil {
		return fusedGrid{}, err
	}
	g := fusedGrid{kernel: k, shape: f.shape(e, name, t, samples), basic: f.basic}
	tile := g.shape.run * uint64(g.shape.warps)
	g.tiles = (samples + tile - 1) / tile
	blocks := uint64(e.info.Multiprocessors)
	if f.basic {
		blocks *= basicBlocks
	}
	g.blocks = uint32(max(1, min(blocks, g.tiles)))
	g.counted = uint64(g.blocks) * uint64(g.shape.warps)
	return g, nil
}

// fusedJob is one launch: the spans of one group of some lines. Buffers are those of cuda.FusedParams.
type fusedJob struct {
	classes fusedClasses
	table   cuda.Ptr // with classes.words

	samples             cuda.Ptr // a multiple of the sample size
	size                uint64   // of a sample, in bytes
	lines, width, pitch uint64
	pos                 uint32 // of the first sample in its line
	ends                bool   // the last line does not go on
	before              cuda.Pair
	gap                 bool // the sample before the first is of the same line, and no boundary

	keep, rejected bool
	spans          cuda.Ptr
	capacity       uint64

	descriptors, ticket, total, dropped cuda.Ptr
	epoch                               uint32
}

// fusedAlign is where copies of a kernel begin: a line of the device's caches. What lies there before the first sample is
// memory of the same allocation, which begins at a multiple.
const fusedAlign = 128

// front is how many samples lie between the first and the start of the fusedAlign bytes that it is in.
func (j *fusedJob) front() uint64 { return uint64(j.samples) % fusedAlign / j.size }

// end is the number of samples from there to the last.
func (j *fusedJob) end() uint64 { return j.front() + (j.lines-1)*j.pitch + j.width }

// params says what the kernel must know.
func (j *fusedJob) params(g *fusedGrid) *cuda.FusedParams {
	front := uint32(j.front())
	p := &cuda.FusedParams{Samples: j.samples &^ (fusedAlign - 1), Classes: j.table, Descriptors: j.descriptors, Ticket: j.ticket,
		Spans: j.spans, Total: j.total, Dropped: j.dropped, End: uint32(j.end()), Front: front,
		Width: uint32(j.width), Pitch: uint32(j.pitch), Tiles: uint32(g.tiles), Warps: g.shape.warps, Epoch: j.epoch,
		Capacity: uint32(min(j.capacity, cuda.NoIndex)), Keep: flag(j.keep), Rejected: flag(j.rejected),
		BeforeLast: j.before.Index, Origin: j.pos - front}
	if j.lines == 1 {
		p.Pitch = p.Width
	}
	if !j.ends {
		p.Width, p.Pitch = cuda.NoIndex, cuda.NoIndex
	}
	if j.before.State&cuda.FlagMask == uint32(segment.Activation) {
		p.BeforeState |= cuda.BeforeActive
	}
	if !j.keep && j.before.Index == cuda.NoIndex {
		p.BeforeState |= cuda.BeforeUnarmed
	}
	if j.gap {
		p.BeforeState |= cuda.BeforeGap
	}
	j.classes.fill(p)
	p.StepPhase = uint32(uint64(g.blocks) * g.shape.run * uint64(g.shape.warps) % uint64(p.Pitch))
	i := imageFields(j.end(), uint64(front), uint64(p.Width), uint64(p.Pitch), g.shape.run)
	p.Inside, p.FrontPhase, p.WordPhase, p.PitchReciprocal = i.Inside, i.FrontPhase, i.WordPhase, i.PitchReciprocal
	p.LastLow, p.LastHigh, p.OverLow, p.OverHigh = i.LastLow, i.LastHigh, i.OverLow, i.OverHigh
	p.Lines = uint32(j.lines)
	return p
}

// imageFields is what the kernel must know of an image that is used from sample front to end-1, by its lines and the
// samples of a run.
func imageFields(end, front, width, pitch, run uint64) cuda.FusedImage {
	i := cuda.FusedImage{End: uint32(end), Front: uint32(front), Width: uint32(width), Pitch: uint32(pitch)}
	if end-front >= run {
		i.Inside = uint32(end - front - run + 1)
	}
	i.FrontPhase = uint32((pitch - front%pitch) % pitch)
	i.WordPhase = uint32(32 % pitch)
	i.PitchReciprocal = uint32(min(1<<32/pitch+1, cuda.NoIndex))
	if pitch > 32 {
		return i
	}
	var last, over uint64
	for s := range uint64(64) {
		if s%pitch == width-1 {
			last |= 1 << s
		}
		if s%pitch >= width-1 {
			over |= 1 << s
		}
	}
	i.LastLow, i.LastHigh, i.OverLow, i.OverHigh = uint32(last), uint32(last>>32), uint32(over), uint32(over>>32)
	return i
}

// launch starts the kernel.
func (g *fusedGrid) launch(d *driver, s stream, p *cuda.FusedParams) error {
	args, warps := [1]unsafe.Pointer{unsafe.Pointer(p)}, g.shape.warps
	defer runtime.KeepAlive(p)
	if g.basic {
		return d.check(d.launch(g.kernel.entry, g.blocks, 1, 1, 32*warps, 1, 1, g.shape.shared, s, &args[0], 0), "cuLaunchKernel "+g.kernel.name)
	}
	return d.check(d.launchTogether(g.kernel.entry, g.blocks, 1, 1, 32*(warps+2), 1, 1, g.shape.shared, s, &args[0]), "cuLaunchCooperativeKernel "+g.kernel.name)
}
