package cli

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite golden files and what the scripts expect")

// The test binary is also the program, so that scripts and signal tests run real processes.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"segscan": func() { os.Exit(Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// TestScripts runs testdata/script: what a user types, and what comes of it.
//
//	exits CODE PROGRAM ARGS...   runs a program and compares its exit code
//	mkimg FILE PIXELS            makes an image; see image_test.go
//	mkcolour FILE COLOURS        makes an image of letters; see colour_image_test.go
//	mkimagej FILE PIXELS         makes a TIFF whose ImageJ description says that a pixel is 0.65 um
//	cut FILE N                   keeps the first N bytes of a file
//	add FILE TEXT                appends to a file
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits,
			"mkimg": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) != 2 {
					ts.Fatalf("usage: mkimg FILE PIXELS")
				}
				ts.Check(writeImage(ts.MkAbs(args[0]), args[1]))
			},
			"mkcolour": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) != 2 {
					ts.Fatalf("usage: mkcolour FILE COLOURS")
				}
				ts.Check(writeColours(ts.MkAbs(args[0]), args[1]))
			},
			"mkimagej": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) != 2 {
					ts.Fatalf("usage: mkimagej FILE PIXELS")
				}
				ts.Check(writeImageJ(ts.MkAbs(args[0]), args[1]))
			},
			"add": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) != 2 {
					ts.Fatalf("usage: add FILE TEXT")
				}
				f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_APPEND|os.O_WRONLY, 0)
				ts.Check(err)
				_, err = f.WriteString(args[1])
				ts.Check(errors.Join(err, f.Close()))
			},
			"cut": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) != 2 {
					ts.Fatalf("usage: cut FILE N")
				}
				n, err := strconv.ParseInt(args[1], 10, 64)
				ts.Check(err)
				ts.Check(os.Truncate(ts.MkAbs(args[0]), n))
			},
		},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Check(fmt.Errorf("start %s: %w", args[1], err))
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}
