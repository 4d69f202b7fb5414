package cli

import (
	"errors"
	"strings"
	"testing"

	"segscan/internal/batch"
)

// Keys of several --with add up; the last does not take the place of those before.
func TestWithMerges(t *testing.T) {
	for _, c := range []struct {
		given []string
		want  string
	}{
		{nil, ""},
		{[]string{"smooth=2,per=line"}, "smooth=2,per=line"},
		{[]string{"per=line", "smooth=2"}, "per=line,smooth=2"},
		{[]string{"per=line", "smooth=2", "baseline=median:5"}, "per=line,smooth=2,baseline=median:5"},
		{[]string{"smooth=2,per=line", "SMOOTH = 2"}, "smooth=2,per=line"},
		{[]string{"a=max(1,2)", "b='x,y'"}, "a=max(1,2),b='x,y'"},
		{[]string{"smooth=1,smooth=2"}, "smooth=1,smooth=2"}, // refused as every spec with a key twice is
		{[]string{"a=(1", "per=line"}, "a=(1,per=line"},      // refused as every bracket that is not closed is
	} {
		if got, err := mergedKeys(c.given); err != nil || got != c.want {
			t.Errorf("%q: %q, %v; want %q", c.given, got, err, c.want)
		}
	}
	for _, given := range [][]string{
		{"smooth=1", "smooth=2"}, {"smooth=1,per=line", "per=page,smooth=2"}, {"per=line", "smooth=1", "smooth=2"},
	} {
		var usage *usageError
		if _, err := mergedKeys(given); !errors.As(err, &usage) || !strings.Contains(usage.msg, "=") || usage.hint == "" {
			t.Errorf("%q: %v", given, err)
		}
	}
}

// What filters samples is taken for every kernel; all else is refused, with what to write.
func TestGlobalKernelsWithFilters(t *testing.T) {
	list, err := globalKernels([]string{"smooth=2", "Baseline = median:5, smooth2d=0"})
	plain := batch.GlobalKernels()
	if err != nil || len(list) != len(plain) {
		t.Fatalf("%d kernels of %d: %v", len(list), len(plain), err)
	}
	for i, s := range list {
		if got, want := s.String(), withKeys(plain[i].String(), "baseline=median:5,smooth=2"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	for _, c := range []struct{ given, says, hint string }{
		{"window=3", `"window" filters no samples`, "filters are baseline, smooth, smooth2d"},
		{"classes=3", `"classes" filters no samples`, "filters are "},
		{"per=line", `"per" filters no samples`, "filters are "},
		{"smoth=3", `"smoth" filters no samples`, "did you mean smooth?"},
		{"=3", `"" filters no samples`, "filters are "},
		{"smooth", "smooth has no value", "write smooth=VALUE"},
		{"smooth= ", "smooth has no value", "write smooth=VALUE"},
		{"smooth=(", `")" is missing in "smooth=("`, "close every bracket"},
		{"smooth=x", "smooth=x is not a number", "a standard deviation"},
		{"baseline=median:4", "baseline=median:4 is even", "a window has a sample in its middle"},
		{"smooth=1,smooth=1", "smooth is given twice", "give smooth once"},
	} {
		var usage *usageError
		if _, err := globalKernels([]string{c.given}); !errors.As(err, &usage) ||
			!strings.HasPrefix(usage.msg, "--with \""+c.given+"\": "+c.says) || !strings.HasPrefix(usage.hint, c.hint) {
			t.Errorf("%s: %+v", c.given, err)
		}
	}
}
