//go:build linux && !nogpu

package gpu

import (
	"context"
	"math/rand/v2"
	"testing"

	rules "segscan/kernels"
	"segscan/segment"
)

// medianPages are pages with runs of equal samples and flat places, a ramp, and noise of few values.
func medianPages(t segment.SampleType, width, height int) []*localPage {
	pages := []*localPage{newLocalPage(t, width, height, 5), newLocalPage(t, width, height, 6), newLocalPage(t, width, height, 7)}
	rng := rand.New(rand.NewPCG(9, uint64(width)))
	for i := range width * height {
		ramp, few := i%width+2*(i/width), rng.IntN(3)
		switch t {
		case segment.U8:
			pages[1].v.U8[i], pages[2].v.U8[i] = uint8(ramp/2), uint8(100+few)
		case segment.U16:
			pages[1].v.U16[i], pages[2].v.U16[i] = uint16(20000+ramp), uint16(100+few)
		default:
			pages[1].v.F32[i], pages[2].v.F32[i] = float32(ramp)/16-3, float32(few-1)
		}
	}
	return pages
}

// medianSpecs are medians with every parameter.
func medianSpecs(t segment.SampleType, window string) []string {
	w := "localmedian:window=" + window
	scale := map[segment.SampleType]string{segment.U8: "3", segment.U16: "700", segment.F32: "1"}[t]
	return []string{w, w + ",offset=" + scale, w + ",offset=-" + scale + ".3,margin=" + scale, w + ",margin=" + scale + ".5"}
}

// Every parameter on every type, along both axes, as a page and as a part of one, exchanged and not.
func TestMediansOnTheDevice(t *testing.T) {
	e := checked(t)
	windows := []string{"3", "5x3", "15", "7x31", "33x9", "41x5"}
	for _, typ := range sampleTypes {
		pages := medianPages(typ, 83, 47)
		for k := range 8 {
			if testing.Short() && k%4 != 1 {
				continue
			}
			p, spec := pages[k%3], medianSpecs(typ, windows[k%6])[k*5/3%4]
			a, o := segment.Axis(k/2%2), rules.Options{Invert: k%3 == 1, NaN: segment.Class(k % 3)}
			lines, samples := p.v.Lines, p.v.Samples
			if a == segment.Cols {
				lines, samples = samples, lines
			}
			checkLocal(t, e, p, spec, o, a, 0, lines, 0, samples)
			checkLocal(t, e, p, spec, o, 1-a, samples/3, samples-samples/4, lines/5, lines-3)
		}
	}
}

// Windows wider than tiles, up to the widest, and tiles as large as they are for use.
func TestMedianWindowsOnTheDevice(t *testing.T) {
	e := open(t, "", Options{Check: true})
	for i, c := range []struct {
		typ           segment.SampleType
		window        string
		width, height int
	}{
		{segment.U8, "255x31", 300, 40}, {segment.U8, "1023x3", 1030, 9}, {segment.U8, "3x1023", 40, 1030}, {segment.U8, "33", 700, 34},
		{segment.U16, "31", 300, 70}, {segment.U16, "1023x3", 1030, 9}, {segment.F32, "65x33", 600, 40}, {segment.F32, "3x1023", 33, 1040},
	} {
		if testing.Short() && i%4 != 0 {
			continue
		}
		p := newLocalPage(c.typ, c.width, c.height, uint64(i))
		checkLocal(t, e, p, "localmedian:window="+c.window, rules.Options{}, segment.Rows, 0, c.height, 0, c.width)
	}
}

// A page is worked on by several launches where there is memory for a few regions only, and ctx ends it between two.
func TestMediansLaunchByLaunch(t *testing.T) {
	e := open(t, "", Options{small: true, Check: true, Memory: 2 << 20})
	for _, typ := range []segment.SampleType{segment.U16, segment.F32} {
		p := newLocalPage(typ, 500, 30, 4)
		checkLocal(t, e, p, "localmedian:window=9x11", rules.Options{}, segment.Rows, 0, 30, 0, 500)
	}
	p := newLocalPage(segment.U8, 70, 30, 4)
	c := p.bind(t, "localmedian:window=5", rules.Options{})
	b := p.band(segment.Rows, c.Needs(), 0, 30, 0, 70)
	l := load(t, e, b).(*loaded)
	defer l.Release()
	source, err := l.medianClasses(c.(*rules.Local))
	if err != nil {
		t.Fatal(err)
	}
	m, ctx := source.(*medianClasses), &endingContext{Context: context.Background(), after: 2}
	s := &segmentRun{loaded: l}
	w := new(plan)
	m.need(w, &s.buffers, 30, 2)
	m.part = 1
	if m.tiles() < 4 {
		t.Fatalf("%d tiles", m.tiles())
	}
	if err := e.do(func() error { return e.pool.take(w, l.lane.stream) }); err != nil {
		t.Fatal(err)
	}
	s.at, s.lines = l.samples.at(l.lead()), 30
	if err := m.send(ctx, s, 0, 30); err != context.Canceled || ctx.asked != 3 {
		t.Errorf("%v after %d launches, want %v after 2", err, ctx.asked-1, context.Canceled)
	}
	if err := l.lane.wait("test"); err != nil {
		t.Error(err)
	}
	if err := e.do(func() error { return e.pool.giveBack(w) }); err != nil {
		t.Error(err)
	}
}

// endingContext ends when it has been asked so many times.
type endingContext struct {
	context.Context
	after, asked int
}

func (c *endingContext) Err() error {
	if c.asked++; c.asked > c.after {
		return context.Canceled
	}
	return nil
}

// mediansDiffer tells whether the device finds other classes than the CPU somewhere.
func mediansDiffer(t *testing.T, e *Engine) bool {
	t.Helper()
	for _, typ := range sampleTypes {
		for i, p := range medianPages(typ, 75, 14) {
			if typ == segment.F32 && i == 0 {
				for k := range 9 * p.v.Stride { // windows without a finite sample
					p.v.F32[k] = p.v.F32[k] / 0
				}
			}
			spec := []string{"localmedian:window=37x5", "localmedian:window=7,offset=1", "localmedian:window=5,margin=1"}[i]
			if classesDiffer(t, e, p, spec) {
				return true
			}
		}
	}
	return false
}

// Errors planted in the kernels are found by the comparison with the CPU.
func TestPlantedErrorsInMedianKernelsAreFound(t *testing.T) {
	if onDevice() {
		t.Skip("errors can be planted in the emulated driver only")
	}
	library := driverLibrary(t, "")
	e := open(t, "", Options{small: true})
	findPlanted(t, library, 120, 126, func() bool { return mediansDiffer(t, e) })
}
