//go:build !linux

package kernels

import "time"

var began = time.Now()

// cpuTime is the time on the clock.
func cpuTime() time.Duration { return time.Since(began) }
