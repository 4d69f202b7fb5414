// The readout stage: from scan values to marks of what ends at each sample. Its CPU mirror is segment/readout.go,
// its launch gpu/readout.go.
#include "tile.cuh"

// What the boundary at position end says; before is the scan value just before it. With virtualEnd it is the one
// after the line, and end the line's length.
DEV u32 markAt(Pair before, u32 end, bool virtualEnd, u32 edges) {
  bool virtualStart = before.index == noIndex, active = flagOf(before) == 2;
  if (edges == edgesDrop && (virtualStart || virtualEnd)) return active ? markDropped : markNone;
  if (end == before.index + 1) return markNone; // nothing strictly between; noIndex + 1 is 0
  u32 edge = (virtualStart ? edgeLeft : 0) | (virtualEnd ? edgeRight : 0);
  return (active ? markKept : markRejected) | edge << markEdgeShift;
}

template <u32 threads, u32 items> DEV void readoutTile(const ReadoutParams &p) {
  SHARED(u32, dropped);
  if (threadInBlock() == 0) dropped = 0;
  syncBlock();
  const Pair *scan = p.scan.get();
  u8 *marks = p.marks.get();
  u64 lo = (u64)blockNumber() * (threads * items);
  Place start = placeOf(lo, p.width);
  u32 mine = 0;
  for (u32 k = 0; k < items; k++) {
    u32 more = k * threads + threadInBlock();
    u64 i = lo + more;
    if (i >= p.n) break;
    Place at = advance(start, more, p.width);
    u32 position = p.pos + at.at, mark = markNone;
    Pair here = scan[i];
    if (here.index == position) { // a boundary: look one sample to the left
      Pair before = i == 0 ? Pair{p.beforeIndex, p.beforeFlag} : at.at == 0 ? identityPair() : scan[i - 1];
      mark = markAt(before, position, false, p.edges);
    } else if (p.ends && at.at == p.width - 1) {
      mark = markAt(here, position + 1, true, p.edges);
    }
    marks[i] = (u8)mark;
    mine += mark == markDropped;
  }
  if (mine) atomicAdd(&dropped, mine);
  syncBlock();
  if (threadInBlock() == 0 && dropped) atomicAdd(p.dropped.get(), (u64)dropped);
}

KERNEL(readout, tileThreads, ReadoutParams) { readoutTile<tileThreads, tileItems>(p); }
KERNEL(readout_small, smallThreads, ReadoutParams) { readoutTile<smallThreads, smallItems>(p); }
