// The fused kernel for devices with asynchronous copies and counting barriers (sm_80 on): one read of the samples, spans
// out, one launch, nothing to be zeroed before.
//
// As many blocks as the device runs at once (one a multiprocessor) share the tiles: block b takes tiles b, b+G, b+2G
// and so on. A block's warps have different work:
//
//   pixel warps   each takes its run of tile i (copied while the run of tile i-1 was worked on), makes masks, scans
//                 them and says what its run does to what follows; then it writes the spans of its run of tile i-lag.
//   publisher     puts the runs of a tile together and publishes one 64-bit descriptor of the tile.
//   accountant    keeps what is known before the block's tiles: for each it reads the descriptors of all tiles since the
//                 one before. Descriptors are never inclusive, so no block waits for what another has found out, only
//                 for what it has read.
//
// So the only wait of a pixel warp for other blocks is the one before it writes, and that is `lag` tiles late. A block
// waits for descriptors of blocks beside it: all blocks must run at once, so the launch is a cooperative one.
//
// Descriptors carry the number of the launch (its epoch) in place of a status, so they need not be cleared.
#pragma once
#include "fused_published.cuh"

// Rings over tiles, of powers of two. A pixel warp may be one tile ahead of another; the accountant may be ahead of both
// by the one that it is waiting for.
constexpr u32 fusedRing = 8;
constexpr u32 fusedKept = 4; // masks
static_assert(fusedRing >= fusedLag + 2 && fusedKept >= fusedLag + 1, "rings");
// What the block shares, at the start of its memory; then the table of the classifier, then the pixel warps' parts.
struct alignas(128) FusedShared {
  u64 scanned[fusedRing]; // barriers: all runs of a tile are scanned
  u64 known[fusedRing];   // what the pixel warps need to write them is there
  Quad before[fusedRing]; // Before, its state as meetingState gives it
  u64 runs[fusedRing][warpLanes];   // stretches
  Twin locals[fusedRing][warpLanes];
};
static_assert(sizeof(FusedShared) + 256 <= fusedFixedBytes, "fixed part of the block's memory");

// The block's i-th tile has entry i of a ring, in a phase of its barrier of this parity.
DEV u32 entryOf(u32 i) { return i % fusedRing; }
DEV u32 parityOf(u32 i) { return i / fusedRing & 1; }

// The publishing warp.
DEV void publishTiles(const FusedParams &p, FusedShared *shared, u32 tiles, u32 runSamples) {
  u32 lane = laneNumber();
  for (u32 i = 0; i < tiles; i++) {
    u32 tile = blockNumber() + i * blockCount(), entry = entryOf(i);
    waitForPhase(shared->scanned + entry, parityOf(i));
    TileScan t = scanTile(p, shared->runs[entry][lane], runSamples, tile * (p.warps * runSamples) + p.origin);
    if (lane == 0) storeRelaxed(p.descriptors.get() + tile, t.stretch | (u64)p.epoch << 48);
    shared->locals[entry][lane] = t.local;
    arriveForWarp(shared->known + entry);
  }
}

// The accounting warp.
DEV void accountForTiles(const FusedParams &p, FusedShared *shared, u32 tiles, u32 tileSamples) {
  Before before = beforeBand(p);
  u32 lane = laneNumber(), from = 0;
  for (u32 i = 0; i < tiles; i++) {
    u32 tile = blockNumber() + i * blockCount();
    passPublished(p, &before, from, tile, tileSamples);
    from = tile;
    // Once the runs of the last tile are scanned, every pixel warp has read the entry that is written now.
    if (i > 0) waitForPhase(shared->scanned + entryOf(i - 1), parityOf(i - 1));
    if (lane == 0) shared->before[entryOf(i)] = Quad{before.count, before.last, meetingState(before.state), 0};
    arriveForWarp(shared->known + entryOf(i));
  }
  if (tiles > 0 && from == p.tiles - 1) { // this block has the last tile
    passPublished(p, &before, from, p.tiles, tileSamples);
    storeTotal(p, before);
  }
}

// One pixel warp; part is its own piece of the block's memory.
template <class Classes>
DEV void workOnPixels(const FusedParams &p, FusedShared *shared, const char *table, char *part, u32 warp, u32 tiles) {
  typedef typename Classes::Shape S;
  constexpr u32 words = S::words;
  const u32 tileSamples = p.warps * S::runSamples, step = blockCount() * tileSamples; // step: to the block's next tile
  char *const masks = part + S::runBytes, *const notes = masks + fusedKept * S::maskBytes;
  u32 lane = laneNumber(), dropped = 0, droppedFirst = 0; // of the lane; of the warp, by first cuts
  u32 from = blockNumber() * tileSamples + warp * S::runSamples; // the first sample of the run in hand
  u32 phase = phaseOf(p, from);
  auto fetch = [&](u32 at) { fetchRun<S>(p, part, at, [](void *to, const void *source) { copy16Async(to, source); }); };
  if (tiles > 0 && from < p.end) fetch(from);
  commitCopies();

  u32 counts[fusedLag] = {}; // spans of the last runs, the newest first
  for (u32 i = 0; i < tiles + fusedLag; i++) {
    u32 count = 0;
    if (i < tiles) {
      u32 n[words], a[words];
      waitForCopies<0>();
      syncWarp();
      Classes::classes(p, table, part, from, n, a);
      syncWarp(); // the slot is free
      if (i + 1 < tiles && from + step < p.end) fetch(from + step);
      commitCopies();
      RunScan<words> r = scanClasses<S, false>(p, p, from, phase, n, a, &dropped);
      count = r.count;
      storeMasks<S>(masks + i % fusedKept * S::maskBytes, n, r.closing, r.last);
      if (lane == 0) shared->runs[entryOf(i)][warp] = r.stretch;
      arriveForWarp(shared->scanned + entryOf(i));
      phase = advancePhase(p, phase);
    }
    if (i >= fusedLag) {
      u32 was = i - fusedLag;
      waitForPhase(shared->known + entryOf(was), parityOf(was));
      Decided d = decide(p, shared->locals[entryOf(was)][warp], shared->before[entryOf(was)]);
      droppedFirst += d.drops;
      bool closes = ballot(d.closes) != 0; // both votes: so that the compiler sees that all lanes go the same way
      if (ballot(counts[fusedLag - 1] > 0 || closes)) {
        emitRun<S>(emissionOf(p, d, from - fusedLag * step), masks + was % fusedKept * S::maskBytes, (u32 *)notes, closes);
      }
    }
    from += step;
    UNROLL for (u32 k = fusedLag; k-- > 1;) counts[k] = counts[k - 1];
    counts[0] = count;
  }
  waitForCopies<0>();
  dropped = sumOfWarp(dropped) + droppedFirst;
  if (lane == 0) p.dropped.get()[blockNumber() * p.warps + warp] = dropped;
}

// What pixel warps do for one image; for many it is ManyImages.
struct OneImage {
  template <class Classes>
  DEV_MEMBER static void work(const FusedParams &p, FusedShared *shared, const char *table, char *part, u32 warp, u32 tiles) {
    workOnPixels<Classes>(p, shared, table, part, warp, tiles);
  }
};

// One block; it has p.warps pixel warps and two more.
template <class Classes, class Images = OneImage> DEV void fusedBlock(const FusedParams &p) {
  typedef typename Classes::Shape S;
  char *memory = dynamicShared(), *table = memory + sizeof(FusedShared);
  FusedShared *shared = (FusedShared *)memory;
  u32 warp = shuffle(threadInBlock() / warpLanes, 0); // so that the compiler sees it is the same in all lanes
  if (threadInBlock() == 0) {
    for (u32 k = 0; k < fusedRing; k++) {
      initBarrier(shared->scanned + k, p.warps * arrivals);
      initBarrier(shared->known + k, 2 * arrivals); // the publisher and the accountant
    }
  }
  Classes::load(p, table);
  syncBlock();
  u32 tiles = blockNumber() < p.tiles ? (p.tiles - blockNumber() - 1) / blockCount() + 1 : 0; // of this block
  if (warp == p.warps) {
    publishTiles(p, shared, tiles, S::runSamples);
  } else if (warp == p.warps + 1) {
    accountForTiles(p, shared, tiles, p.warps * S::runSamples);
  } else {
    constexpr u32 tableRoom = Classes::tableBytes > 256 ? Classes::tableBytes : 0; // small ones are in the fixed part
    char *part = memory + fusedFixedBytes + tableRoom + warp * warpBytes<S>(fusedKept, true);
    Images::template work<Classes>(p, shared, table, part, warp, tiles);
  }
}
