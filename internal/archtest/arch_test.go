package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "segscan"

// layers says which packages of the project the code below a folder may import, besides its own subfolders.
var layers = map[string][]string{
	"segment":           {},
	"kernels":           {"segment"},
	"internal/raster":   {"segment"},
	"viz":               {"segment"},
	"gpu":               {"segment", "kernels", "kernels/cuda"},
	"samples":           {},
	"samples/generate":  {},
	"internal/batch":    {"segment", "kernels", "internal/raster", "viz"},
	"internal/bench":    {"segment", "kernels", "internal/raster", "viz", "internal/batch", "gpu"},
	"internal/cli":      {"segment", "kernels", "internal/raster", "viz", "internal/batch", "internal/bench", "gpu", "samples"},
	"internal/gallery":  {"kernels", "internal/cli", "samples"},
	"internal/archtest": {},
	"internal/asmtest":  {},
	".":                 {"internal/cli"},
}

// onlyBelow names libraries that belong to one folder.
var onlyBelow = map[string]string{
	"github.com/disintegration/imaging": "viz",
	"gonum.org/v1/plot":                 "viz",
	"github.com/ebitengine/purego":      "gpu",
	"github.com/spf13/pflag":            "internal/cli",
	"github.com/schollz/progressbar/v3": "internal/cli",
}

// source is one parsed file that is no test.
type source struct {
	dir, name string // below the module's root, slash-separated
	file      *ast.File
}

func sources(t *testing.T) []source {
	t.Helper()
	root := filepath.Join("..", "..")
	fset := token.NewFileSet()
	var all []source
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if p != root && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(fset, p, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		all = append(all, source{path.Dir(rel), rel, f})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// layerOf is the longest folder of layers that holds dir, or "".
func layerOf(dir string) string {
	for d := dir; ; d = path.Dir(d) {
		if _, ok := layers[d]; ok && (d != "." || dir == ".") {
			return d
		}
		if d == "." {
			return ""
		}
	}
}

// badImports lists the imports of s that its layer does not have.
func badImports(s source) []string {
	var bad []string
	layer := layerOf(s.dir)
	if layer == "" {
		return []string{s.name + ": the folder belongs to no layer"}
	}
	for _, spec := range s.file.Imports {
		imp, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return []string{err.Error()}
		}
		for lib, home := range onlyBelow {
			if within(imp, lib) && !within(s.dir, home) {
				bad = append(bad, fmt.Sprintf("%s imports %s, which belongs to %s", s.name, imp, home))
			}
		}
		to, ours := strings.CutPrefix(imp, module+"/")
		if !ours || (layer != "." && within(to, layer)) || allowed(layer, to) {
			continue
		}
		bad = append(bad, fmt.Sprintf("%s imports %s; %s may import %v only", s.name, imp, layer, layers[layer]))
	}
	return bad
}

func within(p, dir string) bool { return p == dir || strings.HasPrefix(p, dir+"/") }

func allowed(layer, to string) bool {
	for _, a := range layers[layer] {
		if to == a {
			return true
		}
	}
	return false
}

// isProgram: main packages and the command line may print, exit and read flags.
func isProgram(s source) bool { return s.file.Name.Name == "main" || within(s.dir, "internal/cli") }

// badCalls lists what a library must not do: print, exit, read flags or arguments, act at import.
func badCalls(s source) []string {
	var bad []string
	names := map[string]string{} // local name of an import -> path
	for _, spec := range s.file.Imports {
		imp, _ := strconv.Unquote(spec.Path.Value)
		local := path.Base(imp)
		if spec.Name != nil {
			local = spec.Name.Name
		}
		names[local] = imp
		switch imp {
		case "log", "log/slog", "flag", "github.com/spf13/pflag":
			bad = append(bad, s.name+" imports "+imp)
		}
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok {
				switch what := names[x.Name] + "." + n.Sel.Name; what {
				case "fmt.Print", "fmt.Printf", "fmt.Println", "os.Exit", "os.Stdout", "os.Stderr", "os.Args":
					bad = append(bad, s.name+" uses "+what)
				}
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.Ident); ok && (f.Name == "print" || f.Name == "println") {
				bad = append(bad, s.name+" calls "+f.Name)
			}
		case *ast.FuncDecl:
			if n.Name.Name == "init" && n.Recv == nil {
				bad = append(bad, s.name+" acts at import (func init)")
			}
		}
		return true
	})
	return bad
}

func TestImportDirections(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range sources(t) {
		seen[layerOf(s.dir)] = true
		for _, b := range badImports(s) {
			t.Error(b)
		}
	}
	for _, l := range []string{"segment", "kernels", "internal/raster", "viz", "internal/batch", "internal/cli", "samples", "."} {
		if !seen[l] {
			t.Errorf("no source found in %s: the test looks in the wrong place", l)
		}
	}
}

func TestLibrariesDoNotPrintOrExit(t *testing.T) {
	checked := 0
	for _, s := range sources(t) {
		if isProgram(s) {
			continue
		}
		checked++
		for _, b := range badCalls(s) {
			t.Error(b)
		}
	}
	if checked < 20 {
		t.Errorf("only %d library files found", checked)
	}
}

// TestRulesCanFail: each rule reports a file that breaks it.
func TestRulesCanFail(t *testing.T) {
	parse := func(dir, text string) source {
		f, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n"+text, 0)
		if err != nil {
			t.Fatal(err)
		}
		return source{dir, dir + "/x.go", f}
	}
	for _, c := range []struct{ dir, text string }{
		{"segment", `import "segscan/kernels"`},
		{"segment/deep", `import "segscan/viz"`},
		{"kernels", `import "segscan/internal/raster"`},
		{"internal/raster", `import "segscan/internal/batch"`},
		{"viz", `import "segscan/kernels"`},
		{"gpu", `import "segscan/internal/raster"`},
		{"internal/batch", `import "segscan/gpu"`},
		{".", `import "segscan/segment"`},
		{"internal/cli", `import "github.com/disintegration/imaging"`},
		{"internal/batch", `import "gonum.org/v1/plot/vg"`},
		{"elsewhere", `import "fmt"`},
	} {
		if len(badImports(parse(c.dir, c.text))) == 0 {
			t.Errorf("%s with %s passes", c.dir, c.text)
		}
	}
	for _, text := range []string{
		`import "log"`, `import "flag"`, `import f "fmt"; func g() { f.Println() }`, `import "os"; func g() { os.Exit(1) }`,
		`import "os"; var w = os.Stderr`, `func g() { println() }`, `func init() {}`,
	} {
		if len(badCalls(parse("segment", text))) == 0 {
			t.Errorf("%s passes", text)
		}
	}
	for _, c := range []struct{ dir, text string }{
		{"segment/segmenttest", `import "segscan/segment"`},
		{"gpu", `import "segscan/kernels/cuda"`},
		{"viz", `import "github.com/disintegration/imaging"`},
	} {
		if bad := badImports(parse(c.dir, c.text)); len(bad) > 0 {
			t.Errorf("allowed, but: %v", bad)
		}
	}
}
