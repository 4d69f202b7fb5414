// The scan stage: the inclusive scan of the pairs. Its CPU mirror is segment/scan.go, its launch gpu/scan.go.
#include "tile.cuh"

// One tile: reduce it to an aggregate, find by look-back what comes before it, and scan it from that. Heads are part
// of the operator, so tiles need not know where lines end.
template <u32 threads, u32 items> DEV void scanTile(const ScanParams &p) {
  struct Shared {
    u64 ticket;
    Pair warps[threads / warpLanes], before;
  };
  SHARED(Shared, shared);
  u64 *state = p.state.get();
  u64 tile = takeTile(state, &shared.ticket);
  u64 from = tile * (threads * items) + threadInBlock() * items;

  const Pair *pairs = p.pairs.get();
  Pair own[items], aggregate = identityPair();
  UNROLL for (u32 k = 0; k < items; k++) {
    own[k] = from + k < p.n ? pairs[from + k] : identityPair();
    aggregate = combinePairs(aggregate, own[k]);
  }
  Pair total;
  Pair before = scanBlock<PairOperator, threads>(aggregate, shared.warps, &total);
  if (threadInBlock() < warpLanes) {
    Pair first = {p.beforeIndex, p.beforeFlag};
    Pair found = lookBack<PairOperator>(state + 1, 1, tile, first, total);
    if (threadInBlock() == 0) {
      shared.before = found;
      if (p.aggregates.set()) p.aggregates.get()[tile] = total;
    }
  }
  syncBlock();
  before = combinePairs(shared.before, before);
  Pair *scan = p.scan.get();
  UNROLL for (u32 k = 0; k < items; k++) {
    before = combinePairs(before, own[k]);
    if (from + k < p.n) scan[from + k] = Pair{before.index, flagOf(before)};
  }
}

KERNEL(scan, tileThreads, ScanParams) { scanTile<tileThreads, tileItems>(p); }
KERNEL(scan_small, smallThreads, ScanParams) { scanTile<smallThreads, smallItems>(p); }
