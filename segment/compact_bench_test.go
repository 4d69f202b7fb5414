package segment

import (
	"context"
	"fmt"
	"runtime"
	"testing"
)

// BenchmarkCompaction gathers 2^20 spans from tiles of 256: what the two forms cost beside finding the spans.
func BenchmarkCompaction(b *testing.B) {
	const tiles, each = 4096, 256
	found := make([]Bound, each)
	for form, name := range []string{"single-pass", "multi-pass"} {
		for _, workers := range []int{1, runtime.GOMAXPROCS(0)} {
			b.Run(fmt.Sprintf("%s/workers=%d", name, workers), func(b *testing.B) {
				var r Result
				b.SetBytes(tiles * each * 8)
				for b.Loop() {
					resetResult(&r, tiles)
					plan := compactPlan{form: Compaction(form), workers: workers, tiles: tiles}
					err := compactSpans(context.Background(), plan, &r, func(_, tile int, out *tileSpans) error {
						out.reset(tile)
						out.startLine()
						out.kept.bounds = append(out.kept.bounds, found...)
						return nil
					})
					if err != nil || len(r.Kept.Bounds) != tiles*each {
						b.Fatal(len(r.Kept.Bounds), err)
					}
				}
			})
		}
	}
}
