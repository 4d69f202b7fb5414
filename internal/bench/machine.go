package bench

import (
	"runtime"
	"strings"

	"segscan/segment"
)

// Machine is what the figures were measured on. CPU and Memory are empty where the system does not tell.
type Machine struct {
	CPU          string `json:"cpu"`
	Cores        int    `json:"cores"`
	Memory       uint64 `json:"memory_bytes"`
	Instructions string `json:"instructions"` // that the engine's loops use
	OS           string `json:"os"`
	Arch         string `json:"arch"`
	Go           string `json:"go"`
}

func describe() Machine {
	cpu, memory := hardware()
	return Machine{
		CPU: strings.Join(strings.Fields(cpu), " "), Cores: runtime.GOMAXPROCS(0), Memory: memory,
		Instructions: segment.Instructions(), OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version(),
	}
}

// field finds "name : value" in a text of such lines.
func field(text, name string) string {
	for line := range strings.Lines(text) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == name {
			return strings.TrimSpace(v)
		}
	}
	return ""
}
