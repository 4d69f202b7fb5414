//go:build !nogpu

package cli

import (
	"path/filepath"
	"testing"
)

// Where samples cross local thresholds does not depend on the device that finds the classes.
func TestLocalSubsampleOnDevice(t *testing.T) {
	device(t, "")
	in := filepath.Join(sampleFolder(t), "text.png")
	for _, kernel := range []string{"sauvola:window=9", "localmedian:window=5", "bernsen:window=5,contrast=40"} {
		outs := map[string]string{}
		for _, device := range []string{"cpu", "cuda"} {
			outs[device] = filepath.Join(t.TempDir(), device)
			runOn(t, 0, in, "-q", "-k", kernel, "--subsample", "--overlay", "none", "--roi", "40,30,150,20", "--device", device, "-o", outs[device])
		}
		if n := sameFiles(t, outs["cuda"], outs["cpu"]); n != 2 {
			t.Errorf("%s: %d files were compared", kernel, n)
		}
		if records := readFile(t, filepath.Join(outs["cpu"], "text.png.segments.csv")); len(records) < 2000 {
			t.Errorf("%s: few segments:\n%s", kernel, records)
		}
	}
}
