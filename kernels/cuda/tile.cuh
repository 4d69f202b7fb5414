// What the kernels on tiles share: where a sample is, the scan over a block, the look-back over tiles.
#pragma once
#include "operator.cuh"

// Where a sample of a band is.
struct Place {
  u64 line;
  u32 at; // in the line, from the first sample of the band
};

// The place of sample p of lines of width samples.
DEV Place placeOf(u64 p, u32 width) {
  u64 line = p / width;
  return Place{line, (u32)(p - line * width)};
}

// The place `more` samples after a, with no 64-bit division. more is at most 2^20.
DEV Place advance(Place a, u32 more, u32 width) {
  u64 at = (u64)a.at + more;
  if (at < width) return Place{a.line, (u32)at};
  if (more < width) return Place{a.line + 1, (u32)(at - width)};
  u32 lines = (u32)at / width; // width <= more, so that at < 2^21
  return Place{a.line + lines, (u32)at - lines * width};
}

// The inclusive scan over the lanes of a warp.
template <class Operator> DEV typename Operator::Value scanWarp(typename Operator::Value v) {
  for (u32 d = 1; d < warpLanes; d *= 2) {
    auto lower = Operator::up(v, d);
    if (laneNumber() >= d) v = Operator::combine(lower, v);
  }
  return v;
}

// The value of all threads of the block before this one; total is that of all. shared has a Value for each warp,
// and may be used again after the next syncBlock.
template <class Operator, u32 threads>
DEV typename Operator::Value scanBlock(typename Operator::Value own, typename Operator::Value *shared,
                                       typename Operator::Value *total) {
  u32 warp = threadInBlock() / warpLanes;
  auto inclusive = scanWarp<Operator>(own);
  auto before = Operator::up(inclusive, 1);
  if (laneNumber() == 0) before = Operator::identity();
  if (laneNumber() == warpLanes - 1) shared[warp] = inclusive;
  syncBlock();
  auto lower = Operator::identity(), all = Operator::identity();
  for (u32 w = 0; w < threads / warpLanes; w++) {
    if (w == warp) lower = all;
    all = Operator::combine(all, shared[w]);
  }
  *total = all;
  return Operator::combine(lower, before);
}

DEV u32 statusOf(u64 descriptor) { return (u32)(descriptor >> statusShift); }

// The value of all tiles before `tile`, by decoupled look-back (Merrill and Garland 2016), found by one whole warp.
// Descriptor t is at descriptors[t*stride]; first is the value before tile 0. It publishes the tile's aggregate at
// once, and its inclusive prefix when that is known. Tiles must be taken by ticket: this waits for earlier ones.
template <class Operator>
DEV typename Operator::Value lookBack(u64 *descriptors, u32 stride, u64 tile, typename Operator::Value first,
                                      typename Operator::Value aggregate) {
  u32 lane = laneNumber();
  auto publish = [&](u32 status, typename Operator::Value v) {
    if (lane == 0) storeRelaxed(descriptors + tile * stride, (u64)status << statusShift | Operator::pack(v));
  };
  if (tile == 0) {
    publish(statusPrefix, Operator::combine(first, aggregate));
    return first;
  }
  publish(statusAggregate, aggregate);
  auto before = Operator::identity();
  // A window of 32 tiles at a time, one a lane, the nearest in lane 0. Tile 0 has a prefix, so it ends there at last.
  for (u64 end = tile;; end -= warpLanes) {
    bool exists = lane < end;
    const u64 *mine = descriptors + (end - 1 - lane) * stride;
    u64 d = exists ? loadRelaxed(mine) : (u64)statusPrefix << statusShift;
    u32 prefixes;
    for (;;) {
      prefixes = ballot(statusOf(d) == statusPrefix);
      u32 wanted = prefixes ? prefixes ^ (prefixes - 1) : allLanes; // up to the nearest prefix, it included
      if (!(ballot(statusOf(d) == 0) & wanted)) break;
      pause();
      if (statusOf(d) == 0) d = loadRelaxed(mine);
    }
    auto v = exists && lane <= trailingZeros(prefixes) ? Operator::unpack(d) : Operator::identity();
    for (u32 step = 1; step < warpLanes; step *= 2) { // the far operand is the left one
      auto far = Operator::down(v, step);
      if (lane + step < warpLanes) v = Operator::combine(far, v);
    }
    before = Operator::combine(Operator::of(v, 0), before);
    if (prefixes) break;
  }
  publish(statusPrefix, Operator::combine(before, aggregate));
  return before;
}

// The number of this block's tile, handed out in order: every tile before a running one has been taken. ticket is
// memory of the block.
DEV u64 takeTile(u64 *counter, u64 *ticket) {
  if (threadInBlock() == 0) *ticket = atomicAdd(counter, (u64)1);
  syncBlock();
  return *ticket;
}
