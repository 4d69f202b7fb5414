package cuda_test

import (
	"fmt"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	goast "go/ast"

	"segscan/kernels/cuda"
)

// header is abi.cuh as its rules let it be read.
type header struct {
	constants map[string]uint64
	fields    map[string][]field // of a struct, in order
	sizes     map[string]uintptr
	offsets   map[string]uintptr // by "Struct.field"
}

type field struct{ typ, name string }

func readHeader(t *testing.T, text string) header {
	t.Helper()
	h := header{map[string]uint64{}, map[string][]field{}, map[string]uintptr{}, map[string]uintptr{}}
	in := ""
	for n, line := range strings.Split(text, "\n") {
		number := func(s string) uint64 {
			v, err := strconv.ParseUint(s, 0, 64)
			if err != nil {
				t.Fatalf("abi.cuh:%d: %v", n+1, err)
			}
			return v
		}
		switch m := regexp.MustCompile(`^constexpr u32 (\w+) = (\w+);$|^struct (?:alignas\(\d+\) )?(\w+) \{$|^  ([\w<>]+) (\w+);$|^ABI_SIZE\((\w+), (\d+)\);$|^ABI_AT\((\w+), (\w+), (\d+)\);$|^\};$`).FindStringSubmatch(line); {
		case m == nil:
			if !regexp.MustCompile(`^(//.*|#pragma once|#include .*|static_assert.*|)$`).MatchString(line) {
				t.Fatalf("abi.cuh:%d: not as its rules say: %q", n+1, line)
			}
		case m[1] != "":
			h.constants[m[1]] = number(m[2])
		case m[3] != "":
			in = m[3]
			h.fields[in] = nil
		case m[4] != "":
			h.fields[in] = append(h.fields[in], field{m[4], m[5]})
		case m[6] != "":
			h.sizes[m[6]] = uintptr(number(m[7]))
		case m[8] != "":
			h.offsets[m[8]+"."+m[9]] = uintptr(number(m[10]))
		}
	}
	return h
}

// structs are the Go side of every struct of the header.
func structs() []any {
	return []any{cuda.Pair{}, cuda.Bound{}, cuda.Counts{}, cuda.ClassifyParams{}, cuda.MaskParams{}, cuda.ScanParams{},
		cuda.ReadoutParams{}, cuda.CompactParams{}, cuda.CountsParams{}, cuda.FloatCounts{}, cuda.HistogramParams{},
		cuda.Sums{}, cuda.SumParams{}, cuda.Measured{}, cuda.MeasureParams{}, cuda.FusedTotal{}, cuda.FusedParams{}, cuda.FusedImage{}, cuda.FusedRun{},
		cuda.PlanesParams{}, cuda.BenchParams{}, cuda.LocalParams{}, cuda.MedianParams{},
		cuda.CodeInstr{}, cuda.CodeParams{}}
}

// goConstants evaluates the constants of abi.go.
func goConstants(t *testing.T) map[string]uint64 {
	t.Helper()
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, "abi.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := (&types.Config{Importer: importer.Default()}).Check("cuda", files, []*goast.File{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]uint64{}
	for _, name := range pkg.Scope().Names() {
		if c, ok := pkg.Scope().Lookup(name).(*types.Const); ok {
			v, exact := constant.Uint64Val(c.Val())
			if !exact {
				t.Fatalf("abi.go: %s is no uint64", name)
			}
			found[name] = v
		}
	}
	return found
}

func exported(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// differences says where Go and the header disagree.
func differences(h header, constants map[string]uint64, structs []any) (d []string) {
	add := func(format string, a ...any) { d = append(d, fmt.Sprintf(format, a...)) }
	for name, want := range h.constants {
		if got, ok := constants[exported(name)]; !ok || got != want {
			add("constant %s: %d in Go, %d in the header", name, got, want)
		}
	}
	if len(constants) != len(h.constants) {
		add("%d constants in Go, %d in the header", len(constants), len(h.constants))
	}
	if len(structs) != len(h.fields) {
		add("%d structs in Go, %d in the header", len(structs), len(h.fields))
	}
	sizes := map[string]uintptr{"u8": 1, "u16": 2, "u32": 4, "u64": 8, "double": 8}
	for _, s := range structs {
		typ := reflect.TypeOf(s)
		fields := h.fields[typ.Name()]
		if len(fields) != typ.NumField() {
			add("%s: %d fields in Go, %d in the header", typ.Name(), typ.NumField(), len(fields))
			continue
		}
		end := uintptr(0)
		for i, f := range fields {
			g := typ.Field(i)
			size, at := sizes[f.typ], end
			if strings.HasPrefix(f.typ, "Ptr<") {
				size = 8
				if g.Type != reflect.TypeFor[cuda.Ptr]() {
					add("%s.%s: %s in Go, %s in the header", typ.Name(), g.Name, g.Type, f.typ)
				}
			}
			if want, ok := h.offsets[typ.Name()+"."+f.name]; ok {
				at = want
			}
			if g.Name != exported(f.name) || g.Type.Size() != size || g.Offset != at {
				add("%s: %s, %d bytes at %d in Go, %s, %d bytes at %d in the header",
					typ.Name(), g.Name, g.Type.Size(), g.Offset, f.name, size, at)
			}
			end = at + size
		}
		size, ok := h.sizes[typ.Name()]
		if !ok {
			size = end
		}
		if typ.Size() != size {
			add("%s: %d bytes in Go, %d in the header", typ.Name(), typ.Size(), size)
		}
	}
	return d
}

func TestGoSaysWhatTheHeaderSays(t *testing.T) {
	text, err := os.ReadFile("abi.cuh")
	if err != nil {
		t.Fatal(err)
	}
	h := readHeader(t, string(text))
	if len(h.constants) < 20 || len(h.offsets) < 80 {
		t.Fatalf("only %d constants and %d offsets were read", len(h.constants), len(h.offsets))
	}
	for _, d := range differences(h, goConstants(t), structs()) {
		t.Error(d)
	}
}

// A change of one number, one field or one offset of the header must be noticed.
func TestHeaderComparisonFindsChanges(t *testing.T) {
	text, err := os.ReadFile("abi.cuh")
	if err != nil {
		t.Fatal(err)
	}
	constants := goConstants(t)
	for _, change := range [][2]string{
		{"tileItems = 8;", "tileItems = 4;"},
		{"constexpr u32 countsSmall = 64;\n", ""},
		{"  Ptr<Pair> aggregates;\n", ""},
		{"  u32 beforeIndex;\n", "  u64 beforeIndex;\n"},
		{"  u32 lo;\n  u32 hi;\n", "  u32 hi;\n  u32 lo;\n"},
		{"ABI_AT(MeasureParams, out, 40);", "ABI_AT(MeasureParams, out, 48);"},
		{"ABI_SIZE(Measured, 40);", "ABI_SIZE(Measured, 48);"},
	} {
		changed := strings.Replace(string(text), change[0], change[1], 1)
		if changed == string(text) {
			t.Fatalf("the header has no %q", change[0])
		}
		if len(differences(readHeader(t, changed), constants, structs())) == 0 {
			t.Errorf("%q in place of %q is not noticed", change[1], change[0])
		}
	}
}

func TestKernelNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range cuda.Kernels() {
		if seen[k.Entry] {
			t.Errorf("%s is listed twice", k.Entry)
		}
		seen[k.Entry] = true
		if !strings.HasPrefix(k.Entry, k.Module) && k.Module != "classify" && k.Module != "histogram" && k.Module != "local_median" &&
			!strings.HasPrefix(k.Entry, "fused") {
			t.Errorf("%s is in module %s", k.Entry, k.Module)
		}
	}
}
