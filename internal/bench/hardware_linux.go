package bench

import (
	"os"
	"strconv"
	"strings"
)

// hardware is the processor's name and the bytes of memory. What cannot be read stays empty: it describes only.
func hardware() (cpu string, memory uint64) {
	text, _ := os.ReadFile("/proc/cpuinfo")
	if cpu = field(string(text), "model name"); cpu == "" {
		model, _ := os.ReadFile("/proc/device-tree/model") // arm64 boards
		cpu = strings.TrimRight(string(model), "\x00\n")
	}
	text, _ = os.ReadFile("/proc/meminfo")
	kib, _ := strconv.ParseUint(strings.TrimSuffix(field(string(text), "MemTotal"), " kB"), 10, 64)
	return cpu, kib << 10
}
