package batch

import (
	"bytes"
	"image"
	"math"
	"regexp"
	"strings"
	"testing"

	"segscan/segment"
)

const plainHeader = "file,page,line,start,end,length,activations,min,max,mean,edge\n"

// recordsOf segments one file of these pages and gives its records.
func recordsOf(t *testing.T, f *fakeFile, change func(*Config)) string {
	t.Helper()
	cfg := config(t, put(t, t.TempDir(), "a.png", nil))
	cfg.Open = f.open
	if change != nil {
		change(cfg)
	}
	succeed(t, cfg)
	return read(t, cfg.Out, "a.png.segments."+cfg.Records)
}

// The worked example, 0 1 0 1 2 0 1 0: one segment [3,6] of four samples, whose inside is 250 and 100, mean 175.
// The second line has 1 2 1 2 1: [0,2] and [2,4] share a boundary. Inside is 250 each.
func TestRecordsOfTheWorkedExample(t *testing.T) {
	cfg := config(t, put(t, t.TempDir(), "a.png", encode(t, gray("01012010", "12121000"))))
	sum := succeed(t, cfg)
	wantText(t, "records", read(t, cfg.Out, "a.png.segments.csv"), plainHeader+
		"a.png,0,0,3,6,4,1,100,250,175,\n"+
		"a.png,0,1,0,2,3,1,250,250,250,\n"+
		"a.png,0,1,2,4,3,1,250,250,250,\n")
	// Ten samples in segments, [2] of line 1 in two of them: 9 of 16 are covered, 56.25 %. The inside of all is
	// 250 100 250 250: mean 212.5.
	wantText(t, "summary", read(t, cfg.Out, "summary.csv"), strings.Join(summaryColumns, ",")+"\n"+
		"a.png,0,8,2,u8,\"hysteresis:lo=10,hi=200\",10,200,3,10,3.33333,56.25,100,212.5,250,\n")
	wantList(t, "outputs", tree(t, cfg.Out), []string{"a.png.overlay.png", "a.png.segments.csv", "summary.csv"})
	if sum.Done != 1 || sum.Pages != 1 || sum.Segments != 3 || sum.Pixels != 16 {
		t.Errorf("summary counts %d files, %d pages, %d segments, %d pixels", sum.Done, sum.Pages, sum.Segments, sum.Pixels)
	}
}

// 2 0 1 3 3 1 2 1 2: kept under drop is [5,7], rejected [2,5] (inside 103 103). Under keep the runs at both ends
// count: [0,2] with inside 250 100 (the clipped end counts), and [7,8] with inside 250.
func TestSpansAllAndEdges(t *testing.T) {
	page := fakePages(bytesPage("201331212"))
	wantText(t, "all spans", recordsOf(t, page, func(c *Config) { c.AllSpans = true }),
		strings.TrimSuffix(plainHeader, "\n")+",activated\n"+
			"a.png,0,0,2,5,4,0,103,103,103,,0\n"+
			"a.png,0,0,5,7,3,1,250,250,250,,1\n")
	keep := func(c *Config) { c.Edges = segment.EdgesKeep }
	wantText(t, "edges kept", recordsOf(t, page, keep), plainHeader+
		"a.png,0,0,0,2,3,1,100,250,175,left\n"+
		"a.png,0,0,5,7,3,1,250,250,250,\n"+
		"a.png,0,0,7,8,2,1,250,250,250,right\n")
	wantText(t, "one sample", recordsOf(t, fakePages(bytesPage("2")), keep), plainHeader+
		"a.png,0,0,0,0,1,1,250,250,250,both\n")
}

// 1 2 1 0 1 2 2 1 0 0 0 1 2 1: segments [0,2], [4,7], [11,13]. A gap of 2 joins the first two into [0,7], whose
// inside is 250 5 100 5 250 250, sum 860, mean 143.333; the gap of 4 to the third stays.
func TestFiltersInOrder(t *testing.T) {
	page := fakePages(bytesPage("12101221000121"))
	row := func(s string) string { return "a.png,0,0," + s + ",\n" }
	joined, third := row("0,7,8,3,5,250,143.333"), row("11,13,3,1,250,250,250")
	for _, c := range []struct {
		name   string
		refine segment.Refine
		want   string
	}{
		{"off", segment.NoRefine, row("0,2,3,1,250,250,250") + row("4,7,4,2,250,250,250") + third},
		{"gap", segment.Refine{MergeGap: 2}, joined + third},
		{"gap, then least length", segment.Refine{MergeGap: 2, MinLength: 8}, joined},
		{"gap, then most length", segment.Refine{MergeGap: 2, MaxLength: 4}, third},
		{"gap, then activations", segment.Refine{MergeGap: 2, MinActivations: 3}, joined},
		{"activations", segment.Refine{MergeGap: -1, MinActivations: 2}, row("4,7,4,2,250,250,250")},
	} {
		var rows []PageSummary
		got := func() string {
			cfg := config(t, put(t, t.TempDir(), "a.png", nil))
			cfg.Open, cfg.Refine = page.open, c.refine
			rows = succeed(t, cfg).Rows
			return read(t, cfg.Out, "a.png.segments.csv")
		}()
		wantText(t, c.name, got, plainHeader+c.want)
		if rows[0].CountBeforeFilters != 3 || rows[0].Count != int64(strings.Count(c.want, "\n")) {
			t.Errorf("%s: counts %d of %d", c.name, rows[0].Count, rows[0].CountBeforeFilters)
		}
	}
	// The rejected span [2,4] lies inside the joined segment and goes; [7,11] stays.
	all := func(c *Config) { c.AllSpans, c.Refine = true, segment.Refine{MergeGap: 2} }
	wantText(t, "gap with all spans", recordsOf(t, page, all), strings.TrimSuffix(plainHeader, "\n")+",activated\n"+
		"a.png,0,0,0,7,8,3,5,250,143.333,,1\n"+
		"a.png,0,0,7,11,5,0,100,100,100,,0\n"+
		"a.png,0,0,11,13,3,1,250,250,250,,1\n")
}

// Column 1 of the page is 1 2 0 1, column 3 is 0 1 2 1.
func TestColumnsAndRegion(t *testing.T) {
	page := fakePages(bytesPage("0100", "0201", "0002", "0101"))
	cols := func(c *Config) { c.Axis = segment.Cols }
	wantText(t, "columns", recordsOf(t, page, cols), plainHeader+
		"a.png,0,1,0,3,4,1,100,250,175,\n"+
		"a.png,0,3,1,3,3,1,250,250,250,\n")
	// The region holds column 3 whole and of column 1 what lies below row 0: there the run 2 0 1 begins at the
	// region's border, which under keep is a line end.
	region := func(c *Config) {
		r := image.Rect(1, 1, 4, 4)
		c.Axis, c.ROI, c.Edges = segment.Cols, &r, segment.EdgesKeep
	}
	wantText(t, "a region by columns", recordsOf(t, page, region), plainHeader+
		"a.png,0,1,1,3,3,1,100,250,175,left\n"+
		"a.png,0,3,1,3,3,1,250,250,250,\n")
	rows := fakePages(bytesPage("0000", "1210", "0000"))
	wantText(t, "a region by rows", recordsOf(t, rows, func(c *Config) { r := image.Rect(0, 1, 3, 3); c.ROI = &r }),
		plainHeader+"a.png,0,1,0,2,3,1,250,250,250,\n")
}

// Lengths in units: 3 x 0.65 is 1.95 and not 1.9500000000000002.
func TestPixelSize(t *testing.T) {
	wantText(t, "records", recordsOf(t, fakePages(bytesPage("000121")), func(c *Config) {
		c.AllSpans, c.PixelSize = true, PixelSize{Size: 0.65, Unit: "um"}
	}), strings.TrimSuffix(plainHeader, "\n")+",activated,start_u,length_u,unit\n"+
		"a.png,0,0,3,5,3,1,250,250,250,,1,1.95,1.95,um\n")
}

// Boundaries are NaN and 0 (v <= 10). Between them: 300.1 and NaN in a joined segment. Float text is the shortest
// that reads back as a float32; the mean skips NaN. 0 300.1 NaN 200.5 0 under a gap of 0 is [0,4]:
// inside 300.1 NaN 200.5; mean of float32(300.1) = 300.1000061035156 and 200.5 is 250.3000030517578.
func TestFloatSamples(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	page := fakePages(float([]float32{0, 300.1, nan, 200.5, 0}, []float32{0, inf, 1e-7, 0, 9}))
	merge := func(c *Config) { c.Refine = segment.Refine{MergeGap: 0} }
	wantText(t, "records", recordsOf(t, page, merge), plainHeader+
		"a.png,0,0,0,4,5,2,200.5,300.1,250.3000030517578,\n"+
		"a.png,0,1,0,2,3,1,inf,inf,inf,\n")
	cfg := config(t, put(t, t.TempDir(), "a.png", nil))
	cfg.Open = fakePages(float([]float32{0, 300.1, nan, 200.5, 0})).open
	cfg.Refine.MergeGap = 0
	if row := succeed(t, cfg).Rows[0]; row.Mean != 250.3000030517578 {
		t.Errorf("mean over all segments is %v: NaN must not count", row.Mean)
	}
	cfg = config(t, put(t, t.TempDir(), "a.png", nil))
	cfg.Open, cfg.NaNError = page.open, true
	sum, _ := run(t, cfg)
	if len(sum.Failed) != 1 || !strings.Contains(sum.Failed[0].Error(), "1 sample is NaN") {
		t.Errorf("--nan error: %v", sum.Failed)
	}
}

// JSON records: one page is an object, several are an array; numbers that JSON lacks are null.
func TestJSONRecords(t *testing.T) {
	inf := float32(math.Inf(1))
	json := func(c *Config) { c.Records = "json" }
	head := func(page int, w int, sample, more string) string {
		return `{"schema_version":1,"file":"a.png","page":` + string(rune('0'+page)) + `,"width":` + string(rune('0'+w)) +
			`,"height":1,"sample":"` + sample + `","kernel":"hysteresis:lo=10,hi=200","thresholds":null,"lo":10,"hi":200,` + more
	}
	wantText(t, "one page", recordsOf(t, fakePages(float([]float32{0, inf, 1})), json),
		head(0, 3, "f32", `"count":1,"count_before_filters":1,"dropped_at_edges":0,"warnings":[],"rule":"hysteresis: boundary v <= 10, activation v >= 200","segments":[`)+"\n"+
			` {"line":0,"start":0,"end":2,"length":3,"activations":1,"min":null,"max":null,"mean":null,"edge":""}`+"\n]}\n")
	wantText(t, "two pages", recordsOf(t, fakePages(bytesPage("121"), bytesPage("12")), json), "[\n"+
		head(0, 3, "u8", `"count":1,"count_before_filters":1,"dropped_at_edges":0,"warnings":[],"rule":"hysteresis: boundary v <= 10, activation v >= 200","segments":[`)+"\n"+
		` {"line":0,"start":0,"end":2,"length":3,"activations":1,"min":250,"max":250,"mean":250,"edge":""}`+"\n]},\n"+
		head(1, 2, "u8", `"count":0,"count_before_filters":0,"dropped_at_edges":1,"warnings":[],"rule":"hysteresis: boundary v <= 10, activation v >= 200","segments":[`)+"]}\n]\n")
}

// --json has what varies from run to run besides.
func TestJSONOnStdout(t *testing.T) {
	cfg := config(t, put(t, t.TempDir(), "a.png", nil))
	var out bytes.Buffer
	cfg.Open, cfg.JSON, cfg.Stdout = fakePages(bytesPage("121"), bytesPage("12")).open, true, &out
	cfg.Engine = func(p *segment.PageInfo) (segment.Engine, string, error) {
		if p.Page == 1 {
			return segment.NewCPU(1), "no device", nil
		}
		return segment.NewCPU(1), "", nil
	}
	succeed(t, cfg)
	got := regexp.MustCompile(`"seconds":\{[^}]*\}`).ReplaceAllString(out.String(), `"seconds":{}`)
	line := func(page, w, count, dropped, reason string) string {
		return `{"schema_version":1,"file":"a.png","page":` + page + `,"width":` + w + `,"height":1,"sample":"u8",` +
			`"kernel":"hysteresis:lo=10,hi=200","thresholds":null,"lo":10,"hi":200,"count":` + count +
			`,"count_before_filters":` + count + `,"dropped_at_edges":` + dropped +
			`,"device":"cpu","fallback_reason":` + reason + `,"seconds":{},"warnings":[],` +
			`"rule":"hysteresis: boundary v <= 10, activation v >= 200"}` + "\n"
	}
	wantText(t, "stdout", got, line("0", "3", "1", "0", "null")+line("1", "2", "0", "1", `"no device"`))
	if !strings.Contains(out.String(), `"segment":`) {
		t.Error("no seconds of the stage segment")
	}
}

// A name that CSV must quote, and one that is not UTF-8.
func TestNamesInRecords(t *testing.T) {
	if got, want := recordName("a\xffb\xc3\xa9"), `a\xffb`+"\u00e9"; got != want {
		t.Errorf("name %q, want %q", got, want)
	}
	for name, want := range map[string]string{
		"a,b": `"a,b"`, `a"b`: `"a""b"`, " a": `" a"`, "a b": "a b", "a\nb": "\"a\nb\"", "": "",
	} {
		if got := csvField(name); got != want {
			t.Errorf("field of %q is %s, want %s", name, got, want)
		}
	}
}
