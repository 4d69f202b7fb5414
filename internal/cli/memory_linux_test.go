package cli

import (
	"bytes"
	"encoding/binary"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"segscan/internal/raster"
)

// peak runs the program to its end and gives its exit code, what it said, and its peak resident memory in bytes. The
// kernel's own peak of a child counts the memory of the parent it was forked from, so the mark of the process itself
// is looked at while it runs.
func peak(t *testing.T, limit time.Duration, args ...string) (code int, stderr string, most int64) {
	t.Helper()
	cmd := exec.Command("segscan", args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	killer := time.After(limit)
	for {
		most = max(most, highWater(cmd.Process.Pid))
		select {
		case <-done:
			if most == 0 {
				t.Fatal("the process was over before its memory could be looked at")
			}
			return cmd.ProcessState.ExitCode(), said.String(), most
		case <-killer:
			_ = cmd.Process.Kill()
			t.Fatalf("not done after %v: segscan %v", limit, args)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// highWater is VmHWM of a process that has become segscan; 0 where it is over or has not begun.
func highWater(pid int) int64 {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	if exe, err := os.Readlink(filepath.Join(dir, "exe")); err != nil || exe == "" {
		return 0
	}
	if name, err := os.ReadFile(filepath.Join(dir, "comm")); err != nil || strings.TrimSpace(string(name)) != "segscan" {
		return 0
	}
	status, err := os.ReadFile(filepath.Join(dir, "status"))
	if err != nil {
		return 0
	}
	_, rest, ok := strings.Cut(string(status), "VmHWM:")
	if !ok {
		return 0
	}
	kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	if err != nil {
		return 0
	}
	return kib << 10
}

// within runs the program, which must succeed, and compares its peak with a bound.
func within(t *testing.T, what string, bound int64, args ...string) {
	t.Helper()
	code, stderr, got := peak(t, 30*time.Minute, append(args, "-o", filepath.Join(t.TempDir(), "out"))...)
	if code != 0 {
		t.Fatalf("%s: exit %d\n%s", what, code, stderr)
	}
	t.Logf("%s: peak %d MB of %d MB", what, got>>20, bound>>20)
	if got > bound {
		t.Errorf("%s: peak of %d bytes, %d are allowed", what, got, bound)
	}
}

// A page larger than memory is segmented in bands: at most 512 MiB without a picture, 1 GiB with a TIFF one. The
// bound does not depend on the height, which is 5,000 here and 100,000 with SEGSCAN_SOAK=1.
func TestPeakMemoryOfLargePages(t *testing.T) {
	if testing.Short() {
		t.Skip("half a gigapixel, not with -short")
	}
	height := int64(5000)
	if os.Getenv("SEGSCAN_SOAK") != "" {
		height = 100_000
	}
	path := filepath.Join(t.TempDir(), "large.tif")
	if err := writeSparseTIFF(path, 100_000, height); err != nil {
		t.Fatal(err)
	}
	const kernel = "hysteresis:lo=50,hi=200"
	for _, c := range []struct {
		what  string
		bound int64
		args  []string
	}{
		{"records only", 512 << 20, []string{"-k", kernel, "--overlay", "none"}},
		{"automatic thresholds", 512 << 20, []string{"-k", "multiotsu", "--overlay", "none"}},
		{"all thresholds", 512 << 20, []string{"thresholds", "--plot"}},
		{"TIFF overlay", 1 << 30, []string{"-k", kernel, "--overlay", "tiff"}},
	} {
		within(t, c.what, c.bound, append(c.args, "--max-pixels", "10G", path)...)
	}
}

// An image of 100 Mpx with its overlay takes at most 8 bytes a pixel, a colour one 12.
func TestPeakMemoryOfImages(t *testing.T) {
	if testing.Short() {
		t.Skip("100 Mpx, not with -short")
	}
	const side = 10_000
	gray, colour := image.NewGray(image.Rect(0, 0, side, side)), &raster.RGB{}
	for i := range gray.Pix {
		gray.Pix[i] = uint8(i%side>>2 + i/side)
	}
	dir := t.TempDir()
	for _, ext := range []string{"png", "tif"} {
		path := filepath.Join(dir, "gray."+ext)
		writeFile(t, path, side, side, gray, func(y0, y1 int) image.Image { return gray.SubImage(image.Rect(0, y0, side, y1)) })
		within(t, "gray "+ext, 8*side*side, path)
	}
	const rows = 100
	band := raster.RGB{Pix: make([]uint8, 3*side*rows), Stride: 3 * side, Rect: image.Rect(0, 0, side, rows)}
	for i := range band.Pix {
		band.Pix[i] = uint8(i % (3 * side) >> 3 * (1 + i%3))
	}
	for _, ext := range []string{"png", "tif"} {
		path := filepath.Join(dir, "colour."+ext)
		writeFile(t, path, side, side, colour, func(y0, y1 int) image.Image { return &band })
		within(t, "colour "+ext, 12*side*side, path)
	}
}

// writeFile writes an image by bands of 100 rows, fast rather than small.
func writeFile(t *testing.T, path string, w, h int, model image.Image, band func(y0, y1 int) image.Image) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	writer := raster.NewPNGWriter(f, raster.PNGOptions{Level: 1, Workers: 2})
	if filepath.Ext(path) == ".tif" {
		writer = raster.NewTIFFWriter(f, raster.TIFFOptions{Compression: raster.TIFFNone})
	}
	err = writer.NextPage(int64(w), int64(h), model)
	for y := 0; err == nil && y < h; y += 100 {
		err = writer.WriteBand(band(y, min(y+100, h)))
	}
	if err == nil {
		err = writer.Close()
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// writeSparseTIFF makes an 8-bit BigTIFF, uncompressed in strips of 64 rows, whose bytes are a hole in the file but
// for a few pixels in every 997th row: a segment every 9,973 pixels.
func writeSparseTIFF(path string, w, h int64) error {
	const rows, page = 64, 4096
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	strips := (h + rows - 1) / rows
	const tags, header = 9, 16
	offsets := int64(header + 8 + 20*tags + 8)
	sizes := offsets + 8*strips
	data := (sizes + 8*strips + page - 1) / page * page
	le := binary.LittleEndian
	b := append([]byte("II"), 43, 0, 8, 0, 0, 0)
	b = le.AppendUint64(b, header)
	b = le.AppendUint64(b, tags)
	for _, e := range [tags][4]uint64{{256, 4, 1, uint64(w)}, {257, 4, 1, uint64(h)}, {258, 3, 1, 8}, {259, 3, 1, 1}, {262, 3, 1, 1},
		{273, 16, uint64(strips), uint64(offsets)}, {277, 3, 1, 1}, {278, 4, 1, rows}, {279, 16, uint64(strips), uint64(sizes)}} {
		b = le.AppendUint16(le.AppendUint16(b, uint16(e[0])), uint16(e[1]))
		b = le.AppendUint64(le.AppendUint64(b, e[2]), e[3])
	}
	b = le.AppendUint64(b, 0)
	for i := range strips {
		b = le.AppendUint64(b, uint64(data+i*rows*w))
	}
	for i := range strips {
		b = le.AppendUint64(b, uint64(min(rows, h-i*rows)*w))
	}
	if _, err := f.Write(b); err != nil {
		return err
	}
	if err := f.Truncate(data + w*h); err != nil {
		return err
	}
	for y := int64(0); y < h; y += 997 {
		for x := int64(10); x < w-20; x += 9973 {
			if _, err := f.WriteAt([]byte{100, 200, 255, 200, 100, 0, 150}, data+y*w+x); err != nil {
				return err
			}
		}
	}
	return nil
}

// Hostile files end in a message that names what is wrong, soon and in little memory.
func TestHostileFilesStayInBounds(t *testing.T) {
	dir := t.TempDir()
	for _, c := range hostileFiles(t) {
		if testing.Short() && c.code == exitOK {
			continue // read to their end
		}
		path := filepath.Join(dir, c.name)
		if err := os.WriteFile(path, c.data, 0o666); err != nil {
			t.Fatal(err)
		}
		args := append([]string{path, "-o", filepath.Join(dir, c.name+".out")}, c.args...)
		code, stderr, got := peak(t, time.Minute, args...)
		if code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d, want %d and %q:\n%s", c.name, code, c.code, c.want, stderr)
		}
		if got > c.bound {
			t.Errorf("%s: peak of %d MB, %d are allowed", c.name, got>>20, c.bound>>20)
		}
	}
}
