package simd

import (
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestLevels(t *testing.T) {
	levels := Levels()
	t.Log("levels of this machine:", levels)
	if levels[0] != Portable || !slices.IsSorted(levels) || Best() != levels[len(levels)-1] {
		t.Fatalf("levels %v, best %s", levels, Best())
	}
	seen := map[string]bool{}
	for l := Portable; l <= AVX512VBMI; l++ {
		if seen[l.String()] || l.String() == "" {
			t.Errorf("level %d has no name of its own: %q", l, l)
		}
		seen[l.String()] = true
	}
}

// GODEBUG takes levels away from a whole program.
func TestGODEBUGTakesLevelsAway(t *testing.T) {
	if runtime.GOARCH != "amd64" || Best() == Portable {
		t.Skip("no level to take away")
	}
	const mark = "SEGSCAN_PRINT_LEVELS"
	if os.Getenv(mark) != "" {
		t.Log("only", Levels())
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^TestGODEBUGTakesLevelsAway$", "-test.v")
	cmd.Env = append(os.Environ(), mark+"=1", "GODEBUG=cpu.avx2=off")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "no level to take away") {
		t.Fatalf("without AVX2: %v\n%s", err, out)
	}
}
