// The fused kernel for devices without asynchronous copies (sm_70, sm_75): the same parts, one tile after the other.
//
// Blocks take tiles by ticket, so that every tile before a running one has been taken by a block that runs, and need
// not all run at once. A block's first warp puts the runs together, publishes, and reads what came before, as the
// publisher and the accountant of the pipeline do. Waiting is hidden by other blocks of the multiprocessor only. The
// ticket must be zero before the launch.
#pragma once
#include "fused_published.cuh"

struct alignas(128) BasicShared {
  u64 runs[warpLanes];
  Twin locals[warpLanes];
  Quad before;
  u32 tile;
};
static_assert(sizeof(BasicShared) + 256 <= fusedBasicFixedBytes, "fixed part of the block's memory");

template <class Classes> DEV void fusedBasicBlock(const FusedParams &p) {
  typedef typename Classes::Shape S;
  constexpr u32 words = S::words;
  constexpr u32 tableRoom = Classes::tableBytes > 256 ? Classes::tableBytes : 0; // small ones are in the fixed part
  char *memory = dynamicShared(), *table = memory + sizeof(BasicShared);
  BasicShared *shared = (BasicShared *)memory;
  u32 warp = threadInBlock() / warpLanes, lane = laneNumber(), dropped = 0;
  char *slot = memory + fusedBasicFixedBytes + tableRoom + warp * warpBytes<S>(1, false), *masks = slot + S::runBytes;
  const u32 tileSamples = p.warps * S::runSamples;
  Before before = beforeBand(p); // of the first warp
  u32 passed = 0;
  Classes::load(p, table);
  for (;;) {
    syncBlock(); // everyone is done with the last tile
    if (threadInBlock() == 0) shared->tile = atomicAdd(p.ticket.get(), 1u);
    syncBlock();
    u32 tile = shared->tile;
    if (tile >= p.tiles) break;
    u32 from = tile * tileSamples + warp * S::runSamples, n[words], a[words];
    if (from < p.end) fetchRun<S>(p, slot, from, [](void *to, const void *source) { *(Quad *)to = *(const Quad *)source; });
    syncWarp();
    Classes::classes(p, table, slot, from, n, a);
    RunScan<words> r = scanClasses<S, false>(p, p, from, phaseOf(p, from), n, a, &dropped);
    storeMasks<S>(masks, n, r.closing, r.last);
    if (lane == 0) shared->runs[warp] = r.stretch;
    syncBlock();
    if (warp == 0) {
      TileScan t = scanTile(p, shared->runs[lane], S::runSamples, tile * tileSamples + p.origin);
      if (lane == 0) storeRelaxed(p.descriptors.get() + tile, t.stretch | (u64)p.epoch << 48);
      shared->locals[lane] = t.local;
      passPublished(p, &before, passed, tile, tileSamples);
      passed = tile;
      if (lane == 0) shared->before = Quad{before.count, before.last, meetingState(before.state), 0};
      if (tile == p.tiles - 1) {
        Before end = before;
        passPublished(p, &end, tile, p.tiles, tileSamples);
        storeTotal(p, end);
      }
    }
    syncBlock();
    Decided d = decide(p, shared->locals[warp], shared->before);
    if (lane == 0) dropped += d.drops;
    bool closes = ballot(d.closes) != 0; // both votes: so that the compiler sees that all lanes go the same way
    if (ballot(r.count > 0 || closes)) emitRun<S>(emissionOf(p, d, from), masks, nullptr, closes);
  }
  dropped = sumOfWarp(dropped);
  if (lane == 0) p.dropped.get()[blockNumber() * p.warps + warp] = dropped;
}
