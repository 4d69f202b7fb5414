package cli

import (
	"slices"
	"strings"
	"testing"
)

func TestFlagsWithoutEffectAreNamed(t *testing.T) {
	for _, c := range []struct {
		args string
		want []string
	}{
		{"a.png --style side --palette tol --png-level 3 --pixel-size 2um", nil},
		{"a.png --overlay none", nil},
		{"a.png --overlay none --palette tol --plot lines --plot-format svg", nil},
		{"a.png --overlay none --style side", []string{"--style has no effect: --overlay none makes no picture"}},
		{"a.png --overlay none --legend --max-size 9", []string{"--legend, --max-size have no effect: --overlay none makes no picture"}},
		{"a.png --overlay none --palette tol", []string{"--palette has no effect: --overlay none makes no picture, and there is no --plot"}},
		{"a.png --overlay tiff --png-level 3", []string{"--png-level has no effect: it is of PNG overlays, and there are none"}},
		{"a.png --tiff-compression lzw", []string{"--tiff-compression has no effect: it is of TIFF overlays, and there are none"}},
		{"a.png --plot-format svg", []string{"--plot-format has no effect: there is no --plot"}},
		{"a.png --records none --pixel-size 2um", []string{"--pixel-size has no effect: no output has columns in units or a scale"}},
		{"a.png --records none --pixel-size 2um --legend", nil},
		{"a.png --records none --subsample", []string{"--subsample has no effect: there are neither records nor a table"}},
		{"a.png --channel sat -k distance:to=#123,near=3", []string{"--channel is what records measure; kernel distance looks at the colour whatever it is"}},
		{"a.png --channel sat -k expr:boundary=r<9,activation=v>0.5", nil},
	} {
		o, err := parseMain(strings.Fields(c.args))
		if err != nil {
			t.Fatal(err)
		}
		if got := o.idle(); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.args, got, c.want)
		}
	}
}
