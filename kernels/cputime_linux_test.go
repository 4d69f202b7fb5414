package kernels

import (
	"syscall"
	"time"
)

// cpuTime is the processor time that this process has taken, which other processes do not stretch as they do the time
// on the clock.
func cpuTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
