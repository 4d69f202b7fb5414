// Many images in one launch, each anywhere in memory and of any size. Runs are counted through all of them, an image
// begins with a run of its own, and what a run holds beyond its image counts as padding; so the state before and after
// an image is that of a line end, and all else is as with one.
#pragma once
#include "fused_pipeline.cuh"

template <class Classes>
DEV void workOnImages(const FusedParams &p, FusedShared *shared, const char *table, char *part, u32 warp, u32 tiles) {
  typedef typename Classes::Shape S;
  constexpr u32 words = S::words;
  const FusedImage *const images = p.images.get();
  char *const masks = part + S::runBytes, *const notes = masks + fusedKept * S::maskBytes;
  u32 lane = laneNumber();
  u32 run = blockNumber() * p.warps + warp, step = blockCount() * p.warps; // the run in hand; to that of the next tile
  bool counts = !p.keep && !p.rejected;                                    // dropped runs
  u32 next = 0, at = 0;                                                    // image of the run to come, and its place there
  auto fetch = [&](u32 run) {
    if (run >= p.runs) return;
    next = imageOf(p, run);
    at = (run - images[next].firstRun) * S::runSamples;
    fetchRun<S>(images[next], part, at, [](void *to, const void *source) { copy16Async(to, source); });
  };
  if (tiles > 0) fetch(run);
  commitCopies();

  u32 spans[fusedLag] = {}; // of the last runs, the newest first
  for (u32 i = 0; i < tiles + fusedLag; i++) {
    u32 count = 0;
    if (i < tiles) {
      u32 n[words], a[words], image = next, from = at, dropped = 0;
      waitForCopies<0>();
      syncWarp();
      if (run < p.runs) {
        Classes::classes(p, table, part, from, n, a);
      } else {
        UNROLL for (u32 k = 0; k < words; k++) {
          n[k] = allLanes;
          a[k] = 0;
        }
      }
      syncWarp(); // the slot is free
      if (i + 1 < tiles) fetch(run + step);
      commitCopies();
      RunScan<words> r;
      if (run < p.runs) {
        r = scanClasses<S, true>(p, images[image], from, phaseOf(images[image], from), n, a, &dropped);
      } else {
        r = scanRun<S, false>(p, n, a, LineEnds<words>(), 0, &dropped);
      }
      count = r.count;
      storeMasks<S>(masks + i % fusedKept * S::maskBytes, n, r.closing, r.last);
      if (lane == 0) shared->runs[entryOf(i)][warp] = r.stretch;
      arriveForWarp(shared->scanned + entryOf(i));
      if (counts) {
        dropped = sumOfWarp(dropped);
        if (dropped > 0 && lane == 0) atomicAdd(p.dropped.get() + image, dropped);
      }
    }
    if (i >= fusedLag) {
      u32 was = i - fusedLag, before = run - fusedLag * step;
      waitForPhase(shared->known + entryOf(was), parityOf(was));
      Quad b = shared->before[entryOf(was)];
      Decided d = decide(p, shared->locals[entryOf(was)][warp], Before{b.a, b.b, b.c});
      if (counts && ballot(d.drops)) {
        u32 image = imageOf(p, before);
        if (lane == 0) atomicAdd(p.dropped.get() + image, 1u);
      }
      bool closes = ballot(d.closes) != 0;
      if (ballot(spans[fusedLag - 1] > 0 || closes)) {
        emitRun<S>(emissionOf(p, d, before * S::runSamples), masks + was % fusedKept * S::maskBytes, (u32 *)notes, closes);
      }
    }
    run += step;
    UNROLL for (u32 k = fusedLag; k-- > 1;) spans[k] = spans[k - 1];
    spans[0] = count;
  }
  waitForCopies<0>();
}

struct ManyImages {
  template <class Classes>
  DEV_MEMBER static void work(const FusedParams &p, FusedShared *shared, const char *table, char *part, u32 warp, u32 tiles) {
    workOnImages<Classes>(p, shared, table, part, warp, tiles);
  }
};
