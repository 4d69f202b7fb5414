// The histogram stage: counts of sample values, and for floats the sums that counts do not give. Its definition is
// segment/histogram.go, its launch gpu/histogram.go.
#include "float.cuh"
#include "tile.cuh"

// A unit of work: samples from to end-1, of one line, or of the band with lines laid end to end.
struct Unit {
  Place start;
  u32 samples;
  u64 histogram; // its number
};

DEV u64 slicesOf(const HistogramParams &p) { return ((u64)p.width + histogramUnit - 1) / histogramUnit; }

DEV u64 unitsOf(const HistogramParams &p) {
  return p.perLine ? p.lines * slicesOf(p) : (p.lines * p.width + histogramUnit - 1) / histogramUnit;
}

DEV Unit unitAt(const HistogramParams &p, u64 unit) {
  if (p.perLine) {
    u64 slices = slicesOf(p), line = unit / slices, from = (unit - line * slices) * histogramUnit;
    return Unit{Place{line, (u32)from}, (u32)least((u64)histogramUnit, p.width - from), line};
  }
  u64 from = unit * histogramUnit;
  return Unit{placeOf(from, p.width), (u32)least((u64)histogramUnit, p.lines * p.width - from), 0};
}

// Calls take(inside, v) for every sample of a unit, in all threads as often (v is 0 where not inside).
template <class Sample, class Take> DEV void eachOfUnit(const HistogramParams &p, const Unit &u, Take take) {
  auto samples = p.samples.as<const Sample>();
  for (u32 k = 0; k < u.samples; k += plainThreads) {
    u32 more = k + threadInBlock();
    bool inside = more < u.samples;
    Place at = advance(u.start, inside ? more : 0, p.width);
    take(inside, inside ? samples[at.line * p.pitch + at.at] : (Sample)0);
  }
}

// 256 bins fit in the memory of the block.
KERNEL(histogram_u8, plainThreads, HistogramParams) {
  struct Shared {
    u32 bins[256];
  };
  SHARED(Shared, shared);
  static_assert(plainThreads == 256, "a bin a thread");
  u32 bin = threadInBlock();
  for (u64 unit = blockNumber(); unit < unitsOf(p); unit += blockCount()) {
    Unit u = unitAt(p, unit);
    shared.bins[bin] = 0;
    syncBlock();
    eachOfUnit<u8>(p, u, [&](bool inside, u8 v) {
      if (inside) atomicAdd(&shared.bins[v], 1);
    });
    syncBlock();
    if (shared.bins[bin]) atomicAdd(p.bins.get() + u.histogram * 256 + bin, (u64)shared.bins[bin]);
    syncBlock();
  }
}

// Adds 1 to bins[bin] for every lane that is inside. Lanes with the same bin, common in images, add at once.
DEV void countByWarp(u64 *bins, bool inside, u32 bin) {
  u32 outside = allLanes ^ ballot(inside);
  u32 same = matchLanes(bin) & ~outside;
  if (inside && trailingZeros(same) == laneNumber()) atomicAdd(bins + bin, (u64)countOnes(same));
}

KERNEL(histogram_u16, plainThreads, HistogramParams) {
  for (u64 unit = blockNumber(); unit < unitsOf(p); unit += blockCount()) {
    Unit u = unitAt(p, unit);
    u64 *bins = p.bins.get() + u.histogram * 65536;
    eachOfUnit<u16>(p, u, [&](bool inside, u16 v) { countByWarp(bins, inside, v); });
  }
}

DEV u32 maxOfWarp(u32 v) {
  for (u32 d = 1; d < warpLanes; d *= 2) v = greatest(v, shuffleDown(v, d));
  return v; // in lane 0
}

KERNEL(histogram_f32, plainThreads, HistogramParams) {
  for (u64 unit = blockNumber(); unit < unitsOf(p); unit += blockCount()) {
    Unit u = unitAt(p, unit);
    u64 *bins = p.bins.get() + u.histogram * 65536;
    u32 nan = 0, infinite = 0, maxKey = 0, maxInverse = 0; // nan and infinite of the whole warp
    eachOfUnit<f32>(p, u, [&](bool inside, f32 v) {
      bool finite = inside && isFinite(v);
      u32 key = floatKey(v);
      nan += countOnes(ballot(inside && isNaN(v)));
      infinite += countOnes(ballot(inside && !finite && !isNaN(v)));
      if (finite) maxKey = greatest(maxKey, key), maxInverse = greatest(maxInverse, ~key);
      countByWarp(bins, finite, key >> 16);
    });
    maxKey = maxOfWarp(maxKey), maxInverse = maxOfWarp(maxInverse);
    if (laneNumber() == 0) {
      FloatCounts *counts = p.counts.get() + u.histogram;
      if (nan) atomicAdd(&counts->nan, (u64)nan);
      if (infinite) atomicAdd(&counts->infinite, (u64)infinite);
      if (maxKey) atomicMax(&counts->maxKey, maxKey);
      if (maxInverse) atomicMax(&counts->maxInverseKey, maxInverse);
    }
  }
}

// The second pass: samples whose top 16 bits of the key are asked for, by the low 16. It counts all lines together.
KERNEL(histogram_fine_f32, plainThreads, HistogramParams) {
  const u32 *index = p.fineIndex.get();
  for (u64 unit = blockNumber(); unit < unitsOf(p); unit += blockCount()) {
    eachOfUnit<f32>(p, unitAt(p, unit), [&](bool inside, f32 v) {
      u32 key = floatKey(v), number = inside && isFinite(v) ? index[key >> 16] : 0;
      countByWarp(p.bins.get(), number != 0, number ? (number - 1) << 16 | (key & 0xffff) : 0);
    });
  }
}

// A block of samples aligned to the line start, by one thread, from left to right: the order is part of the result.
KERNEL(sum_blocks_f32, plainThreads, SumParams) {
  u64 block = (u64)blockNumber() * plainThreads + threadInBlock();
  if (block >= p.lines * p.blocksPerLine) return;
  u64 line = block / p.blocksPerLine, from = (block - line * p.blocksPerLine) * sumSamples;
  u64 end = least((u64)p.width, from + sumSamples);
  const f32 *samples = p.samples.get() + line * p.pitch;
  Sums s = {0, 0};
  for (u64 i = from; i < end; i++) {
    if (!isFinite(samples[i])) continue;
    double v = samples[i];
    s.sum += v;
    s.sq += v * v; // exact, so that it does not matter whether it is fused with the addition
  }
  p.blocks.get()[block] = s;
}

KERNEL(sum_lines_f32, plainThreads, SumParams) {
  u64 line = (u64)blockNumber() * plainThreads + threadInBlock();
  if (line >= p.lines) return;
  const Sums *blocks = p.blocks.get() + line * p.blocksPerLine;
  Sums s = {0, 0};
  for (u32 b = 0; b < p.blocksPerLine; b++) {
    s.sum += blocks[b].sum;
    s.sq += blocks[b].sq;
  }
  p.sums.get()[line] = s;
}
