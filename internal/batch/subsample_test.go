package batch

import (
	"context"
	"errors"
	"image"
	"math"
	"strings"
	"testing"

	"segscan/segment"
)

// TestSubsampleByHand: lo is 20. Line 0: from 10 to 60 it is crossed a fifth of the way, from 100 to 0 at four fifths;
// the next segment begins at the same boundary, on its other side; they are 3.6 and 2.75 wide. Line 1 begins inside a span, and has a rejected one
// that ends two thirds of the way from 10 to 25.
func TestSubsampleByHand(t *testing.T) {
	page := float(
		[]float32{10, 60, 220, 100, 0, 80, 230, 20},
		[]float32{50, 240, 20, 30, 25, 10, 50, 50},
	)
	for _, c := range []struct {
		how  func(*Config)
		want string
	}{
		{func(*Config) {}, `line,start,end,edge,start_x,end_x
0,0,4,,0.2,3.8
0,4,7,,4.25,7
`},
		{func(c *Config) { c.Edges = segment.EdgesKeep }, `line,start,end,edge,start_x,end_x
0,0,4,,0.2,3.8
0,4,7,,4.25,7
1,0,2,left,,2
`},
		{func(c *Config) { c.AllSpans = true }, `line,start,end,edge,activated,start_x,end_x
0,0,4,,1,0.2,3.8
0,4,7,,1,4.25,7
1,2,5,,0,2,4.333333
`},
		{func(c *Config) { c.Refine.MergeGap = 0 }, `line,start,end,edge,start_x,end_x
0,0,7,,0.2,7
`},
		{func(c *Config) { c.PixelSize = PixelSize{Size: 2, Unit: "um"} }, `line,start,end,edge,start_x,end_x,start_u,length_u,width_u,unit
0,0,4,,0.2,3.8,0,10,7.2,um
0,4,7,,4.25,7,8,8,5.5,um
`},
		{func(c *Config) { c.PixelSize, c.Edges = PixelSize{Size: 2, Unit: "um"}, segment.EdgesKeep }, `line,start,end,edge,start_x,end_x,start_u,length_u,width_u,unit
0,0,4,,0.2,3.8,0,10,7.2,um
0,4,7,,4.25,7,8,8,5.5,um
1,0,2,left,,2,0,6,,um
`},
		{func(c *Config) { c.PixelSize.Rule = PixelColumns }, `line,start,end,edge,start_x,end_x,start_u,length_u,width_u,unit
0,0,4,,0.2,3.8,,,,
0,4,7,,4.25,7,,,,
`},
		{func(c *Config) { c.ROI = &image.Rectangle{Min: image.Pt(4, 0), Max: image.Pt(8, 2)} }, `line,start,end,edge,start_x,end_x
0,4,7,,4.25,7
`},
	} {
		cfg := config(t, put(t, t.TempDir(), "a.tif", []byte("a fake")))
		cfg.Open, cfg.Overlay, cfg.Subsample, cfg.Table = fakePages(page).open, "none", true, "-"
		cfg.Kernel = kernel(t, "hysteresis:lo=20,hi=200")
		c.how(cfg)
		succeed(t, cfg)
		records := read(t, cfg.Out, "a.tif.segments.csv")
		var got []string
		for _, row := range strings.Split(strings.TrimSpace(records), "\n") {
			f := strings.Split(row, ",")
			got = append(got, strings.Join(append(f[2:5:5], f[10:]...), ","))
		}
		wantText(t, "records", strings.Join(got, "\n")+"\n", c.want)
		wantText(t, "the table", cfg.Stdout.(interface{ String() string }).String(), records)
	}
}

func TestSubsampleInJSON(t *testing.T) {
	cfg := config(t, put(t, t.TempDir(), "a.tif", []byte("a fake")))
	nan := float32(math.NaN())
	cfg.Open, cfg.Overlay, cfg.Subsample, cfg.Records = fakePages(float([]float32{10, 60, 220, nan, 0})).open, "none", true, "json"
	cfg.Kernel = kernel(t, "hysteresis:lo=20,hi=200")
	succeed(t, cfg) // NaN is a boundary, which nothing crosses
	if got := read(t, cfg.Out, "a.tif.segments.json"); !strings.Contains(got, `"edge":"","start_x":0.2,"end_x":null}`) {
		t.Errorf("JSON says\n%s", got)
	}
}

// TestSubsampleOfFiltered: crossings are of the samples that are compared, whatever the bands, in columns as in rows.
func TestSubsampleOfFiltered(t *testing.T) {
	img := noisy(61, 47)
	for _, spec := range []string{"hysteresis:lo=-5,hi=10,baseline=median:21,smooth=0.7", "otsu:smooth2d=1", "gradient:sigma=1,edge=4,hi=p60,smooth=0.5"} {
		for _, axis := range []segment.Axis{segment.Rows, segment.Cols} {
			before := config(t, put(t, t.TempDir(), "a.png", encode(t, img)))
			k := kernel(t, spec)
			before.Open, before.Kernel = fakePages(filteredPage(t, img, k, axis)).open, kernel(t, spec[:strings.LastIndex(spec, cutAt(spec))])
			before.Axis, before.Subsample, before.Overlay = axis, true, "none"
			succeed(t, before)
			want, _ := where(t, read(t, before.Out, "a.png.segments.csv"))
			if len(want) < 20 {
				t.Errorf("%s: only %d segments", spec, len(want))
			}
			for _, bytes := range []int64{0, 61 * 3} {
				cfg := config(t, put(t, t.TempDir(), "a.png", encode(t, img)))
				cfg.Kernel, cfg.Axis, cfg.Subsample, cfg.Overlay, cfg.MaxBytes = k, axis, true, "none", bytes
				succeed(t, cfg)
				got, _ := where(t, read(t, cfg.Out, "a.png.segments.csv"))
				wantList(t, spec, got, want)
			}
		}
	}
}

// cutAt is what parts a kernel's own keys from those of its filters.
func cutAt(spec string) string {
	for _, key := range []string{",baseline=", ":smooth2d=", ",smooth="} {
		if strings.Contains(spec, key) {
			return key
		}
	}
	return spec
}

func TestSubsampleUsage(t *testing.T) {
	cfg := config(t, put(t, t.TempDir(), "a.png", encode(t, gray("01210"))))
	cfg.Kernel, cfg.Subsample = kernel(t, "expr:boundary=v<1,activation=v>2"), true
	_, err := NewPlan(context.Background(), cfg)
	var u *UsageError
	if !errors.As(err, &u) || !strings.Contains(u.Msg, "--subsample needs a threshold that samples cross, and the kernel expr:boundary=v<1,activation=v>2 has none") {
		t.Errorf("%v", err)
	}
}

func TestPositions(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 10: "10", 100.5: "100.5", 2.0 / 3: "0.666667", 4294967295.25: "4294967295.25", 1e-7: "0"} {
		wantText(t, "position", string(appendPosition([]byte("0,"), v)), "0,"+want)
	}
}
