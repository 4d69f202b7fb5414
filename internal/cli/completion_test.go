package cli

import (
	"os/exec"
	"strings"
	"testing"

	"segscan/kernels"
)

// TestBashCompletes runs the script in bash, as readline calls it.
func TestBashCompletes(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skipf("no bash here: %v", err)
	}
	script := newCompleter().bash()
	for _, c := range []struct{ words, index, want string }{
		{"segscan --ax", "1", "--axis"},
		{"segscan x --axis ''", "3", "rows cols"},
		{"segscan x --axis = c", "4", "cols"},
		{"segscan kernels multi", "2", "multiotsu"},
		{"segscan -k hyst", "2", "hysteresis"},
		{"segscan vers", "1", "version"},
		{"segscan completion po", "2", "powershell"},
	} {
		cmd := exec.Command(bash, "--norc", "-c", script+"\nCOMP_WORDS=("+c.words+"); COMP_CWORD="+c.index+"; _segscan; echo \"${COMPREPLY[*]}\"")
		cmd.Dir = t.TempDir()
		out, err := cmd.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != c.want {
			t.Errorf("%s: got %q, %v; want %q", c.words, got, err, c.want)
		}
	}
}

// TestEveryShellKnowsEveryFlag: scripts come from the same table as the flags.
func TestEveryShellKnowsEveryFlag(t *testing.T) {
	for shell, write := range shellScripts {
		script := write(newCompleter())
		for _, name := range mainFlags(&options{}).names() {
			if !strings.Contains(script, "--"+name) && !strings.Contains(script, "-l "+name) {
				t.Errorf("%s: --%s is missing", shell, name)
			}
		}
		for _, k := range kernels.List() {
			if !strings.Contains(script, k.Name) {
				t.Errorf("%s: kernel %s is missing", shell, k.Name)
			}
		}
	}
}
