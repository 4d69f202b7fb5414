// Command generate draws the sample images. It is deterministic: the same program gives the same pixels.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/image/tiff"
)

// sample is one picture: its file name says what it is and in which format it is kept.
type sample struct {
	name string
	draw func() (image.Image, error)
}

func list() []sample {
	plain := func(f func() image.Image) func() (image.Image, error) {
		return func() (image.Image, error) { return f(), nil }
	}
	return []sample{
		{"barcode.png", plain(barcode)},
		{"cells.tif", plain(cells)},
		{"gel.tif", plain(gel)},
		{"inspection.png", plain(inspection)},
		{"signal.png", plain(signal)},
		{"spectrogram.png", plain(spectrogram)},
		{"text.png", text},
	}
}

// encode gives the bytes of the file; PNG as small as it goes, TIFF with Deflate.
func (s sample) encode() ([]byte, error) {
	img, err := s.draw()
	if err != nil {
		return nil, fmt.Errorf("draw %s: %w", s.name, err)
	}
	var b bytes.Buffer
	if strings.HasSuffix(s.name, ".tif") {
		err = tiff.Encode(&b, img, &tiff.Options{Compression: tiff.Deflate, Predictor: true})
	} else {
		err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, img)
	}
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", s.name, err)
	}
	return b.Bytes(), nil
}

func main() {
	out := flag.String("o", ".", "folder to write to")
	flag.Parse()
	for _, s := range list() {
		data, err := s.encode()
		if err == nil {
			err = os.WriteFile(filepath.Join(*out, s.name), data, 0o644)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "generate:", err)
			os.Exit(1)
		}
	}
}
