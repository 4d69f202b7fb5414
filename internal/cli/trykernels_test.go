package cli

import (
	"errors"
	"strings"
	"testing"
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
