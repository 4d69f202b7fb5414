package cli

import (
	"bytes"
	"encoding/json"
	"math"

	"segscan/internal/raster"
)

// inspectSchema is the version of the objects of inspect --json. It grows when a field changes its meaning or goes.
const inspectSchema = 1

// inspectObject is one page; page is null where the file is not read at all.
type inspectObject struct {
	SchemaVersion int            `json:"schema_version"`
	File          string         `json:"file"`
	Path          string         `json:"path"`
	Format        *string        `json:"format"`
	Bytes         *int64         `json:"bytes"`
	Pages         *int           `json:"pages"`
	ExtraPages    *int           `json:"extra_pages"`
	Page          *int           `json:"page"`
	Axes          *string        `json:"axes"`
	Width         *int64         `json:"width"`
	Height        *int64         `json:"height"`
	FileFacts     factObject     `json:"file_facts"`
	Stored        factObject     `json:"stored"`
	Reading       *readingObject `json:"reading"`
	Lost          []string       `json:"lost"`
	Warnings      []string       `json:"warnings"`
	Refused       *string        `json:"refused"`
}

type readingObject struct {
	Width     int64        `json:"width"`
	Height    int64        `json:"height"`
	Sample    string       `json:"sample"`
	Min       *float64     `json:"min"`
	Max       *float64     `json:"max"`
	Gray      string       `json:"gray"`
	Alpha     *string      `json:"alpha"`
	PixelSize *scaleObject `json:"pixel_size"`
}

type scaleObject struct {
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
	Unit string  `json:"unit"`
	From string  `json:"from"`
}

// factObject is facts as one object, in their order.
type factObject []raster.Fact

func (f factObject) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, x := range f {
		if i > 0 {
			b = append(b, ',')
		}
		name, err := json.Marshal(x.Name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(x.Value)
		if err != nil {
			return nil, err
		}
		b = append(append(append(b, name...), ':'), value...)
	}
	return append(b, '}'), nil
}

func refusedObject(file, path string, err error) string {
	why := err.Error()
	return jsonLine(&inspectObject{SchemaVersion: inspectSchema, File: file, Path: clean(path),
		Lost: []string{}, Warnings: []string{}, Refused: &why})
}

func pageReportObject(path string, rep *raster.Report, p *raster.PageReport) string {
	o := &inspectObject{
		SchemaVersion: inspectSchema, File: rep.File, Path: clean(path), Format: &rep.Format, Bytes: &rep.Bytes,
		Pages: &rep.Pages, ExtraPages: &rep.ExtraPages, Page: &p.Page, FileFacts: rep.Facts, Stored: p.Stored,
		Lost: append([]string{}, p.Losses...), Warnings: append(append([]string{}, rep.Warnings...), p.Warnings...),
		Axes: notEmpty(p.Axes), Refused: notEmpty(p.Refused),
	}
	if p.Width > 0 {
		o.Width, o.Height = &p.Width, &p.Height
	}
	if o.Refused == nil {
		o.Refused = notEmpty(rep.Refused)
	}
	if g := p.Reading; g != nil {
		o.Reading = &readingObject{Width: g.Width, Height: g.Height, Sample: g.Sample.String(), Min: number(g.Min),
			Max: number(g.Max), Gray: g.Gray, Alpha: notEmpty(g.Alpha)}
		if s := g.Scale; s.From != "" {
			o.Reading.PixelSize = &scaleObject{s.X, s.Y, s.Unit, s.From}
		}
	}
	return jsonLine(o)
}

func notEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func number(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// jsonLine is an object that always encodes, on one line.
func jsonLine(o *inspectObject) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(o); err != nil {
		return "" // no value in it can fail: numbers are finite
	}
	return b.String()
}
