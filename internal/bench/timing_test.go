package bench

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"
)

func TestTime(t *testing.T) {
	for _, c := range []struct {
		seconds []float64
		want    Time
	}{
		{[]float64{3}, Time{3, 3, 3, 1}},
		{[]float64{5, 1, 3}, Time{3, 1, 5, 3}},
		{[]float64{8, 1, 2, 4}, Time{3, 1, 8, 4}},
	} {
		before := slices.Clone(c.seconds)
		if got := newTime(c.seconds); got != c.want {
			t.Errorf("%v: %+v, want %+v", c.seconds, got, c.want)
		}
		if !slices.Equal(before, c.seconds) {
			t.Errorf("%v came out sorted", before)
		}
	}
	if got := (Time{Median: 4}).perSecond(2); got != 0.5 {
		t.Errorf("2 in 4 s is %g a second", got)
	}
}

// TestInterleave: one round that is not timed, then the tasks in turn.
func TestInterleave(t *testing.T) {
	var order []int
	note := func(k int) task { return task{cores: 2, run: func() error { order = append(order, k); return nil }} }
	c := clock{rounds: 3, deadline: time.Now().Add(time.Hour), weight: 1}
	times, err := c.interleave(context.Background(), 1, note(0), note(1))
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{0, 1, 0, 1, 0, 1, 0, 1}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
	for k, got := range times {
		if got.Runs != 3 || got.Min > got.Median || got.Median > got.Max {
			t.Errorf("task %d: %+v", k, got)
		}
	}
}

// TestInterleaveInTime: where the time is over there is one round, and no less.
func TestInterleaveInTime(t *testing.T) {
	c := clock{rounds: 1000, deadline: time.Now().Add(-time.Second), weight: 2}
	times, err := c.interleave(context.Background(), 1, task{cores: 1, run: func() error { return nil }})
	if err != nil || times[0].Runs != 1 {
		t.Errorf("%+v, %v", times, err)
	}
}

// TestShare: a group has its weight's part of what is left, the last one all of it.
func TestShare(t *testing.T) {
	c := clock{deadline: time.Now().Add(40 * time.Second), weight: 4}
	near := func(got time.Time, want time.Duration) {
		t.Helper()
		if d := time.Until(got) - want; d < -time.Second || d > time.Second {
			t.Errorf("%v from now, want %v", time.Until(got), want)
		}
	}
	near(c.share(1), 10*time.Second)
	near(c.share(3), 40*time.Second)
	near(c.share(3), 40*time.Second) // more than was announced: all there is
}

func TestInterleaveEnds(t *testing.T) {
	c := clock{rounds: 5, deadline: time.Now().Add(time.Hour), weight: 1}
	broken := errors.New("broken")
	runs := 0
	_, err := c.interleave(context.Background(), 1, task{cores: 1, run: func() error {
		if runs++; runs == 3 {
			return broken
		}
		return nil
	}})
	if err != broken || runs != 3 {
		t.Errorf("%v after %d runs", err, runs)
	}
	ctx, cancel := context.WithCancel(context.Background())
	runs = 0
	_, err = c.interleave(ctx, 1, task{cores: 1, run: func() error {
		if runs++; runs == 2 {
			cancel()
		}
		return nil
	}})
	if !errors.Is(err, context.Canceled) || runs != 2 {
		t.Errorf("%v after %d runs", err, runs)
	}
}
