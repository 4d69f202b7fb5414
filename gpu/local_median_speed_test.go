//go:build linux && !nogpu

package gpu

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	rules "segscan/kernels"
	"segscan/segment"
)

// photo is a page of slow waves with noise on them, a ramp, or noise alone.
func photo(t segment.SampleType, kind string, side int) *localPage {
	p := &localPage{v: segment.NewPlane(t, side, side)}
	p.info = segment.PageInfo{Type: t, Width: int64(side), Height: int64(side), Max: 255}
	rng := rand.New(rand.NewPCG(3, 4))
	waves := make([]float64, side)
	for i := range waves {
		waves[i] = math.Sin(float64(i)/37) + math.Sin(float64(i)/211)
	}
	for i := range side * side {
		v := rng.Float64()
		switch y, x := i/side, i%side; kind {
		case "waves":
			v = 0.5 + 0.1*(waves[x]+waves[(y+x/2)%side]) + 0.03*(v-0.5)
		case "ramp":
			v = float64(x+y) / float64(2*side)
		}
		switch t {
		case segment.U8:
			p.v.U8[i] = uint8(v * 255)
		case segment.U16:
			p.v.U16[i] = uint16(v * 65535)
		default:
			p.v.F32[i] = float32(v)
		}
	}
	return p
}

// Medians on samples that lie on the device: rates of making bit planes, by the clock of the host, and of one core; some lines
// are compared.
func BenchmarkMedians(b *testing.B) {
	if !onDevice() {
		b.Skipf("%s=1 asks for a device", requireGPU)
	}
	const side = 8192
	e := open(b, "", Options{})
	for _, typ := range sampleTypes {
		for _, kind := range []string{"waves", "noise", "ramp"} {
			p := photo(typ, kind, side)
			band := p.band(segment.Rows, segment.Needs{}, 0, side, 0, side)
			l := load(b, e, band).(*loaded)
			windows := []int{15, 31, 127, 255, 1023}
			if kind != "waves" {
				windows = []int{31, 255, 1023}
			}
			for _, window := range windows {
				b.Run(fmt.Sprintf("%v/%s/window=%d", typ, kind, window), func(b *testing.B) {
					c := &rules.Local{Rule: rules.LocalMedian, WindowX: window, WindowY: window}
					for range b.N {
						b.ReportMetric(0, "ns/op")
						b.ReportMetric(side*side/medianTime(b, l, c).Seconds()/1e9, "Gpx/s")
						b.ReportMetric(coreRate(b, band, c)/1e9, "core-Gpx/s")
					}
				})
			}
			l.Release()
		}
	}
}

// The survey of a page that lies on the device, by the clock of the host, and on one core.
func BenchmarkSurvey(b *testing.B) {
	if !onDevice() {
		b.Skipf("%s=1 asks for a device", requireGPU)
	}
	const side = 8192
	e := open(b, "", Options{})
	for _, typ := range sampleTypes {
		p := photo(typ, "waves", side)
		for _, window := range []string{"31", "255"} {
			l := load(b, e, p.band(segment.Rows, segment.Needs{}, 0, side, 0, side))
			b.Run(fmt.Sprintf("%v/window=%s", typ, window), func(b *testing.B) {
				for range b.N {
					device, cpu := newSurvey(b, p, window), newSurvey(b, p, window)
					least := time.Duration(math.MaxInt64)
					for range 3 {
						start := time.Now()
						if done, err := l.(surveyor).Survey(context.Background(), device); !done || err != nil {
							b.Fatal(done, err)
						}
						least = min(least, time.Since(start))
					}
					start := time.Now()
					if err := cpu.Add(p.band(segment.Rows, segment.Needs{}, 0, side, 0, side)); err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(0, "ns/op")
					b.ReportMetric(side*side/least.Seconds()/1e9, "Gpx/s")
					b.ReportMetric(side*side/time.Since(start).Seconds()/1e9, "core-Gpx/s")
					if found(b, device) != found(b, cpu) {
						b.Error("device and CPU differ")
					}
				}
			})
			l.Release()
		}
	}
}

// medianTime is the shortest of some times.
func medianTime(b *testing.B, l *loaded, c *rules.Local) time.Duration {
	b.Helper()
	ctx, lines := context.Background(), l.band.Lines
	source, err := l.medianClasses(c)
	if err != nil {
		b.Fatal(err)
	}
	s, w := &segmentRun{loaded: l, classes: source}, new(plan)
	words := uint64(l.band.Samples+63) / 64
	source.need(w, &s.buffers, uint64(lines), words)
	if err := l.e.do(func() error { return l.e.pool.take(w, l.lane.stream) }); err != nil {
		b.Fatal(err)
	}
	s.at, s.lines = l.samples.at(l.lead()), uint64(lines)
	least := time.Duration(math.MaxInt64)
	for run := range 3 {
		if err := l.lane.wait("benchmark"); err != nil {
			b.Fatal(err)
		}
		start := time.Now()
		if err := source.send(ctx, s, 0, lines); err != nil {
			b.Fatal(err)
		}
		if err := l.lane.wait("benchmark"); err != nil {
			b.Fatal(err)
		}
		if run > 0 { // the first loads the kernels
			least = min(least, time.Since(start))
		}
	}
	const some = 8
	for _, l0 := range []int{0, lines/2 + 13, lines - some} {
		part := l.band.Window(l0, l0+some, c.Needs().HaloLines)
		var want, got segment.Masks
		want.Resize(some, part.Samples)
		got.Resize(some, part.Samples)
		if err := classifyHere(ctx, part, c, &want); err != nil {
			b.Fatal(err)
		}
		for _, plane := range []struct {
			to   []uint64
			from buffer
		}{{got.B, s.buffers.boundary}, {got.A, s.buffers.activation}} {
			if err := l.lane.download(bytesOf(plane.to), plane.from.at(8*uint64(l0)*words)); err != nil {
				b.Fatal(err)
			}
		}
		if !slices.Equal(got.B, want.B) || !slices.Equal(got.A, want.A) {
			b.Errorf("device and CPU disagree on lines %d to %d", l0, l0+some-1)
		}
	}
	if err := l.e.do(func() error { return l.e.pool.giveBack(w) }); err != nil {
		b.Fatal(err)
	}
	return least
}

// coreRate is how many samples a second one core classifies.
func coreRate(b *testing.B, band segment.Band, c *rules.Local) float64 {
	b.Helper()
	lines := max(64, c.WindowY)
	part := band.Window(lines, 2*lines, c.Needs().HaloLines)
	var m segment.Masks
	m.Resize(part.Lines, part.Samples)
	start := time.Now()
	if err := c.Classify(part, &m); err != nil {
		b.Fatal(err)
	}
	return float64(part.Lines*part.Samples) / time.Since(start).Seconds()
}
