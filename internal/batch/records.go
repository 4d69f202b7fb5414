package batch

import (
	"bytes"
	"encoding/csv"
	"io"
	"math"
	"strconv"
	"strings"

	"segscan/segment"
)

// columns are those of REL.segments.csv and of the table, with those in units or without.
func (c *Config) columns(units bool) []string {
	names := []string{"file", "page", "line", "start", "end", "length", "activations", "min", "max", "mean", "edge"}
	if c.AllSpans {
		names = append(names, "activated")
	}
	if c.Subsample {
		names = append(names, "start_x", "end_x")
	}
	if units {
		names = append(names, c.unitColumns()...)
	}
	return names
}

// unitColumns are the last ones, those in units.
func (c *Config) unitColumns() []string {
	if c.Subsample {
		return []string{"start_u", "length_u", "width_u", "unit"}
	}
	return []string{"start_u", "length_u", "unit"}
}

func (c *Config) header(units bool) string { return strings.Join(c.columns(units), ",") + "\n" }

// row is one span in page coordinates.
type row struct {
	line, start, end int64
	activated        bool
	edge             uint8
	stat             *segment.Stat
	x                crossing // in page coordinates
}

// rowWriter turns spans into rows of the records file and of the table. It buffers nothing across calls of band.
type rowWriter struct {
	cfg    *Config
	sample segment.SampleType
	pixel  PixelSize
	prefix string   // file and page, quoted as CSV wants it
	unit   string   // the same
	csv    []csvOut // records and table
	json   io.Writer
	first  bool // no row has gone to json yet
	objs   []byte
}

// csvOut is one CSV file, with columns in units or without.
type csvOut struct {
	w     io.Writer
	units bool
	buf   []byte
}

func newRowWriter(cfg *Config, name string, info *segment.PageInfo, pixel PixelSize) *rowWriter {
	w := &rowWriter{cfg: cfg, sample: info.Type, pixel: pixel, first: true}
	w.prefix = csvField(name) + "," + strconv.Itoa(info.Page) + ","
	w.unit = csvField(pixel.Unit)
	return w
}

func (w *rowWriter) addCSV(to io.Writer, units bool) {
	w.csv = append(w.csv, csvOut{w: to, units: units})
}

// csvField quotes by the rules of encoding/csv.
func csvField(s string) string {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write([]string{s, ""}) // alone, an empty field would be quoted
	w.Flush()
	return strings.TrimSuffix(b.String(), ",\n")
}

// rowFlush is how many bytes of rows are gathered before they are written.
const rowFlush = 1 << 15

// band writes the spans of one band, kept and rejected ones merged in order of line and start.
func (w *rowWriter) band(b *segment.Band, kept, rejected *spanStats) error {
	if len(w.csv) == 0 && w.json == nil {
		return nil
	}
	for i := range b.Lines {
		k, r := kept.line(i), rejected.line(i)
		for len(k.bounds)+len(r.bounds) > 0 {
			from, activated := &k, true
			if len(k.bounds) == 0 || len(r.bounds) > 0 && r.bounds[0].Start < k.bounds[0].Start {
				from, activated = &r, false
			}
			x := from.crossing().from(b.Sample0)
			bound, stat, edge := from.next()
			w.add(row{
				line:  b.Line0 + int64(i),
				start: b.Sample0 + int64(bound.Start), end: b.Sample0 + int64(bound.End),
				activated: activated, edge: edge, stat: stat, x: x,
			})
			if w.full() {
				if err := w.flush(); err != nil {
					return err
				}
			}
		}
	}
	return w.flush()
}

func (w *rowWriter) add(r row) {
	at := 0 // where the line begins that was written last
	for i := range w.csv {
		c := &w.csv[i]
		if i > 0 && c.units == w.csv[i-1].units {
			c.buf = append(c.buf, w.csv[i-1].buf[at:]...)
			continue
		}
		at = len(c.buf)
		c.buf = w.appendCSV(c.buf, r, c.units)
	}
	if w.json != nil {
		if !w.first {
			w.objs = append(w.objs, ',')
		}
		w.first = false
		w.objs = w.appendJSON(append(w.objs, "\n "...), r)
	}
}

func (w *rowWriter) full() bool {
	n := len(w.objs)
	for i := range w.csv {
		n = max(n, len(w.csv[i].buf))
	}
	return n >= rowFlush
}

func (w *rowWriter) flush() error {
	for i := range w.csv {
		c := &w.csv[i]
		if _, err := c.w.Write(c.buf); err != nil {
			return err
		}
		c.buf = c.buf[:0]
	}
	if w.json != nil {
		if _, err := w.json.Write(w.objs); err != nil {
			return err
		}
	}
	w.objs = w.objs[:0]
	return nil
}

func (w *rowWriter) appendCSV(dst []byte, r row, units bool) []byte {
	dst = append(dst, w.prefix...)
	for _, v := range [...]int64{r.line, r.start, r.end, r.end - r.start + 1, r.stat.Activations} {
		dst = append(strconv.AppendInt(dst, v, 10), ',')
	}
	dst = append(appendSample(dst, r.stat.Min, w.sample), ',')
	dst = append(appendSample(dst, r.stat.Max, w.sample), ',')
	dst = append(appendMean(dst, r.stat.Mean, r.stat.Min, r.stat.Max, w.sample), ',')
	dst = append(dst, edgeName(r.edge)...)
	if w.cfg.AllSpans {
		if r.activated {
			dst = append(dst, ",1"...)
		} else {
			dst = append(dst, ",0"...)
		}
	}
	if w.cfg.Subsample {
		dst = appendPosition(append(dst, ','), r.x.start)
		dst = appendPosition(append(dst, ','), r.x.end)
	}
	switch size := w.pixel.Size; {
	case units && size != 0:
		dst = w.appendUnits(append(dst, ','), r.start, size)
		dst = w.appendUnits(append(dst, ','), r.end-r.start+1, size)
		if w.cfg.Subsample {
			dst = appendWidth(append(dst, ','), r.x, size)
		}
		dst = append(append(dst, ','), w.unit...)
	case units:
		dst = append(dst, ",,,,"[:len(w.cfg.unitColumns())]...)
	}
	return append(dst, '\n')
}

func (w *rowWriter) appendJSON(dst []byte, r row) []byte {
	for i, v := range [...]int64{r.line, r.start, r.end, r.end - r.start + 1, r.stat.Activations} {
		dst = append(dst, [...]string{`{"line":`, `,"start":`, `,"end":`, `,"length":`, `,"activations":`}[i]...)
		dst = strconv.AppendInt(dst, v, 10)
	}
	dst = append(dst, `,"min":`...)
	dst = jsonNumber(dst, r.stat.Min, func(d []byte) []byte { return appendSample(d, r.stat.Min, w.sample) })
	dst = append(dst, `,"max":`...)
	dst = jsonNumber(dst, r.stat.Max, func(d []byte) []byte { return appendSample(d, r.stat.Max, w.sample) })
	dst = append(dst, `,"mean":`...)
	dst = jsonNumber(dst, r.stat.Mean, func(d []byte) []byte { return appendMean(d, r.stat.Mean, r.stat.Min, r.stat.Max, w.sample) })
	dst = append(append(append(dst, `,"edge":"`...), edgeName(r.edge)...), '"')
	if w.cfg.AllSpans {
		dst = strconv.AppendBool(append(dst, `,"activated":`...), r.activated)
	}
	if w.cfg.Subsample {
		for i, v := range [...]float64{r.x.start, r.x.end} {
			dst = append(dst, [...]string{`,"start_x":`, `,"end_x":`}[i]...)
			dst = jsonNumber(dst, v, func(d []byte) []byte { return appendPosition(d, v) })
		}
	}
	if size := w.pixel.Size; size != 0 {
		dst = w.appendUnits(append(dst, `,"start_u":`...), r.start, size)
		dst = w.appendUnits(append(dst, `,"length_u":`...), r.end-r.start+1, size)
		if w.cfg.Subsample {
			dst = jsonNumber(append(dst, `,"width_u":`...), r.x.end-r.x.start, func(d []byte) []byte { return appendWidth(d, r.x, size) })
		}
		dst = appendJSONString(append(dst, `,"unit":`...), w.pixel.Unit)
	}
	return append(dst, '}')
}

// unitDigits are the significant digits of lengths in units, so that 3 x 0.65 is 1.95.
const unitDigits = 12

// appendUnits appends n pixels in units.
func (w *rowWriter) appendUnits(dst []byte, n int64, size float64) []byte {
	return appendDigits(dst, float64(n)*size, unitDigits)
}

func edgeName(edge uint8) string {
	switch edge {
	case segment.EdgeLeft:
		return "left"
	case segment.EdgeRight:
		return "right"
	case segment.EdgeLeft | segment.EdgeRight:
		return "both"
	}
	return ""
}

// spanStats is spans with the measurements of each; nil has no span. crossings are there only where asked for.
type spanStats struct {
	*segment.Spans
	stats     []segment.Stat
	crossings []crossing
}

// lineSpans is what is left of one line.
type lineSpans struct {
	bounds    []segment.Bound
	stats     []segment.Stat
	crossings []crossing
	edge      uint8
	first     bool
}

func (s *spanStats) line(i int) lineSpans {
	if s == nil {
		return lineSpans{}
	}
	l := lineSpans{bounds: s.Line(i), stats: s.stats[s.First[i]:s.First[i+1]], first: true}
	if i < len(s.Edge) {
		l.edge = s.Edge[i]
	}
	if len(s.crossings) > 0 {
		l.crossings = s.crossings[s.First[i]:s.First[i+1]]
	}
	return l
}

// crossing is that of the first span.
func (l *lineSpans) crossing() crossing {
	if len(l.crossings) == 0 {
		return crossing{}
	}
	return l.crossings[0]
}

// next takes the first span off; it is at an edge of the line only as the line's first or last.
func (l *lineSpans) next() (segment.Bound, *segment.Stat, uint8) {
	b, st := l.bounds[0], &l.stats[0]
	var edge uint8
	if l.first {
		edge |= l.edge & segment.EdgeLeft
	}
	if len(l.bounds) == 1 {
		edge |= l.edge & segment.EdgeRight
	}
	l.bounds, l.stats, l.first = l.bounds[1:], l.stats[1:], false
	if len(l.crossings) > 0 {
		l.crossings = l.crossings[1:]
	}
	return b, st, edge
}

// totals sums up the segments of a page for its row in the summary.
type totals struct {
	count, length int64
	covered       int64 // samples in any segment, shared boundaries once
	measured      int64 // samples that entered sum
	min, max      float64
	sum           float64
	exact         uint64 // of integers, instead of sum
}

func newTotals() totals { return totals{min: math.NaN(), max: math.NaN()} }

// band adds the segments of one band. The order of additions is that of lines and spans, so float sums do not
// depend on how the page was cut into bands.
func (t *totals) band(b *segment.Band, kept *spanStats) {
	body := b.Body()
	for i := range b.Lines {
		l := kept.line(i)
		last := int64(-1)
		for len(l.bounds) > 0 {
			bound, st, edge := l.next()
			start, end := int64(bound.Start), int64(bound.End)
			t.count++
			t.length += end - start + 1
			t.covered += end - max(start, last+1) + 1
			last = end
			if math.IsNaN(st.Mean) && math.IsNaN(st.Min) {
				continue
			}
			if !(st.Min >= t.min) {
				t.min = st.Min
			}
			if !(st.Max <= t.max) {
				t.max = st.Max
			}
			if body.F32 == nil {
				// The sum of up to 2^32 samples of 16 bits is below 2^51, so mean x n rounds to it exactly.
				t.exact += uint64(math.Round(st.Mean * float64(st.N)))
				t.measured += st.N
				continue
			}
			from, to := start+1, end-1
			if edge&segment.EdgeLeft != 0 {
				from = start
			}
			if edge&segment.EdgeRight != 0 {
				to = end
			}
			n := numbers(body.F32[i*body.Stride:], from, to)
			t.sum += st.Mean * float64(n)
			t.measured += n
		}
	}
}

// numbers counts the samples from..to that are not NaN.
func numbers(line []float32, from, to int64) int64 {
	n := int64(0)
	for ; from <= to; from++ {
		if v := line[from]; v == v {
			n++
		}
	}
	return n
}

func (t *totals) mean() float64 {
	switch {
	case t.measured == 0:
		return math.NaN()
	case t.exact > 0:
		return float64(t.exact) / float64(t.measured)
	}
	return t.sum / float64(t.measured)
}
