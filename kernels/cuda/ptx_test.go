package cuda_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"segscan/kernels/cuda"
)

var (
	entryPattern = regexp.MustCompile(`(?s)\.visible \.entry (\w+)\((.*?)\)\s*\.maxntid (\d+), 1, 1`)
	paramPattern = regexp.MustCompile(`\.param (.*?)(?:,|$)`)
)

// entries gives for each entry of a PTX text what the launch must know, as a line of text.
func entries(ptx string) map[string]string {
	found := map[string]string{}
	for _, m := range entryPattern.FindAllStringSubmatch(ptx, -1) {
		var params []string
		for _, p := range paramPattern.FindAllStringSubmatch(strings.TrimSpace(m[2]), -1) {
			params = append(params, strings.TrimSpace(p[1]))
		}
		found[m[1]] = fmt.Sprintf("%s threads, %s", m[3], strings.Join(params, "; "))
	}
	return found
}

func TestPTXHasTheKernelsAndParameters(t *testing.T) {
	found := map[string]map[string]string{}
	total := 0
	for _, module := range cuda.AllModules() {
		ptx, err := cuda.PTX(module)
		if err != nil {
			t.Fatal(err)
		}
		found[module] = entries(ptx)
		total += len(found[module])
		if n := strings.Count(ptx, ".entry"); n != len(found[module]) {
			t.Errorf("%s: %d of %d entries were read", module, len(found[module]), n)
		}
	}
	for _, k := range cuda.Kernels() {
		want := fmt.Sprintf("%d threads, .align 8 .b8 %s_param_0[%d]", k.Threads, k.Entry, k.Params)
		if got := found[k.Module][k.Entry]; got != want {
			t.Errorf("%s in %s: got %q, want %q", k.Entry, k.Module, got, want)
		}
	}
	if total != len(cuda.Kernels()) {
		t.Errorf("the PTX has %d entries, %d are described", total, len(cuda.Kernels()))
	}
}

func TestEntriesAreReadAsWritten(t *testing.T) {
	got := entries(".visible .entry f(\n\t.param .u64 f_param_0,\n\t.param .align 8 .b8 f_param_1[48]\n)\n.maxntid 64, 1, 1\n{")
	if want := "64 threads, .u64 f_param_0; .align 8 .b8 f_param_1[48]"; got["f"] != want {
		t.Errorf("got %q, want %q", got["f"], want)
	}
}

// The driver a module needs is a promise to users: the textbook stages and fused_basic run from compute capability 7.0
// and PTX 6.3 (CUDA 10.0, driver 410) on, fused, local_matrix and local_narrow from 8.0 and PTX 7.1 (CUDA 11.1, driver 455).
func TestTargets(t *testing.T) {
	newer := cuda.Target{Major: 7, Minor: 1, SM: 80}
	targets := map[string]cuda.Target{"fused": newer, "fused_table": newer, "fused_lines": newer, "fused_many": newer,
		"fused_many_table": newer, "fused_small": newer, "local_matrix": newer, "local_narrow": newer}
	for _, module := range cuda.AllModules() {
		ptx, err := cuda.PTX(module)
		if err != nil {
			t.Fatal(err)
		}
		got, err := cuda.TargetOf(ptx)
		want, ok := targets[module]
		if !ok {
			want = cuda.Target{Major: 6, Minor: 3, SM: 70}
		}
		if err != nil || got != want {
			t.Errorf("%s: got %+v, %v, want %+v", module, got, err, want)
		}
	}
	if _, err := cuda.TargetOf("\n"); err == nil {
		t.Error("an empty text has a target")
	}
	if _, err := cuda.PTX("nothing"); err == nil {
		t.Error("there is PTX of a module that is none")
	}
}

// No kernel may keep arrays of a thread in local memory: that is the mark of a loop that was not unrolled, or of a
// parameter that was copied.
func TestNothingLiesInLocalMemory(t *testing.T) {
	for _, module := range cuda.AllModules() {
		ptx, err := cuda.PTX(module)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(ptx, "__local_depot") {
			t.Errorf("%s uses local memory", module)
		}
	}
}
