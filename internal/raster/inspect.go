package raster

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"segscan/segment"
)

// Report is what a file is, and what becomes of its pages. It reads pages when asked for them, so it is valid as long
// as the file is open. Structure is read, not pixels: damage inside them is found only by segmenting.
type Report struct {
	File       string
	Format     string // "png", "tiff" or "jpeg"
	Bytes      int64
	Pages      int    // of the main chain
	ExtraPages int    // behind them, reached by number only
	Facts      []Fact // about the file as a whole
	Warnings   []string
	Refused    string // why the file is not read at all; empty if it is

	page func(i int) PageReport
}

// Fact is one thing a file says of itself. Name is in lower case with underscores; Value is a string, a bool, an int,
// an int64, a float64, or a slice of one of them.
type Fact struct {
	Name  string
	Value any
}

// PageReport is one page.
type PageReport struct {
	Page          int
	Axes          string   // where it lies among channels, slices and frames, such as "c=1 z=4"; empty if the file does not say
	Width, Height int64    // as stored; 0 where the file does not get that far
	Stored        []Fact   // what the file says
	Reading       *Reading // nil where the page is refused
	Losses        []string // what the samples do not hold of the page, and what would change that
	Warnings      []string
	Refused       string // why, with the remedy
}

// Reading is what becomes of a page.
type Reading struct {
	Width, Height int64 // as shown
	Sample        segment.SampleType
	Min, Max      float64 // nominal range, what "%" refers to; NaN for float
	Gray          string  // how a sample comes from a pixel
	Alpha         string  // what becomes of transparency; empty if there is none
	Scale         Scale
}

// Inspect reports on a file without decoding its pixels. The error is for a file that is of no kind that is read, or
// cannot be read at all; what is known of a refused PNG, JPEG or page of a TIFF is in the report.
func Inspect(r io.ReaderAt, size int64, name string, o Options) (rep *Report, err error) {
	if err := CheckChannel(o.Channel); err != nil {
		return nil, err
	}
	head, err := readHead(r, size)
	if err != nil {
		return nil, err
	}
	err = guard("inspecting the file", func() (err error) {
		switch sniff(head) {
		case "png":
			rep, err = inspectPNG(r, size, name, o)
		case "jpeg":
			rep, err = inspectJPEG(r, size, name, o)
		case "tiff":
			rep, err = inspectTIFF(r, size, name, o)
		default:
			err = unknownFormat(head, size)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	rep.File, rep.Bytes = name, size
	return rep, nil
}

// Page reports on page i, from 0; pages behind Pages are the extra ones.
func (r *Report) Page(i int) (p PageReport) {
	err := guard("inspecting the page", func() error {
		p = r.page(i)
		return nil
	})
	if err != nil {
		p = PageReport{Refused: err.Error()}
	}
	p.Page = i
	return p
}

// facts gathers Facts.
type facts []Fact

func (f *facts) add(name string, value any) { *f = append(*f, Fact{name, value}) }

// text adds a text that is not empty.
func (f *facts) text(name, value string) {
	if value != "" {
		f.add(name, value)
	}
}

// bytes adds the size, or number, of something that is there.
func (f *facts) bytes(name string, n int64) {
	if n > 0 {
		f.add(name, n)
	}
}

// read fills in what becomes of a page with layout l, which the file's format and the options settle. err is why it
// is refused, if it is.
func (p *PageReport) read(file string, l layout, pages int, o Options, err error) {
	p.Width, p.Height = l.width, l.height
	var pg Page
	if err == nil {
		pg, err = newPage(file, p.Page, pages, layoutOnly{l: &l}, o)
	}
	if err != nil {
		p.Refused = err.Error()
		return
	}
	q := pg.(*page)
	info := q.Info()
	p.Reading = &Reading{
		Width: info.Width, Height: info.Height, Sample: info.Type, Min: info.Min, Max: info.Max,
		Gray: q.conv.grayText(), Alpha: q.conv.alphaText(o), Scale: q.Scale(),
	}
	p.Warnings = append(p.Warnings, info.Warnings...)
	p.Losses = append(p.Losses, q.conv.losses()...)
}

// layoutOnly is a source that is looked at and not read.
type layoutOnly struct {
	pixelSource
	l *layout
}

func (s layoutOnly) layout() *layout { return s.l }

// grayText says how a sample comes from a pixel.
func (c *converter) grayText() string {
	l, from := c.lay, ""
	switch l.model {
	case modelPalette:
		if c.indices {
			return "the palette index"
		}
		from = " of the palette's colours"
	case modelRGB:
		from = " of the colours"
	default:
		switch {
		case c.pick.what == pickNumber:
			return "channel " + c.pick.name
		case c.pick.what == pickAlpha:
			return "the alpha channel"
		case l.bits < 8 && l.max == 255:
			return fmt.Sprintf("the stored %s scaled to 0..255", plainBits(l.bits))
		case l.channels > 1:
			return "the first channel"
		}
		return "the stored samples"
	}
	switch c.pick.what {
	case pickLuma:
		return "luma (0.299 r + 0.587 g + 0.114 b)" + from
	case pickNumber:
		return "channel " + c.pick.name + from
	case pickAlpha:
		return "the alpha channel"
	}
	return map[string]string{"r": "red", "g": "green", "b": "blue", "hue": "hue", "sat": "saturation", "val": "value"}[c.pick.name] + from
}

func plainBits(n int) string {
	if n == 1 {
		return "1 bit"
	}
	return strconv.Itoa(n) + " bits"
}

// transparent tells whether alpha bears on the samples at all.
func (c *converter) transparent() bool {
	if c.lay.model != modelPalette {
		return c.lay.alpha == alphaUnassociated
	}
	for _, e := range c.lay.palette {
		if e.A != math.MaxUint8 {
			return !c.indices
		}
	}
	return false
}

// alphaText says what becomes of transparency.
func (c *converter) alphaText(o Options) string {
	switch {
	case c.lay.alpha == alphaAssociated:
		return "colours are multiplied by it already and taken as stored"
	case !c.transparent():
		return ""
	case c.pick.what == pickNumber, c.pick.what == pickAlpha:
		return "does not touch the channel asked for"
	case o.Alpha == AlphaIgnore:
		return "ignored (--alpha ignore)"
	}
	return "multiplies, as over black (--alpha ignore leaves colours as they are)"
}

// losses says what of a page its samples do not hold.
func (c *converter) losses() (out []string) {
	l := c.lay
	switch {
	case c.indices:
		out = append(out, "the palette's colours are not looked at; without --raw-bits their luma is taken")
	case l.model != modelGray && c.pick.what == pickLuma:
		loss := "colour becomes gray; --channel r, g, b, hue, sat or val takes one channel instead"
		if l.model == modelPalette {
			loss += ", --raw-bits the palette index"
		}
		out = append(out, loss)
	case l.model != modelGray:
		out = append(out, "the other channels are not looked at")
	}
	if c.transparent() && c.multiply && c.pick.what != pickNumber && c.pick.what != pickAlpha {
		out = append(out, "where pixels are transparent their own gray is lost; --alpha ignore keeps it")
	}
	return out
}

// refusal gives the text of an error that refuses a file or a page; empty for nil.
func refusal(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
