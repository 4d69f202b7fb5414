package batch

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// thresholdsSchema is the version of the objects of PageThresholds.JSON. It grows when a field changes its meaning or
// goes.
const thresholdsSchema = 1

type thresholdsObject struct {
	SchemaVersion int             `json:"schema_version"`
	File          string          `json:"file"`
	Page          int             `json:"page"`
	Width         int64           `json:"width"`
	Height        int64           `json:"height"`
	Sample        string          `json:"sample"`
	Samples       uint64          `json:"samples"`
	NaN           uint64          `json:"nan"`
	Infinite      uint64          `json:"infinite"`
	Min           json.RawMessage `json:"min"`
	Max           json.RawMessage `json:"max"`
	Filter        string          `json:"filter,omitempty"`
	Kernels       []kernelObject  `json:"kernels"`
	Plot          *string         `json:"plot"`
	Warnings      []string        `json:"warnings"`
}

type kernelObject struct {
	Kernel     string            `json:"kernel"`
	Thresholds []thresholdObject `json:"thresholds"`
	Lo         json.RawMessage   `json:"lo"`
	Hi         json.RawMessage   `json:"hi"`
	Notes      []string          `json:"notes"`
}

type thresholdObject struct {
	Role    ThresholdRole   `json:"role"`
	Value   json.RawMessage `json:"value"`
	Above   uint64          `json:"above"`
	Percent json.RawMessage `json:"above_percent"`
}

// JSON is p as one line with its end. Numbers are as in the objects of a run.
func (p *PageThresholds) JSON() ([]byte, error) {
	o := &thresholdsObject{
		SchemaVersion: thresholdsSchema, File: p.File, Page: p.Page, Width: p.Width, Height: p.Height, Sample: p.Stored.String(),
		Samples: p.Samples, NaN: p.NaN, Infinite: p.Infinite, Min: jsonSample(p.Min, p.Type), Max: jsonSample(p.Max, p.Type),
		Filter: p.Filter, Warnings: append([]string{}, p.Warnings...),
	}
	if p.Plot != "" {
		name := recordName(p.Plot)
		o.Plot = &name
	}
	for _, k := range p.Kernels {
		ko := kernelObject{
			Kernel: k.Kernel, Thresholds: []thresholdObject{}, Lo: jsonSample(k.Lo, p.Type), Hi: jsonSample(k.Hi, p.Type),
			Notes: append([]string{}, k.Notes...),
		}
		for _, t := range k.Thresholds {
			share := p.Share(t)
			ko.Thresholds = append(ko.Thresholds, thresholdObject{t.Role, p.value(t), t.Above,
				jsonNumber(nil, share, func(d []byte) []byte { return appendDigits(d, share, 6) })})
		}
		o.Kernels = append(o.Kernels, ko)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(o)
	return b.Bytes(), err
}

// value is a threshold's value as a run writes it.
func (p *PageThresholds) value(t Threshold) json.RawMessage { return jsonSample(t.Value, p.Type) }

// ThresholdColumns is the head of PageThresholds.CSV, with the end of its line.
func ThresholdColumns() []byte {
	return []byte("file,page,kernel,role,threshold,above,above_percent,samples,lo,hi,note\n")
}

// CSV is p as lines of ThresholdColumns: one a threshold, and one without a threshold for a kernel that found none.
func (p *PageThresholds) CSV() ([]byte, error) {
	var all []byte
	for _, k := range p.Kernels {
		row := []string{
			p.File, strconv.Itoa(p.Page), k.Kernel, "", "", "", "", strconv.FormatUint(p.Samples, 10), p.text(k.Lo), p.text(k.Hi),
			strings.Join(k.Notes, "; "),
		}
		add := func() error {
			line, err := csvLine(row)
			all = append(all, line...)
			return err
		}
		for _, t := range k.Thresholds {
			row[3], row[4], row[5] = string(t.Role), p.text(t.Value), strconv.FormatUint(t.Above, 10)
			row[6] = string(appendDigits(nil, p.Share(t), 6))
			if err := add(); err != nil {
				return nil, err
			}
		}
		if len(k.Thresholds) > 0 {
			continue
		}
		if err := add(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// text is a sample value as records have it.
func (p *PageThresholds) text(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return string(appendSample(nil, v, p.Type))
}
