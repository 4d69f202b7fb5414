package bench

import (
	"context"
	"fmt"
	"time"

	"segscan/gpu"
)

// Options of Run. Zero values are the defaults.
type Options struct {
	Bytes int64 // of samples of each engine measurement; 0: DefaultBytes, or QuickBytes with Quick
	// DeviceBytes is of samples of each measurement of a device from host to host; 0: as many as Bytes.
	DeviceBytes int64
	Rounds      int           // of each measurement; 0: DefaultRounds, or 1 with Quick
	Limit       time.Duration // after which measurements do fewer rounds, but one each; 0: DefaultLimit
	Quick       bool          // small and short: shows that it runs, and no more
	Pipeline    bool          // also the stages from file to picture, and PNG encoding

	// Device asks for one device's figures too; GPU says which and how. Without it the GPU is only asked for its name,
	// and with NoGPU not even that. All asks for all devices together too.
	Device bool
	All    bool
	NoGPU  bool
	GPU    gpu.Options
	Model  gpu.Model // what is assumed of a GPU where it is not measured

	Progress func(what string) // hears what is measured next; may be nil
}

// Defaults.
const (
	DefaultBytes  = 256 << 20
	QuickBytes    = 4 << 20
	DefaultRounds = 5
	DefaultLimit  = 50 * time.Second
)

// Schema is the version of Report's JSON form.
const Schema = 1

// Report is what was measured. All times are in seconds, all rates by medians; GB is 10^9 bytes, Mpx 10^6 samples.
type Report struct {
	Schema      int          `json:"schema"`
	Machine     Machine      `json:"machine"`
	Bytes       int          `json:"bytes"`        // of samples of each engine measurement
	LineSamples int          `json:"line_samples"` // of its lines
	Rounds      int          `json:"rounds"`       // asked for
	Busy        float64      `json:"busy"`         // share of the time that one-core measurements had a core for
	CPUTime     bool         `json:"cpu_time"`     // one-core measurements are by CPU time
	Seconds     float64      `json:"seconds"`      // all of it took
	Read        []ReadRow    `json:"read"`
	Engine      []EngineRow  `json:"engine"`
	Passes      []PassRow    `json:"passes"`
	Stages      []StageRow   `json:"pipeline,omitempty"`
	Encode      []EncodeRow  `json:"png_encode,omitempty"`
	Image       *ImageRow    `json:"image,omitempty"`
	GPU         *GPUReport   `json:"gpu,omitempty"`
	Model       *ModelReport `json:"cost_model,omitempty"`
}

// bench is one run.
type bench struct {
	o      Options
	clock  clock
	report *Report
	reader reader
	store  *store
	sink   uint64 // what readers found, so that reading is not left out
}

func newBench(o Options) *bench {
	if o.Bytes <= 0 {
		o.Bytes = DefaultBytes
		if o.Quick {
			o.Bytes = QuickBytes
		}
	}
	if o.Rounds <= 0 {
		o.Rounds = DefaultRounds
		if o.Quick {
			o.Rounds = 1
		}
	}
	if o.Limit <= 0 {
		o.Limit = DefaultLimit
	}
	if o.DeviceBytes <= 0 {
		o.DeviceBytes = o.Bytes
	}
	_, fine := cpuTime()
	return &bench{
		o:     o,
		clock: clock{rounds: o.Rounds, deadline: time.Now().Add(o.Limit)},
		report: &Report{Schema: Schema, Machine: describe(), LineSamples: lineSamples, Rounds: o.Rounds,
			CPUTime: fine},
	}
}

func (b *bench) progress(what string) {
	if b.o.Progress != nil {
		b.o.Progress(what)
	}
}

// finish fills in what is known at the end.
func (b *bench) finish(start time.Time) *Report {
	b.report.Busy = b.clock.busy()
	b.report.Seconds = time.Since(start).Seconds()
	b.store = nil
	return b.report
}

// Weights of the parts, by which they share the time.
const (
	weightRead     = 1
	weightGroup    = 3 // of one type at one density
	weightStages   = 4 // of one scene
	weightEncode   = 6 // of one scene
	weightTransfer = 4 // of one way to a device
)

// Run measures what the options ask for. It fails when ctx ends, when memory or a temporary folder cannot be had, and
// where a path gives another result than the definition.
func Run(ctx context.Context, o Options) (*Report, error) {
	start := time.Now()
	b := newBench(o)
	b.clock.weight = weightRead + weightGroup*float64(len(sampleTypes())*len(Densities()))
	if o.Pipeline {
		b.clock.weight += (weightStages + weightEncode) * float64(len(scenes()))
	}
	if o.Device {
		b.clock.weight += weightTransfer * float64(len(transfers())+1)
		if o.All {
			b.clock.weight += weightTransfer
		}
	}
	device, err := b.openDevice(ctx)
	if err != nil {
		return nil, err
	}
	if device != nil {
		defer device.Close() // measured with, and not needed any more
	}
	if err := b.engine(ctx); err != nil {
		return nil, err
	}
	if o.Pipeline {
		if err := b.pipeline(ctx); err != nil {
			return nil, err
		}
	}
	if device != nil {
		if err := b.device(ctx, device, kernelCases()); err != nil {
			return nil, err
		}
		if o.All {
			if err := b.allDevices(ctx, device); err != nil {
				return nil, fmt.Errorf("measuring all devices: %w", err)
			}
		}
	}
	b.model()
	return b.finish(start), nil
}
