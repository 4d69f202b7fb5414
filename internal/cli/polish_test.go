package cli

import (
	"strings"
	"testing"
)

// Messages about mistakes on the command line: short, and with the remedy where one is likely.
func TestMistakesAreExplained(t *testing.T) {
	for _, c := range []struct{ args, says, hint string }{
		{"--channel z a.png", `--channel "z": allowed: luma`, ""},
		{"--channel lume a.png", `--channel "lume"`, "did you mean luma?"},
		{"--k=otsu a.png", "unknown flag --k", "did you mean -k?"},
		{"--pixel-size 0,65um a.png", "decimals are written with a point", ""},
		{"-k " + strings.Repeat("x", 40000) + " a.png", "-k \"xxx", "known: "},
	} {
		_, err := parseMain(strings.Fields(c.args))
		u, ok := err.(*usageError)
		if !ok || !strings.Contains(u.msg, c.says) || len(u.msg) > 800 {
			t.Errorf("%.60s: got %.200v", c.args, err)
			continue
		}
		if c.hint == "" && u.hint != "" || !strings.Contains(u.hint, c.hint) {
			t.Errorf("%.60s: hint %q, want %q", c.args, u.hint, c.hint)
		}
	}
	var errs strings.Builder
	if code := Run([]string{""}, strings.NewReader(""), &errs, &errs); code != exitUsage || !strings.Contains(errs.String(), "an input is empty") {
		t.Errorf("an empty input: %d, %q", code, errs.String())
	}
	for v, want := range map[float64]string{12: "12 px/s", 4321: "4.3 kpx/s", 123456: "0.1 Mpx/s", 5e8: "500.0 Mpx/s"} {
		if got := speedText(v); got != want {
			t.Errorf("%v: %q, want %q", v, got, want)
		}
	}
}
