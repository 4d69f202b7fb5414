package segment

import (
	"context"
	"fmt"
)

// Mirror runs the textbook pipeline of the device on the CPU, in the device's shape: classify (samples to pairs),
// scan (inclusive, by tiles, with look-back), readout (spans at their closing samples), compact. Every stage walks
// tiles of Tile consecutive samples of the band, lines laid end to end, and leaves the buffers a device would
// leave, so that the two can be compared stage by stage. It is the reference, not the fast way: see the CPU engine
// for that. It takes about 60 bytes a sample.
type Mirror struct {
	Tile    int // samples a tile, at least 1
	Workers int // goroutines that take tiles; fewer than 1 counts as 1
	Block   int // counts a block of the multi-pass scan of counts; 0: a size fit for use
}

// Buffers is what the stages hand on. Element p belongs to sample p%Width of body line p/Width.
type Buffers struct {
	Lines, Width int
	Pairs        []Headed       // by Classify: one element lifted, with the heads of lines; Lines*Width
	Aggregates   []Headed       // by Scan: of each tile
	Prefixes     []Headed       // by Scan: inclusive, of all samples up to the end of each tile
	Scan         []FlagAndIndex // by Scan: inclusive, from the start of the line; Lines*Width
	Marks        []Mark         // by Readout: what ends at each sample; Lines*Width
}

// Segment runs all stages on the classes of lines*width samples and puts the spans into r, as an engine's Segment
// does: without o.Rejected the rejected spans stay empty. Only the edge rule, the compaction form and Rejected are
// read from o. r.Masks is left alone.
func (m Mirror) Segment(ctx context.Context, classes []Class, lines, width int, o Options, r *Result) (*Buffers, error) {
	b, err := m.Classify(ctx, classes, lines, width)
	if err != nil {
		return nil, err
	}
	if err := m.Scan(ctx, b); err != nil {
		return nil, err
	}
	if err := m.Readout(ctx, b, o.Edges); err != nil {
		return nil, err
	}
	return b, m.Compact(ctx, b, o, r)
}

// tiles is the number of tiles of a band and the samples of tile t.
func (m Mirror) tiles(n int) int { return (n + m.Tile - 1) / m.Tile }

func (m Mirror) span(t, n int) (lo, hi int) { return t * m.Tile, min((t+1)*m.Tile, n) }

// eachTile runs step on the samples lo..hi-1 of every tile.
func (m Mirror) eachTile(ctx context.Context, n int, step func(tile, lo, hi int)) error {
	return runTiles(ctx, m.Workers, m.tiles(n), nil, func(_, tile int) error {
		lo, hi := m.span(tile, n)
		step(tile, lo, hi)
		return nil
	})
}

func (m Mirror) check(n, lines, width int) error {
	if m.Tile < 1 {
		return fmt.Errorf("mirror: tile of %d samples, need at least 1", m.Tile)
	}
	if lines < 0 || width < 0 || n != lines*width {
		return fmt.Errorf("mirror: %d classes for %d lines of %d samples", n, lines, width)
	}
	return nil
}
