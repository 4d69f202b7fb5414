package kernels

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestParseCanonical(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"multiotsu", "multiotsu"},
		{" MultiOtsu : classes = 4 ", "multiotsu:classes=4"},
		{"multiotsu:classes=3", "multiotsu"},
		{"multiotsu:per=page", "multiotsu"},
		{"multiotsu:per=line,classes=2", "multiotsu:classes=2,per=line"},
		{"otsu", "otsu"},
		{"li:per=line", "li:per=line"},
		{"hysteresis:lo=40,hi=200", "hysteresis:lo=40,hi=200"},
		{"hysteresis:hi=200,lo=40", "hysteresis:lo=40,hi=200"},
		{"hysteresis:lo=+040.50,hi=2e2", "hysteresis:lo=40.5,hi=200"},
		{"hysteresis:lo=-0,hi=.5", "hysteresis:lo=0,hi=0.5"},
		{"hysteresis:lo=-3,hi=-1e-9", "hysteresis:lo=-3,hi=-1e-09"},
		{"hysteresis:lo=1,hi=1e20", "hysteresis:lo=1,hi=1e+20"},
		{"hysteresis:lo= 10 %,hi=\t47%", "hysteresis:lo=10%,hi=47%"},
		{"hysteresis:lo=p5,hi=P99.5", "hysteresis:lo=p5,hi=p99.5"},
		{"hysteresis:lo='otsu * 0.9',hi=\"mean + 3 sd\"", "hysteresis:lo=otsu*0.9,hi=mean+3sd"},
		{"hysteresis:lo=Otsu*1.0-0,hi=median+1.50SD", "hysteresis:lo=otsu,hi=median+1.5sd"},
		{"hysteresis:lo=li*-1,hi=li*2e0-5", "hysteresis:lo=li*-1,hi=li*2-5"},
		{"hysteresis:lo=mean-1e-9sd,hi=mean+1e20", "hysteresis:lo=mean-1e-09sd,hi=mean+1e+20"},
		{"hysteresis:lo=mean+0sd,hi=p99,per=line", "hysteresis:lo=mean,hi=p99,per=line"},
		{"hysteresis:lo=10,hi=47%", "hysteresis:lo=10,hi=47%"},
		{"hysteresis:lo='P50 * 1.0',hi='p99 * 1.10 + 2'", "hysteresis:lo=p50,hi=p99*1.1+2"},
		{"hysteresis:lo=p2.5-1sd,hi='median + 3 MAD'", "hysteresis:lo=p2.5-1sd,hi=median+3mad"},
		{"hysteresis:lo=p1-5e-3sd,hi=p1e2+0mad", "hysteresis:lo=p1-0.005sd,hi=p100"},
		{"percentile", "percentile"},
		{"percentile:high=98,low=50", "percentile"},
		{"percentile:high=99.9", "percentile:high=99.9"},
		{"mad:khigh=5,klow=-2", "mad:klow=-2,khigh=5"},
	} {
		s, err := Parse(c.in)
		if err != nil {
			t.Errorf("Parse(%q): %v", c.in, err)
			continue
		}
		if s.String() != c.want {
			t.Errorf("Parse(%q) is %q, want %q", c.in, s, c.want)
		}
		again, err := Parse(s.String())
		if err != nil || again.String() != s.String() || again.Needs() != s.Needs() {
			t.Errorf("Parse(%q) does not read back: %v, %v", s, again, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ in, msg, hint string }{
		{"", "no kernel named", "segscan kernels"},
		{" :x=1", "no kernel named", "segscan kernels"},
		{"otso", `no kernel is named "otso"`, "did you mean otsu?"},
		{"hysterisis:lo=1,hi=2", `"hysterisis"`, "did you mean hysteresis?"},
		{"quantile", `"quantile"`, "known: multiotsu, hysteresis"},
		{"otsu:", "empty parameter", "otsu:key=value"},
		{"otsu:per=line,", "empty parameter", "otsu:key=value"},
		{"otsu:=line", "no key before '='", ""},
		{"otsu:per", "per has no value", "otsu:per=VALUE"},
		{"otsu:per=", "per has no value", ""},
		{"otsu:per=row", "per=row is neither page nor line", "per=page or per=line"},
		{"otsu:pre=line", `unknown parameter "pre"`, "did you mean per?"},
		{"multiotsu:clases=3", `unknown parameter "clases"`, "did you mean classes?"},
		{"multiotsu:classes=3,classes=4", "classes is given twice, as 3 and 4", "once"},
		{"multiotsu:classes=1", "classes=1 is not a whole number from 2 to 5", "classes=2"},
		{"multiotsu:classes=2.5", "classes=2.5", ""},
		{"hysteresis", "lo is missing", "hysteresis:lo=40,hi=200"},
		{"hysteresis:lo=3", "hi is missing", ""},
		{"hysteresis:lo=5,hi=5", "lo=5 must be below hi=5", "--invert"},
		{"hysteresis:lo=50%,hi=20%", "lo=50% must be below hi=20%", ""},
		{"hysteresis:lo=p50,hi=p50", "lo=p50 must be below hi=p50", ""},
		{"hysteresis:lo=p101,hi=5", "lo=p101: a percentile is at most 100", "p0 to p100"},
		{"hysteresis:lo=ostu,hi=5", `no method is named "ostu"`, "did you mean otsu?"},
		{"hysteresis:lo=multiotsu,hi=5", "multiotsu is a kernel that gives no single threshold", "use otsu, which parts two classes, or multiotsu as the kernel itself"},
		{"hysteresis:lo=percentile,hi=5", "percentile is a kernel that gives no single threshold", "p2.5"},
		{"hysteresis:lo=1,hi=MAD*2", "hi=MAD*2: mad is a kernel that gives no single threshold", "median+3mad"},
		{"hysteresis:lo=sauvola,hi=5", "sauvola is a kernel that gives no single threshold", "methods: mean"},
		{"multiotsu --edges keep", `no kernel is named "multiotsu --edges keep"`, "--edges is a flag and no part of a kernel: end -k before it"},
		{"sauvola:window=15,r=5% --invert", "r=5% --invert is not a number", "--invert is a flag and no part"},
		{"otsu:smooth=2 --roi=1,2,3,4 --invert", "kernel otsu: 2 has no value", "--roi is a flag"},
		{"expr:activation=v --x, boundary=v", "no condition", "compare it with something"}, // one letter is an operand
		{"--invert", `no kernel is named "--invert"`, "known: "},
		{"gradient:hi=multiotsu", "kernel gradient: hi=multiotsu: multiotsu is", "use otsu"},
		{"hysteresis:lo=p5e-3sd,hi=5", "not a threshold value", "median+3mad"},
		{"hysteresis:lo=p101*2,hi=5", "a percentile is at most 100", ""},
		{"hysteresis:lo=40+2mad,hi=5", "not a threshold value", ""},
		{"hysteresis:lo=p60*2+1mad,hi=p50*2+1mad", "must be below", ""},
		{"hysteresis:lo=median+3mad,hi=median+3mad", "must be below", ""},
		{"hysteresis:lo=nan,hi=5", `no method is named "nan"`, ""},
		{"hysteresis:lo=1e999,hi=5", "1e999 is out of range", ""},
		{"hysteresis:lo=0x10,hi=5", "not a threshold value", "otsu*0.9"},
		{"hysteresis:lo=otsu*,hi=5", "not a threshold value", ""},
		{"hysteresis:lo=mean+sd,hi=5", "not a threshold value", ""},
		{"hysteresis:lo=mean+3sd+1,hi=5", "not a threshold value", ""},
		{"hysteresis:lo=a=b,hi=5", "lo=a=b: not a threshold value", ""},
		{"hysteresis:lo=a:b,hi=5", "lo=a:b: not a threshold value", ""},
		{"hysteresis:lo=max(1,2),hi=5", "lo=max(1,2): not a threshold value", ""},
		{"hysteresis:lo='1,2',hi=5", "lo=1,2: not a threshold value", ""},
		{"hysteresis:lo=(1,hi=5", `")" is missing`, "close every bracket"},
		{"hysteresis:lo=1],hi=5", `"]" without its opening bracket`, ""},
		{"hysteresis:lo='1,hi=5", "quote ' is not closed", ""},
		{"hysteresis:lo=1,hi=5,per=line", "per=line needs a threshold that depends on the image", "leave per=line out"},
		{"percentile:low=60,high=40", "low=60 must be below high=40", ""},
		{"percentile:low=-1", "low=-1 is not a number from 0 to 100", ""},
		{"percentile:low=NaN", "low=NaN is not a number", ""},
		{"mad:klow=4", "klow=4 must be below khigh=3", ""},
	} {
		s, err := Parse(c.in)
		var usage *UsageError
		if !errors.As(err, &usage) {
			t.Errorf("Parse(%q) is %v, %v, want a usage error", c.in, s, err)
			continue
		}
		if !strings.Contains(usage.Msg, c.msg) || !strings.Contains(usage.Hint, c.hint) {
			t.Errorf("Parse(%q): %q (hint %q), want %q (hint %q)", c.in, usage.Msg, usage.Hint, c.msg, c.hint)
		}
	}
}

func TestSplitSpec(t *testing.T) {
	name, pairs, err := splitSpec(`X: a=b=c:d , k = "p,q" ,m=f(1,[2,3]),n="half" more`)
	want := []pair{{"a", "b=c:d"}, {"k", "p,q"}, {"m", "f(1,[2,3])"}, {"n", `"half" more`}}
	if err != nil || name != "x" || len(pairs) != len(want) {
		t.Fatalf("got %q %q %v", name, pairs, err)
	}
	for i := range want {
		if pairs[i] != want[i] {
			t.Errorf("pair %d is %q, want %q", i, pairs[i], want[i])
		}
	}
}

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"otsu", "otsu", 0}, {"ostu", "otsu", 1}, {"otso", "otsu", 1}, {"kitten", "sitting", 3}} {
		if got := editDistance(c.a, c.b); got != c.want {
			t.Errorf("editDistance(%q, %q) is %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestCatalog(t *testing.T) {
	seen := map[string]bool{}
	for _, i := range List() {
		if seen[i.Name] {
			t.Errorf("two kernels are named %s", i.Name)
		}
		seen[i.Name] = true
		if i.Summary == "" || i.When == "" || i.Source == "" {
			t.Errorf("%s lacks a description: %+v", i.Name, i)
		}
		s, err := Parse(i.Example)
		if err != nil {
			t.Errorf("the example of %s does not parse: %v", i.Name, err)
		} else if head, _, _ := strings.Cut(s.String(), ":"); head != i.Name {
			t.Errorf("the example of %s is of %s", i.Name, head)
		}
		defaults := i.Name
		for k, p := range i.Params {
			if p.Help == "" {
				t.Errorf("%s: %s has no help", i.Name, p.Name)
			}
			if p.Default != "" {
				defaults += string(":,"[min(k, 1)]) + p.Name + "=" + p.Default
			}
		}
		if slices.Contains([]string{"hysteresis", "expr", "color", "distance"}, i.Name) {
			continue // their keys have no default
		}
		if s, err := Parse(defaults); err != nil || s.String() != i.Name {
			t.Errorf("%s with the defaults shown is %v (%v), want %s", i.Name, s, err, i.Name)
		}
	}
	for _, m := range methodNames() {
		if !seen[m] && m != "median" {
			t.Errorf("method %s is no kernel", m)
		}
	}
	if got, err := Lookup(" Otsu "); err != nil || got.Name != "otsu" {
		t.Errorf("Lookup: %v %v", got, err)
	}
	if _, err := Lookup("otso"); err == nil || !strings.Contains(err.(*UsageError).Hint, "otsu") {
		t.Errorf("Lookup of a misspelt name: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, i := range List() {
		f.Add(i.Example)
	}
	for _, s := range []string{"hysteresis:lo=p5,hi=p99.5,per=line", "hysteresis:lo='mean-1e-3sd',hi=47%", "x:(,]", "mad:klow=-2,khigh=1e3",
		"otsu:smooth2d=.5,smooth=2e0,baseline=opening:5", "gradient:edge=2%,hi=otsu+1sd,baseline=Median:3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		s, err := Parse(in)
		if err != nil {
			var usage *UsageError
			if !errors.As(err, &usage) {
				t.Fatalf("Parse(%q): %v is no usage error", in, err)
			}
			return
		}
		again, err := Parse(s.String())
		if err != nil || again.String() != s.String() {
			t.Fatalf("Parse(%q) is %q, which reads back as %v (%v)", in, s, again, err)
		}
	})
}
