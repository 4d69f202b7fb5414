package batch

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"strconv"
	"strings"

	"segscan/segment"
)

// schemaVersion is that of the JSON objects. It grows when a field changes its meaning or goes.
const schemaVersion = 1

// pageObject is a page in JSON. The fields of run are in --json only: they differ from run to run and from device
// to device, and records are the same bytes everywhere.
type pageObject struct {
	SchemaVersion      int               `json:"schema_version"`
	File               string            `json:"file"`
	Page               int               `json:"page"`
	Width              int64             `json:"width"`
	Height             int64             `json:"height"`
	Sample             string            `json:"sample"`
	Kernel             string            `json:"kernel"`
	Thresholds         []json.RawMessage `json:"thresholds"`
	Lo                 json.RawMessage   `json:"lo"`
	Hi                 json.RawMessage   `json:"hi"`
	Count              int64             `json:"count"`
	CountBeforeFilters int64             `json:"count_before_filters"`
	DroppedAtEdges     int64             `json:"dropped_at_edges"`
	PixelSize          *pixelObject      `json:"pixel_size,omitempty"`
	Background         string            `json:"background,omitempty"`
	Dark               string            `json:"dark,omitempty"`
	*runObject
	Warnings []string `json:"warnings"`
	Rule     string   `json:"rule"`
}

// pixelObject is the pixel size of lengths in units, and whether it is from the flag or the file's description.
type pixelObject struct {
	Size float64 `json:"size"`
	Unit string  `json:"unit"`
	From string  `json:"from"`
}

type runObject struct {
	Device         string             `json:"device"`
	FallbackReason *string            `json:"fallback_reason"`
	Seconds        map[string]float64 `json:"seconds"`
}

func (s *PageSummary) object() *pageObject {
	t := s.comparedType()
	o := &pageObject{
		SchemaVersion: schemaVersion,
		File:          s.File, Page: s.Page, Width: s.Width, Height: s.Height, Sample: s.Sample, Kernel: s.Kernel,
		Lo: jsonThresholds(s.Lo, t), Hi: jsonThresholds(s.Hi, t), Rule: s.Rule,
		Count: s.Count, CountBeforeFilters: s.CountBeforeFilters, DroppedAtEdges: s.DroppedAtEdges,
		Background: s.Background, Dark: s.Dark, Warnings: s.Warnings,
	}
	for _, v := range s.Thresholds {
		o.Thresholds = append(o.Thresholds, jsonSample(v, t))
	}
	if p := s.PixelSize; p.Size != 0 {
		o.PixelSize = &pixelObject{p.Size, p.Unit, s.PixelSizeFrom}
	}
	if o.Warnings == nil {
		o.Warnings = []string{}
	}
	return o
}

// jsonThresholds is null for none, a number for one, and an array for one a line.
func jsonThresholds(vs []float64, t segment.SampleType) json.RawMessage {
	switch len(vs) {
	case 0:
		return json.RawMessage("null")
	case 1:
		return jsonSample(vs[0], t)
	}
	dst := []byte{'['}
	for i, v := range vs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, jsonSample(v, t)...)
	}
	return append(dst, ']')
}

func jsonSample(v float64, t segment.SampleType) json.RawMessage {
	return jsonNumber(nil, v, func(d []byte) []byte { return appendSample(d, v, t) })
}

func sampleType(name string) segment.SampleType {
	for _, t := range []segment.SampleType{segment.U8, segment.U16} {
		if t.String() == name {
			return t
		}
	}
	return segment.F32
}

// comparedType is the type of the samples that thresholds are compared with.
func (s *PageSummary) comparedType() segment.SampleType {
	if s.Filtered {
		return segment.F32
	}
	return sampleType(s.Sample)
}

// marshal is o as one line without its end.
func (o *pageObject) marshal() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(o); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func appendJSONString(dst []byte, s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil { // a string always encodes
		return dst
	}
	return append(dst, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}

// writeJSONRecords writes the object of one page with its segments, which rows holds as the elements of an array.
func writeJSONRecords(w io.Writer, o *pageObject, rows *spool) error {
	head, err := o.marshal()
	if err != nil {
		return err
	}
	head = append(head[:len(head)-1], `,"segments":[`...)
	if _, err := w.Write(head); err != nil {
		return err
	}
	n, err := rows.WriteTo(w)
	if err != nil {
		return err
	}
	tail := "]}"
	if n > 0 {
		tail = "\n]}"
	}
	_, err = io.WriteString(w, tail)
	return err
}

var summaryColumns = []string{
	"file", "page", "width", "height", "sample", "kernel", "lo", "hi", "count", "total_length", "mean_length",
	"coverage_percent", "min", "mean", "max", "warnings",
}

// csvRow is s in the columns of summary.csv. Thresholds that differ from line to line are left empty.
func (s *PageSummary) csvRow() []string {
	t := sampleType(s.Sample)
	one := func(vs []float64) string {
		if len(vs) != 1 {
			return ""
		}
		return string(appendSample(nil, vs[0], s.comparedType()))
	}
	i := func(v int64) string { return strconv.FormatInt(v, 10) }
	return []string{
		s.File, strconv.Itoa(s.Page), i(s.Width), i(s.Height), s.Sample, s.Asked, one(s.Lo), one(s.Hi),
		i(s.Count), i(s.TotalLength), string(appendDigits(nil, s.MeanLength, 6)),
		string(appendDigits(nil, s.Coverage, 6)), string(appendSample(nil, s.Min, t)),
		string(appendMean(nil, s.Mean, s.Min, s.Max, t)), string(appendSample(nil, s.Max, t)), strings.Join(s.Warnings, "; "),
	}
}

// csvLine is fields as one line of CSV.
func csvLine(fields []string) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	if err := w.Write(fields); err != nil {
		return nil, err
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

// fill puts the totals of a page of so many segmented samples into its row.
func (t *totals) fill(s *PageSummary, samples int64) {
	s.Count, s.TotalLength = t.count, t.length
	s.MeanLength, s.Coverage = math.NaN(), math.NaN()
	if t.count > 0 {
		s.MeanLength = float64(t.length) / float64(t.count)
	}
	if samples > 0 {
		s.Coverage = 100 * float64(t.covered) / float64(samples)
	}
	s.Min, s.Max, s.Mean = t.min, t.max, t.mean()
}
