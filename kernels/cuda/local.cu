// Local thresholds of integers by sums over windows, from samples to two bit planes: v <= T, and v > T + margin. The
// definition is kernels/local_sums.go and local_rules.go, the launch gpu/local.go.
#include "local_decide.cuh"

// One warp's part of a line: lanesBefore lanes lie before it in the tile.
template <class T, u32 shift> DEV void localPart(const LocalParams &p, const LocalRule &rule, const char *memory, u32 line, u32 lanesBefore, u32 tile) {
  typedef LocalLine<T> Line;
  u32 lane = lanesBefore + laneNumber(), window = 2 * p.halfSamples + 1;
  u32 first = tile * p.tileSamples + lane * T::columns; // the lane's first sample
  u32 end = least(p.width, (tile + 1) * p.tileSamples);
  u32 count = first < end ? least(end - first, T::columns) : 0, valid = ~shiftLeft(allLanes, count);
  Windows<typename T::Sum, i32, T::columns> one;
  addWindows<shift, typename Line::Ones, typename T::One>(memory + Line::ones, lanesBefore, window, one);
  LocalBits bits;
  if constexpr (T::withSquares) {
    Windows<typename T::Two, typename T::Two, T::columns> two;
    addWindows<shift, typename Line::Twos, typename T::Two>(memory + Line::twos, lanesBefore, window, two);
    bits = compareDeviations<T>(p, rule, memory, lane, valid, one, two);
  } else {
    bits = compareMeans<T>(p, memory, lane, one);
  }
  bits.low &= valid;
  bits.high &= valid;
  bool writes = first / 32 < p.wordsPerLine && first < (tile + 1) * p.tileSamples;
  if constexpr (T::columns == 16) {
    bits.low |= shuffleDown(bits.low, 1) << 16;
    bits.high |= shuffleDown(bits.high, 1) << 16;
    writes &= lane % 2 == 0;
  }
  if (writes) {
    u64 at = (u64)line * p.wordsPerLine + first / 32;
    p.low.get()[at] = bits.low;
    p.high.get()[at] = bits.high;
  }
}

template <class T> DEV void localTile(const LocalParams &p) {
  typedef LocalLine<T> Line;
  typedef typename T::Sample Sample;
  constexpr u32 warps = localThreads / warpLanes, parts = warps / T::lines;
  char *memory = dynamicShared();
  u32 thread = threadInBlock(), warp = thread / warpLanes;
  u32 tile = blockNumber() % p.tiles;
  i32 from = (i32)(blockNumber() / p.tiles * p.stripLines), end = least(from + (i32)p.stripLines, (i32)p.lines);
  i32 half = (i32)p.halfLines, first = (i32)(tile * p.tileSamples + 4 * thread);
  FourReader<Sample> columns(p, first - (i32)p.halfSamples), middle(p, first);
  bool inside = first < (i32)p.width && 4 * thread < p.tileSamples;
  LocalRule rule = ruleFor(p, p.area, p.area * p.margin);

  ColumnSums<T> sums;
  const Four<Sample> nothing = {};
  constexpr i32 atOnce = 8;
  for (i32 line = from - half; line < from + half; line += atOnce) {
    Four<Sample> in[atOnce];
    UNROLL for (i32 k = 0; k < atOnce; k++) in[k] = line + k < from + half ? columns.read(lineSeen(p, line + k)) : nothing;
    UNROLL for (i32 k = 0; k < atOnce; k++) sums.shift(in[k], nothing);
  }
  for (i32 line = from; line < end; line += T::lines) {
    Four<Sample> in[T::lines], out[T::lines], own[T::lines];
    UNROLL for (i32 k = 0; k < (i32)T::lines; k++) {
      bool there = line + k < end;
      in[k] = there ? columns.read(lineSeen(p, line + k + half)) : nothing;
      out[k] = there && line + k > from ? columns.read(lineSeen(p, line + k - 1 - half)) : nothing;
      own[k] = there && inside ? middle.read(line + k) : nothing;
    }
    UNROLL for (u32 k = 0; k < T::lines; k++) {
      char *to = memory + k * Line::bytes;
      sums.shift(in[k], out[k]);
      sums.store(to, thread);
      auto words = (u32 *)(to + Line::samples + 4 * thread * sizeof(Sample));
      UNROLL for (u32 i = 0; i < Four<Sample>::words; i++) words[i] = own[k].word[i];
    }
    syncBlock();
    u32 k = warp / parts;
    if (line + (i32)k < end) {
      const char *its = memory + k * Line::bytes;
      u32 lanesBefore = warp % parts * warpLanes;
      if (p.halfSamples % 2 == 0) { // the width of the window is 1 or 3, modulo 4
        localPart<T, 1>(p, rule, its, (u32)line + k, lanesBefore, tile);
      } else {
        localPart<T, 3>(p, rule, its, (u32)line + k, lanesBefore, tile);
      }
    }
    syncBlock();
  }
}

KERNEL(local_mean_u8, localThreads, LocalParams) { localTile<PackedSums<false>>(p); }
KERNEL(local_stats_u8, localThreads, LocalParams) { localTile<PackedSums<true>>(p); }
KERNEL(local_mean_wide_u8, localThreads, LocalParams) { localTile<WideSums<u8, false>>(p); }
KERNEL(local_stats_wide_u8, localThreads, LocalParams) { localTile<WideSums<u8, true>>(p); }
KERNEL(local_mean_u16, localThreads, LocalParams) { localTile<WideSums<u16, false>>(p); }
KERNEL(local_stats_u16, localThreads, LocalParams) { localTile<WideSums<u16, true>>(p); }
