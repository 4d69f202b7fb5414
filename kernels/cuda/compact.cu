// The compaction stage: gathers the spans that marks end into lists in order, kept and rejected apart. Its CPU
// mirrors are segment/compact.go, compact_multi.go and compact_partition.go, its launch gpu/compact.go.
#include "tile.cuh"

// The span that ends at sample i, which is at a position of its line: what is known just before its end has its
// start. A span that ends at no boundary ends at the virtual one after the line, and is clipped to the last sample.
DEV Bound spanAt(const CompactParams &p, u64 i, u32 position) {
  const Pair *scan = p.scan.get();
  u32 here = scan[i].index, left = scan[i - (i > 0)].index;
  if (i == 0) left = inRegister(p.beforeIndex);
  u32 start = here == position ? left : here;
  return Bound{start == noIndex ? 0 : start, position};
}

// The marks of the items consecutive samples of one thread, and how many of each group come before them in the tile.
template <u32 items> struct ThreadMarks {
  u64 from;
  u32 held; // samples of the thread in the band
  u8 marks[items];
  u64 ranks; // of the next kept span (low half) and rejected span (high half) in the tile
};

constexpr u64 oneKept = 1;
constexpr u64 oneRejected = 1ull << 32;

template <u32 items> DEV u64 groupOf(const CompactParams &p, u8 mark) {
  u32 kind = mark & 3;
  return kind == markKept ? oneKept : kind == markRejected && p.wantRejected ? oneRejected : 0;
}

// Loads the marks of a tile; total takes the counts of both groups.
template <u32 threads, u32 items>
DEV ThreadMarks<items> loadMarks(const CompactParams &p, u64 tile, u64 *shared, u64 *total) {
  ThreadMarks<items> m;
  m.from = tile * (threads * items) + threadInBlock() * items;
  m.held = m.from < p.n ? (u32)least((u64)items, p.n - m.from) : 0;
  const u8 *marks = p.marks.get();
  u64 own = 0;
  UNROLL for (u32 k = 0; k < items; k++) {
    m.marks[k] = k < m.held ? marks[m.from + k] : (u8)markNone;
    own += groupOf<items>(p, m.marks[k]);
  }
  m.ranks = scanBlock<SumOperator, threads>(own, shared, total);
  return m;
}

// Goes through a thread's samples: the offsets of the lines that start among them, from the bases of the tile; the
// edge bits of their lines; and write(rejected, rank, i, position) for each span.
template <u32 items, class Write>
DEV void walkMarks(const CompactParams &p, const ThreadMarks<items> &m, u64 keptBase, u64 rejectedBase, Write write) {
  if (m.held == 0) return;
  u64 ranks = m.ranks;
  Place at = placeOf(m.from, p.width);
  UNROLL for (u32 k = 0; k < items; k++) {
    if (k >= m.held) continue;
    if (at.at == 0) {
      p.keptFirst.get()[at.line] = keptBase + (u32)ranks;
      if (p.wantRejected) p.rejectedFirst.get()[at.line] = rejectedBase + (u32)(ranks >> 32);
    }
    u64 group = groupOf<items>(p, m.marks[k]);
    if (group) {
      bool rejected = group == oneRejected;
      u32 edge = m.marks[k] >> markEdgeShift;
      if (edge) atomicOr(p.edges.get() + at.line / edgeLines, edge << (at.line % edgeLines * 4 + (rejected ? 2 : 0)));
      write(rejected, rejected ? (u32)(ranks >> 32) : (u32)ranks, m.from + k, p.pos + at.at);
      ranks += group;
    }
    if (++at.at == p.width) at = Place{at.line + 1, 0};
  }
}

// A span over the room there is is left out; it has been counted.
DEV void place(const CompactParams &p, bool rejected, u64 at, Bound span) {
  if (rejected) {
    if (at < p.rejectedCapacity) p.rejected.get()[at] = span;
  } else if (at < p.keptCapacity) {
    p.kept.get()[at] = span;
  }
}

// Single-pass: count, look back for the base (a group a warp), scatter.
template <u32 threads, u32 items> DEV void compactTile(const CompactParams &p) {
  struct Shared {
    u64 ticket, warps[threads / warpLanes], base[2];
  };
  SHARED(Shared, shared);
  u64 *state = p.state.get();
  u64 tile = takeTile(state, &shared.ticket), total;
  auto m = loadMarks<threads, items>(p, tile, shared.warps, &total);
  u32 group = threadInBlock() / warpLanes;
  if (group < 2) {
    u64 own = group == 0 ? (u32)total : total >> 32;
    u64 base = group == 0 || p.wantRejected ? lookBack<SumOperator>(state + 1 + group, 2, tile, 0, own) : 0;
    if (laneNumber() == 0) {
      shared.base[group] = base;
      if (tile == (p.n - 1) / (threads * items)) {
        u64 *sum = group == 0 ? &p.total.get()->kept : &p.total.get()->rejected;
        *sum = base + own;
      }
    }
  }
  syncBlock();
  u64 kept = shared.base[0], rejected = shared.base[1];
  walkMarks(p, m, kept, rejected, [&](bool isRejected, u32 rank, u64 i, u32 position) {
    place(p, isRejected, (isRejected ? rejected : kept) + rank, spanAt(p, i, position));
  });
}

// Multi-pass, first: where in the tile its spans end, kept ones from the front, rejected ones from the back.
template <u32 threads, u32 items> DEV void compactLocalTile(const CompactParams &p) {
  struct Shared {
    u64 warps[threads / warpLanes];
  };
  SHARED(Shared, shared);
  u64 tile = blockNumber(), total, lo = tile * (threads * items);
  u32 held = (u32)least((u64)(threads * items), p.n - lo);
  auto m = loadMarks<threads, items>(p, tile, shared.warps, &total);
  u16 *local = p.local.get() + lo;
  walkMarks(p, m, 0, 0, [&](bool rejected, u32 rank, u64 i, u32) {
    local[rejected ? held - 1 - rank : rank] = (u16)(i - lo);
  });
  if (threadInBlock() == 0) p.counts.get()[tile] = Counts{(u32)total, total >> 32};
}

// Multi-pass, last: copy the spans of the tile to its base.
template <u32 threads, u32 items> DEV void compactStitchTile(const CompactParams &p) {
  u64 tile = blockNumber(), lo = tile * (threads * items);
  u32 held = (u32)least((u64)(threads * items), p.n - lo);
  Counts base = p.counts.get()[tile];
  Counts end = lo + held == p.n ? *p.total.get() : p.counts.get()[tile + 1];
  Place start = placeOf(lo, p.width);
  const u16 *local = p.local.get() + lo;
  auto copy = [&](bool rejected, u64 from, u32 count) {
    for (u32 rank = threadInBlock(); rank < count; rank += threads) {
      u32 more = local[rejected ? held - 1 - rank : rank];
      place(p, rejected, from + rank, spanAt(p, lo + more, p.pos + advance(start, more, p.width).at));
    }
  };
  copy(false, base.kept, (u32)(end.kept - base.kept));
  copy(true, base.rejected, (u32)(end.rejected - base.rejected));
  // The lines that start in the tile have offsets from its start so far.
  for (u64 line = start.line + (start.at > 0) + threadInBlock(); line * p.width < lo + held; line += threads) {
    p.keptFirst.get()[line] += base.kept;
    if (p.wantRejected) p.rejectedFirst.get()[line] += base.rejected;
  }
}

// The exclusive scan of counts within a block, and the block's sum.
template <u32 threads, u32 items> DEV void countsBlockScan(const CountsParams &p) {
  struct Shared {
    u64 kept[threads / warpLanes], rejected[threads / warpLanes];
  };
  SHARED(Shared, shared);
  Counts *counts = p.counts.get(), own[items], sum = {0, 0}, total;
  u64 from = (u64)blockNumber() * (threads * items) + threadInBlock() * items;
  UNROLL for (u32 k = 0; k < items; k++) {
    own[k] = from + k < p.n ? counts[from + k] : Counts{0, 0};
    sum = Counts{sum.kept + own[k].kept, sum.rejected + own[k].rejected};
  }
  Counts before;
  before.kept = scanBlock<SumOperator, threads>(sum.kept, shared.kept, &total.kept);
  before.rejected = scanBlock<SumOperator, threads>(sum.rejected, shared.rejected, &total.rejected);
  UNROLL for (u32 k = 0; k < items; k++) {
    if (from + k < p.n) counts[from + k] = before;
    before = Counts{before.kept + own[k].kept, before.rejected + own[k].rejected};
  }
  if (threadInBlock() == 0) p.sums.get()[blockNumber()] = total;
}

// Adds the base of its block to every count.
template <u32 threads, u32 items> DEV void countsAddBases(const CountsParams &p) {
  Counts base = p.sums.get()[blockNumber()], *counts = p.counts.get();
  u64 lo = (u64)blockNumber() * (threads * items);
  UNROLL for (u32 k = 0; k < items; k++) {
    u64 i = lo + k * threads + threadInBlock();
    if (i < p.n) counts[i] = Counts{counts[i].kept + base.kept, counts[i].rejected + base.rejected};
  }
}

KERNEL(compact, tileThreads, CompactParams) { compactTile<tileThreads, tileItems>(p); }
KERNEL(compact_small, smallThreads, CompactParams) { compactTile<smallThreads, smallItems>(p); }
KERNEL(compact_local, tileThreads, CompactParams) { compactLocalTile<tileThreads, tileItems>(p); }
KERNEL(compact_local_small, smallThreads, CompactParams) { compactLocalTile<smallThreads, smallItems>(p); }
KERNEL(compact_stitch, tileThreads, CompactParams) { compactStitchTile<tileThreads, tileItems>(p); }
KERNEL(compact_stitch_small, smallThreads, CompactParams) { compactStitchTile<smallThreads, smallItems>(p); }

static_assert(countsBlock % tileThreads == 0 && countsSmall % smallThreads == 0, "counts a block");
constexpr u32 countsItems = countsBlock / tileThreads, smallCountsItems = countsSmall / smallThreads;
KERNEL(compact_counts, tileThreads, CountsParams) { countsBlockScan<tileThreads, countsItems>(p); }
KERNEL(compact_counts_small, smallThreads, CountsParams) { countsBlockScan<smallThreads, smallCountsItems>(p); }
KERNEL(compact_bases, tileThreads, CountsParams) { countsAddBases<tileThreads, countsItems>(p); }
KERNEL(compact_bases_small, smallThreads, CountsParams) { countsAddBases<smallThreads, smallCountsItems>(p); }
