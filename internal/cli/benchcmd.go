package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"segscan/gpu"
	"segscan/internal/bench"
)

const benchHelp = `measures this machine and prints a table: how fast memory is read, what share of that the engine reaches for each
sample type and density of segments, how it compares with the plain loop, and from how many samples a GPU would pay;
with --pipeline also what each stage from file to picture costs. It takes less than a minute; nothing is left behind.
Close other programs first: what counts are ratios in one run, and those suffer least.

  segscan bench                            the engine, about half a minute
  segscan bench --pipeline                 the stages from file to picture too
  segscan bench --device cuda              a GPU too: kernels alone, host to host
  segscan bench --device cuda:all --device-size 4G --size 16M --count 1
                                           mostly GPUs, on so many samples
  segscan bench --image a.tif --lo 100 --hi 160
                                           the engine on one image of yours
`

// benchOptions is the command line of bench.
type benchOptions struct {
	bench.Options
	device string
	image  string
	lo, hi float64
	json   bool
}

// benchFlags is the flags of bench, bound to o, which gets its defaults.
func benchFlags(o *benchOptions) *flagTable {
	t := newFlagTable("bench")
	t.group("what")
	t.toggle("pipeline", "", &o.Pipeline, "also decode, classify, segment, measure, draw, encode and write generated images, and compare PNG encoding with Go's own")
	o.device = "auto"
	t.value("device", "", "DEVICE", of(&o.device, "device", parseDevice, "auto", "cpu", "cuda"),
		"auto (default) only asks which GPU there is, cpu does not ask, cuda[:N] measures it too, cuda:all also all at once")
	t.value("image", "", "FILE", text(&o.image),
		"measure on the first page of this file instead, with --lo and --hi")
	o.lo, o.hi = math.NaN(), math.NaN()
	t.value("lo", "", "N", of(&o.lo, "number", parseNumber), "with --image: boundary v <= N")
	t.value("hi", "", "N", of(&o.hi, "number", parseNumber), "with --image: activation v >= N")
	t.group("how")
	t.value("size", "", "BYTES", of(&o.Bytes, "bytes", parseBytes), "samples of each measurement, more than caches hold (default 256M; k, M, G of 1024)")
	t.value("device-size", "", "BYTES", of(&o.DeviceBytes, "bytes", parseBytes), "with --device cuda: samples of each measurement from host to host (default as --size)")
	t.value("count", "", "N", of(&o.Rounds, "count", func(s string) (int, error) {
		n, err := parseCount(s)
		if err == nil && (n < 1 || n > 1000) {
			err = errors.New("allowed: 1 to 1000")
		}
		return int(n), err
	}), "rounds that medians are of (default 5; fewer where time runs out)")
	t.toggle("quick", "", &o.Quick, "small and one round: shows that it runs, its figures mean little")
	t.toggle("json", "", &o.json, "one JSON object with all medians and extremes, in seconds")
	return t
}

func parseNumber(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, errors.New("allowed: a number")
	}
	return v, nil
}

// Bounds of --size: a line for each core of a large machine, and more than any machine can spare.
const minBenchBytes, maxBenchBytes = 1 << 20, 1 << 40

// parseBytes reads a whole number of bytes with an optional k, M or G of 1024.
func parseBytes(s string) (int64, error) {
	digits, shift := s, 0
	if n := len(s); n > 0 {
		if k := strings.IndexByte("kmg", s[n-1]|0x20); k >= 0 {
			digits, shift = s[:n-1], 10*(k+1)
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || !allDigits(digits) || n > maxBenchBytes>>shift || n<<shift < minBenchBytes {
		return 0, errors.New("allowed: a whole number of bytes from 1M to 1024G, such as 256M")
	}
	return n << shift, nil
}

// check finds flags that contradict each other.
func (o *benchOptions) check(rest []string) error {
	bounds := !math.IsNaN(o.lo) || !math.IsNaN(o.hi)
	switch {
	case len(rest) > 0:
		hint := "segscan bench --help"
		if _, err := os.Stat(rest[0]); err == nil {
			hint = "--image " + rest[0] + " measures on that file"
		}
		return &usageError{fmt.Sprintf("segscan bench does not take %q", rest[0]), hint}
	case o.image == "" && bounds:
		return &usageError{"--lo and --hi are for --image", "--image FILE names the image they are for"}
	case o.image != "" && (math.IsNaN(o.lo) || math.IsNaN(o.hi)):
		return &usageError{"--image needs --lo and --hi", "such as --lo 100 --hi 160, in the image's own units"}
	case o.image != "" && o.lo >= o.hi:
		return &usageError{fmt.Sprintf("--lo %g is not below --hi %g", o.lo, o.hi), "boundaries are samples up to --lo, activations samples from --hi on"}
	case o.image != "" && (o.Pipeline || o.device != "auto" || o.Bytes != 0 || o.DeviceBytes != 0):
		return &usageError{"--image stands alone: it goes with --count, --json and its bounds", "leave --pipeline, --device and sizes out"}
	case o.DeviceBytes != 0 && !strings.HasPrefix(o.device, "cuda"):
		return &usageError{"--device-size is for --device cuda", "--size is of the engine's own measurements"}
	}
	return nil
}

func (a *app) bench(args []string) error {
	o := &benchOptions{}
	t := benchFlags(o)
	if err := t.oneDash(args); err != nil {
		return err
	}
	if err := t.set.Parse(args); err != nil {
		return t.explain(err)
	}
	if err := o.check(t.set.Args()); err != nil {
		return err
	}
	o.Model, o.GPU = gpu.DefaultModel(0), gpuOptions()
	o.NoGPU = o.device == "cpu"
	if which, number, _ := strings.Cut(o.device, ":"); which == "cuda" {
		o.Device, o.All = true, number == "all"
		o.GPU.Device, _ = strconv.Atoi(number) // none and all begin with device 0; parseDevice has checked it
	}
	if a.term != nil {
		o.Progress = a.benchProgress
		defer func() { _, _ = a.term.WriteString("\r\x1b[K") }() // the line is gone however it ends
	}
	var r *bench.Report
	var err error
	if o.image != "" {
		r, err = bench.RunImage(a.ctx, o.Options, o.image, o.lo, o.hi)
	} else {
		r, err = bench.Run(a.ctx, o.Options)
	}
	if err != nil {
		return a.benchError(o, err)
	}
	if !o.json {
		return a.print(cleanText(r.Text()))
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the report: %w", err)
	}
	return a.print(string(text) + "\n")
}

// benchProgress shows on a terminal what is measured now, each on the line of the one before.
func (a *app) benchProgress(what string) {
	_, _ = a.term.WriteString("\r\x1b[Kmeasuring: " + clean(what)) // progress only: a terminal that is gone changes nothing
}

// benchError gives an error of a measurement its exit code.
func (a *app) benchError(o *benchOptions, err error) error {
	var device *bench.DeviceError
	var image *bench.ImageError
	switch {
	case a.ctx.Err() != nil:
		return errInterrupted
	case errors.As(err, &device):
		return &deviceError{"--device " + o.device + " cannot be had: " + reasonText(device.Err), hintOf(device.Err)}
	case errors.As(err, &image):
		a.stderr.message(o.image, reasonText(image.Err), hintOf(image.Err))
		return &someFailed{}
	}
	return err
}
