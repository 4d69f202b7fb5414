package raster

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestOpenNamesWhatItCannotRead(t *testing.T) {
	pad := strings.Repeat("\x01", 600)
	for data, want := range map[string]string{
		"":                             "file is empty",
		"GIF89a" + pad:                 "looks like GIF; PNG, TIFF and JPEG are read",
		"RIFF\x01\x02\x03\x04WEBPVP8 ": "looks like WebP",
		"RIFF\x01\x02\x03\x04WAVEfmt ": "looks like a RIFF file",
		"BM\x01\x02\x00\x00\x00\x00\x00\x00" + pad:     "looks like BMP",
		"BMI,age\n20.5,33\n":                           "looks like text",
		"%PDF-1.7\n":                                   "looks like PDF",
		"\x00\x00\x00\x20ftypheic":                     "looks like HEIC",
		"\x00\x00\x00\x20ftypavif":                     "looks like AVIF",
		"\x00\x00\x00\x0cjP  \r\n":                     "looks like JPEG 2000",
		"\xff\x0a" + pad:                               "looks like JPEG XL",
		"8BPS\x00\x01":                                 "looks like Photoshop",
		"P5 3 3 255\n":                                 "looks like PNM",
		"<?xml version='1.0'?><svg>":                   "looks like SVG",
		"<!DOCTYPE html>":                              "looks like a web page (HTML)",
		"\x89HDF\r\n\x1a\n":                            "looks like HDF5",
		"\x93NUMPY\x01\x00":                            "looks like a NumPy array",
		strings.Repeat("\x02", 128) + "DICM":           "looks like DICOM",
		"\x00\x05\x16\x07\x00\x02":                     "looks like AppleDouble metadata of a Mac",
		"PK\x03\x04":                                   "looks like a ZIP archive",
		"\x89PNG\n\x1a\n\x00":                          "looks like a PNG damaged by a transfer in text mode",
		"version https://git-lfs.github.com/spec/v1\n": "looks like a Git LFS pointer",
		"hello, world\n":                               "looks like text",
		string(make([]byte, 100)):                      "looks like zeros only",
		"\x01\x02\x03":                                 "unknown kind of file (begins with 01 02 03)",
	} {
		if _, err := openBytes([]byte(data), Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %q", data, err, want)
		}
	}
}

func TestOpenSniffsContent(t *testing.T) {
	for head, want := range map[string]string{
		pngSignature: "png", "II*\x00": "tiff", "MM\x00*": "tiff", "II+\x00": "tiff", "MM\x00+": "tiff",
		"\xff\xd8\xff\xe0": "jpeg", "\xff\xd8": "", "II*": "",
	} {
		if got := sniff([]byte(head)); got != want {
			t.Errorf("%q is %q, want %q", head, got, want)
		}
	}
}

// failingReader gives an error at any offset from `from` on.
type failingReader struct {
	data []byte
	from int64
}

var errDisk = errors.New("disk on fire")

func (f failingReader) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > f.from {
		return 0, errDisk
	}
	return bytes.NewReader(f.data).ReadAt(p, off)
}

// A read error comes through as what it is, wherever it strikes.
func TestOpenReadErrors(t *testing.T) {
	k := pngKind{8, 2, 0, false}
	data := k.make(newRand(4), 400, 400, 100000)
	failed := 0
	for from := int64(0); from < int64(len(data)); from += 20011 {
		r, err := Open(failingReader{data, from}, int64(len(data)), "f", Options{})
		if err == nil {
			var p Page
			if p, err = r.Page(0); err == nil {
				_, err = bodyLines(p, Request{})
			}
		}
		if !errors.Is(err, errDisk) {
			t.Errorf("failing from byte %d: %v", from, err)
		}
		failed++
	}
	if failed < 10 {
		t.Errorf("only %d places tried", failed)
	}
	if _, err := Open(bytes.NewReader(data[:100]), 5000, "f", Options{}); err == nil || !strings.Contains(err.Error(), "file has shrunk") {
		t.Errorf("a file shorter than said: %v", err)
	}
	if _, err := Open(bytes.NewReader(data), int64(len(data)), "f", Options{Channel: "chroma"}); err == nil {
		t.Error("an unknown channel was accepted")
	}
}

type panickingReader struct{}

func (panickingReader) ReadAt(p []byte, off int64) (int, error) {
	if off > 0 {
		panic("boom")
	}
	return copy(p, pngSignature), io.EOF
}

func TestOpenTurnsPanicsIntoErrors(t *testing.T) {
	_, err := Open(panickingReader{}, 8, "f", Options{})
	if err == nil {
		t.Error("a file of a signature was opened")
	}
	err = guard("testing", func() error { panic(fmt.Sprint("bo", "om")) })
	if err == nil || err.Error() != "testing: internal error: boom" {
		t.Errorf("%v", err)
	}
}
