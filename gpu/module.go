package gpu

import (
	"fmt"
	"runtime"
	"unsafe"

	"segscan/kernels/cuda"
)

// kernel is an entry of a module with its parameters' type.
type kernel[P any] struct {
	entry   entry
	name    string
	threads uint32 // of a block
	samples uint64 // that a block takes, for kernels on tiles; else 0
}

// launch starts blocks of the kernel on a stream. p must not change before the call returns; the driver copies it.
func (k *kernel[P]) launch(d *driver, s stream, blocks uint64, p *P) error {
	if blocks == 0 {
		return nil
	}
	if blocks > maxBlocks {
		return &Error{Op: "launch " + k.name, Detail: fmt.Sprintf("%d blocks, at most %d", blocks, uint64(maxBlocks))}
	}
	args := [1]unsafe.Pointer{unsafe.Pointer(p)}
	err := d.check(d.launch(k.entry, uint32(blocks), 1, 1, k.threads, 1, 1, 0, s, &args[0], 0), "cuLaunchKernel "+k.name)
	runtime.KeepAlive(p)
	return err
}

// tiles is the number of blocks for n samples.
func (k *kernel[P]) tiles(n uint64) uint64 { return (n + k.samples - 1) / k.samples }

// maxBlocks is the driver's limit on the first dimension of a grid.
const maxBlocks = 1<<31 - 1

// kernels holds every kernel that is launched, by name.
type kernels struct {
	classify      [3]kernel[cuda.ClassifyParams] // by segment.SampleType
	classifyTable [2]kernel[cuda.ClassifyParams] // of u8, u16
	classifyMasks kernel[cuda.MaskParams]
	packMasks     kernel[cuda.MaskParams]
	planes        [3]kernel[cuda.PlanesParams] // by segment.SampleType
	planesTable   [2]kernel[cuda.PlanesParams] // of u8, u16
	scan          kernel[cuda.ScanParams]
	readout       kernel[cuda.ReadoutParams]
	compact       kernel[cuda.CompactParams]
	compactLocal  kernel[cuda.CompactParams]
	compactCounts kernel[cuda.CountsParams]
	compactBases  kernel[cuda.CountsParams]
	compactStitch kernel[cuda.CompactParams]
	histogram     [3]kernel[cuda.HistogramParams]
	fine          kernel[cuda.HistogramParams]
	sumBlocks     kernel[cuda.SumParams]
	sumLines      kernel[cuda.SumParams]
	measure       [3]kernel[cuda.MeasureParams]
	measureLong   [3]kernel[cuda.MeasureParams]

	countsBlock uint64 // counts a block of compactCounts
	modules     []module
}

// binding says which entry a field of kernels is.
type binding struct {
	name  string
	small bool // there is a form with the smallest tile
	bind  func(k cuda.Kernel, e entry) error
}

// bindTo makes a binding of a field.
func bindTo[P any](name string, small bool, to *kernel[P]) binding {
	return binding{name, small, func(k cuda.Kernel, e entry) error {
		var p P
		if k.Params != unsafe.Sizeof(p) {
			return &Error{Op: "bind " + k.Entry, Detail: fmt.Sprintf("%T has %d bytes, the kernel takes %d", p, unsafe.Sizeof(p), k.Params)}
		}
		*to = kernel[P]{e, k.Entry, k.Threads, uint64(k.Samples)}
		return nil
	}}
}

func (k *kernels) bindings() []binding {
	return []binding{
		bindTo("classify_u8", true, &k.classify[0]),
		bindTo("classify_u16", true, &k.classify[1]),
		bindTo("classify_f32", true, &k.classify[2]),
		bindTo("classify_table_u8", true, &k.classifyTable[0]),
		bindTo("classify_table_u16", true, &k.classifyTable[1]),
		bindTo("classify_masks", true, &k.classifyMasks),
		bindTo("pack_masks", false, &k.packMasks),
		bindTo("planes_u8", false, &k.planes[0]),
		bindTo("planes_u16", false, &k.planes[1]),
		bindTo("planes_f32", false, &k.planes[2]),
		bindTo("planes_table_u8", false, &k.planesTable[0]),
		bindTo("planes_table_u16", false, &k.planesTable[1]),
		bindTo("scan", true, &k.scan),
		bindTo("readout", true, &k.readout),
		bindTo("compact", true, &k.compact),
		bindTo("compact_local", true, &k.compactLocal),
		bindTo("compact_counts", true, &k.compactCounts),
		bindTo("compact_bases", true, &k.compactBases),
		bindTo("compact_stitch", true, &k.compactStitch),
		bindTo("histogram_u8", false, &k.histogram[0]),
		bindTo("histogram_u16", false, &k.histogram[1]),
		bindTo("histogram_f32", false, &k.histogram[2]),
		bindTo("histogram_fine_f32", false, &k.fine),
		bindTo("sum_blocks_f32", false, &k.sumBlocks),
		bindTo("sum_lines_f32", false, &k.sumLines),
		bindTo("measure_u8", false, &k.measure[0]),
		bindTo("measure_u16", false, &k.measure[1]),
		bindTo("measure_f32", false, &k.measure[2]),
		bindTo("measure_long_u8", false, &k.measureLong[0]),
		bindTo("measure_long_u16", false, &k.measureLong[1]),
		bindTo("measure_long_f32", false, &k.measureLong[2]),
	}
}

// loadKernels loads every module, once, and finds the entries; small takes the kernels with the smallest tile.
func loadKernels(d *driver, text map[string]string, small bool, about string) (*kernels, error) {
	k := &kernels{countsBlock: cuda.CountsBlock}
	if small {
		k.countsBlock = cuda.CountsSmall
	}
	loaded := map[string]module{}
	for _, name := range cuda.Modules() {
		m, err := loadModule(d, name, text[name], about)
		if err != nil {
			k.unload(d)
			return nil, err
		}
		loaded[name] = m
		k.modules = append(k.modules, m)
	}
	known := map[string]cuda.Kernel{}
	for _, e := range cuda.Kernels() {
		known[e.Entry] = e
	}
	for _, b := range k.bindings() {
		name := b.name
		if small && b.small {
			name = cuda.Small(name)
		}
		info, ok := known[name]
		if !ok {
			k.unload(d)
			return nil, &Error{Op: "bind " + name, Detail: "no such kernel is embedded"}
		}
		var e entry
		err := d.check(d.moduleEntry(&e, loaded[info.Module], name), "cuModuleGetFunction "+name)
		if err == nil {
			err = b.bind(info, e)
		}
		if err != nil {
			k.unload(d)
			return nil, err
		}
	}
	return k, nil
}

// unload gives the modules back; their kernels are gone then.
func (k *kernels) unload(d *driver) []error {
	var errs []error
	for _, m := range k.modules {
		if err := d.check(d.moduleUnload(m), "cuModuleUnload"); err != nil {
			errs = append(errs, err)
		}
	}
	k.modules = nil
	return errs
}

// Options of cuModuleLoadDataEx.
const (
	optionInfoLog     int32 = 3
	optionInfoLogSize int32 = 4
	optionLog         int32 = 5
	optionLogSize     int32 = 6
)

const jitLogBytes = 16 << 10

// loadModule gives PTX to the driver's compiler. An error carries the compiler's log, and about: what driver, device
// and PTX are.
func loadModule(d *driver, name, ptx, about string) (module, error) {
	text := append([]byte(ptx), 0)
	info, log := make([]byte, jitLogBytes), make([]byte, jitLogBytes)
	options := []int32{optionInfoLog, optionInfoLogSize, optionLog, optionLogSize}
	// The driver reads pointers and sizes out of the same array, so it holds numbers; Pin keeps the buffers in place.
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&info[0])
	pin.Pin(&log[0])
	values := []uintptr{uintptr(unsafe.Pointer(&info[0])), jitLogBytes, uintptr(unsafe.Pointer(&log[0])), jitLogBytes}
	var m module
	c := d.moduleLoad(&m, unsafe.Pointer(&text[0]), uint32(len(options)), &options[0], &values[0])
	err := d.check(c, "cuModuleLoadDataEx "+name)
	if e, ok := err.(*Error); ok {
		for _, more := range []string{about, cText(log), cText(info)} {
			if more != "" {
				e.Detail += "; " + more
			}
		}
	}
	return m, err
}
