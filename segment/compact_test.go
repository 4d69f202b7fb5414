package segment

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// forms runs f once for each compaction form with a few numbers of workers and scan blocks.
func forms(t *testing.T, f func(t *testing.T, run func(ctx context.Context, tiles int, p produceFunc, s scatterFunc) (counts, error))) {
	for _, workers := range []int{1, 2, 5} {
		t.Run(fmt.Sprintf("single-pass/%d", workers), func(t *testing.T) {
			f(t, func(ctx context.Context, tiles int, p produceFunc, s scatterFunc) (counts, error) {
				return compactSinglePass(ctx, workers, tiles, p, s)
			})
		})
		for _, block := range []int{2, 3, 64} {
			t.Run(fmt.Sprintf("multi-pass/%d/%d", workers, block), func(t *testing.T) {
				f(t, func(ctx context.Context, tiles int, p produceFunc, s scatterFunc) (counts, error) {
					return compactMultiPass(ctx, workers, tiles, block, p, s)
				})
			})
		}
	}
}

type runFunc = func(ctx context.Context, tiles int, p produceFunc, s scatterFunc) (counts, error)

func TestCompactionBasesAreExclusivePrefixes(t *testing.T) {
	forms(t, func(t *testing.T, run runFunc) {
		rng := rand.New(rand.NewPCG(1, 2))
		for _, tiles := range []int{0, 1, 2, 3, 4, 5, 8, 9, 63, 64, 65, 1000} {
			own := make([]counts, tiles)
			for i := range own {
				own[i] = counts{rng.Int64N(4), rng.Int64N(3)}
			}
			got := make([]counts, tiles)
			seen := make([]int, tiles)
			total, err := run(context.Background(), tiles, func(_, tile int) (counts, error) {
				if tile%7 == 0 {
					runtime.Gosched() // let later tiles overtake
				}
				return own[tile], nil
			}, func(_, tile int, base counts) error {
				got[tile] = base
				seen[tile]++
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			var want counts
			for i, c := range own {
				if got[i] != want || seen[i] != 1 {
					t.Fatalf("%d tiles: tile %d got base %v (%d times), want %v once", tiles, i, got[i], seen[i], want)
				}
				want = want.add(c)
			}
			if total != want {
				t.Fatalf("%d tiles: total %v, want %v", tiles, total, want)
			}
		}
	})
}

// A later tile must wait for an earlier one that is slow, asleep rather than spinning, and still get its base.
func TestLookbackWaitsForSlowTile(t *testing.T) {
	first := make(chan struct{})
	var got counts
	total, err := compactSinglePass(context.Background(), 2, 2, func(_, tile int) (counts, error) {
		if tile == 0 {
			<-first
		} else {
			time.AfterFunc(20*time.Millisecond, func() { close(first) })
		}
		return counts{int64(tile) + 5, 1}, nil
	}, func(_, tile int, base counts) error {
		if tile == 1 {
			got = base
		}
		return nil
	})
	if err != nil || got != (counts{5, 1}) || total != (counts{11, 2}) {
		t.Fatalf("base %v total %v err %v", got, total, err)
	}
}

func TestCompactionStopsOnErrorAndPanic(t *testing.T) {
	broken := errors.New("broken")
	for name, fail := range map[string]func() error{
		"error":  func() error { return broken },
		"panic":  func() error { panic(broken) },
		"goexit": func() error { runtime.Goexit(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			forms(t, func(t *testing.T, run runFunc) {
				for _, at := range []int{0, 1, 7} {
					for _, inScatter := range []bool{false, true} {
						done := make(chan error, 1)
						go func() { // Goexit of the calling worker ends this goroutine too
							var err error = broken
							defer func() { done <- err }()
							_, err = run(context.Background(), 40, func(_, tile int) (counts, error) {
								if tile == at && !inScatter {
									return counts{}, fail()
								}
								return counts{1, 0}, nil
							}, func(_, tile int, _ counts) error {
								if tile == at && inScatter {
									return fail()
								}
								return nil
							})
						}()
						select {
						case err := <-done:
							var p *PanicError
							if !errors.Is(err, broken) && !(name == "goexit" && errors.As(err, &p)) {
								t.Fatalf("tile %d: got error %v", at, err)
							}
							if errors.As(err, &p) != (name == "panic") && name != "goexit" {
								t.Fatalf("tile %d: panic reported as %T", at, err)
							}
						case <-time.After(20 * time.Second):
							t.Fatalf("tile %d: hangs", at)
						}
					}
				}
			})
		})
	}
}

// While tile 0 stands still, later tiles wait in their look-back; ending the context must free them all, for tile 0
// then gives up and publishes nothing.
func TestCompactionCancelFreesWaitingTiles(t *testing.T) {
	forms(t, func(t *testing.T, run runFunc) {
		ctx, cancel := context.WithCancelCause(context.Background())
		time.AfterFunc(5*time.Millisecond, func() { cancel(errors.New("asked to")) })
		var scattered atomic.Bool
		_, err := run(ctx, 100, func(_, tile int) (counts, error) {
			if tile == 0 {
				<-ctx.Done()
				return counts{}, ctx.Err()
			}
			return counts{}, nil
		}, func(_, tile int, _ counts) error {
			if tile == 99 {
				scattered.Store(true)
			}
			return nil
		})
		if !errors.Is(err, context.Canceled) || scattered.Load() {
			t.Fatalf("got error %v, last tile scattered %v", err, scattered.Load())
		}
	})
}

func TestCompactionOfNothing(t *testing.T) {
	forms(t, func(t *testing.T, run runFunc) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		never := func(_, tile int) (counts, error) { t.Errorf("tile %d ran", tile); return counts{}, nil }
		if _, err := run(ctx, 3, never, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled before it began: %v", err)
		}
		if total, err := run(context.Background(), 0, never, nil); err != nil || total != (counts{}) {
			t.Errorf("no tiles: %v, %v", total, err)
		}
	})
}

func TestSinkGrowsUnderConcurrentTiles(t *testing.T) {
	const tiles, each = 300, 11
	for _, form := range []Compaction{SinglePass, MultiPass} {
		var r Result
		for range 3 { // reused memory too
			resetResult(&r, tiles)
			err := compactSpans(context.Background(), compactPlan{form: form, workers: 4, tiles: tiles, block: 2}, &r, func(_, tile int, out *tileSpans) error {
				out.reset(tile)
				out.startLine()
				for i := range each {
					b := Bound{uint32(tile), uint32(i)}
					if i%3 == 0 {
						out.rejected.bounds = append(out.rejected.bounds, b)
					} else {
						out.kept.bounds = append(out.kept.bounds, b)
					}
				}
				out.dropped = int64(tile)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if r.DroppedAtEdges != tiles*(tiles-1)/2 {
				t.Fatalf("dropped %d", r.DroppedAtEdges)
			}
			for line := range tiles { // 0 3 6 9 are rejected, 1 2 4 5 7 8 10 kept
				got := fmt.Sprint(r.Kept.Line(line), r.Rejected.Line(line))
				want := fmt.Sprintf("[{%[1]d 1} {%[1]d 2} {%[1]d 4} {%[1]d 5} {%[1]d 7} {%[1]d 8} {%[1]d 10}] [{%[1]d 0} {%[1]d 3} {%[1]d 6} {%[1]d 9}]", line)
				if got != want {
					t.Fatalf("form %d line %d: got %s, want %s", form, line, got, want)
				}
			}
		}
	}
}

func TestEdgeMarks(t *testing.T) {
	const lines = 19
	var r Result
	resetResult(&r, lines)
	m := newEdgeMarks(lines)
	err := runTiles(context.Background(), 4, lines*4, nil, func(_, i int) error {
		if line := i / 4; (line>>(i%4))&1 == 1 { // line's own low bits say which of its four marks are set
			m.set(line, []uint8{EdgeLeft, EdgeRight}[i%2], i%4 >= 2)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	m.store(&r)
	for line := range lines {
		if k, j := r.Kept.Edge[line], r.Rejected.Edge[line]; k != uint8(line&3) || j != uint8(line>>2&3) {
			t.Errorf("line %d: kept %b rejected %b", line, k, j)
		}
	}
}
