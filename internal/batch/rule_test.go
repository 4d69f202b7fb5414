package batch

import (
	"testing"

	"segscan/kernels"
)

func TestRuleText(t *testing.T) {
	for _, c := range []struct{ rule, kernel, want string }{
		{"sauvola: window 31 x 31, k 0.2, r 0.4647515770047903; boundary v <= T", "sauvola:k=0.2", "window 31 x 31, k 0.2, r 0.464752; boundary v <= T"},
		{"phansalkar: range 0.038146425..1234567.9", "phansalkar", "range 0.0381464..1234567.9"},
		{"otsu per line: lo 110..130, hi 111..131 over 60 lines", "otsu:per=line", "per line: lo 110..130, hi 111..131 over 60 lines"},
		{"wolf: least sample -1.234567890e-09", "wolf", "least sample -1.23457e-09"},
		{"otsu: no thresholds", "otsu:smooth=2", "no thresholds"},
	} {
		if got := ruleText(c.rule, c.kernel); got != c.want {
			t.Errorf("%s: %q, want %q", c.rule, got, c.want)
		}
	}
}

// The legend tells what a kernel took from the page where no conditions of the page do.
func TestLegendTellsTheRule(t *testing.T) {
	for _, c := range []struct{ spec, text, want string }{
		{"sauvola", "sauvola: window 31 x 31, k 0.2, r 0.4647515770047903; boundary v <= T, activation v > T", "window 31 x 31, k 0.2, r 0.464752; boundary v ≤ T, activation v > T"},
		{"otsu:per=line", "otsu per line: lo 1..2, hi 2..3 over 9 lines", "per line: lo 1..2, hi 2..3 over 9 lines"},
		{"otsu", "otsu: t 3; boundary v <= 3, activation v >= 4", ""},
		{"expr:boundary=v<3,activation=v>4", "expr: boundary v < 3, activation v > 4", ""},
	} {
		j := &pageJob{cfg: &Config{Legend: true, Kernel: kernel(t, c.spec)}, bands: &bandSource{}, report: kernels.Report{Text: c.text}}
		if got := j.legend().Found; got != c.want {
			t.Errorf("%s: %q, want %q", c.spec, got, c.want)
		}
	}
}
