//go:build linux && !nogpu

package gpu

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"segscan/gpu/emulation"
	"segscan/segment"
	"segscan/segment/segmenttest"
)

// Tests run on the emulated driver, or, where this variable is 1, on the real one and a device: then none is skipped
// for want of them, and those that need the emulation's failures are.
const requireGPU = "SEGSCAN_REQUIRE_GPU"

func onDevice() bool { return os.Getenv(requireGPU) == "1" }

// config is how the emulated driver is set up. The empty one suits any device.
type config string

// driverLibrary gives the driver's library for a test: the emulation in that configuration, or, for the empty one, the real
// driver if that is asked for.
func driverLibrary(t testing.TB, c config) string {
	t.Helper()
	if onDevice() {
		if c != "" {
			t.Skipf("the emulated driver is for %q; %s=1 asks for a device", string(c), requireGPU)
		}
		return os.Getenv("SEGSCAN_LIBCUDA")
	}
	path := emulation.Library(t)
	if err := emulation.Configure(path, string(c)); err != nil {
		t.Fatal(err)
	}
	return path
}

// open gives an engine that is closed, without an error, at the end of the test.
func open(t testing.TB, c config, o Options) *Engine {
	t.Helper()
	o.Library = driverLibrary(t, c)
	e, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		if !onDevice() {
			if fault, err := emulation.LastFault(o.Library); err != nil || fault != "" {
				t.Errorf("the emulated driver found a fault: %s (%v)", fault, err)
			}
		}
	})
	return e
}

// checked is an engine with the smallest tile and every check.
func checked(t testing.TB) *Engine { return open(t, "", Options{small: true, Check: true}) }

// load loads a band and releases it at the end of the test.
func load(t testing.TB, e segment.Engine, b segment.Band) segment.Loaded {
	t.Helper()
	l, err := e.Load(context.Background(), b)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

var sampleTypes = []segment.SampleType{segment.U8, segment.U16, segment.F32}

// plane fills a plane of lines x samples whose lines lie stride apart; what lies between holds other samples. About
// every so many samples is over, and as many under, the thresholds of sparse. f32 has NaN, infinities and both zeros.
func plane(t segment.SampleType, lines, samples, stride int, every int, seed uint64) segment.Plane {
	rng := rand.New(rand.NewPCG(seed, uint64(every)))
	p := segment.NewPlane(t, lines, stride)
	p.Samples = samples
	special := []float32{float32(math.NaN()), math.Float32frombits(0xffc00001), float32(math.Inf(1)), float32(math.Inf(-1)), 0, float32(math.Copysign(0, -1)), math.SmallestNonzeroFloat32}
	for i := range lines * stride {
		v := 100 + rng.IntN(56)
		switch rng.IntN(every) {
		case 0:
			v = rng.IntN(41)
		case 1:
			v = 200 + rng.IntN(56)
		}
		switch t {
		case segment.U8:
			p.U8[i] = uint8(v)
		case segment.U16:
			p.U16[i] = uint16(v*256 + rng.IntN(256))
		default:
			p.F32[i] = float32(v) + rng.Float32()
			if rng.IntN(12) == 0 {
				p.F32[i] = special[rng.IntN(len(special))]
			}
		}
	}
	return p
}

// sparse are the thresholds that plane is made for.
func sparse(t segment.SampleType) segment.Thresholds {
	if t == segment.U16 {
		return segment.Thresholds{Lo: []float64{40*256 + 255}, Hi: []float64{200 * 256}}
	}
	return segment.Thresholds{Lo: []float64{40.5}, Hi: []float64{200}, NaN: segment.Boundary}
}

func bandOf(p segment.Plane) segment.Band {
	return segment.Band{Page: &segment.PageInfo{}, Lines: p.Lines, Samples: p.Samples, V: p}
}

// classBand has a sample for each class: 0 boundary, 1 other, 2 activation, under classThresholds.
func classBand(classes []segment.Class, lines, width int) segment.Band {
	p := segment.NewPlane(segment.U8, lines, width)
	for i, c := range classes {
		p.U8[i] = []uint8{segment.Other: 1, segment.Boundary: 0, segment.Activation: 2}[c]
	}
	return bandOf(p)
}

func classThresholds() segment.Thresholds {
	return segment.Thresholds{Lo: []float64{0}, Hi: []float64{2}}
}

// others is a classifier that the engine does not know: that of c, as masks.
type others struct {
	c    segment.Classifier
	need segment.Needs
}

func (o others) Needs() segment.Needs                            { return o.need }
func (o others) Classify(b segment.Band, m *segment.Masks) error { return o.c.Classify(b, m) }

// everyOption goes through edge rules, compaction forms, and whether rejected spans and masks are wanted.
func everyOption(f func(o segment.Options)) {
	for i := range 16 {
		f(segment.Options{Edges: segment.Edges(i & 1), Compaction: segment.Compaction(i >> 1 & 1), Rejected: i&4 != 0, Masks: i&8 != 0})
	}
}

// diffResult is segmenttest.Diff with the masks.
func diffResult(got, want *segment.Result) string {
	if d := segmenttest.Diff(got, want); d != "" {
		return d
	}
	switch {
	case (got.Masks == nil) != (want.Masks == nil):
		return fmt.Sprintf("masks: got %v, want %v", got.Masks != nil, want.Masks != nil)
	case want.Masks == nil:
		return ""
	case got.Masks.Lines != want.Masks.Lines || got.Masks.Samples != want.Masks.Samples || got.Masks.Words != want.Masks.Words:
		return fmt.Sprintf("masks: got %d x %d, want %d x %d", got.Masks.Lines, got.Masks.Samples, want.Masks.Lines, want.Masks.Samples)
	}
	for i := range want.Masks.B {
		if got.Masks.B[i] != want.Masks.B[i] || got.Masks.A[i] != want.Masks.A[i] {
			return fmt.Sprintf("masks: word %d (line %d): got %x and %x, want %x and %x", i, i/want.Masks.Words,
				got.Masks.B[i], got.Masks.A[i], want.Masks.B[i], want.Masks.A[i])
		}
	}
	return ""
}

// diffStats compares stats exactly; NaN equals NaN.
func diffStats(got, want []segment.Stat) string {
	same := func(a, b float64) bool { return a == b && math.Signbit(a) == math.Signbit(b) || a != a && b != b }
	if len(got) != len(want) {
		return fmt.Sprintf("%d stats, want %d", len(got), len(want))
	}
	for i, w := range want {
		if g := got[i]; g.N != w.N || g.Activations != w.Activations || !same(g.Min, w.Min) || !same(g.Max, w.Max) || !same(g.Mean, w.Mean) {
			return fmt.Sprintf("stat %d: got %+v, want %+v", i, g, w)
		}
	}
	return ""
}

// findPlanted plants the errors none+1 to last in the emulated driver's kernels, each for itself, and none at first: found is
// to tell all but that.
func findPlanted(t *testing.T, library string, none, last int, found func() bool) {
	t.Helper()
	defer func() {
		if err := emulation.Plant(library, 0); err != nil {
			t.Error(err)
		}
	}()
	for fault := none; fault <= last; fault++ {
		if err := emulation.Plant(library, fault); err != nil {
			t.Fatal(err)
		}
		if got := found(); got != (fault > none) {
			t.Errorf("error %d: found is %v", fault, got)
		}
	}
}
