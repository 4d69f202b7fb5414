//go:build !unix

package bench

import "time"

// cpuTime is not used: it would count in steps of 16 ms.
func cpuTime() (time.Duration, bool) { return 0, false }
