// The ordered prefix: what lies before a tile, from the descriptors that blocks publish of their tiles. A descriptor
// is one 64-bit word that holds all it says, so relaxed loads and stores are enough.
#pragma once
#include "fused_run.cuh"

// Descriptors a lane has under way at once.
constexpr u32 fusedReads = 5;

// Passes over the tiles from `from` to `to`-1, waiting for their descriptors.
DEV void passPublished(const FusedParams &p, Before *before, u32 from, u32 to, u32 tileSamples) {
  const u64 *descriptors = p.descriptors.get();
  u32 lane = laneNumber();
  u64 none = packStretch(0, stretchNone, 0) | (u64)p.epoch << 48;
  for (u32 group = from; group < to; group += warpLanes * fusedReads) {
    u64 d[fusedReads];
    UNROLL for (u32 k = 0; k < fusedReads; k++) {
      u32 tile = group + k * warpLanes + lane;
      d[k] = tile < to ? loadRelaxed(descriptors + tile) : none;
    }
    for (;;) {
      bool all = true;
      UNROLL for (u32 k = 0; k < fusedReads; k++) {
        if ((u32)(d[k] >> 48) != p.epoch) {
          d[k] = loadRelaxed(descriptors + (group + k * warpLanes + lane));
          all = false;
        }
      }
      if (ballot(all) == allLanes) break;
      pause();
    }
    u32 count = 0, last = 0, bounded = 0;
    UNROLL for (u32 k = 0; k < fusedReads; k++) {
      u32 first = group + k * warpLanes;
      if (first < to) {
        passTiles(p, d[k], least(to - first, warpLanes), (first + lane) * tileSamples + p.origin, &before->state, &count, &last,
                  &bounded);
      }
    }
    before->count += sumOfWarp(count);
    last = shuffle(last, 31 - leadingZeros(bounded));
    if (bounded) before->last = last;
  }
}

DEV void storeTotal(const FusedParams &p, const Before &end) {
  if (laneNumber() == 0) *p.total.get() = FusedTotal{end.count, end.last, end.state, 0};
}
