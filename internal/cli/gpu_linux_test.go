//go:build !nogpu

package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"segscan/gpu"
	"segscan/gpu/emulation"
	"segscan/samples"
)

// device makes --device cuda of this test the emulated driver in a configuration, or, for the empty one where
// SEGSCAN_REQUIRE_GPU is 1, the real driver.
func device(t *testing.T, config string) {
	t.Helper()
	if os.Getenv("SEGSCAN_REQUIRE_GPU") == "1" {
		if config != "" {
			t.Skipf("the emulated driver is for %q; SEGSCAN_REQUIRE_GPU=1 asks for a device", config)
		}
		// One engine more keeps the context, which takes longer to make than most images.
		e, err := gpu.Open(context.Background(), gpuOptions())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		})
		return
	}
	path := emulation.Library(t)
	if err := emulation.Configure(path, config); err != nil {
		t.Fatal(err)
	}
	t.Setenv(libraryVariable, path)
}

// runOn runs segscan and fails the test on another exit code than code.
func runOn(t *testing.T, code int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, messages bytes.Buffer
	if got := Run(args, strings.NewReader(""), &out, &messages); got != code {
		t.Fatalf("segscan %s: exit %d, want %d:\n%s", strings.Join(args, " "), got, code, &messages)
	}
	return out.String(), messages.String()
}

// sampleFolder is a folder with the samples.
func sampleFolder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "samples")
	if err := os.CopyFS(dir, samples.Files()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// sameFiles compares all files of two folders and returns how many there are.
func sameFiles(t *testing.T, got, want string) (n int) {
	t.Helper()
	err := filepath.WalkDir(want, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(want, path)
		if err != nil {
			return err
		}
		n++
		if !bytes.Equal(readFile(t, filepath.Join(got, rel)), readFile(t, path)) {
			t.Errorf("%s differs", rel)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Every file that comes of the samples is the same on the CPU and on a device, under many flags.
func TestSamplesOnDevice(t *testing.T) {
	device(t, "")
	in := sampleFolder(t)
	for i, flags := range []string{
		"", "--spans all --edges keep", "--axis cols --compaction multi-pass", "-k otsu --invert --records json", "-k hysteresis:lo=20%,hi=60% --roi 3,0,90,1",
		"--merge-gap 3 --min-length 4 --min-activations 2", "-k hysteresis:lo=20%,hi=60% --axis cols --edges keep --spans all --channel r",
	} {
		t.Run(flags, func(t *testing.T) {
			outs := map[string]string{}
			for _, device := range []string{"cpu", "cuda", "auto"} {
				outs[device] = filepath.Join(t.TempDir(), fmt.Sprint("out", i, device))
				args := append(strings.Fields(flags), in, "-q", "--device", device, "-o", outs[device])
				runOn(t, 0, args...)
			}
			for _, device := range []string{"cuda", "auto"} {
				if n := sameFiles(t, outs[device], outs["cpu"]); n < 15 {
					t.Errorf("only %d files were compared", n)
				}
			}
		})
	}
}

// With -v a run on a device says what the CPU does for it, once, and that of no kernel that the device has code for.
func TestVerboseTellsWhatTheCPUDoesForADevice(t *testing.T) {
	device(t, "")
	in := sampleFolder(t)
	for kernel, want := range map[string]string{"localmedian:window=3": "", "sauvola:window=5": "",
		"expr:boundary=v<x,activation=v>y": "", "expr:boundary=v<x,activation=v**3.0>1000*y": "no code for powers", "otsu": ""} {
		_, stderr := runOn(t, 0, in, "-k", kernel, "-v", "--overlay", "none", "--device", "cuda", "-o", filepath.Join(t.TempDir(), "out"))
		switch said := strings.Count(stderr, "bit planes"); {
		case want == "" && said > 0:
			t.Errorf("%s: the CPU is said to find the classes:\n%s", kernel, stderr)
		case want != "" && (said != 1 || !strings.Contains(stderr, want)):
			t.Errorf("%s: %q is not said once:\n%s", kernel, want, stderr)
		}
		_, stderr = runOn(t, 0, in, "-k", kernel, "--overlay", "none", "--device", "cuda", "-o", filepath.Join(t.TempDir(), "out"))
		if strings.Contains(stderr, "bit planes") {
			t.Errorf("%s: said without -v:\n%s", kernel, stderr)
		}
	}
}

// Filters are for the CPU, which a run on a device says once, with -v only; one on the CPU has nothing to say.
func TestVerboseTellsOfFilters(t *testing.T) {
	device(t, "")
	in := sampleFolder(t)
	for _, c := range []struct {
		flags string
		want  int
	}{
		{"-k otsu:smooth=1 -v --device cuda", 1}, {"-k otsu:smooth=1 --device cuda", 0}, {"-k otsu -v --device cuda", 0},
		{"-k otsu:smooth=1 -v --device cpu", 0},
	} {
		args := append(strings.Fields(c.flags), in, "--overlay", "none", "-o", filepath.Join(t.TempDir(), "out"))
		_, stderr := runOn(t, 0, args...)
		if said := strings.Count(stderr, "the CPU corrects and filters samples"); said != c.want {
			t.Errorf("%s: said %d times, want %d:\n%s", c.flags, said, c.want, stderr)
		}
	}
}

// So is sorting the float samples of lines, whatever makes them floats.
func TestVerboseTellsOfSortedLines(t *testing.T) {
	device(t, "")
	in := t.TempDir()
	for name, pixels := range map[string]string{"float.tif": "n120/1201", "bytes.png": "0120/1201"} {
		if err := writeImage(filepath.Join(in, name), pixels); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		flags string
		want  int
	}{
		{"-k otsu:per=line -v --device cuda float.tif", 1}, {"-k otsu:per=line --device cuda float.tif", 0},
		{"-k otsu -v --device cuda float.tif", 0}, {"-k otsu:per=line -v --device cpu float.tif", 0},
		{"-k otsu:per=line -v --device cuda bytes.png", 0}, {"-k otsu:per=line,smooth=1 -v --device cuda bytes.png", 1},
	} {
		args := strings.Fields(c.flags)
		args[len(args)-1] = filepath.Join(in, args[len(args)-1])
		_, stderr := runOn(t, 0, append(args, "--overlay", "none", "-o", filepath.Join(t.TempDir(), "out"))...)
		if said := strings.Count(stderr, "the CPU sorts the float samples"); said != c.want {
			t.Errorf("%s: said %d times, want %d:\n%s", c.flags, said, c.want, stderr)
		}
	}
}

// All corpus cases on a device, each by one of its runs, or by all where a device is asked for: the segments are those
// of the independent plain loop.
func TestCorpusOnDevice(t *testing.T) {
	dir := corpusDir(t)
	device(t, "")
	var cases []corpusCase
	readJSON(t, filepath.Join(dir, "cases.json"), &cases)
	checked := 0
	for i, c := range cases {
		if _, refused := unreadable[c.File]; refused || c.File == associated16 {
			continue
		}
		if testing.Short() && i%8 != 0 {
			continue
		}
		runs := c.Runs
		if os.Getenv("SEGSCAN_REQUIRE_GPU") != "1" {
			runs = runs[i%len(runs):][:1]
		}
		for _, r := range runs {
			code, table, stderr := segmentCorpusFile(t, filepath.Join(dir, "images", c.File), c, r, "--device", "cuda")
			if code != 0 {
				t.Fatalf("%s, page %d: exit %d: %s", c.File, c.Page, code, stderr)
			}
			lines, n := boundLines(t, table)
			if n != r.Count || fmt.Sprintf("%x", sha256.Sum256(lines)) != r.SHA256 {
				t.Errorf("%s, page %d, %+v: %d segments, want %d, or other bounds", c.File, c.Page, r, n, r.Count)
			}
			checked++
		}
	}
	if checked < len(cases)/10 {
		t.Errorf("compared %d runs of %d cases", checked, len(cases))
	}
}

// Several devices share the pages.
func TestSeveralDevices(t *testing.T) {
	device(t, "devices=3")
	in, out := sampleFolder(t), t.TempDir()
	stdout, _ := runOn(t, 0, in, "--json", "--device", "cuda:all", "-o", filepath.Join(out, "all"))
	seen := map[string]int{}
	for line := range strings.Lines(stdout) {
		var page struct {
			Device   string  `json:"device"`
			Fallback *string `json:"fallback_reason"`
		}
		if err := json.Unmarshal([]byte(line), &page); err != nil || page.Fallback != nil {
			t.Fatalf("%s: %v", line, err)
		}
		seen[page.Device]++
	}
	if len(seen) != 3 || seen["cuda:0"] == 0 || seen["cuda:2"] == 0 {
		t.Errorf("pages by device: %v", seen)
	}
	runOn(t, 0, in, "-q", "--device", "cuda:1", "-o", filepath.Join(out, "one"))
	runOn(t, 0, in, "-q", "--device", "cpu", "-o", filepath.Join(out, "cpu"))
	sameFiles(t, filepath.Join(out, "all"), filepath.Join(out, "cpu"))
	sameFiles(t, filepath.Join(out, "one"), filepath.Join(out, "cpu"))
}

// A device that cannot be had is exit 5, says why and what to do, and nothing is written.
func TestDeviceCannotBeHad(t *testing.T) {
	for _, c := range []struct{ config, device, want, hint string }{
		{"devices=0", "cuda", "CUDA_ERROR_NO_DEVICE", "nvidia-smi"},
		{"driver=9000", "cuda:0", "the driver is of CUDA 9.0, the kernels are PTX", "update the NVIDIA driver"},
		{"devices=1", "cuda:1", "the driver has 1, from 0", "segscan devices"},
		{"cc=50", "cuda:all", "compute capability 5.0", "--device cpu"},
		{"fail=cuDevicePrimaryCtxRetain:46", "cuda", "CUDA_ERROR_DEVICE_UNAVAILABLE (46)", "another program"},
		{"fail=cuDevicePrimaryCtxRetain:800", "cuda", "CUDA_ERROR_NOT_PERMITTED (800)", "/dev/nvidia"},
	} {
		t.Run(c.config, func(t *testing.T) {
			device(t, c.config)
			out := filepath.Join(t.TempDir(), "out")
			_, stderr := runOn(t, exitNoDevice, sampleFolder(t), "--device", c.device, "-o", out)
			if !strings.Contains(stderr, "segscan: --device "+c.device+" cannot be had: ") || !strings.Contains(stderr, c.want) || !strings.Contains(stderr, c.hint) {
				t.Errorf("got:\n%s", stderr)
			}
			if _, err := os.Stat(out); err == nil {
				t.Error("something was written")
			}
			// Auto does not need it.
			runOn(t, 0, sampleFolder(t), "-q", "-o", out)
		})
	}
}

// A device lost under way fails the files left, and those only.
func TestDeviceIsLostUnderWay(t *testing.T) {
	device(t, "fail=launch:719@9!")
	in, out := sampleFolder(t), filepath.Join(t.TempDir(), "out")
	_, stderr := runOn(t, exitSomeFailed, in, "--device", "cuda", "-o", out, "-j", "1")
	done, err := filepath.Glob(filepath.Join(out, "*.segments.csv"))
	if err != nil || len(done) == 0 || !strings.Contains(stderr, "CUDA_ERROR_LAUNCH_FAILED (719)") || !strings.Contains(stderr, "hint: nvidia-smi") {
		t.Fatalf("done %v (%v):\n%s", done, err, stderr)
	}
	all, err := fs.Glob(samples.Files(), "*")
	if failed := strings.Count(stderr, "CUDA_ERROR_LAUNCH_FAILED (719)"); err != nil || failed == 0 || failed+len(done) != len(all) {
		t.Errorf("%d failed, %d done, of %d:\n%s", failed, len(done), len(all), stderr)
	}
	if left, err := filepath.Glob(filepath.Join(out, ".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind %v (%v)", left, err)
	}
}

// An image of which not one line fits the device fails, with the bytes it needs and those there are; the others are
// done.
func TestDeviceMemoryIsTooSmall(t *testing.T) {
	device(t, "memory=600K")
	in, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	if err := writeImage(filepath.Join(in, "wide.png"), strings.Repeat("0102", 10_000)); err != nil {
		t.Fatal(err)
	}
	if err := writeImage(filepath.Join(in, "narrow.png"), "0102*300"); err != nil {
		t.Fatal(err)
	}
	_, stderr := runOn(t, exitSomeFailed, in, "--device", "cuda", "-o", out, "-k", "hysteresis:lo=10,hi=200")
	if !strings.Contains(stderr, "wide.png: ") || !strings.Contains(stderr, "bytes of device memory needed, ") || !strings.Contains(stderr, "hint: free memory") {
		t.Errorf("got:\n%s", stderr)
	}
	if _, err := os.Stat(filepath.Join(out, "narrow.png.segments.csv")); err != nil {
		t.Error(err)
	}
}

func TestDevicesCommand(t *testing.T) {
	device(t, "devices=2,cc=90,driver=12040,memory=2G,sms=5")
	stdout, _ := runOn(t, 0, "devices")
	for _, want := range []string{"cpu ", "cuda    driver of CUDA 12.4\n", "cuda:0  Emulated Device 0, 2.0 GiB, compute capability 9.0, 5 multiprocessors, kernels in PTX ", "\ncuda:1  ", "\nauto    start-up "} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in:\n%s", want, stdout)
		}
	}
	device(t, "driver=8000")
	if stdout, _ = runOn(t, 0, "devices"); !strings.Contains(stdout, "not usable: gpu: device 0: the driver is of CUDA 8.0") || !strings.Contains(stdout, "(update the NVIDIA driver)") {
		t.Errorf("an old driver:\n%s", stdout)
	}
	t.Setenv(libraryVariable, filepath.Join(t.TempDir(), "none.so"))
	if stdout, _ = runOn(t, 0, "devices"); !strings.Contains(stdout, "cuda    none: gpu: open ") || !strings.Contains(stdout, "(install the NVIDIA driver)") {
		t.Errorf("no driver:\n%s", stdout)
	}
}
