package cuda

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"
)

//go:embed *.ptx manifest.json
var embedded embed.FS

// Modules names the modules of the stages, which every device can run; each has one source and one PTX file of that
// stem.
func Modules() []string {
	return []string{"classify", "scan", "readout", "compact", "histogram", "measure"}
}

// OnDemand names the modules that are loaded when they are first needed: those that do all stages at once (fused_basic
// and fused_basic_lines for old devices, the others for new ones; fused_small is for tests), those of local thresholds
// (local_matrix and local_narrow for new devices) and of expressions, and bench, for measuring.
func OnDemand() []string {
	return []string{"fused", "fused_table", "fused_lines", "fused_many", "fused_many_table", "fused_small", "fused_basic",
		"fused_basic_lines", "bench", "local", "local_matrix", "local_narrow", "passes", "local_median", "local_survey", "code"}
}

// AllModules names them all.
func AllModules() []string { return append(Modules(), OnDemand()...) }

// PTX is the text of a module, as a driver takes it but for the zero byte at the end.
func PTX(module string) (string, error) {
	text, err := embedded.ReadFile(module + ".ptx")
	if err != nil {
		return "", fmt.Errorf("no PTX of module %q: %w", module, err)
	}
	return string(text), nil
}

// Target is what a module's PTX needs: the .version of the PTX language and the .target.
type Target struct {
	Major, Minor int // of the PTX language
	SM           int // least compute capability, ten times: 70 is 7.0
}

// TargetOf reads the head of a PTX text.
func TargetOf(ptx string) (t Target, err error) {
	for line := range strings.Lines(ptx) {
		var n int
		if _, err := fmt.Sscanf(line, ".version %d.%d", &t.Major, &t.Minor); err == nil {
			continue
		}
		if n, _ = fmt.Sscanf(line, ".target sm_%d", &t.SM); n == 1 && t.Major > 0 {
			return t, nil
		}
	}
	return Target{}, fmt.Errorf("the PTX names no version and target")
}

// Manifest says what the embedded PTX was made from.
type Manifest struct {
	Compiler string            `json:"compiler"`
	Sources  map[string]string `json:"sources"` // SHA-256 by file name
	Modules  []ManifestModule  `json:"modules"`
}

// ManifestModule is one module of a Manifest.
type ManifestModule struct {
	Source string `json:"source"`
	Output string `json:"output"`
	Flags  string `json:"flags"`
	SHA256 string `json:"sha256"` // of the output
}

// ReadManifest is the embedded manifest.
func ReadManifest() (m Manifest, err error) {
	text, err := embedded.ReadFile("manifest.json")
	if err != nil {
		return m, fmt.Errorf("read the manifest of the PTX: %w", err)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("read the manifest of the PTX: %w", err)
	}
	return m, nil
}
