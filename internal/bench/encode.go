package bench

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"runtime"

	"segscan/internal/raster"
)

// EncodeRow compares writing a scene's overlay as PNG with the standard library's image/png at its default level.
type EncodeRow struct {
	Scene     string       `json:"scene"`
	Pixels    int64        `json:"pixels"`
	Standard  Time         `json:"image_png_seconds"`
	Mpx       float64      `json:"image_png_mpx_per_s"`
	SizeBytes int          `json:"bytes"`
	SizeRatio float64      `json:"size_of_image_png"`
	Writers   []EncodeTime `json:"writers"`
}

// EncodeTime is the writer on so many cores.
type EncodeTime struct {
	Cores int     `json:"cores"`
	Time  Time    `json:"seconds"`
	Mpx   float64 `json:"mpx_per_s"`
	Times float64 `json:"times_image_png"`
}

// encode measures the overlay of a page.
func (b *bench) encode(ctx context.Context, p *page) error {
	var standard, ours bytes.Buffer
	tasks := []task{{cores: 1, run: func() error {
		standard.Reset()
		return png.Encode(&standard, p.overlay)
	}}}
	cores := []int{1}
	if runtime.GOMAXPROCS(0) > 1 {
		cores = append(cores, 2)
	}
	for _, n := range cores {
		tasks = append(tasks, task{cores: n, run: func() error {
			ours.Reset()
			return write(raster.NewPNGWriter(&ours, raster.PNGOptions{Workers: n}), p.overlay)
		}})
	}
	times, err := b.clock.interleave(ctx, weightEncode, tasks...)
	if err != nil {
		return err
	}
	if _, err := png.Decode(bytes.NewReader(ours.Bytes())); err != nil {
		return fmt.Errorf("the picture cannot be read back: %w", err)
	}
	mpx := func(t Time) float64 { return t.perSecond(float64(p.pixels)) / 1e6 }
	row := EncodeRow{
		Scene: p.scene.name, Pixels: p.pixels, Standard: times[0], Mpx: mpx(times[0]),
		SizeBytes: ours.Len(), SizeRatio: float64(ours.Len()) / float64(standard.Len()),
	}
	for k, n := range cores {
		t := times[1+k]
		row.Writers = append(row.Writers, EncodeTime{n, t, mpx(t), times[0].Median / t.Median})
	}
	b.report.Encode = append(b.report.Encode, row)
	return nil
}
