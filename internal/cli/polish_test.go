package cli

import (
	"strings"
	"testing"

	"segscan/internal/batch"
	"segscan/kernels"
)

// Messages about mistakes on the command line: short, and with the remedy where one is likely.
func TestMistakesAreExplained(t *testing.T) {
	for _, c := range []struct{ args, says, hint string }{
		{"--channel z a.png", `--channel "z": allowed: luma`, ""},
		{"--channel lume a.png", `--channel "lume"`, "did you mean luma?"},
		{"--k=otsu a.png", "unknown flag --k", "did you mean -k?"},
		{"--pixel-size 0,65um a.png", "decimals are written with a point", ""},
		{"-k otsu a.png -k li", `-k "li": a run has one kernel, and -k otsu is given too`, "another -o, or compare them: segscan try -k otsu -k li"},
		{"--device gpu a.png", `--device "gpu": allowed: auto, cpu, cuda`, "did you mean cuda?"},
		{"--jobs -1 a.png", `--jobs "-1": allowed: 0 (as many as cores) to 65536`, ""},
		{"--pixel-size 2um/s a.png", `the unit "um/s" cannot be used`, "1/3um"},
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

// Inputs that were not begun are an error, which --quiet does not hide.
func TestLeftOutIsSaid(t *testing.T) {
	var errs strings.Builder
	newReporter(&printer{w: &errs}, &options{Config: batch.Config{Out: "o"}, quiet: true}, nil).finish(&batch.Summary{LeftOut: 20})
	want := "segscan: files left out, for nothing more can be written to o: 20\nhint: make room; --skip-existing goes on where this run ends\n"
	if errs.String() != want {
		t.Errorf("got %q, want %q", errs.String(), want)
	}
}

// What helps where no segment is found depends on what the kernel compares.
func TestHintWhereNothingIsFound(t *testing.T) {
	for spec, want := range map[string]string{
		"otsu": "--invert finds dark marks on a bright ground, ",
		"color:space=hsv,activation=h:345..10,boundary=s:..15%": "--style classes shows ",
		"distance:to=dc141e,near=5,far=35":                      "--style classes shows ",
	} {
		k, err := kernels.Parse(spec)
		if err != nil {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		if got := noneHint(k); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", spec, got, want)
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
		{"thresholds -o d a.png", "--out is about plots, and there is no --plot", "add --plot, or leave it out: thresholds go to stdout, and > FILE saves them"},
		{"thresholds --legend a.png", "thresholds takes no --legend: it belongs to segscan itself", "segscan thresholds --help"},
		{"thresholds --edges keep a.png", "thresholds takes no --edges: it looks at every global kernel", "leave it out; segscan thresholds --help"},
		{"thresholds --axis cols a.png", "--axis is about filters, and there is no --with", "leave it out"},
		{"thresholds --smooth 2 a.png", "unknown flag --smooth", "did you mean --with smooth=2?"},
		{"try --baseline median:9 a.png", "unknown flag --baseline", "did you mean --with baseline=median:101?"},
		{"--filter smooth=2 a.png", "unknown flag --filter", "did you mean -k multiotsu:smooth=2?"},
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
