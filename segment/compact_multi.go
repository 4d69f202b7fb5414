package segment

import "context"

// compactMultiPass is the form for devices without forward-progress guarantees, and a cross-check of the other:
// three passes with a barrier between them. Local compaction: every tile finds its spans and counts them. An
// exclusive scan of the counts gives the bases (see exclusiveScan). Stitch: every tile copies its spans to its
// base. See Blelloch, "Prefix Sums and Their Applications" (1990).
//
// A tile's stitch may run on another worker than its produce, after all tiles have been produced: scratch must
// belong to the tile. Errors as in compactSinglePass.
func compactMultiPass(ctx context.Context, workers, tiles, block int, produce produceFunc, stitch scatterFunc) (counts, error) {
	if tiles <= 0 {
		return counts{}, ctx.Err()
	}
	bases := make([]counts, tiles)
	err := runTiles(ctx, workers, tiles, nil, func(worker, tile int) (err error) {
		bases[tile], err = produce(worker, tile)
		return err
	})
	if err != nil {
		return counts{}, err
	}
	total, err := exclusiveScan(ctx, workers, block, bases)
	if err != nil {
		return counts{}, err
	}
	err = runTiles(ctx, workers, tiles, nil, func(worker, tile int) error {
		return stitch(worker, tile, bases[tile])
	})
	if err != nil {
		return counts{}, err
	}
	return total, nil
}

// scanBlock is the number of counts one block of exclusiveScan takes outside tests.
const scanBlock = 1024

// exclusiveScan replaces every element of v by the sum of those before it and returns the sum of all. It scans
// blocks of `block` elements (fewer than 2 counts as 2) each on its own, scans the sums of the blocks the same way,
// as many levels deep as it takes, and adds the result back: any number of elements, no block ever waits for
// another within a level.
func exclusiveScan(ctx context.Context, workers, block int, v []counts) (counts, error) {
	block = max(block, 2)
	blocks := (len(v) + block - 1) / block
	if blocks <= 1 {
		return scanOneBlock(v), ctx.Err()
	}
	sums := make([]counts, blocks)
	part := func(b int) []counts { return v[b*block : min((b+1)*block, len(v))] }
	err := runTiles(ctx, workers, blocks, nil, func(_, b int) error {
		sums[b] = scanOneBlock(part(b))
		return nil
	})
	if err != nil {
		return counts{}, err
	}
	total, err := exclusiveScan(ctx, workers, block, sums)
	if err != nil {
		return counts{}, err
	}
	err = runTiles(ctx, workers, blocks, nil, func(_, b int) error {
		for i, c := range part(b) {
			part(b)[i] = sums[b].add(c)
		}
		return nil
	})
	return total, err
}

// scanOneBlock is the exclusive scan of one block, in place; it returns the sum.
func scanOneBlock(v []counts) (sum counts) {
	for i, c := range v {
		v[i] = sum
		sum = sum.add(c)
	}
	return sum
}
