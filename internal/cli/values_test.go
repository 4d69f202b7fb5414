package cli

import (
	"image"
	"reflect"
	"strings"
	"testing"

	"segscan/internal/batch"
)

func TestParseCount(t *testing.T) {
	good := map[string]int64{
		"0": 0, "7": 7, "007": 7, "5k": 5000, "5K": 5000, "2G": 2_000_000_000, "1.5M": 1_500_000, "1.250k": 1250,
		"2.0": 2, "9223372036854775807": 1<<63 - 1, "0.001k": 1,
	}
	for s, want := range good {
		if got, err := parseCount(s); err != nil || got != want {
			t.Errorf("parseCount(%q) = %d, %v; want %d", s, got, err, want)
		}
	}
	for _, s := range []string{"", "k", "-1", "+1", "1.5", "1e6", "5 k", "5kk", "1.0005k", "9223372036854775808", "9223372036854775807k", "1.", ".5k", "0x10", "1_000"} {
		if got, err := parseCount(s); err == nil {
			t.Errorf("parseCount(%q) = %d, want an error", s, got)
		}
	}
}

func TestParsePages(t *testing.T) {
	type list = batch.PageList
	good := map[string]list{
		"all": nil, "ALL": nil, "0": {{From: 0, To: 0}}, "-1": {{From: -1, To: -1}}, "0,2-5": {{From: 0, To: 0}, {From: 2, To: 5}},
		"-3--1": {{From: -3, To: -1}}, "2-": {{From: 2, To: -1}}, "1--2": {{From: 1, To: -2}}, " 1 , 3 ": {{From: 1, To: 1}, {From: 3, To: 3}},
	}
	for s, want := range good {
		if got, err := parsePages(s); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("parsePages(%q) = %v, %v; want %v", s, got, err, want)
		}
	}
	for _, s := range []string{"", "x", "1,", ",1", "5-2", "-1--3", "1-2-3", "1.5", "--1", "all,1", "9999999999"} {
		if got, err := parsePages(s); err == nil {
			t.Errorf("parsePages(%q) = %v, want an error", s, got)
		}
	}
}

func TestParseROI(t *testing.T) {
	got, err := parseROI("10, 20,30,40")
	if want := image.Rect(10, 20, 40, 60); err != nil || *got != want {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	for _, s := range []string{"", "1,2,3", "1,2,3,4,5", "-1,0,1,1", "0,0,0,1", "0,0,1,0", "a,0,1,1", "+1,0,1,1", "0,0,1,9999999999"} {
		if got, err := parseROI(s); err == nil {
			t.Errorf("parseROI(%q) = %v, want an error", s, got)
		}
	}
}

func TestParsePixelSize(t *testing.T) {
	good := map[string]batch.PixelSize{
		"0.65um": {Size: 0.65, Unit: "um"}, "0.65µm": {Size: 0.65, Unit: "um"}, "0.65μm": {Size: 0.65, Unit: "um"},
		"25nm": {Size: 25, Unit: "nm"}, ".5mm": {Size: 0.5, Unit: "mm"}, "1 in": {Size: 1, Unit: "in"}, "1e-3m": {Size: 1e-3, Unit: "m"},
		"2em": {Size: 2, Unit: "em"}, "10ms": {Size: 10, Unit: "ms"}, "0.1°": {Size: 0.1, Unit: "°"}, "3.cm": {Size: 3, Unit: "cm"},
		"1/4um": {Size: 0.25, Unit: "um"}, "3 / 1.5 µm": {Size: 2, Unit: "um"}, "2um/px": {Size: 2, Unit: "um"}, "0.5 nm / Pixel": {Size: 0.5, Unit: "nm"},
		"1/2um/pixels": {Size: 0.5, Unit: "um"}, "2 mm per pixel": {Size: 2, Unit: "mm"}, "2Å": {Size: 2, Unit: "Å"}, "5%": {Size: 5, Unit: "%"}, "1″": {Size: 1, Unit: "″"},
	}
	for s, want := range good {
		if got, err := parsePixelSize(s); err != nil || got != want {
			t.Errorf("parsePixelSize(%q) = %v, %v; want %v", s, got, err, want)
		}
	}
	for _, s := range []string{"", "um", "3", "0um", "-1um", "1e999um", "NaNum", "1a,b", `1"`, "1a b", "1 2um", "1+um", "1a\nb", "1averyveryverylongunit",
		"1/0um", "0/3um", "1//3um", "1/um", "1/3/px", "2um/3", "2um/s", "2px/um", "2um²", "2um*", "1e308/1e-308um", "2/px"} {
		if got, err := parsePixelSize(s); err == nil {
			t.Errorf("parsePixelSize(%q) = %v, want an error", s, got)
		}
	}
}

func TestParseChannelAndDevice(t *testing.T) {
	for s, want := range map[string]string{"luma": "luma", "HUE": "hue", "3": "3", "007": "7"} {
		if got, err := parseChannel(s); err != nil || got != want {
			t.Errorf("parseChannel(%q) = %q, %v; want %q", s, got, err, want)
		}
	}
	for s, want := range map[string]string{"auto": "auto", "CPU": "cpu", "cuda": "cuda", "cuda:01": "cuda:1", "cuda:all": "cuda:all"} {
		if got, err := parseDevice(s); err != nil || got != want {
			t.Errorf("parseDevice(%q) = %q, %v; want %q", s, got, err, want)
		}
	}
	for s, want := range map[string]string{"gpu": "did you mean cuda?", "GPU:1": "did you mean cuda:1?", "nvidia": "did you mean cuda?", "cdua": "did you mean cuda?", "cpus": "did you mean cpu?"} {
		if _, err := parseDevice(s); hintOf(err) != want {
			t.Errorf("parseDevice(%q): %v, hint %q; want %q", s, err, hintOf(err), want)
		}
	}
	if _, err := parseJobs("-1"); err == nil || err.Error() != "allowed: 0 (as many as cores) to 65536" {
		t.Errorf("parseJobs: %v", err)
	}
	for _, s := range []string{"", "red", "-1", "65536", "r,g"} {
		if got, err := parseChannel(s); err == nil {
			t.Errorf("parseChannel(%q) = %q, want an error", s, got)
		}
	}
	for _, s := range []string{"", "gpu", "cuda:", "cuda:-1", "cuda:x", "cuda:00000"} {
		if got, err := parseDevice(s); err == nil {
			t.Errorf("parseDevice(%q) = %q, want an error", s, got)
		}
	}
}

func TestNearest(t *testing.T) {
	words := []string{"overlay", "overwrite", "min-length", "max-length", "rows", "cols"}
	for word, want := range map[string]string{
		"overlya": "overlay", "min-lenght": "min-length", "colls": "cols", "overw": "overwrite", "over": "", "zzz": "", "": "", "ROWS": "rows",
	} {
		if got := nearest(word, words); got != want {
			t.Errorf("nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestMessagesCannotWriteToTheTerminal(t *testing.T) {
	var b strings.Builder
	p := &printer{w: &b}
	p.message("a\x1b[31m\n\xff.png", "tab\there\nnext line \u0085", "é is fine")
	want := "segscan: a\\x1b[31m\\x0a\\xff.png: tab\\x09here\nnext line \\xc2\\x85\nhint: é is fine\n"
	if b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1234: "-1,234"} {
		if got := thousands(n); got != want {
			t.Errorf("thousands(%d) = %q, want %q", n, got, want)
		}
	}
}
