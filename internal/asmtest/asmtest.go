// Package asmtest holds what the tests of packages with generated assembly share.
package asmtest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Fresh tests, in the folder of a package simd, that the committed assembly is what its generator writes. The generator
// is a module with dependencies of its own, so this needs the go command and, the first time, a module proxy;
// SEGSCAN_REQUIRE_TOOLS=1 makes a lack of them a failure.
func Fresh(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the generator")
	}
	skip := func(why string, err error, out []byte) {
		if os.Getenv("SEGSCAN_REQUIRE_TOOLS") == "1" {
			t.Fatalf("%s: %v\n%s", why, err, out)
		}
		t.Skipf("%s: %v\n%s", why, err, out)
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		skip("no go command", err, nil)
	}
	run := func(dir string, args ...string) ([]byte, error) {
		cmd := exec.Command(goTool, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOOS=", "GOARCH=")
		return cmd.CombinedOutput()
	}
	// A copy, so that the generator's command line, which it writes down, is the committed one, and nothing here is
	// overwritten.
	tmp := t.TempDir()
	dir := filepath.Join(tmp, "generate")
	if err := os.CopyFS(dir, os.DirFS("generate")); err != nil {
		t.Fatal(err)
	}
	if out, err := run(dir, "mod", "download"); err != nil {
		skip("modules of the generator are not to be had", err, out)
	}
	source, err := os.ReadFile("simd.go")
	if err != nil {
		t.Fatal(err)
	}
	const directive = "//go:generate go run -C generate "
	_, rest, ok := strings.Cut(string(source), directive)
	if !ok {
		t.Fatalf("simd.go holds no %q", directive)
	}
	line, _, _ := strings.Cut(rest, "\n")
	if out, err := run(dir, append([]string{"run"}, strings.Fields(line)...)...); err != nil {
		t.Fatalf("the generator fails: %v\n%s", err, out)
	}
	for _, name := range []string{"simd_amd64.s", "stubs_amd64.go"} {
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join(tmp, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator writes; run make asm", name)
		}
	}
}
