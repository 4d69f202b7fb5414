package tiff

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"testing"

	"segscan/internal/raster/internal/tifftest"
)

// colourPage is one row of w pixels of spp 8-bit samples.
func colourPage(photo, spp, w int, samples ...byte) tifftest.Page {
	return tifftest.Page{Tags: map[uint16]any{256: w, 257: 1, 258: 8, 259: 1, 262: photo, 277: spp, 278: 1}, Chunks: [][]byte{samples}}
}

func TestAlphaKinds(t *testing.T) {
	for _, c := range []struct {
		photo, spp int
		extra      any
		kind       AlphaKind
		at         int
	}{
		{2, 3, nil, AlphaNone, 0},
		{2, 4, nil, AlphaNone, 0}, // unspecified: ignored
		{2, 4, 0, AlphaNone, 0},
		{2, 4, 1, AlphaAssociated, 3},
		{2, 4, 2, AlphaUnassociated, 3},
		{2, 5, []uint16{0, 2}, AlphaUnassociated, 4},
		{1, 2, 1, AlphaAssociated, 1},
		{1, 2, 2, AlphaUnassociated, 1},
		{1, 3, []uint16{0, 1}, AlphaAssociated, 2},
		{5, 5, 2, AlphaUnassociated, 3}, // CMYK is handed out as RGB
		{2, 4, 9, AlphaNone, 0},
	} {
		page := colourPage(c.photo, c.spp, 1, make([]byte, c.spp)...)
		if c.extra != nil {
			page = page.With(map[uint16]any{338: c.extra})
		}
		if p := onePage(t, page); p.Alpha != c.kind || p.AlphaAt != c.at {
			t.Errorf("photometric %d, %d samples, ExtraSamples %v: alpha %v at %d, want %v at %d",
				c.photo, c.spp, c.extra, p.Alpha, p.AlphaAt, c.kind, c.at)
		}
	}
}

// White is zero inverts the gray sample, not the alpha beside it, chunky or planar.
func TestWhiteIsZeroWithAlpha(t *testing.T) {
	page := colourPage(0, 2, 2, 10, 20, 30, 40).With(map[uint16]any{338: 2})
	checkSamples(t, "chunky", readAll(t, onePage(t, page)), floats(245, 20, 225, 40))
	planar := page.With(map[uint16]any{284: 2})
	planar.Chunks = [][]byte{{10, 30}, {20, 40}}
	checkSamples(t, "planar", readAll(t, onePage(t, planar)), floats(245, 20, 225, 40))
	four := tifftest.Page{Tags: map[uint16]any{256: 2, 257: 1, 258: 4, 262: 0, 277: 2, 278: 1}, Chunks: [][]byte{{0x12, 0x3f}}}
	checkSamples(t, "4 bits", readAll(t, onePage(t, four)), floats(14*17, 2*17, 12*17, 15*17))
}

func TestCMYK(t *testing.T) {
	// (255-k)*(255-c)/255, rounded down: no ink is white, black ink black, full cyan 0, 255, 255.
	page := colourPage(5, 4, 4, 0, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0, 0, 100, 50, 0, 55)
	checkSamples(t, "8 bits", readAll(t, onePage(t, page)),
		floats(255, 255, 255, 0, 0, 0, 0, 255, 255, 200*155/255, 200*205/255, 200))
	wide := page.With(map[uint16]any{256: 1, 258: 16})
	wide.Chunks = [][]byte{{0, 0, 0xff, 0xff, 0x00, 0x80, 0, 0}}
	checkSamples(t, "16 bits", readAll(t, onePage(t, wide)), floats(65535, 0, 32767))
}

// TestLab works out grays by hand. L* 128/255*100 = 50.196: Y = ((50.196+16)/116)^3 = 0.18584, and sRGB
// 1.055*0.18584^(1/2.4)-0.055 = 0.46827, times 255 = 119.4.
func TestLab(t *testing.T) {
	want := floats(0, 0, 0, 255, 255, 255, 119, 119, 119)
	checkSamples(t, "CIE", readAll(t, onePage(t, colourPage(8, 3, 3, 0, 0, 0, 255, 0, 0, 128, 0, 0))), want)
	checkSamples(t, "ICC", readAll(t, onePage(t, colourPage(9, 3, 3, 0, 128, 128, 255, 128, 128, 128, 128, 128))), want)
	wide := colourPage(8, 3, 1, 0xff, 0xff, 0, 0, 0, 0).With(map[uint16]any{258: 16})
	checkSamples(t, "CIE 16 bits", readAll(t, onePage(t, wide)), floats(65535, 65535, 65535))
	red := readAll(t, onePage(t, colourPage(8, 3, 1, 138, 81, 70))) // sRGB red under D50 is L* 54.3, a* 80.8, b* 69.9
	if red[0] < 253 || red[1] > 20 || red[2] > 12 {
		t.Errorf("red is %v", red)
	}
}

// TestYCbCr works out two colours by hand. Without chroma, red = green = blue = Y. Y 76, Cb 85, Cr 255 adds
// 1.402*127 = 178 to red, -0.344136*-43 - 0.714136*127 = -76 to green and 1.772*-43 = -76 to blue: 254, 0, 0.
func TestYCbCr(t *testing.T) {
	page := colourPage(6, 3, 2, 200, 128, 128, 76, 85, 255).With(map[uint16]any{530: []uint16{1, 1}})
	checkSamples(t, "4:4:4", readAll(t, onePage(t, page)), floats(200, 200, 200, 254, 0, 0))
	planar := page.With(map[uint16]any{284: 2})
	planar.Chunks = [][]byte{{200, 76}, {128, 85}, {128, 255}}
	checkSamples(t, "planar", readAll(t, onePage(t, planar)), floats(200, 200, 200, 254, 0, 0))
	// ReferenceBlackWhite 16..235: Y 16 is black, 235 white.
	video := page.With(map[uint16]any{532: []tifftest.Rational{{16, 1}, {235, 1}, {128, 1}, {240, 1}, {128, 1}, {240, 1}}})
	video.Chunks = [][]byte{{16, 128, 128, 235, 128, 128}}
	checkSamples(t, "video range", readAll(t, onePage(t, video)), floats(0, 0, 0, 255, 255, 255))
}

// TestYCbCrSubsampled has luma that counts pixels and no chroma, but in the first unit of the second row of units.
func TestYCbCrSubsampled(t *testing.T) {
	const w, h = 5, 5
	for _, sub := range [][2]int{{2, 2}, {2, 1}, {1, 2}, {4, 1}, {4, 2}, {4, 4}, {0, 0}} {
		sx, sy := sub[0], sub[1]
		if sx == 0 {
			sx, sy = 2, 2 // the tag is missing
		}
		var data []byte
		for y := 0; y < h; y += sy {
			for x := 0; x < w; x += sx {
				for j := range sy {
					for i := range sx {
						data = append(data, byte((y+j)*10+x+i))
					}
				}
				data = append(data, 128, 128)
			}
		}
		var want []float64
		for y := range h {
			for x := range w {
				v := float64(y*10 + x)
				want = append(want, v, v, v)
			}
		}
		tags := map[uint16]any{256: w, 257: h, 258: 8, 259: 1, 262: 6, 277: 3, 278: h, 530: []uint16{uint16(sx), uint16(sy)}}
		if sub[0] == 0 {
			delete(tags, 530)
		}
		p := onePage(t, tifftest.Page{Tags: tags, Chunks: [][]byte{data}})
		checkSamples(t, fmt.Sprint(sub), readAll(t, p), want)
		got, err := read(p, 1, 2, 3, 3, 1)
		if err != nil {
			t.Fatal(err)
		}
		checkSamples(t, fmt.Sprint(sub, " part"), got[:9], want[(2*w+1)*3:(2*w+4)*3])
	}
}

func TestPalette(t *testing.T) {
	page := colourPage(3, 1, 3, 0, 1, 2).With(map[uint16]any{320: []uint16{0, 0x1234, 0xffff, 1, 2, 3, 4, 5, 6}})
	p := onePage(t, page)
	want := [][3]uint16{{0, 1, 4}, {0x1234, 2, 5}, {0xffff, 3, 6}}
	if fmt.Sprint(p.ColorMap) != fmt.Sprint(want) {
		t.Errorf("colour map %v, want %v", p.ColorMap, want)
	}
	checkSamples(t, "indices", readAll(t, p), floats(0, 1, 2))
	old := onePage(t, page.With(map[uint16]any{320: []uint16{0, 18, 255, 1, 2, 3, 4, 5, 6}}))
	if old.ColorMap[1] != [3]uint16{18 * 257, 2 * 257, 5 * 257} || len(old.Warnings) != 1 {
		t.Errorf("colour map of bytes: %v, warnings %q", old.ColorMap, old.Warnings)
	}
	four := tifftest.Page{Tags: map[uint16]any{256: 3, 257: 1, 258: 4, 262: 3, 278: 1, 320: make([]uint16, 48)}, Chunks: [][]byte{{0x1f, 0x70}}}
	checkSamples(t, "4 bits are not scaled", readAll(t, onePage(t, four)), floats(1, 15, 7))
}

// TestJPEG stores JPEG streams whole, and split into tables and strips.
func TestJPEG(t *testing.T) {
	gray := image.NewGray(image.Rect(0, 0, 16, 16))
	col := image.NewRGBA(gray.Rect)
	for i := range 256 {
		gray.Pix[i] = uint8(i/16*15 + 10)
		col.Set(i%16, i/16, color.RGBA{uint8(i/16*15 + 10), 100, 50, 255})
	}
	for _, c := range []struct {
		img   image.Image
		photo int
		spp   int
	}{{gray, 1, 1}, {gray, 0, 1}, {col, 6, 3}} {
		var b bytes.Buffer
		if err := jpeg.Encode(&b, c.img, &jpeg.Options{Quality: 100}); err != nil {
			t.Fatal(err)
		}
		whole := b.Bytes()
		sof := bytes.Index(whole, []byte{0xff, 0xc0})
		// image/jpeg writes quantization tables, frame header, Huffman tables, scan.
		tables := append(bytes.Clone(whole[:sof]), 0xff, 0xd9)
		rest := append([]byte{0xff, 0xd8}, whole[sof:]...)
		for _, split := range []bool{false, true} {
			tags := map[uint16]any{256: 16, 257: 16, 258: 8, 259: 7, 262: c.photo, 277: c.spp, 278: 16}
			data := whole
			if split {
				tags[347], data = tables, rest
			}
			got := readAll(t, onePage(t, tifftest.Page{Tags: tags, Chunks: [][]byte{data}}))
			for i := range 256 {
				want := float64(i/16*15 + 10)
				if c.photo == 0 {
					want = 255 - want
				}
				// Rows differ in chroma, which is stored for two at once.
				tolerance := 4.0 + 8*float64(c.spp/3)
				if d := got[i*c.spp] - want; d < -tolerance || d > tolerance {
					t.Fatalf("photometric %d split %v: sample %d is %v, want about %v", c.photo, split, i, got[i*c.spp], want)
				}
			}
		}
	}
}

// TestChroma works out the triangle filter by hand: 10 and 30 at half resolution become 10, (3*10+30+2)/4 = 15,
// (3*30+10+1)/4 = 25, 30; two rows of them, 10 30 over 50 70, have sums 3*10+50 = 80 and 3*30+70 = 160 in the second
// row, so (4*80+8)/16 = 20, (3*80+160+7)/16 = 25, (3*160+80+8)/16 = 35, (4*160+7)/16 = 40.
func TestChroma(t *testing.T) {
	m := image.NewYCbCr(image.Rect(0, 0, 4, 1), image.YCbCrSubsampleRatio422)
	copy(m.Cb, []byte{10, 30})
	if cb, _ := newChroma(m).row(0); fmt.Sprint(cb) != "[10 15 25 30]" {
		t.Errorf("4:2:2 is %v", cb)
	}
	m = image.NewYCbCr(image.Rect(0, 0, 4, 4), image.YCbCrSubsampleRatio420)
	copy(m.Cr, []byte{10, 30, 50, 70})
	if _, cr := newChroma(m).row(1); fmt.Sprint(cr) != "[20 25 35 40]" {
		t.Errorf("4:2:0 is %v", cr)
	}
	if _, cr := newChroma(m).row(3); fmt.Sprint(cr) != "[50 55 65 70]" {
		t.Errorf("4:2:0, last row, is %v", cr)
	}
}
