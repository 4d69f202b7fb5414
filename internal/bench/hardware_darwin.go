package bench

import "golang.org/x/sys/unix"

// hardware is the processor's name and the bytes of memory. What cannot be read stays empty: it describes only.
func hardware() (cpu string, memory uint64) {
	cpu, _ = unix.Sysctl("machdep.cpu.brand_string")
	memory, _ = unix.SysctlUint64("hw.memsize")
	return cpu, memory
}
