// A block's work on a tile of 8-bit samples.
#pragma once
#include "local_bytes.cuh"
#include "local_tile.cuh"

// One warp's part of a line.
template <bool stats, u32 shift>
DEV void bytePart(const LocalParams &p, const LocalRule &rule, const ByteDoubt &doubt, const char *memory, u32 line, u32 part, u32 tile, u32 lead) {
  u32 lanesBefore = part * (warpLanes - 1), lane = lanesBefore + laneNumber(), window = 2 * p.halfSamples + 1;
  u32 first = tile * p.tileSamples + 32 * lane; // of the lane's word; its bits begin lead before
  u32 count = least(p.width, (tile + 1) * p.tileSamples) - tile * p.tileSamples + lead; // of bits, with those before the tile
  u32 mine = count > 32 * lane ? least(count - 32 * lane, 32u) : 0, valid = ~shiftLeft(allLanes, mine);
  if (lane == 0) valid &= shiftLeft(allLanes, lead);
  LocalBits bits;
  if constexpr (stats) {
    bits = compareByteDeviations<shift>(p, rule, doubt, memory, lanesBefore, window, valid);
  } else {
    bits = compareByteMeans<shift>(p, memory, lanesBefore, window);
  }
  bits.low &= valid;
  bits.high &= valid;
  u32 low = bitsFrom(bits.low, shuffleDown(bits.low, 1), lead), high = bitsFrom(bits.high, shuffleDown(bits.high, 1), lead);
  if (laneNumber() < warpLanes - 1 && first / 32 < p.wordsPerLine && first < (tile + 1) * p.tileSamples) {
    u64 at = (u64)line * p.wordsPerLine + first / 32;
    p.low.get()[at] = low;
    p.high.get()[at] = high;
  }
}

// What comes into the sums with each of four lines, what goes out, and the samples to compare.
struct ByteLoads {
  Eight<u8> in[4], out[4], own[4];

  template <bool aligned> DEV_MEMBER void next(const ByteReader &columns, const ByteReader &middle, i32 line, i32 half) {
    u64 i = columns.on(line + half), o = columns.on(line - 1 - half), m = middle.on(line);
    UNROLL for (u32 k = 0; k < 4; k++) {
      in[k] = columns.columns<aligned>(i);
      out[k] = columns.columns<aligned>(o);
      own[k] = middle.within<aligned>(m);
      i += columns.pitch;
      o += columns.pitch;
      m += columns.pitch;
    }
  }
  DEV_MEMBER void load(const LocalParams &p, const ByteReader &columns, const ByteReader &middle, i32 line) {
    i32 half = (i32)p.halfLines, last = (i32)p.lines - 1;
    // None is reflected, and none lies beyond what windows of the lines in hand see.
    if (line > 0 && line - 1 - half >= (i32)p.top && line + 3 + half < (i32)p.bottom && line + 3 <= last) {
      if (columns.aligned) {
        next<true>(columns, middle, line, half);
      } else {
        next<false>(columns, middle, line, half);
      }
      return;
    }
    UNROLL for (i32 k = 0; k < 4; k++) {
      in[k] = columns.columns(columns.on(lineSeen(p, line + k + half)));
      out[k] = columns.columns(columns.on(lineSeen(p, line + k - 1 - half)));
      own[k] = middle.within(middle.on(least(line + k, last)));
    }
  }
};

template <bool stats> DEV void byteTile(const LocalParams &p) {
  typedef ByteLine<stats> Line;
  char *memory = dynamicShared();
  u32 thread = threadInBlock(), warp = shuffle(thread / warpLanes, 0); // so that the compiler sees it is the same in all lanes
  LocalPlace place(p);
  u32 tile = place.tile;
  i32 from = (i32)(place.strip * p.stripLines), end = least(from + (i32)p.stripLines, (i32)p.lines);
  i32 half = (i32)p.halfLines, first = (i32)(tile * p.tileSamples) - (i32)p.halfSamples;
  bool aligned = p.pitch % 8 == 0;
  u32 lead = aligned ? (u32)(p.samples.address + (u64)(i64)first) & 7 : 0;
  first -= (i32)lead;
  bool border = first < (i32)p.left || first + (i32)localColumns > (i32)p.right;
  ByteReader columns(p, first + 8 * (i32)thread, aligned), middle(p, first + (i32)p.halfSamples + 8 * (i32)thread, aligned);
  LocalRule rule = ruleFor(p, p.area, p.area * p.margin);
  ByteDoubt doubt(p, rule.margin);

  // The window before the first: what goes out with the first line is in it.
  ByteSums<stats> sums;
  constexpr i32 atOnce = 8;
  for (i32 line = from - half - 1; line < from + half; line += atOnce) {
    Eight<u8> in[atOnce];
    UNROLL for (i32 k = 0; k < atOnce; k++) in[k] = columns.columns(columns.on(lineSeen(p, line + k)));
    UNROLL for (i32 k = 0; k < atOnce; k++) {
      if (line + k < from + half) sums.add(in[k]);
    }
  }
  ByteLoads loads;
  loads.load(p, columns, middle, from);
  u32 buffer = 0;
  for (i32 line = from; line < end; line += Line::lines) {
    char *lines = memory + buffer * (Line::lines * Line::bytes);
    UNROLL for (u32 k = 0; k < Line::lines; k++) {
      char *to = lines + k * Line::bytes;
      if (FAULT(104, true, k != 1)) {
        sums.move(loads.in[k], loads.out[k]);
      } else {
        sums.add(loads.in[k]);
      }
      sums.store(to, thread);
      *(Twin *)(to + Line::sample(8 * thread)) = Twin{loads.own[k].word[0], loads.own[k].word[1]};
    }
    const char *its = lines + warp / 2 * Line::bytes;
    if (FAULT(103, border, false)) {
      syncBlock();
      u32 lane = warp % 2 * warpLanes + laneNumber();
      mirrorColumns<typename Line::Ones, u16>(p, lines + warp / 2 * Line::bytes, first, lane, 2 * warpLanes);
      if constexpr (stats) mirrorColumns<typename Line::Twos, u32>(p, lines + warp / 2 * Line::bytes + Line::twos, first, lane, 2 * warpLanes);
    }
    syncBlock();
    if (line + (i32)Line::lines < end) loads.load(p, columns, middle, line + (i32)Line::lines); // on their way meanwhile
    i32 mine = line + (i32)(warp / 2);
    if (mine < end) {
      switch (p.halfSamples % 4) { // what is left of the window's width beyond eights
      case 0: bytePart<stats, 1>(p, rule, doubt, its, (u32)mine, warp % 2, tile, lead); break;
      case 1: bytePart<stats, 3>(p, rule, doubt, its, (u32)mine, warp % 2, tile, lead); break;
      case 2: bytePart<stats, 5>(p, rule, doubt, its, (u32)mine, warp % 2, tile, lead); break;
      default: bytePart<stats, 7>(p, rule, doubt, its, (u32)mine, warp % 2, tile, lead);
      }
    }
    if constexpr (Line::buffers == 1) {
      syncBlock();
    } else {
      buffer ^= 1; // no warp writes there before all have read it: one more barrier lies between
    }
  }
}
