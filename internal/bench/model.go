package bench

import (
	"time"

	"segscan/gpu"
	"segscan/segment"
)

// ModelReport is the cost model by which --device auto chooses, with this machine's own figures where they were
// measured, and what follows from it.
type ModelReport struct {
	StartUp     float64   `json:"start_up_seconds"`
	CopyGBs     float64   `json:"copy_gb_per_s"`
	DeviceGs    float64   `json:"device_gsamples_per_s"`
	CoreGs      float64   `json:"core_gsamples_per_s"`
	Cores       int       `json:"cores"`
	MeasuredCPU bool      `json:"core_measured"`
	MeasuredGPU bool      `json:"device_measured"`
	BreakEven   []EvenRow `json:"break_even"`
	model       gpu.Model
}

// EvenRow is from how many samples in a run on a device pays, its start-up counted. Zero: never on this machine.
type EvenRow struct {
	Sample   string `json:"sample"`
	Samples  int64  `json:"samples"`
	Cores    int    `json:"pays_up_to_cores"`  // with few enough samples to go; 0: not even beside one core
	Resident bool   `json:"samples_on_device"` // they are there already
}

// modelDensity is that of the images the model assumes.
const modelDensity = 64

// model puts measured figures in place of assumed ones.
func (b *bench) model() {
	m := b.o.Model
	r := &ModelReport{}
	for _, row := range b.report.Engine {
		if row.Sample == segment.U8.String() && row.Density == modelDensity && row.One.GBs > 0 {
			m.CoreRate, r.MeasuredCPU = row.One.GBs*1e9, true
		}
	}
	if g := b.report.GPU; g != nil && len(g.Transfers) > 0 {
		r.MeasuredGPU = true
		m.StartUp = time.Duration(g.StartUp * float64(time.Second))
		for _, t := range g.Transfers {
			switch t.Memory {
			case "ordinary": // what decoded samples are in
				m.CopyRate = t.CopyGB * 1e9
			case "device":
				m.DeviceRate = t.GBs * 1e9
			}
		}
	}
	r.StartUp, r.CopyGBs, r.DeviceGs = m.StartUp.Seconds(), m.CopyRate/1e9, m.DeviceRate/1e9
	r.CoreGs, r.Cores, r.model = m.CoreRate/1e9, m.Cores, m
	for _, t := range sampleTypes() {
		r.BreakEven = append(r.BreakEven, evenOf(m, t.Bytes(), t.String(), false))
	}
	r.BreakEven = append(r.BreakEven, evenOf(m, 0, "any", true))
	b.report.Model = r
}

// evenOf asks the model for work so large that rounding does not count.
func evenOf(m gpu.Model, bytes int, name string, resident bool) EvenRow {
	const many = 1 << 40
	w := gpu.Work{Samples: many, SampleBytes: bytes, OnDevice: true}
	row := EvenRow{Sample: name, Resident: resident}
	if saves := m.Saves(w); saves > 0 {
		row.Samples = int64(float64(m.StartUp) / float64(saves) * many)
	}
	one := m
	one.Cores = 1
	row.Cores = int(one.CPU(w) / max(1, m.Device(w)))
	return row
}
