// A block's work on a tile: wide sums.
#pragma once
#include "local_decide.cuh"

// One warp's part of a line: lanesBefore lanes lie before it in the tile.
template <class T, u32 shift> DEV void localPart(const LocalParams &p, const LocalRule &rule, const char *memory, u32 line, u32 lanesBefore, u32 tile) {
  u32 lane = lanesBefore + laneNumber(), window = 2 * p.halfSamples + 1;
  u32 first = tile * p.tileSamples + lane * T::columns; // the lane's first sample
  u32 end = least(p.width, (tile + 1) * p.tileSamples);
  u32 count = first < end ? least(end - first, T::columns) : 0, valid = ~shiftLeft(allLanes, count);
  LocalBits bits;
  if constexpr (T::withSquares) {
    bits = compareDeviations<T, shift>(p, rule, memory, lanesBefore, window, valid);
  } else {
    bits = compareMeans<T, shift>(p, memory, lanesBefore, window);
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

// What comes into the sums with each of some lines, what goes out, and the samples to compare.
template <class T> struct LocalLoads {
  typedef typename T::Sample Sample;
  EightRaw<Sample> in[T::lines], out[T::lines], own[T::lines];
  u32 inBits[T::lines], outBits[T::lines];

  DEV_MEMBER void load(const LocalParams &p, const EightReader<Sample> &columns, const EightReader<Sample> &middle, i32 line) {
    i32 half = (i32)p.halfLines, last = (i32)p.lines - 1;
    UNROLL for (i32 k = 0; k < (i32)T::lines; k++) {
      i32 i = lineSeen(p, line + k + half), o = lineSeen(p, line + k - 1 - half);
      in[k] = EightReader<Sample>::load(columns.on(i));
      out[k] = EightReader<Sample>::load(columns.on(o));
      own[k] = EightReader<Sample>::load(middle.on(least(line + k, last)));
      inBits[k] = columns.bitsBefore(i);
      outBits[k] = columns.bitsBefore(o);
    }
  }
};

// Fills the columns beyond the page's border with the sums of those that are seen there. They lie in the tile: a window
// reaches no farther beyond the border than before it.
template <class Pieces, class Sum> DEV void mirrorColumns(const LocalParams &p, char *sums, i32 first, u32 lane, u32 lanes) {
  auto sum = (Sum *)sums;
  i32 left = (i32)p.left, right = (i32)p.right, end = least(first + (i32)localColumns, right + (i32)p.halfSamples);
  auto copy = [&](i32 column) {
    i32 from = sampleSeen(p, column);
    if (from >= first && from < first + (i32)localColumns) sum[Pieces::column(0, (u32)(column - first))] = sum[Pieces::column(0, (u32)(from - first))];
  };
  for (i32 column = first + (i32)lane; column < left; column += (i32)lanes) copy(column);
  for (i32 column = greatest(first, right) + (i32)lane; column < end; column += (i32)lanes) copy(column);
}

template <class T> DEV void localTile(const LocalParams &p) {
  typedef LocalLine<T> Line;
  typedef typename T::Sample Sample;
  constexpr u32 parts = localThreads / warpLanes / T::lines;
  char *memory = dynamicShared();
  u32 thread = threadInBlock(), warp = shuffle(thread / warpLanes, 0); // so that the compiler sees it is the same in all lanes
  LocalPlace place(p);
  u32 tile = place.tile;
  i32 from = (i32)(place.strip * p.stripLines), end = least(from + (i32)p.stripLines, (i32)p.lines);
  i32 half = (i32)p.halfLines, sample = (i32)(tile * p.tileSamples), first = sample - (i32)p.halfSamples;
  bool border = first < (i32)p.left || first + (i32)localColumns > (i32)p.right;
  EightReader<Sample> columns(p, first + 8 * (i32)thread), middle(p, sample + 8 * (i32)thread);
  LocalRule rule = ruleFor(p, p.area, p.area * p.margin);

  // The window before the first: what goes out with the first line is in it.
  ColumnSums<T> sums;
  constexpr i32 atOnce = 8;
  for (i32 line = from - half - 1; line < from + half; line += atOnce) {
    EightRaw<Sample> in[atOnce];
    UNROLL for (i32 k = 0; k < atOnce; k++) in[k] = EightReader<Sample>::load(columns.on(lineSeen(p, line + k)));
    UNROLL for (i32 k = 0; k < atOnce; k++) {
      if (line + k < from + half) sums.add(in[k].shifted(columns.bitsBefore(lineSeen(p, line + k))));
    }
  }
  LocalLoads<T> loads;
  loads.load(p, columns, middle, from);
  for (i32 line = from; line < end; line += T::lines) {
    UNROLL for (u32 k = 0; k < T::lines; k++) {
      char *to = memory + k * Line::bytes;
      sums.add(loads.in[k].shifted(loads.inBits[k]));
      if (FAULT(104, true, k != 1)) sums.remove(loads.out[k].shifted(loads.outBits[k]));
      sums.store(to, thread);
      auto samples = loads.own[k].shifted(middle.bitsBefore(least(line + (i32)k, (i32)p.lines - 1)));
      auto words = (Twin *)(to + Line::samples) + thread * sizeof(Sample);
      UNROLL for (u32 i = 0; i < sizeof(Sample); i++) words[i] = Twin{samples.word[2 * i], samples.word[2 * i + 1]};
    }
    if (FAULT(103, border, false)) {
      syncBlock();
      char *its = memory + warp / parts * Line::bytes;
      u32 lane = warp % parts * warpLanes + laneNumber();
      mirrorColumns<typename Line::Ones, typename T::One>(p, its + Line::ones, first, lane, parts * warpLanes);
      if constexpr (T::withSquares) mirrorColumns<typename Line::Twos, typename T::Two>(p, its + Line::twos, first, lane, parts * warpLanes);
    }
    syncBlock();
    if (line + (i32)T::lines < end) loads.load(p, columns, middle, line + (i32)T::lines); // on their way meanwhile
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
