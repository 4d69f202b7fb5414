package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"segscan/internal/batch"
	"segscan/kernels"
)

// Longest lists in the summary; more is counted.
const (
	mostPaths = 24
	mostNames = 10
)

// summaryText is what stands at the end of a run, on stderr.
func summaryText(o *options, s *batch.Summary) string {
	var b strings.Builder
	line := func(label, text string) {
		fmt.Fprintf(&b, "%-10s%s\n", label, text)
	}
	if o.verbose {
		for _, r := range s.Rows {
			line("page", clean(r.File)+" "+pageText(r))
		}
	}
	done := fmt.Sprintf("%s in %s", plural(s.Segments, "segment", "segments"), plural(s.Done, "file", "files"))
	if s.Pages != s.Done {
		done += fmt.Sprintf(" (%s)", plural(s.Pages, "page", "pages"))
	}
	if s.Done > 0 || len(s.Failed) == 0 {
		line("found", done+", "+duration(s.Seconds))
	}
	if o.verbose && len(s.Rows) > 0 {
		line("device", deviceText(s.Rows))
		line("speed", speedText(float64(s.Pixels)/max(s.Seconds, 1e-6)))
	}
	if t := skippedText(s.Plan); t != "" {
		line("skipped", t)
	}
	if t := anewText(s.Plan); t != "" {
		line("anew", t)
	}
	if t := unitsText(s.Rows); t != "" {
		line("units", t)
	}
	if s.Dropped > 0 {
		line("left out", plural(s.Dropped, "activated run", "activated runs")+" at line ends")
	}
	if len(s.Failed) > 0 && (s.Plan == nil || len(s.Plan.Files) > 1) { // the one file has been named
		line("failed", failedText(s))
	}
	if s.Interrupted {
		text := "before the end; what is written is whole"
		if o.Table != "" && o.Table != "-" {
			text += ", " + clean(o.Table) + " is not written"
		}
		line("stopped", text)
	}
	for i, l := range outputLines(o.Out, s.Outputs) {
		label := ""
		if i == 0 {
			label = "results"
		}
		line(label, l)
	}
	switch {
	case s.Dropped > 0:
		b.WriteString("hint: --edges keep reports the runs at line ends too\n")
	case s.Segments == 0 && s.Pages > 0 && len(s.Failed) == 0:
		b.WriteString("hint: no segment found; " + noneHint(o.Kernel) + "\n")
	}
	return b.String()
}

// noneHint is what helps where a kernel finds no segment. Kernels that tell samples apart by more than two thresholds have
// no dark and bright to exchange.
func noneHint(k kernels.Spec) string {
	switch name, _, _ := strings.Cut(k.String(), ":"); name {
	case "color", "distance", "expr":
		return "--style classes shows which samples are boundary and which activation, segscan kernels " + name +
			" how to say that, and segscan try FILE what others find"
	}
	return "--invert finds dark marks on a bright ground, -k chooses other thresholds"
}

// unitsText says that lengths in units follow from what files state, which nobody asked for by name.
func unitsText(rows []batch.PageSummary) string {
	files, first := 0, batch.PageSummary{}
	for i, r := range rows {
		if r.PixelSizeFrom == "" || r.PixelSizeFrom == "flag" || i > 0 && rows[i-1].File == r.File {
			continue
		}
		if files++; files == 1 {
			first = r
		}
	}
	switch files {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("pixels of %s are %v %s by its %s description; --pixel-size gives another size, or none",
			clean(first.File), first.PixelSize.Size, first.PixelSize.Unit, first.PixelSizeFrom)
	}
	return fmt.Sprintf("pixel sizes of %d files are those of their ImageJ or OME descriptions; --pixel-size gives another, or none", files)
}

func pageText(r batch.PageSummary) string {
	t := fmt.Sprintf("page %d: %d x %d %s, %s", r.Page, r.Width, r.Height, r.Sample, r.Kernel)
	value := func(v float64) string {
		if r.Sample == "f32" || r.Filtered {
			return fmt.Sprint(float32(v))
		}
		return fmt.Sprint(v)
	}
	switch {
	case len(r.Lo) == 1 && len(r.Hi) == 1:
		t += fmt.Sprintf(" (boundary <= %s, activation >= %s)", value(r.Lo[0]), value(r.Hi[0]))
	case r.Rule != "":
		t += " (" + r.RuleText + ")"
	}
	t += ", " + plural(r.Count, "segment", "segments")
	if p := r.PixelSize; p.Size != 0 {
		t += fmt.Sprintf(", a pixel is %v %s (%s)", p.Size, p.Unit, r.PixelSizeFrom)
	}
	if r.CountBeforeFilters != r.Count {
		t += fmt.Sprintf(" (%s before filters)", thousands(r.CountBeforeFilters))
	}
	return t
}

// deviceText names the devices that were used, each with the reason why it was not a better one.
func deviceText(rows []batch.PageSummary) string {
	var list []string
	for _, r := range rows {
		t := r.Device
		if r.FallbackReason != "" {
			t += " (" + r.FallbackReason + ")"
		}
		if !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	return strings.Join(list, ", ")
}

// speedText is pixels a second, with the unit that leaves digits to read.
func speedText(v float64) string {
	switch {
	case v < 1e3:
		return fmt.Sprintf("%.0f px/s", v)
	case v < 1e5:
		return fmt.Sprintf("%.1f kpx/s", v/1e3)
	}
	return fmt.Sprintf("%.1f Mpx/s", v/1e6)
}

func duration(seconds float64) string {
	switch {
	case seconds < 10:
		return fmt.Sprintf("%.2f s", seconds)
	case seconds < 120:
		return fmt.Sprintf("%.0f s", seconds)
	}
	return fmt.Sprintf("%.0f min %02.0f s", float64(int(seconds)/60), float64(int(seconds)%60))
}

// skippedText counts what was met and not taken.
func skippedText(p *batch.Plan) string {
	if p == nil {
		return ""
	}
	var parts []string
	add := func(n int, one, many string) {
		if n > 0 {
			parts = append(parts, plural(n, one, many))
		}
	}
	add(p.OtherKinds, "file of another kind", "files of other kinds")
	add(p.Hidden, "hidden file or folder", "hidden files and folders")
	add(p.Excluded, "excluded file", "excluded files")
	add(p.LinkedFolders, "linked folder", "linked folders")
	add(p.Results, "result of an earlier run", "results of earlier runs")
	add(p.Existing, "file done before", "files done before")
	return strings.Join(parts, ", ")
}

// anewText says which files --skip-existing does anew though all their results exist.
func anewText(p *batch.Plan) string {
	if p == nil || p.Lacking == 0 {
		return ""
	}
	return plural(p.Lacking, "file", "files") + " done before without the columns " + strings.Join(p.LackingColumns, ", ")
}

func failedText(s *batch.Summary) string {
	var names []string
	seen := map[string]bool{}
	for _, e := range s.Failed {
		if !seen[e.File] {
			seen[e.File] = true
			names = append(names, clean(e.File))
		}
	}
	text := plural(len(names), "file", "files") + ": "
	if n := len(names) - mostNames; n > 0 {
		return text + strings.Join(names[:mostNames], ", ") + fmt.Sprintf(" and %d more", n)
	}
	return text + strings.Join(names, ", ")
}

// outputLines lists what was written: paths while they are few, else how many of each kind.
func outputLines(dir string, paths []string) []string {
	if len(paths) == 0 {
		return nil
	}
	if len(paths) <= mostPaths {
		lines := make([]string, len(paths))
		for i, p := range paths {
			lines[i] = clean(p)
		}
		return lines
	}
	count := map[string]int{}
	var kinds, single []string
	for _, p := range paths {
		k := kindOf(p)
		if k == "" {
			single = append(single, clean(p))
			continue
		}
		if count[k] == 0 {
			kinds = append(kinds, k)
		}
		count[k]++
	}
	for i, k := range kinds {
		kinds[i] = fmt.Sprintf("%s %s", thousands(int64(count[k])), k)
	}
	return append([]string{clean(dir) + ": " + strings.Join(kinds, ", ")}, single...)
}

// kindOf is the `.segments.csv` of a path, or "" for a file that there is one of.
func kindOf(path string) string {
	for _, k := range []string{".segments.csv", ".segments.json", ".overlay.png", ".overlay.tif", ".overlay.tiff"} {
		if strings.HasSuffix(path, k) {
			return k
		}
	}
	if m := plotName.FindStringSubmatch(path); m != nil {
		return m[1] + m[2]
	}
	return ""
}

// plotName finds the kind of a plot, all profiles being one.
var plotName = regexp.MustCompile(`(\.(?:profile|histogram|lengths|lines))(?:-[0-9]+)?(\.(?:png|svg))$`)

// planText is what --dry-run prints.
func planText(o *options, p *batch.Plan) string {
	var b strings.Builder
	var bytes int64
	todo, outputs := 0, 0
	for _, f := range p.Files {
		size := ""
		if st, err := os.Stat(f.Path); err == nil && f.Path != "-" {
			size = " (" + byteText(st.Size()) + ")"
			if !f.Skip {
				bytes += st.Size()
			}
		}
		if f.Skip {
			fmt.Fprintf(&b, "%s%s: done before\n", clean(f.Path), size)
			continue
		}
		todo++
		fmt.Fprintf(&b, "%s%s\n", clean(f.Path), size)
		for _, out := range f.Outputs {
			outputs++
			fmt.Fprintf(&b, "  %s\n", clean(out))
		}
	}
	for _, in := range p.Unmatched {
		fmt.Fprintf(&b, "%s: nothing here to segment\n", clean(in))
	}
	for _, f := range p.Failed {
		fmt.Fprintf(&b, "%s: %s\n", clean(f.File), cleanText(f.Err.Error()))
	}
	fmt.Fprintf(&b, "%s (%s), %s in %s, kernel %s\n", plural(todo, "file", "files"), byteText(bytes),
		plural(outputs, "result", "results"), clean(filepath.Clean(o.Out)), o.Kernel)
	if t := skippedText(p); t != "" {
		fmt.Fprintf(&b, "skipped: %s\n", t)
	}
	if t := anewText(p); t != "" {
		fmt.Fprintf(&b, "anew: %s\n", t)
	}
	return b.String()
}

func byteText(n int64) string {
	v, unit := float64(n), 0
	for v >= 1000 && unit < 4 {
		v /= 1000
		unit++
	}
	if unit == 0 {
		return plural(n, "byte", "bytes")
	}
	return fmt.Sprintf("%.1f %s", v, []string{"", "kB", "MB", "GB", "TB"}[unit])
}
