package samples

import (
	"io/fs"
	"testing"
)

// Seven kinds of picture, each small enough to travel with the program.
func TestSamplesStaySmall(t *testing.T) {
	names, err := fs.Glob(Files(), "*")
	if err != nil {
		t.Fatal(err)
	}
	if len(names) != 7 {
		t.Errorf("got %d samples, want 7: %v", len(names), names)
	}
	for _, n := range names {
		info, err := fs.Stat(Files(), n)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > 256<<10 {
			t.Errorf("%s has %d bytes, want at most %d", n, info.Size(), 256<<10)
		}
	}
}
