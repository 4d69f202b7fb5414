//go:build linux && !nogpu

package gpu

import (
	"context"
	"math"
	"strings"
	"testing"

	rules "segscan/kernels"
	"segscan/segment"
)

// newSurvey begins a survey of a page.
func newSurvey(t testing.TB, p *localPage, window string) rules.Survey {
	t.Helper()
	spec, err := rules.Parse("wolf:window=" + window)
	if err != nil {
		t.Fatal(err)
	}
	s, err := spec.(rules.Surveyed).Survey(&p.info)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// found is what a survey has found: the bits of the largest deviation and of the least sample.
func found(t testing.TB, s rules.Survey) [2]uint64 {
	t.Helper()
	c, _, err := s.Bind(rules.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l := c.(*rules.Local)
	return [2]uint64{math.Float64bits(l.R), math.Float64bits(l.Min)}
}

// surveysAgree tells whether device and CPU find the same of a page that comes in bands of so many lines.
func surveysAgree(t *testing.T, e segment.Engine, p *localPage, window string, a segment.Axis, each int) bool {
	t.Helper()
	device, cpu := newSurvey(t, p, window), newSurvey(t, p, window)
	need := device.(rules.LocalSurvey).Local().Needs()
	lines, samples := p.v.Lines, p.v.Samples
	if a == segment.Cols {
		lines, samples = samples, lines
	}
	for l0 := 0; l0 < lines; l0 += each {
		b := p.band(a, need, l0, min(l0+each, lines), 0, samples)
		if err := cpu.Add(b); err != nil {
			t.Fatal(err)
		}
		l := load(t, e, b)
		if done, err := l.(surveyor).Survey(context.Background(), device); err != nil || !done {
			t.Fatalf("survey: %v, %v", done, err)
		}
		l.Release()
	}
	return found(t, device) == found(t, cpu)
}

func TestSurveyOnTheDevice(t *testing.T) {
	for name, o := range map[string]Options{"all": {small: true, Check: true}, "lines at a time": {Memory: 400 << 10}, "fallback": {}} {
		t.Run(name, func(t *testing.T) {
			var e segment.Engine = open(t, "", o)
			if name == "fallback" {
				e = NewFallback(e, segment.NewCPU(1), nil)
			}
			for _, typ := range sampleTypes {
				for i, window := range []string{"3", "31x7", "5x29", "41"} {
					if testing.Short() && i%2 == 0 {
						continue
					}
					if p := newLocalPage(typ, 90, 47, uint64(i)); !surveysAgree(t, e, p, window, segment.Axis(i%2), 33-i) {
						t.Errorf("%v, window %s: device and CPU differ", typ, window)
					}
				}
			}
		})
	}
}

// Pages without a number, with zeros of both signs, and of windows whose sums take more than 64 bits.
func TestSurveyOfAwkwardPages(t *testing.T) {
	e := open(t, "", Options{Check: true})
	none, zeros := newLocalPage(segment.F32, 20, 9, 1), newLocalPage(segment.F32, 20, 9, 1)
	for i := range none.v.F32 {
		none.v.F32[i] = float32(math.NaN())
		zeros.v.F32[i] = float32(math.Copysign(0, -1))
	}
	wide := newLocalPage(segment.U16, 301, 275, 1)
	for i, p := range []*localPage{none, zeros, wide} {
		window := "5"
		if p == wide {
			window = "299x271"
		}
		if !surveysAgree(t, e, p, window, segment.Rows, 275) {
			t.Errorf("page %d: device and CPU differ", i)
		}
	}
}

// What the device does not survey is left to Add, with its errors.
func TestSurveyLeavesTheRest(t *testing.T) {
	e := open(t, "", Options{})
	p := newLocalPage(segment.U8, 40, 30, 1)
	s := newSurvey(t, p, "9")
	b := p.band(segment.Rows, segment.Needs{}, 10, 20, 0, 40) // without its halo
	l := load(t, e, b)
	defer l.Release()
	if done, err := l.(surveyor).Survey(context.Background(), s); done || err != nil {
		t.Errorf("a band without halo: %v, %v", done, err)
	}
	if err := s.Add(b); err == nil || !strings.Contains(err.Error(), "halo") {
		t.Errorf("Add gives %v", err)
	}
	if done, err := l.(surveyor).Survey(context.Background(), otherSurvey{s}); done || err != nil {
		t.Errorf("a survey that the engine does not know: %v, %v", done, err)
	}
}

type otherSurvey struct{ rules.Survey }

// Errors planted in the kernels are found by the comparison with the CPU.
func TestPlantedErrorsInTheSurveyAreFound(t *testing.T) {
	if onDevice() {
		t.Skip("errors can be planted in the emulated driver only")
	}
	library := driverLibrary(t, "")
	e := open(t, "", Options{})
	findPlanted(t, library, 130, 133, func() bool {
		agree := true
		for _, typ := range sampleTypes {
			p := newLocalPage(typ, 60, 19, 2)
			if typ == segment.F32 { // the largest deviation where few numbers are
				for i := range p.v.F32 {
					if i%60 < 20 && i%7 != 0 {
						p.v.F32[i] = float32(math.NaN())
					}
				}
				p.v.F32[7], p.v.F32[14] = 1000, -1000
			}
			agree = agree && surveysAgree(t, e, p, "5", segment.Rows, 19)
		}
		return !agree
	})
}
