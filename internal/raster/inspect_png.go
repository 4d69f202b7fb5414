package raster

import (
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"slices"
	"strings"

	"segscan/internal/raster/internal/png"
)

func inspectPNG(r io.ReaderAt, size int64, name string, o Options) (*Report, error) {
	in, err := png.Scan(r, size)
	if err != nil {
		return nil, err
	}
	rep := &Report{Format: "png", Pages: 1, Warnings: in.Warnings}
	rep.page = func(i int) PageReport {
		if i != 0 {
			return PageReport{Refused: fmt.Sprintf("there is no page %d: the file has one page, 0", i)}
		}
		_, err := openPNG(r, size, name, o)
		p := PageReport{Stored: pngFacts(in)}
		p.Losses = pngLosses(in)
		p.read(name, pngLayout(in, o), 1, o, err)
		return p
	}
	if in.Frames > 0 {
		rep.Warnings = append(rep.Warnings, apngWarning(in))
	}
	return rep, nil
}

func pngFacts(in *png.Info) []Fact {
	var f facts
	f.add("colour_type", map[int]string{png.Gray: "gray", png.RGB: "RGB", png.Paletted: "palette",
		png.GrayAlpha: "gray with alpha", png.RGBA: "RGB with alpha"}[in.ColorType])
	f.add("bits", in.Depth)
	f.add("samples_per_pixel", in.Channels())
	f.add("compression", "Deflate")
	f.add("interlaced", in.Interlaced)
	if in.Palette != nil {
		f.add("palette_entries", len(in.Palette))
		if n := transparentEntries(in); n > 0 {
			f.add("transparent_palette_entries", n)
		}
	}
	if in.HasTransparent {
		c := in.Transparent[:1]
		if in.ColorType == png.RGB {
			c = in.Transparent[:]
		}
		f.add("transparent_colour", slices.Clone(c))
	}
	if in.Gamma > 0 {
		f.add("gamma", float64(in.Gamma)/100_000)
	}
	if in.SignificantBits != nil {
		var bits []int
		for _, b := range in.SignificantBits {
			bits = append(bits, int(b))
		}
		f.add("significant_bits", bits)
	}
	if d := in.Density; d.X > 0 && d.Y > 0 {
		unit := "none (a ratio)"
		if d.Metric {
			unit = "m"
		}
		f.add("resolution", []float64{float64(d.X), float64(d.Y)})
		f.add("resolution_unit", unit)
	}
	if v := exifOrientation(in.Exif); v > 0 {
		f.add("orientation", v)
	}
	f.bytes("exif_bytes", int64(len(in.Exif)))
	if in.Frames > 0 {
		f.add("animation_frames", int64(in.Frames))
	}
	if len(in.Texts) > 0 {
		texts := make([]string, len(in.Texts))
		for i, t := range in.Texts {
			texts[i] = t.Key + ": " + t.Value
		}
		f.add("texts", texts)
	}
	f.text("further_chunks", furtherChunks(in))
	return f
}

func transparentEntries(in *png.Info) (n int) {
	for _, e := range in.Palette {
		if e.A != 0xff {
			n++
		}
	}
	return n
}

// furtherChunks names the chunks that no other fact is about.
func furtherChunks(in *png.Info) string {
	var names []string
	for _, n := range in.Ancillary {
		switch n {
		case "tRNS", "gAMA", "sBIT", "pHYs", "eXIf", "acTL", "tEXt", "zTXt", "iTXt":
		default:
			names = append(names, n)
		}
	}
	return strings.Join(names, " ")
}

func pngLosses(in *png.Info) (out []string) {
	if in.Frames > 0 {
		out = append(out, fmt.Sprintf("of the %d frames of the animation only the default image is read", in.Frames))
	}
	for _, b := range in.SignificantBits {
		if int(b) < in.Depth && in.ColorType != png.Paletted {
			out = append(out, fmt.Sprintf("%d of %d bits are significant (sBIT); samples stay as they are stored, over the whole range", b, in.Depth))
			break
		}
	}
	if slices.ContainsFunc(in.Ancillary, func(n string) bool { return n == "gAMA" || n == "iCCP" || n == "cHRM" || n == "cICP" }) {
		out = append(out, "the colour space (gAMA, cHRM, iCCP, cICP) is not applied: samples are as stored")
	}
	return out
}

func inspectJPEG(r io.ReaderAt, size int64, name string, o Options) (*Report, error) {
	cfg, err := jpeg.DecodeConfig(io.NewSectionReader(r, 0, size))
	if err != nil {
		return nil, jpegError(err)
	}
	meta, scanErr := scanJPEG(io.NewSectionReader(r, 0, size))
	rep := &Report{Format: "jpeg", Pages: 1, Refused: refusal(scanErr)}
	if meta.further {
		rep.Warnings = append(rep.Warnings, furtherWarning)
	}
	rep.page = func(i int) PageReport {
		if i != 0 {
			return PageReport{Refused: fmt.Sprintf("there is no page %d: the file has one page, 0", i)}
		}
		_, err := openJPEG(r, size, name, o)
		p := PageReport{Stored: jpegFacts(&meta)}
		p.Losses = append(p.Losses, jpegLoss)
		if meta.icc > 0 {
			p.Losses = append(p.Losses, "the colour space (ICC profile) is not applied: samples are as stored")
		}
		l := jpegLayout(cfg)
		l.orientation = meta.orientation
		l.tags.Resolution = meta.resolution()
		p.read(name, l, 1, o, err)
		return p
	}
	return rep, nil
}

const jpegLoss = "JPEG has changed the samples already: thresholds close together find its 8 x 8 blocks"

func jpegFacts(m *jpegMeta) []Fact {
	var f facts
	f.add("bits", m.precision)
	f.add("components", len(m.components))
	f.add("colour", m.colour())
	f.text("subsampling", m.subsampling())
	f.add("progressive", m.frame == markSOF2)
	if m.frame != 0 {
		f.add("frame", fmt.Sprintf("SOF%d", m.frame-markSOF0))
	}
	if d := m.density; d.x > 0 && d.y > 0 {
		f.add("resolution", []float64{float64(d.x), float64(d.y)})
		f.add("resolution_unit", [...]string{"none (a ratio)", "inch", "cm"}[min(d.unit, 2)])
	}
	if m.orientation > 0 {
		f.add("orientation", m.orientation)
	}
	f.bytes("exif_bytes", int64(m.exif))
	f.bytes("icc_profile_bytes", int64(m.icc))
	f.text("comment", strings.ToValidUTF8(m.comment, "?"))
	return f
}

// colour is how the components make a colour.
func (m *jpegMeta) colour() string {
	switch {
	case len(m.components) == 1:
		return "gray"
	case len(m.components) == 3 && m.adobe && m.transform == 0,
		len(m.components) == 3 && !m.adobe && m.components[0].id == 'R' && m.components[1].id == 'G' && m.components[2].id == 'B':
		return "RGB"
	case len(m.components) == 3:
		return "YCbCr"
	case len(m.components) == 4 && m.adobe && m.transform == 2:
		return "YCCK"
	case len(m.components) == 4:
		return "CMYK"
	}
	return "unknown"
}

// subsampling is in the usual form 4:2:0, or the factors of each component where that has no name.
func (m *jpegMeta) subsampling() string {
	if len(m.components) != 3 && len(m.components) != 4 {
		return ""
	}
	c := m.components
	if c[1] == (jpegComponent{c[1].id, 1, 1}) && c[2] == (jpegComponent{c[2].id, 1, 1}) {
		switch (image.Point{int(c[0].across), int(c[0].down)}) {
		case image.Pt(1, 1):
			return "4:4:4"
		case image.Pt(2, 1):
			return "4:2:2"
		case image.Pt(2, 2):
			return "4:2:0"
		case image.Pt(1, 2):
			return "4:4:0"
		case image.Pt(4, 1):
			return "4:1:1"
		case image.Pt(4, 2):
			return "4:1:0"
		}
	}
	var parts []string
	for _, k := range c {
		parts = append(parts, fmt.Sprintf("%dx%d", k.across, k.down))
	}
	return strings.Join(parts, " ")
}
