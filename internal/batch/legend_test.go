package batch

import (
	"testing"

	"segscan/kernels"
)

// The legend tells what a kernel took from the page where no conditions of the page do.
func TestLegendTellsTheRule(t *testing.T) {
	for _, c := range []struct{ spec, short, want string }{
		{"sauvola", "window 31 x 31, k 0.2, r 0.464752; boundary v <= T, activation v > T", "window 31 x 31, k 0.2, r 0.464752; boundary v ≤ T, activation v > T"},
		{"otsu:per=line", "per line: lo 1..2, hi 2..3 over 9 lines", "per line: lo 1..2, hi 2..3 over 9 lines"},
		{"otsu", "t 3; boundary v <= 3, activation v >= 4", ""},
		{"expr:boundary=v<3,activation=v>4", "boundary v < 3, activation v > 4", ""},
	} {
		j := &pageJob{cfg: &Config{Legend: true, Kernel: kernel(t, c.spec)}, bands: &bandSource{}, report: kernels.Report{Short: c.short}}
		if got := j.legend().Found; got != c.want {
			t.Errorf("%s: %q, want %q", c.spec, got, c.want)
		}
	}
}

// A page's row has what the kernel compared in full, for JSON, and for people.
func TestSummaryTellsTheRule(t *testing.T) {
	cfg := config(t, put(t, t.TempDir(), "a.png", encode(t, gray("0120", "0210", "2012"))))
	cfg.Kernel = kernel(t, "niblack:window=3,k=0.123456789")
	row := succeed(t, cfg).Rows[0]
	const rest = "; boundary v <= T, activation v > T"
	if row.Rule != "niblack: window 3 x 3, k 0.123456789"+rest || row.RuleText != "window 3 x 3, k 0.123457"+rest {
		t.Errorf("%q and %q", row.Rule, row.RuleText)
	}
}
