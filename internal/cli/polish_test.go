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

// A subcommand that does not take a flag says where that flag belongs, and where its own are listed.
func TestFlagsOfOthers(t *testing.T) {
	for _, c := range []struct{ args, says, hint string }{
		{"try --invert a.png", "try takes no --invert: it belongs to segscan itself, without a command", "segscan try --help lists what it takes"},
		{"try -invert a.png", "try takes no -invert: it belongs to segscan itself", "segscan try --help"},
		{"try -background b.png a.png", "unknown flag -background", "did you mean --background?"},
		{"thresholds -k otsu a.png", "thresholds takes no -k: it looks at every global kernel", "leave it out; segscan thresholds --help"},
		{"try --flat-field b.png a.png", "unknown flag --flat-field", "did you mean --background?"},
		{"try --csv a.png", "try takes no --csv: it belongs to segscan thresholds", "segscan try --help"},
		{"inspect --flat-field b.png a.png", "unknown flag --flat-field", "without a command it is --background, which inspect does not take; segscan inspect --help"},
		{"try --output d a.png", "unknown flag --output", "did you mean --out?"},
		{"try --frobnicate a.png", "unknown flag --frobnicate", "segscan try --help lists what it takes"},
		{"try -x a.png", "unknown flag -x", "segscan try --help lists what it takes"},
		{"inspect --background=b.png a.png", "inspect takes no --background: ", "segscan inspect --help"},
		{"bench --overlay none", "bench takes no --overlay: ", "segscan bench --help"},
		{"thresholds --legend a.png", "thresholds takes no --legend: it belongs to segscan itself", "segscan thresholds --help"},
		{"thresholds --axis cols a.png", "thresholds takes no --axis: it looks at every global kernel", "leave it out; segscan thresholds --help"},
		{"kernels --invert otsu", "kernels takes no --invert: it belongs to segscan itself", "segscan kernels --help"},
		{"devices --device=cuda", "devices takes no --device: ", "segscan devices --help"},
		{"version -jobs", "version takes no -jobs: ", "segscan version --help"},
		{"devices --all", "unknown flag --all", "segscan devices --help"},
		{"--quick a.png", "unknown flag --quick", "it is a flag of segscan bench; segscan --help lists the flags"},
	} {
		var out, errs strings.Builder
		code := Run(strings.Fields(c.args), strings.NewReader(""), &out, &errs)
		msg, hint, _ := strings.Cut(errs.String(), "\nhint: ")
		if code != exitUsage || out.Len() > 0 || !strings.HasPrefix(msg, "segscan: "+c.says) || !strings.HasPrefix(hint, c.hint) {
			t.Errorf("%s: exit %d, %q", c.args, code, errs.String())
		}
	}
}
