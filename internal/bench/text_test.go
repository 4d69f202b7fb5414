package bench

import (
	"strings"
	"testing"
	"time"

	"segscan/gpu"
)

func TestNumbers(t *testing.T) {
	for v, want := range map[float64]string{0: "0.00", 0.126: "0.13", 9.994: "9.99", 12.34: "12.3", 123.6: "124", 45678: "45678"} {
		if got := number(v); got != want {
			t.Errorf("%g is %q, want %q", v, got, want)
		}
	}
	for n, want := range map[float64]string{0: "0 B", 1023: "1023 B", 4 << 20: "4 MiB", 1.5 * (1 << 30): "1.5 GiB", 25277071360: "23.5 GiB"} {
		if got := size(n); got != want {
			t.Errorf("%g bytes are %q, want %q", n, got, want)
		}
	}
}

func TestGrid(t *testing.T) {
	g := grid{left: 1}
	g.add("a", "1", "x")
	g.add("µµµ", "22", "")
	var b strings.Builder
	g.write(&b)
	if want := "a     1  x\nµµµ  22\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

// TestBounds: what most of the time goes to, by hand.
func TestBounds(t *testing.T) {
	row := func(q int, seconds, ofRead float64) EngineRow {
		return EngineRow{Sample: "u8", Density: q, One: Rate{Time: Time{Median: seconds}, OfRead: ofRead}}
	}
	b := newBench(Options{NoGPU: true})
	b.report.Engine = []EngineRow{row(8, 4, 0.2), row(64, 1.3, 0.6), row(512, 1.2, 0.65), row(4096, 1, 0.78), row(9999, 1, 0.9)}
	b.bounds()
	for i, want := range []string{boundSegments, boundSegments, boundCompare, boundCompare, boundMemory} {
		if got := b.report.Engine[i].Bound; got != want {
			t.Errorf("row %d: %s, want %s", i, got, want)
		}
	}
}

// TestBreakEven works with one core of 1 Gsample/s, a copy of 4 GB/s, a device of 8 Gsamples/s and a start-up of 1 s. A
// u8 sample takes 1 ns there and (1 + 0.25)/4 + 1/8 = 0.4375 ns here, so each saves 0.5625 ns and 1 s is saved after
// 1/0.5625 = 1.778 Gsamples. An f32 sample takes 4.25/4 + 1/8 = 1.1875 ns and saves nothing, even beside one core. On
// two cores u8 saves 0.0625 ns: 16 Gsamples; on three nothing, and two is what it pays beside.
func TestBreakEven(t *testing.T) {
	m := gpu.Model{StartUp: time.Second, CopyRate: 4e9, DeviceRate: 8e9, CoreRate: 1e9, Cores: 1}
	within := func(got int64, want float64) {
		t.Helper()
		if d := float64(got) / want; d < 0.999 || d > 1.001 {
			t.Errorf("from %d samples, want %g", got, want)
		}
	}
	e := evenOf(m, 1, "u8", false)
	within(e.Samples, 1e9/0.5625)
	if f := evenOf(m, 4, "f32", false); f.Samples != 0 || f.Cores != 0 {
		t.Errorf("f32: %+v", f)
	}
	m.Cores = 2
	within(evenOf(m, 1, "u8", false).Samples, 16e9)
	m.Cores = 3
	if e := evenOf(m, 1, "u8", false); e.Samples != 0 || e.Cores != 2 {
		t.Errorf("three cores: %+v", e)
	}
}

// TestModelTakesWhatWasMeasured: figures of the run take the place of assumed ones.
func TestModelTakesWhatWasMeasured(t *testing.T) {
	b := newBench(Options{Model: gpu.Model{StartUp: time.Second, CopyRate: 1e9, DeviceRate: 1e9, CoreRate: 1e9, Cores: 2}})
	b.model()
	if m := b.report.Model; m.MeasuredCPU || m.MeasuredGPU || m.CoreGs != 1 || m.CopyGBs != 1 {
		t.Errorf("nothing measured: %+v", m)
	}
	b.report.Engine = []EngineRow{{Sample: "u8", Density: 8, One: Rate{GBs: 2}}, {Sample: "u8", Density: 64, One: Rate{GBs: 5}}}
	b.report.GPU = &GPUReport{StartUp: 0.25, Transfers: []TransferRow{{Memory: "ordinary", CopyGB: 7}, {Memory: "pinned", CopyGB: 20}, {Memory: "device", GBs: 90}}}
	b.model()
	if m := b.report.Model; !m.MeasuredCPU || !m.MeasuredGPU || m.CoreGs != 5 || m.CopyGBs != 7 || m.DeviceGs != 90 || m.StartUp != 0.25 {
		t.Errorf("measured: %+v", m)
	}
	var s strings.Builder
	b.report.modelText(&s)
	if !strings.Contains(s.String(), "(measured)") || strings.Contains(s.String(), "(assumed)") {
		t.Error(s.String())
	}
}
