// The scan stage: from pairs to what is known at every sample. Its device text is kernels/cuda/scan.cu, its launch
// gpu/scan.go.

package segment

import "context"

// Scan is the inclusive scan of b.Pairs in one pass over tiles taken by ticket: a tile reduces its pairs to an
// aggregate, finds the value of everything before it by decoupled look-back (Merrill and Garland 2016), and scans
// its pairs from that. Tiles need not know where lines end, for heads are part of the operator.
func (m Mirror) Scan(ctx context.Context, b *Buffers) error {
	n := len(b.Pairs)
	if err := m.check(n, b.Lines, b.Width); err != nil {
		return err
	}
	tiles := m.tiles(n)
	b.Scan = make([]FlagAndIndex, n)
	b.Aggregates, b.Prefixes = make([]Headed, tiles), make([]Headed, tiles)
	back := newLookback(tiles, IdentityHeaded(), CombineHeaded)
	return runTiles(ctx, m.Workers, tiles, back.stop, func(_, tile int) error {
		lo, hi := m.span(tile, n)
		aggregate := IdentityHeaded()
		for _, p := range b.Pairs[lo:hi] {
			aggregate = CombineHeaded(aggregate, p)
		}
		before, ok := back.exclusive(tile, aggregate)
		if !ok {
			return nil // stopped: runTiles knows why
		}
		for i, p := range b.Pairs[lo:hi] {
			before = CombineHeaded(before, p)
			b.Scan[lo+i] = before.FlagAndIndex
		}
		b.Aggregates[tile], b.Prefixes[tile] = aggregate, before
		return nil
	})
}
