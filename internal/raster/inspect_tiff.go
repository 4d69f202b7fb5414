package raster

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"segscan/internal/raster/internal/tiff"
)

func inspectTIFF(r io.ReaderAt, size int64, name string, o Options) (*Report, error) {
	f, err := tiff.Open(r, size, tiff.Limits{MaxRatio: float64(o.MaxRatio)})
	if err != nil {
		return nil, err
	}
	t := &tiffReader{f: f, name: name, opt: o}
	rep := &Report{Format: "tiff", Pages: f.Pages(), ExtraPages: f.SubIFDs(), Facts: tiffFacts(f), Warnings: t.Warnings()}
	rep.Refused = refusal(t.strict())
	rep.page = func(i int) PageReport { return t.inspect(i) }
	return rep, nil
}

func tiffFacts(f *tiff.File) []Fact {
	var out facts
	order := "little-endian"
	if f.Order() == binary.BigEndian {
		order = "big-endian"
	}
	out.add("byte_order", order)
	out.add("bigtiff", f.Big())
	m := f.Meta()
	out.text("description_kind", m.Kind)
	if m.Order != "" && m.Sizes != [3]int{1, 1, 1} {
		var axes []string
		for k, n := range m.Sizes {
			axes = append(axes, fmt.Sprintf("%c=%d", m.Order[k]|0x20, n))
		}
		out.add("page_axes", strings.Join(axes, " "))
	}
	if m.PixelX > 0 {
		out.add("pixel_size", []float64{m.PixelX, m.PixelY})
		out.add("pixel_unit", m.Unit)
	}
	return out
}

// inspect reports on page i.
func (r *tiffReader) inspect(i int) (p PageReport) {
	p.Page = i
	t, err := r.f.Look(i)
	if t == nil {
		p.Refused = refusal(err)
		return p
	}
	var f facts
	p.Axes = r.f.Axes(i)
	if t.Parent >= 0 {
		f.add("sub_ifd_of_page", t.Parent)
	}
	if t.Reduced {
		f.add("reduced_copy", true)
	}
	p.Stored = append(f, tiffPageFacts(t)...)
	p.Losses = tiffLosses(t)
	if err == nil && r.opt.Strict && t.Damage != "" {
		err = strictError(t.Damage)
	}
	if err != nil {
		p.Width, p.Height, p.Refused, p.Warnings = t.Width, t.Height, err.Error(), t.Warnings
		return p
	}
	if r.opt.RawBits {
		t.KeepBits()
	}
	p.read(r.name, r.layout(t), r.f.Pages(), r.opt, nil)
	return p
}

// tiffPageFacts gives the tags as they were understood; those that were not reached, of a refused page, are left out.
func tiffPageFacts(t *tiff.Page) []Fact {
	var f facts
	if t.Bits > 0 {
		f.add("bits", t.Bits)
		f.add("samples_per_pixel", t.Stored)
		f.text("sample_format", t.Format.String())
	}
	if t.Compression > 0 {
		name := t.Compression.String()
		if name == "unknown" {
			name = fmt.Sprintf("unknown (%d)", t.Compression)
		}
		f.add("compression", name)
		f.add("compression_tag", int(t.Compression))
	}
	if t.Bits > 0 {
		f.add("photometric", t.Photometric.String())
	}
	if t.Stored > 1 {
		f.add("planar", t.Planar)
	}
	if t.ChunkW > 0 && t.ChunkH > 0 {
		kind := "strips"
		if t.Tiled {
			kind = "tiles"
		}
		f.add("layout", kind)
		f.add("chunk_width", t.ChunkW)
		f.add("chunk_height", t.ChunkH)
		f.bytes("chunks", t.Chunks())
	}
	if t.Predictor > 0 {
		f.add("predictor", [...]string{1: "none", 2: "horizontal differencing", 3: "floating point"}[t.Predictor])
	}
	if t.LowBitFirst() {
		f.add("fill_order", "low bit first")
	}
	if x, y := t.Subsampling(); x > 1 || y > 1 {
		f.add("chroma_subsampling", []int64{x, y})
	}
	if t.Orientation > 0 {
		f.add("orientation", t.Orientation)
	}
	if len(t.Extra) > 0 {
		f.add("extra_samples", extraSamples(t.Extra))
	}
	if t.ColorMap != nil {
		f.add("palette_entries", len(t.ColorMap))
	}
	if x, y := t.Resolution.X.Value(), t.Resolution.Y.Value(); x > 0 && y > 0 {
		f.add("resolution", []float64{x, y})
		unit := t.Resolution.Unit
		if unit == "" {
			unit = "none"
		}
		f.add("resolution_unit", unit)
	}
	f.text("description", strings.ToValidUTF8(t.Description, "?"))
	f.text("software", strings.ToValidUTF8(t.Software, "?"))
	f.bytes("icc_profile_bytes", t.Bytes(tiff.TagICCProfile))
	f.text("no_data", strings.TrimSpace(strings.ToValidUTF8(t.Text(tiff.TagGDALNoData), "?")))
	return f
}

func extraSamples(kinds []uint16) []string {
	out := make([]string, len(kinds))
	for i, k := range kinds {
		switch k {
		case 1:
			out[i] = "associated alpha"
		case 2:
			out[i] = "unassociated alpha"
		default:
			out[i] = "unspecified"
		}
	}
	return out
}

func tiffLosses(t *tiff.Page) (out []string) {
	add := func(format string, a ...any) { out = append(out, fmt.Sprintf(format, a...)) }
	if t.Format == tiff.Float && t.Bits == 64 {
		add("64-bit floats are rounded to 32 bits")
	}
	switch t.Compression {
	case tiff.CompJPEG:
		add(jpegLoss)
	case tiff.CompWebP:
		add("WebP may have changed the samples already")
	}
	switch t.Photometric {
	case tiff.CMYK:
		add("inks become red, green and blue by plain subtraction, without a profile")
	case tiff.CIELab, tiff.ICCLab:
		add("L*a*b* become red, green and blue; colours outside sRGB are cut")
	case tiff.Palette:
		for _, c := range t.ColorMap {
			if c[0]%257 != 0 || c[1]%257 != 0 || c[2]%257 != 0 {
				add("palette colours of 16 bits are cut to 8")
				break
			}
		}
	}
	if n := ignoredExtras(t); n > 0 && t.Stored-len(t.Extra) > 1 { // beside gray a warning says so
		add("extra samples that are not looked at: %d; --channel takes one by its number", n)
	}
	if t.Bytes(tiff.TagICCProfile) > 0 {
		add("the colour space (ICC profile) is not applied: samples are as stored")
	}
	if v := strings.TrimSpace(t.Text(tiff.TagGDALNoData)); v != "" {
		add("samples of the no-data value %s count as any other", strings.ToValidUTF8(v, "?"))
	}
	return out
}

// ignoredExtras counts the samples beyond the colours that are no alpha.
func ignoredExtras(t *tiff.Page) int {
	n := len(t.Extra)
	if t.Alpha != tiff.AlphaNone {
		n--
	}
	return n
}
