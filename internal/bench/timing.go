package bench

import (
	"context"
	"runtime"
	"slices"
	"time"
)

// Time is what a task took, in seconds, over the rounds that were run.
type Time struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	Runs   int     `json:"runs"`
}

// newTime summarises the seconds of at least one run.
func newTime(s []float64) Time {
	s = slices.Sorted(slices.Values(s))
	n := len(s)
	return Time{Median: (s[(n-1)/2] + s[n/2]) / 2, Min: s[0], Max: s[n-1], Runs: n}
}

// perSecond is how much of n is done in a second, by the median.
func (t Time) perSecond(n float64) float64 {
	if t.Median <= 0 {
		return 0
	}
	return n / t.Median
}

// task is one thing to be timed. cores is how many it may use; wall says that it waits (for a disk, a device), so that
// only the clock can time it.
type task struct {
	cores int
	wall  bool
	run   func() error
}

// clock times tasks in rounds, as many as asked for while the time it may take lasts.
type clock struct {
	rounds   int
	deadline time.Time
	weight   float64 // of the groups still to come, this one included

	cpu, wall float64 // seconds of all one-core tasks by either measure
}

// share is until when a group of weight w may go on: its part of what is left.
func (c *clock) share(w float64) time.Time {
	left := time.Until(c.deadline)
	part := 1.0
	if c.weight > w {
		part = w / c.weight
	}
	c.weight -= w
	return time.Now().Add(time.Duration(float64(left) * part))
}

// interleave runs each task once untimed and then all in turn, round after round, and gives the time of each. It does a
// round at least, whatever the time.
func (c *clock) interleave(ctx context.Context, weight float64, tasks ...task) ([]Time, error) {
	until := c.share(weight)
	for _, t := range tasks {
		if err := t.do(ctx); err != nil {
			return nil, err
		}
	}
	runtime.GC() // what came before does not count
	seconds := make([][]float64, len(tasks))
	for round := 0; round < c.rounds && (round == 0 || time.Now().Before(until)); round++ {
		for k, t := range tasks {
			s, err := c.once(ctx, t)
			if err != nil {
				return nil, err
			}
			seconds[k] = append(seconds[k], s)
		}
	}
	times := make([]Time, len(tasks))
	for k, s := range seconds {
		times[k] = newTime(s)
	}
	return times, nil
}

func (t *task) do(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return t.run()
}

// once times one run of a task.
func (c *clock) once(ctx context.Context, t task) (float64, error) {
	cpu0, fine := cpuTime()
	start := time.Now()
	err := t.do(ctx)
	s := time.Since(start).Seconds()
	cpu1, _ := cpuTime()
	if err != nil || !fine || t.wall || t.cores != 1 {
		return s, err
	}
	used := (cpu1 - cpu0).Seconds()
	c.cpu, c.wall = c.cpu+used, c.wall+s
	return used, nil
}

// busy is the share of the clock's time that tasks of one core had a core for; 1 where only the clock tells.
func (c *clock) busy() float64 {
	if c.wall == 0 {
		return 1
	}
	return min(1, c.cpu/c.wall)
}
