// Local thresholds on the device: bit planes from samples and what lies around them. The device's text is
// kernels/cuda/local*.cu, the definition kernels/local*.go.

package gpu

import (
	"context"
	"math"
	"runtime"
	"unsafe"

	rules "segscan/kernels"
	"segscan/kernels/cuda"
	"segscan/segment"
)

// localClasses are local thresholds of a band.
type localClasses struct {
	rule   rules.Local
	kernel string // that makes the planes; or what the names of the two passes end with
	shape  localShape
	params cuda.LocalParams
	table  []float64
	passes *localPasses // nil: one kernel
	// aligned is what takes the kernel's place where it fits, or nil.
	aligned *alignedKernel
}

// localShape is how a kernel deals lines to blocks.
type localShape struct {
	lines  uint64 // that a block works on at once
	blocks uint64 // that a multiprocessor is given
	shared uint32 // bytes of its memory
	tile   uint32 // columns that it takes windows of, 0: as many as there are in LocalColumns
}

// linesBeside is how many times the lines of a window a block should have at least, where it can. Those without tiles of
// their own read what goes out of windows again, and the more of them there are the more often from memory.
func (s *localShape) linesBeside() uint64 {
	if s.tile == 0 {
		return 12
	}
	return 8
}

// localShapes are those of the kernels that add integers, as kernels/cuda/local_sums.cuh and local_bytes.cuh have them.
var localShapes = map[string]localShape{
	"local_mean_u8":       {lines: 4, blocks: 2, shared: 2 * 4 * 64 * (80 + 48)},
	"local_stats_u8":      {lines: 4, blocks: 2, shared: 4 * 64 * (80 + 144 + 32)},
	"local_mean_wide_u8":  {lines: 4, blocks: 2, shared: 4 * (64*(128+16) + 2048)},
	"local_stats_wide_u8": {lines: 2, blocks: 2, shared: 2 * (128*(64+16+128+16) + 2048)},
	"local_mean_u16":      {lines: 4, blocks: 2, shared: 4 * (64*(128+16) + 4096)},
	"local_stats_u16":     {lines: 2, blocks: 2, shared: 2 * (128*(64+16+128+16) + 4096)},
}

// What there is room for in the narrow kernels of 8-bit samples: 16 bits for a column's sum and for the number of a
// window's samples, 32 bits for the sum of its squares.
const (
	packedLines = 257
	packedArea  = math.MaxUint16
)

// localClasses makes a local kernel ready for the device.
func (l *loaded) localClasses(c *rules.Local) (classSource, error) {
	v, err := c.View(&l.band)
	if err != nil {
		return nil, err
	}
	s := &localClasses{rule: *c}
	n := float64(c.WindowX * c.WindowY)
	s.params = cuda.LocalParams{Pitch: l.pitch, Area: n, K: c.K, R: c.R, Offset: c.Offset, Margin: c.Margin, Least: c.Min,
		P: c.P, Q: c.Q * rules.DecaySteps, Range: c.Max - c.Min, Contrast: c.Contrast, Centre: c.Centre,
		Rule: localRules[c.Rule], Width: uint32(l.band.Samples), WordsPerLine: uint32((l.band.Samples + 63) / 64 * 2),
		Left: uint32(v.Left), Right: uint32(v.Right), HalfLines: uint32(v.HalfLines), HalfSamples: uint32(v.HalfSamples),
		Edge: uint32(v.Edge)}
	if c.Rule == rules.LocalPhansalkar {
		s.table = c.Decay()
		s.params.TableTop = uint32(len(s.table) - 1)
	}
	switch {
	case c.Rule == rules.LocalGaussian:
		s.table = append(rules.GaussianWeights(v.HalfLines), rules.GaussianWeights(v.HalfSamples)...)
		s.twoPasses("gaussian", 16, l.typ())
	case c.Rule == rules.LocalMidrange || c.Rule == rules.LocalBernsen:
		s.twoPasses("extremes", 8, l.typ())
	case l.typ() == segment.F32:
		s.twoPasses("sums", 24, l.typ())
	default:
		s.chooseSums(l.typ(), v)
		if s.shape = localShapes[s.kernel]; s.kernel == "local_mean_u8" {
			l.e.chooseMatrix(s)
			l.e.chooseNarrow(s)
		}
		if s.shape.shared > l.e.fused.shared {
			return nil, nil // an old device: the CPU, then
		}
	}
	return s, nil
}

// localRules are the device's numbers of the rules.
var localRules = map[rules.LocalRule]uint32{
	rules.LocalMean: cuda.LocalMean, rules.LocalNiblack: cuda.LocalNiblack, rules.LocalSauvola: cuda.LocalSauvola,
	rules.LocalWolf: cuda.LocalWolf, rules.LocalPhansalkar: cuda.LocalPhansalkar, rules.LocalMidrange: cuda.LocalMidrange,
	rules.LocalBernsen: cuda.LocalBernsen, rules.LocalGaussian: cuda.LocalMean,
}

// near is a line of the page as an int32; what is so far away that it does not fit is as good as any other.
func near(line int64) uint32 { return uint32(int32(max(-1<<30, min(line, 1<<30)))) }

// chooseSums names the kernel that adds integers, and works out what it compares.
func (c *localClasses) chooseSums(t segment.SampleType, v rules.LocalView) {
	p := &c.params
	full, kind, suffix := 255., "stats", "_u8"
	switch {
	case t == segment.U16:
		full, suffix = 65535, "_u16"
	case 2*v.HalfLines+1 > packedLines || p.Area > packedArea:
		suffix = "_wide_u8"
	}
	if c.rule.Rule == rules.LocalMean && c.wholeMeans() {
		kind = "mean"
	} else if p.Area*full < 1<<32 {
		c.nearThresholds(full)
	}
	c.kernel = "local_" + kind + suffix
}

// wholeMeans makes of n v <= S - n offset, and of n v > S - n offset + n margin, comparisons of S - n v with whole
// numbers, where rounding leaves no doubt of them: sums stay below 2^41, so that no rounding of the CPU's moves them by
// 2^-11.
func (c *localClasses) wholeMeans() bool {
	p := &c.params
	const limit = 1 << 29
	low, ok := wholeFrom(p.Area * p.Offset)
	high, also := wholeFrom(p.Area*p.Offset - p.Area*p.Margin)
	p.LowFrom, p.HighBelow = uint64(int64(max(-limit, min(low, limit)))), uint64(int64(max(-limit, min(high, limit))))
	// Sums of 16-bit samples go beyond the limit.
	return ok && also && (low == float64(int64(p.LowFrom)) && high == float64(int64(p.HighBelow)))
}

// wholeFrom is the least whole number that is not below x, if it is plain which that is.
func wholeFrom(x float64) (float64, bool) {
	const doubt = 1. / 256
	below := math.Floor(x)
	rest := x - below
	return math.Ceil(x), rest == 0 || rest > doubt && rest < 1-doubt
}

// nearThresholds puts n T as alpha S + beta + sqrt(d) (gamma S + delta), and how far a float32 of that may be off.
func (c *localClasses) nearThresholds(full float64) {
	p := &c.params
	perDeviation := 0.
	if p.R > 0 {
		perDeviation = p.K / (p.Area * p.R)
	}
	var alpha, beta, gamma, delta float64
	switch c.rule.Rule {
	case rules.LocalNiblack:
		alpha, delta = 1, -p.K
	case rules.LocalSauvola:
		alpha, gamma = 1-p.K, perDeviation
	case rules.LocalWolf:
		alpha, beta, gamma, delta = 1-p.K, p.K*p.Area*p.Least, perDeviation, -perDeviation*p.Area*p.Least
	default:
		return
	}
	// d is wrong by at most 6 roundings of (n full)^2, its root by the root of that; the rest are 12 roundings of the
	// largest there is.
	const rounding = 1. / (1 << 24)
	most := p.Area * full
	factor := max(math.Abs(delta), math.Abs(gamma*most+delta))
	tolerance := 1.05*most*math.Sqrt(6*rounding)*factor + 12*rounding*(math.Abs(alpha)*most+math.Abs(beta)+most/2*factor+most*(1+p.Margin/full))
	if !(tolerance < most/16) { // all would be in doubt
		return
	}
	bits := func(v float64) uint32 { return math.Float32bits(float32(v)) }
	p.Alpha, p.Beta, p.Gamma, p.Delta, p.Tolerance, p.Fast = bits(alpha), bits(beta), bits(gamma), bits(delta), bits(tolerance), 1
}

func (c *localClasses) planes() planeSource { return madePlanes }

func (c *localClasses) need(w *plan, b *segmentBuffers, lines, words uint64) {
	w.add(&b.boundary, 8*lines*words)
	w.add(&b.activation, 8*lines*words)
	if c.table != nil {
		w.add(&b.table, 8*uint64(len(c.table)))
	}
	if c.passes != nil {
		c.passes.need(w, &c.params, lines)
	}
}

func (c *localClasses) send(ctx context.Context, s *segmentRun, l0, _ int) error {
	if c.passes != nil {
		c.passes.place(s.loaded, &c.params, l0)
	}
	c.params.Top, c.params.Bottom = s.pageEdges(l0)
	if c.table == nil {
		return nil
	}
	return s.lane.uploadBytes(ctx, s.buffers.table.ptr, bytesOf(c.table))
}

// pageEdges are the page's first line and the one after its last, counted from line l0 of the band.
func (l *loaded) pageEdges(l0 int) (top, bottom uint32) {
	line := l.band.Line0 + int64(l0)
	return near(-line), near(l.pageLines() - line)
}

// pageLines is how many lines the page has along the band's axis.
func (l *loaded) pageLines() int64 {
	if l.band.Axis == segment.Cols {
		return l.band.Page.Width
	}
	return l.band.Page.Height
}

func (c *localClasses) launch(s *segmentRun) error {
	if err := c.makePlanes(s); err != nil {
		return err
	}
	k := &s.e.kernels.classifyMasks
	return k.launch(s.e.driver, s.lane.stream, k.tiles(s.n), s.maskParams())
}

// makePlanes starts the kernels that make the bit planes of a step; it runs on the thread.
func (c *localClasses) makePlanes(s *segmentRun) error {
	p := c.params
	p.Samples, p.Table, p.Lines = s.at, s.buffers.table.ptr, uint32(s.lines)
	p.Low, p.High = s.buffers.boundary.ptr, s.buffers.activation.ptr
	if c.rule.Swap {
		p.Low, p.High = p.High, p.Low
	}
	if c.passes != nil {
		return c.passes.launch(s, c.kernel, &p)
	}
	name, shape := c.kernel, c.shape
	if c.aligned.fits(&p) {
		name, shape, p.LinePhase = c.aligned.name, c.aligned.shape, c.aligned.ring
	}
	return s.e.launchSums(s.lane.stream, name, shape, &p)
}

// launchSums deals the lines to blocks and starts the kernel; it runs on the thread.
func (e *Engine) launchSums(st stream, name string, shape localShape, p *cuda.LocalParams) error {
	k, err := e.localKernel(name, shape.shared)
	if err != nil {
		return err
	}
	if p.TileSamples = shape.tile; shape.tile == 0 {
		p.TileSamples = (cuda.LocalColumns - localLead - 2*p.HalfSamples) &^ 63
	}
	p.Tiles = (p.Width + p.TileSamples - 1) / p.TileSamples
	// As many blocks as run at once: each begins with the lines of a window's upper half.
	blocks := uint64(max(1, e.info.Multiprocessors)) * shape.blocks
	strips := max(1, blocks/uint64(p.Tiles))
	// Tiles at the border take longer: up to four times that many, in whole turns, as long as what they begin with is
	// little beside.
	turns := uint64(p.Lines) / (shape.linesBeside() * uint64(2*p.HalfLines+1+16)) / strips
	strips *= max(1, min(turns, 4))
	p.StripLines = uint32(max((uint64(p.Lines)+strips-1)/strips, uint64(p.HalfLines)/2))
	if e.o.small {
		p.StripLines = 1
	}
	p.StripLines = uint32((uint64(p.StripLines) + shape.lines - 1) / shape.lines * shape.lines)
	strips = (uint64(p.Lines) + uint64(p.StripLines) - 1) / uint64(p.StripLines)
	if err := k.launchShared(e.driver, st, uint64(p.Tiles)*strips, shape.shared, p); err != nil {
		return err
	}
	return e.synced(name)
}

// localLead is the most columns that a tile has before its first window, so that they are aligned.
const localLead = 7

// localKernel finds a kernel for local thresholds, of which a block may ask for so many bytes; it runs on the thread.
func (e *Engine) localKernel(name string, shared uint32) (*kernel[cuda.LocalParams], error) {
	if k := e.local[name]; k != nil {
		return k, nil
	}
	k, err := onDemand[cuda.LocalParams](e, e.fused, name)
	if err != nil {
		return nil, err
	}
	if shared > 0 && e.fused.shared > sharedWithoutOptIn { // how much is needed may be another time
		if err := e.driver.check(e.driver.kernelAttribute(k.entry, kernelMaxDynamicShared, int32(e.fused.shared)), "cuFuncSetAttribute "+name); err != nil {
			return nil, err
		}
	}
	if e.local == nil {
		e.local = map[string]*kernel[cuda.LocalParams]{}
	}
	e.local[name] = k
	return k, nil
}

// launchShared is launch with so many bytes of memory for each block.
func (k *kernel[P]) launchShared(d *driver, s stream, blocks uint64, shared uint32, p *P) error {
	args := [1]unsafe.Pointer{unsafe.Pointer(p)}
	defer runtime.KeepAlive(p)
	return d.check(d.launch(k.entry, uint32(blocks), 1, 1, k.threads, 1, 1, shared, s, &args[0], 0), "cuLaunchKernel "+k.name)
}
