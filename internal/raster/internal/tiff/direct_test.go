package tiff

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"segscan/internal/raster/internal/tifftest"
)

// TestPartialRows reads narrow windows of uncompressed rows, whose samples do not begin on bytes, and compares them
// with the same part of the page read whole.
func TestPartialRows(t *testing.T) {
	const w, h = 71, 6
	rng := rand.New(rand.NewPCG(13, 14))
	for _, bits := range []int{1, 2, 4, 5, 8, 12, 16, 24, 32} {
		for _, spp := range []int{1, 2, 3} {
			for _, photo := range []int{0, 1} {
				for _, tiled := range []bool{false, true} {
					cw := w
					page := tifftest.Page{Tags: map[uint16]any{256: w, 257: h, 258: bits, 259: 1, 262: photo, 277: spp, 278: 3, 284: 1}}
					if tiled {
						page.Tags[322], page.Tags[323], cw = 48, 3, 48
					}
					planes, step := 1, spp
					if rng.IntN(2) == 0 && spp > 1 {
						page.Tags[284], planes, step = 2, spp, 1
					}
					for range planes * ((w + cw - 1) / cw) * h / 3 {
						var data []byte
						for range 3 {
							row := make([]uint64, cw*step)
							for i := range row {
								row[i] = rng.Uint64() >> (64 - bits)
							}
							data = append(data, pack(binary.LittleEndian, bits, row...)...)
						}
						page.Chunks = append(page.Chunks, data)
					}
					p := onePage(t, page)
					whole := readAll(t, p)
					for range 6 {
						x, n := rng.IntN(w-12), 1+rng.IntN(12)
						got, err := read(p, x, 1, n, h-2, 2)
						if err != nil {
							t.Fatal(err)
						}
						var want []float64
						for y := 1; y < h-1; y++ {
							want = append(want, whole[(y*w+x)*spp:(y*w+x+n)*spp]...)
						}
						checkSamples(t, fmt.Sprintf("%d x %d bits, photometric %d, tiled %v, %d pixels from %d", spp, bits, photo, tiled, n, x), got, want)
					}
				}
			}
		}
	}
}
