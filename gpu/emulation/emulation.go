// Package emulation builds the CUDA driver that is not there: a shared library with the functions of libcuda that
// this project binds, written in C++ in the folder driver, which runs the kernels of kernels/cuda on the CPU. Tests open
// it in place of the driver. It runs on Linux and needs g++ or clang++.
//
// It is configured by the environment variable SEGSCAN_EMULATION, read when the driver is first initialized, or by
// Configure; README.md lists the keys.
package emulation

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

// ErrUnavailable says that the emulation cannot be built here: no Linux, or no compiler.
var ErrUnavailable = errors.New("the emulated driver cannot be built here")

// Require is the environment variable that turns the skip of Library into a failure, if it is 1.
const Require = "SEGSCAN_REQUIRE_EMULATION"

// TB is the part of testing.TB that Library needs.
type TB interface {
	Helper()
	Skipf(format string, a ...any)
	Fatalf(format string, a ...any)
}

// Library gives the path of the library for a test, built if need be. Without a compiler it skips the test, or fails
// it if the environment variable Require says so.
func Library(t TB) string {
	t.Helper()
	path, err := Build()
	switch {
	case err == nil:
	case errors.Is(err, ErrUnavailable) && os.Getenv(Require) != "1":
		t.Skipf("%v; %s=1 makes this a failure", err, Require)
	default:
		t.Fatalf("%v", err)
	}
	return path
}

// Build gives the path of the library, which it builds if it is not there or older than its sources. Calls of many
// processes at once build it once.
func Build() (string, error) {
	if runtime.GOOS != "linux" {
		return "", fmt.Errorf("%w: it is for linux, this is %s", ErrUnavailable, runtime.GOOS)
	}
	compiler, err := findCompiler()
	if err != nil {
		return "", err
	}
	root, err := moduleRoot()
	if err != nil {
		return "", fmt.Errorf("find the sources of the emulated driver: %w", err)
	}
	here := filepath.Join(root, "gpu", "emulation")
	b := builder{compiler, filepath.Join(here, "driver"), filepath.Join(root, "kernels", "cuda"), filepath.Join(here, "lib")}
	path, err := b.build()
	if err != nil {
		return "", fmt.Errorf("build the emulated driver: %w", err)
	}
	return path, nil
}

// findCompiler takes the one that CXX names, or the first of the usual names.
func findCompiler() (string, error) {
	names := []string{"g++", "clang++", "clang++-19"}
	if name := os.Getenv("CXX"); name != "" {
		names = []string{name}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%w: none of %s is there", ErrUnavailable, strings.Join(names, ", "))
}

// moduleRoot is the folder of go.mod at or above the working directory, which for a test is its package's folder.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod at or above the working directory")
		}
		dir = parent
	}
}

type builder struct{ compiler, dir, kernels, lib string }

// flags of every compilation.
func (b builder) flags() []string {
	return []string{"-std=c++17", "-O2", "-ffp-contract=off", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror",
		"-pthread", "-I", b.dir}
}

// build makes lib/libcuda.so.1 beside a note of what it was made from.
func (b builder) build() (string, error) {
	sources, headers, err := b.files()
	if err != nil {
		return "", err
	}
	made, err := b.digest(append(headers, sources...))
	if err != nil {
		return "", err
	}
	lib := b.lib
	if err := os.MkdirAll(lib, 0o777); err != nil {
		return "", err
	}
	unlock, err := lockFile(filepath.Join(lib, "lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	path, note := filepath.Join(lib, "libcuda.so.1"), filepath.Join(lib, "made-from")
	if was, err := os.ReadFile(note); err == nil && string(was) == made {
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	objects, err := os.MkdirTemp(lib, "objects")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(objects)
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	var all []string
	for _, source := range sources {
		object := filepath.Join(objects, filepath.Base(source)+".o")
		all = append(all, object)
		group.Go(func() error {
			return b.run(append(b.flags(), "-c", "-x", "c++", source, "-o", object)...)
		})
	}
	if err := group.Wait(); err != nil {
		return "", err
	}
	fresh := filepath.Join(objects, "libcuda.so.1")
	if err := b.run(append([]string{"-shared", "-pthread", "-Wl,-soname,libcuda.so.1", "-o", fresh}, all...)...); err != nil {
		return "", err
	}
	// A process that has the old file open keeps it.
	if err := os.Rename(fresh, path); err != nil {
		return "", err
	}
	return path, os.WriteFile(note, []byte(made), 0o666)
}

// files lists what is compiled, and what is included by it.
func (b builder) files() (sources, headers []string, err error) {
	for pattern, to := range map[string]*[]string{
		filepath.Join(b.dir, "*.cpp"):     &sources,
		filepath.Join(b.kernels, "*.cu"):  &sources,
		filepath.Join(b.dir, "*.h"):       &headers,
		filepath.Join(b.dir, "*.cuh"):     &headers,
		filepath.Join(b.kernels, "*.cuh"): &headers,
	} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			return nil, nil, err
		}
		if len(paths) == 0 {
			return nil, nil, fmt.Errorf("no sources %s", pattern)
		}
		*to = append(*to, paths...)
	}
	return sources, headers, nil
}

// digest is of the files' names and contents, the flags and the compiler.
func (b builder) digest(paths []string) (string, error) {
	version, err := exec.Command(b.compiler, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("ask %s for its version: %w", b.compiler, err)
	}
	var lines []string
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		lines = append(lines, fmt.Sprintf("%s %x", filepath.Base(path), sha256.Sum256(text)))
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(append(lines, strings.Join(b.flags(), " "), string(version)), "\n")))
	return hex.EncodeToString(sum[:]), nil
}

func (b builder) run(args ...string) error {
	out, err := exec.Command(b.compiler, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", b.compiler, strings.Join(args, " "), err, out)
	}
	return nil
}
