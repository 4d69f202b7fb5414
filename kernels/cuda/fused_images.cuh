// Many images in one launch, each anywhere in memory and of any size. Runs are counted through all of them, an image
// begins with a run of its own, and what a run holds beyond its image counts as padding; so the state before and after
// an image is that of a line end, and all else is as with one.
#pragma once
#include "fused_pipeline.cuh"

// An image as lanes hold it, word l in lane l, so that it can be loaded long before it is needed and takes one register.
DEV u32 wordOfImage(const FusedImage *image) {
  static_assert(sizeof(FusedImage) == 64 && __builtin_offsetof(FusedImage, overHigh) == 56, "words of an image");
  return ((const u32 *)image)[laneNumber() % 16];
}
// What copies need of it.
DEV FusedImage imageToCopy(u32 word) {
  FusedImage image = {};
  image.samples.address = (u64)shuffle(word, 1) << 32 | shuffle(word, 0);
  image.firstRun = shuffle(word, 2);
  image.end = shuffle(word, 3);
  return image;
}
// What the scan needs.
DEV FusedImage imageToScan(u32 word) {
  FusedImage image = {};
  image.end = shuffle(word, 3);
  image.front = shuffle(word, 4);
  image.inside = shuffle(word, 5);
  image.width = shuffle(word, 6);
  image.pitch = shuffle(word, 7);
  image.wordPhase = shuffle(word, 9);
  image.pitchReciprocal = shuffle(word, 10);
  if (image.pitch <= 32) {
    image.lastLow = shuffle(word, 11);
    image.lastHigh = shuffle(word, 12);
    image.overLow = shuffle(word, 13);
    image.overHigh = shuffle(word, 14);
  }
  return image;
}

template <class Classes>
DEV void workOnImages(const FusedParams &p, FusedShared *shared, const char *table, char *part, u32 warp, u32 tiles) {
  typedef typename Classes::Shape S;
  constexpr u32 words = S::words;
  char *const masks = part + S::runBytes, *const notes = masks + fusedKept * S::maskBytes;
  u32 lane = laneNumber();
  u32 run = blockNumber() * p.warps + warp, step = blockCount() * p.warps; // the run in hand; to that of the next tile
  bool counts = !p.keep && !p.rejected;                                    // dropped runs
  u32 *counters = p.dropped.get() + blockNumber() % fusedDropCounters * p.imageCount;
  // The images of the run in hand and of the two after it, and the places of the first two there.
  Twin image = {}, imageNext = {}, imageThen = {}; // and phases
  u32 word = 0, wordNext = 0, at = 0, atNext = 0;
  // The addend is 0. Without it the compiler sees that all lanes load the same, and moves that to a register of the warp
  // at once, which waits for it.
  auto imageOf = [&](u32 run) __attribute__((always_inline)) {
    return run < p.runs ? ((const Twin *)p.runImages.get())[run + lane * p.zero] : Twin{0, 0};
  };
  auto fetch = [&](u32 run) __attribute__((always_inline)) {
    if (run >= p.runs) return;
    FusedImage from = imageToCopy(wordNext);
    atNext = (run - from.firstRun) * S::runSamples;
    fetchRun<S>(from, part, atNext, [](void *to, const void *source) { copy16Async(to, source); });
  };
  if (tiles > 0) {
    imageNext = imageOf(run);
    imageThen = imageOf(run + step);
    wordNext = wordOfImage(p.images.get() + imageNext.a);
    fetch(run);
  }
  commitCopies();

  u32 spans[fusedLag] = {}; // of the last runs, the newest first
  for (u32 i = 0; i < tiles + fusedLag; i++) {
    u32 count = 0;
    if (i < tiles) {
      u32 n[words], a[words], dropped = 0;
      image = imageNext, imageNext = imageThen, word = wordNext, at = atNext;
      wordNext = wordOfImage(p.images.get() + imageNext.a);
      imageThen = imageOf(run + 2 * step);
      waitForCopies<0>();
      syncWarp();
      if (run < p.runs) {
        Classes::classes(p, table, part, at, n, a);
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
        FusedImage of = imageToScan(word);
        r = scanClasses<S, true>(p, of, at, shuffle(image.b, 0), n, a, &dropped);
      } else {
        r = scanRun<S, false>(p, n, a, LineEnds<words>(), 0, &dropped);
      }
      count = r.count;
      storeMasks<S>(masks + i % fusedKept * S::maskBytes, n, r.closing, r.last);
      if (lane == 0) shared->runs[entryOf(i)][warp] = r.stretch;
      arriveForWarp(shared->scanned + entryOf(i));
      if (counts) {
        dropped = sumOfWarp(dropped);
        if (dropped > 0 && lane == 0) atomicAdd(counters + image.a, dropped);
      }
    }
    if (i >= fusedLag) {
      u32 was = i - fusedLag, before = run - fusedLag * step;
      waitForPhase(shared->known + entryOf(was), parityOf(was));
      Decided d = decide(p, shared->locals[entryOf(was)][warp], shared->before[entryOf(was)]);
      if (counts && d.drops && lane == 0) atomicAdd(counters + imageOf(before).a, 1u);
      bool closes = ballot(d.closes) != 0; // both votes: so that the compiler sees that all lanes go the same way
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
