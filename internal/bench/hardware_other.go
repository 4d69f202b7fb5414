//go:build !linux && !darwin

package bench

import "os"

// hardware is what the environment says of the processor (Windows does).
func hardware() (cpu string, memory uint64) { return os.Getenv("PROCESSOR_IDENTIFIER"), 0 }
