// The classify stage: from samples, or from masks, to pairs. Its CPU mirror is segment/classify.go, its launch
// gpu/classify.go.
#include "tile.cuh"

DEV u32 classOf(bool low, bool high, bool swap) {
  u32 c = low ? 1 : high ? 2 : 0; // where both hold, a boundary
  return swap && c ? 3 - c : c;
}

// Thresholds: v <= lo, v >= hi, the same everywhere or (perLine) of each line.
template <class Sample, bool perLine> struct ByThresholds {
  typedef Sample Type;
  template <class Params> DEV_MEMBER static u32 of(const Params &p, Sample v, u64 line) {
    if constexpr (perLine) {
      const u32 *bounds = p.bounds.get() + 2 * line;
      return compare(p, v, bounds[0], bounds[1]);
    }
    return compare(p, v, p.lo, p.hi);
  }
  template <class Params, class Integer> DEV_MEMBER static u32 compare(const Params &p, Integer v, u32 lo, u32 hi) {
    return classOf((i32)v <= (i32)lo, (i32)v >= (i32)hi, p.swap);
  }
  template <class Params> DEV_MEMBER static u32 compare(const Params &p, f32 v, u32 lo, u32 hi) {
    if (v != v) return p.nanClass; // never exchanged
    return classOf(v <= __builtin_bit_cast(f32, lo), v >= __builtin_bit_cast(f32, hi), p.swap);
  }
};

// A table: the class of each value.
template <class Sample> struct ByTable {
  typedef Sample Type;
  template <class Params> DEV_MEMBER static u32 of(const Params &p, Sample v, u64) { return p.table.get()[v]; }
};

// Calls write(p, place) for every sample p of this block's tile, neighbours by neighbouring threads.
template <u32 threads, u32 items, class Write> DEV void eachOfTile(u64 n, u32 width, Write write) {
  u64 lo = (u64)blockNumber() * (threads * items);
  Place start = placeOf(lo, width);
  UNROLL for (u32 k = 0; k < items; k++) {
    u32 more = k * threads + threadInBlock();
    if (lo + more < n) write(lo + more, advance(start, more, width));
  }
}

DEV bool isHead(Place at, u64 p, u32 continued) { return at.at == 0 && !(continued && p == 0); }

template <class By, u32 threads, u32 items> DEV void classifyTile(const ClassifyParams &p) {
  auto samples = p.samples.as<const typename By::Type>();
  Pair *pairs = p.pairs.get();
  eachOfTile<threads, items>(p.n, p.width, [&](u64 i, Place at) {
    u32 c = By::of(p, samples[at.line * p.pitch + at.at], at.line);
    pairs[i] = liftPair(c, p.pos + at.at, isHead(at, i, p.continued));
  });
}

template <class Sample, u32 threads, u32 items> DEV void thresholdsTile(const ClassifyParams &p) {
  if (p.bounds.set()) {
    classifyTile<ByThresholds<Sample, true>, threads, items>(p);
  } else {
    classifyTile<ByThresholds<Sample, false>, threads, items>(p);
  }
}

template <u32 threads, u32 items> DEV void masksTile(const MaskParams &p) {
  const u64 *boundary = p.boundary.get(), *activation = p.activation.get();
  Pair *pairs = p.pairs.get();
  eachOfTile<threads, items>(p.n, p.width, [&](u64 i, Place at) {
    u64 word = at.line * p.wordsPerLine + at.at / 64, bit = 1ull << at.at % 64;
    u32 c = classOf(boundary[word] & bit, activation[word] & bit, false);
    pairs[i] = liftPair(c, p.pos + at.at, isHead(at, i, p.continued));
  });
}

#define BOTH_TILES(name, params, tile, ...)                                                       \
  KERNEL(name, tileThreads, params) { tile<__VA_ARGS__ tileThreads, tileItems>(p); }              \
  KERNEL(name##_small, smallThreads, params) { tile<__VA_ARGS__ smallThreads, smallItems>(p); }
#define COMMA ,

BOTH_TILES(classify_u8, ClassifyParams, thresholdsTile, u8 COMMA)
BOTH_TILES(classify_u16, ClassifyParams, thresholdsTile, u16 COMMA)
BOTH_TILES(classify_f32, ClassifyParams, thresholdsTile, f32 COMMA)
BOTH_TILES(classify_table_u8, ClassifyParams, classifyTile, ByTable<u8> COMMA)
BOTH_TILES(classify_table_u16, ClassifyParams, classifyTile, ByTable<u16> COMMA)
BOTH_TILES(classify_masks, MaskParams, masksTile, )

// The other way: pairs, before they are scanned, to bit planes. A warp makes a word of each.
KERNEL(pack_masks, plainThreads, MaskParams) {
  u64 word = (u64)blockNumber() * (plainThreads / warpLanes) + threadInBlock() / warpLanes;
  if (word >= p.words) return;
  const Pair *pairs = p.pairs.get();
  u64 line = word / p.wordsPerLine;
  u64 from = (word - line * p.wordsPerLine) * 64;
  u64 boundary = 0, activation = 0;
  for (u32 half = 0; half < 2; half++) {
    u64 at = from + half * 32 + laneNumber();
    Pair v = at < p.width ? pairs[line * p.width + at] : identityPair();
    boundary |= (u64)ballot(v.index != noIndex) << (half * 32);
    activation |= (u64)ballot(flagOf(v) == 2) << (half * 32);
  }
  if (laneNumber() == 0) {
    p.boundary.get()[word] = boundary;
    p.activation.get()[word] = activation;
  }
}

// From samples straight to bit planes, for where the pairs are not wanted. A warp takes planesAtOnce words in turn, so
// that as many loads are under way.
constexpr u32 planesAtOnce = 4;

template <class By> DEV void planes(const PlanesParams &p) {
  auto samples = p.samples.as<const typename By::Type>();
  u64 warps = (u64)blockCount() * (plainThreads / warpLanes), words = p.lines * p.wordsPerLine;
  u64 first = (u64)blockNumber() * (plainThreads / warpLanes) + threadInBlock() / warpLanes;
  for (u64 group = first * planesAtOnce; group < words; group += warps * planesAtOnce) {
    u32 classes[planesAtOnce][2];
    UNROLL for (u32 k = 0; k < planesAtOnce; k++) {
      Place at = placeOf(group + k, p.wordsPerLine);
      UNROLL for (u32 half = 0; half < 2; half++) {
        u64 sample = (u64)at.at * 64 + half * 32 + laneNumber();
        bool in = group + k < words && sample < p.width;
        classes[k][half] = in ? By::of(p, samples[at.line * p.pitch + sample], at.line) : 0;
      }
    }
    UNROLL for (u32 k = 0; k < planesAtOnce; k++) {
      u64 boundary = 0, activation = 0;
      UNROLL for (u32 half = 0; half < 2; half++) {
        boundary |= (u64)ballot(classes[k][half] == 1) << (half * 32);
        activation |= (u64)ballot(classes[k][half] == 2) << (half * 32);
      }
      if (group + k < words && laneNumber() == 0) {
        p.boundary.get()[group + k] = boundary;
        p.activation.get()[group + k] = activation;
      }
    }
  }
}

template <class Sample> DEV void thresholdPlanes(const PlanesParams &p) {
  if (p.bounds.set()) {
    planes<ByThresholds<Sample, true>>(p);
  } else {
    planes<ByThresholds<Sample, false>>(p);
  }
}

KERNEL(planes_u8, plainThreads, PlanesParams) { thresholdPlanes<u8>(p); }
KERNEL(planes_u16, plainThreads, PlanesParams) { thresholdPlanes<u16>(p); }
KERNEL(planes_f32, plainThreads, PlanesParams) { thresholdPlanes<f32>(p); }
KERNEL(planes_table_u8, plainThreads, PlanesParams) { planes<ByTable<u8>>(p); }
KERNEL(planes_table_u16, plainThreads, PlanesParams) { planes<ByTable<u16>>(p); }
