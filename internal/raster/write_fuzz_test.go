package raster

import (
	"bytes"
	"image/png"
	"math/rand/v2"
	"testing"
)

// FuzzWriters writes random images of any model and size with any options, cuts and workers, and reads them back.
func FuzzWriters(f *testing.F) {
	for i := range 40 {
		f.Add(uint64(i), uint8(i), uint16(i*i), uint16(i*3), uint8(i*5), uint8(i*7))
	}
	f.Add(uint64(1), uint8(0), uint16(4999), uint16(299), uint8(0), uint8(3))
	f.Fuzz(func(t *testing.T, seed uint64, model uint8, w, h uint16, options, workers uint8) {
		r := rand.New(rand.NewPCG(seed, 0))
		wide, high := 1+int(w)%5000, 1+int(h)%300
		level, most := int(options)%11-1, 200_000
		if level > 7 {
			most = 30_000 // they take seconds for a megabyte, and a fuzzer takes what does not end in ten for a hang
		}
		if wide*high > most {
			high = max(1, most/wide)
		}
		name := tiffWriterModels[int(model)%len(tiffWriterModels)]
		m := tiffWriterImage(t, r, name, wide, high)
		if name != "gray32" && name != "float32" {
			o := PNGOptions{Level: level, Workers: int(workers) % 5}
			got, err := png.Decode(bytes.NewReader(pngWriterBytes(t, m, o, writeCuts(r, high))))
			if err != nil {
				t.Fatalf("%s %d x %d %+v: %v", name, wide, high, o, err)
			}
			if at, g, w, differ := writeDiff(got, pngWriterWant(m)); differ {
				t.Fatalf("%s %d x %d %+v at %v: got %v, want %v", name, wide, high, o, at, g, w)
			}
		}
		if name != "palette-alpha" {
			o := TIFFOptions{
				Compression: tiffWriterCompressions[int(options)%4], Predictor: TIFFPredictor(options / 4 % 3),
				Size: TIFFSize(options / 16 % 3), Workers: int(workers) % 5,
			}
			pages, _ := tiffWriterRead(t, tiffWriterBytes(t, r, o, m))
			if err := tiffWriterDiff(pages[0], m); err != nil {
				t.Fatalf("%s %d x %d %+v: %v", name, wide, high, o, err)
			}
		}
	})
}
