// From samples to bits: for each of a lane's words N, a bit where the sample is no boundary, and A, a bit where it is
// an activation (and no boundary). A kind of classifier is a type with a load, done once by every thread, and a
// function `classes` that sets N and A of one lane from its line in a slot. at is the number of the run's first sample.
//
// Packed compares. Let x hold four bytes (or two halves), h their top bits and c a bound with its top bit taken off.
// (x | h) - c then subtracts within each byte: no byte borrows from the next, and the top bit of the difference t
// tells whether the lower seven bits reach c. With the top bit of x itself: x >= bound is (x & t) if the bound has
// its top bit, (x | t) if not, at the top bit of each byte. A dot product with 1, 2, 4, 8, ... then gathers the
// flags of eight samples.
#pragma once
#include "fused_shape.cuh"

template <class Sample> constexpr u32 topBits() { return sizeof(Sample) == 1 ? 0x80808080 : 0x80008000; }

// The 32 samples of word k of the lane's line, as they lie in memory.
template <class S, u32 count> DEV void readWord(const char *slot, u32 k, u32 (&raw)[count]) {
  UNROLL for (u32 j = 0; j < count / 4; j++) {
    Quad q = *(const Quad *)(slot + chunkAt<S>(laneNumber(), k * (count / 4) + j));
    raw[4 * j] = q.a;
    raw[4 * j + 1] = q.b;
    raw[4 * j + 2] = q.c;
    raw[4 * j + 3] = q.d;
  }
}

// Reads of a half of them, where 32 samples take 16 words.
template <class S> DEV void readHalf(const char *slot, u32 k, u32 half, u32 (&raw)[8]) {
  UNROLL for (u32 j = 0; j < 2; j++) {
    Quad q = *(const Quad *)(slot + chunkAt<S>(laneNumber(), k * 4 + half * 2 + j));
    raw[4 * j] = q.a;
    raw[4 * j + 1] = q.b;
    raw[4 * j + 2] = q.c;
    raw[4 * j + 3] = q.d;
  }
}

// One bit a sample from a flag at the top bit of each, of eight words: bit i is that of sample i.
DEV u32 gather(const u32 (&flags)[8], u8) {
  u32 low = 0, high = 0; // of 16 samples each, from bit 7 on
  UNROLL for (u32 j = 4; j-- > 0;) {
    if (j == 1) {
      low <<= 8;
      high <<= 8;
    }
    u32 weights = j & 1 ? 0x80402010 : 0x08040201;
    low = dotBytes(flags[j], weights, low);
    high = dotBytes(flags[4 + j], weights, high);
  }
  return (low >> 7) + high * 512;
}
DEV u32 gather(const u32 (&flags)[8], u16) {
  u32 part[2]; // of 8 samples each, from bit 15 on
  UNROLL for (u32 h = 0; h < 2; h++) {
    u32 sum = dotHalvesLow(flags[4 * h], 0x08040201, 0);
    sum = dotHalvesHigh(flags[4 * h + 1], 0x08040201, sum);
    sum = dotHalvesLow(flags[4 * h + 2], 0x80402010, sum);
    part[h] = dotHalvesHigh(flags[4 * h + 3], 0x80402010, sum);
  }
  return part[0] >> 15 | part[1] >> 7;
}

// N and A of a lane by a function of eight words at a time: all 32 samples of u8, half of them of u16.
template <class S, class Classify> DEV void eachEight(const char *slot, u32 (&n)[S::words], u32 (&a)[S::words], Classify classify) {
  UNROLL for (u32 k = 0; k < S::words; k++) {
    u32 raw[8];
    if constexpr (sizeof(typename S::Sample) == 1) {
      readWord<S>(slot, k, raw);
      classify(raw, n[k], a[k]);
    } else {
      u32 upperN, upperA;
      readHalf<S>(slot, k, 0, raw);
      classify(raw, n[k], a[k]);
      readHalf<S>(slot, k, 1, raw);
      classify(raw, upperN, upperA);
      n[k] |= upperN << 16;
      a[k] |= upperA << 16;
    }
  }
}

// The pixel warps bring a table to the block's memory.
DEV void loadTable(const FusedParams &p, char *table, u32 words) {
  u32 threads = p.warps * warpLanes;
  if (threadInBlock() >= threads) return;
  for (u32 i = threadInBlock(); i < words; i += threads) ((u32 *)table)[i] = p.classes.get()[i];
}

// Makes boundaries activations, and activations boundaries.
template <class S> DEV void exchangeClasses(u32 (&n)[S::words], u32 (&a)[S::words]) {
  UNROLL for (u32 k = 0; k < S::words; k++) {
    u32 activation = a[k];
    a[k] = ~n[k];
    n[k] = ~activation;
  }
}

// Boundary v <= lo, activation v >= hi, for u8 and u16. The parameters hold both as bounds that samples reach:
// cutLo is lo + 1 and cutHi the greater of hi and lo + 1, in every sample of a word and without top bits; topLo and
// topHi are the top bits of all samples, or 0 where no sample reaches the bound.
template <class S> struct ThresholdClasses {
  typedef S Shape;
  static constexpr u32 tableBytes = 0;
  DEV_MEMBER static void load(const FusedParams &, char *) {}
  DEV_MEMBER static void classes(const FusedParams &p, const char *, const char *slot, u32, u32 (&n)[S::words], u32 (&a)[S::words]) {
    // One of four forms, the same for all threads.
    if (p.highBits == 0) {
      compare<false, false>(p, slot, n, a);
    } else if (p.highBits == highLo) {
      compare<true, false>(p, slot, n, a);
    } else if (p.highBits == highHi) {
      compare<false, true>(p, slot, n, a);
    } else {
      compare<true, true>(p, slot, n, a);
    }
    if (p.swap) exchangeClasses<S>(n, a);
  }
  template <bool loHigh, bool hiHigh>
  DEV_MEMBER static void compare(const FusedParams &p, const char *slot, u32 (&n)[S::words], u32 (&a)[S::words]) {
    eachEight<S>(slot, n, a, [&](const u32 (&raw)[8], u32 &bitsN, u32 &bitsA) {
      constexpr u32 tops = topBits<typename S::Sample>();
      u32 notBoundary[8], activation[8];
      UNROLL for (u32 j = 0; j < 8; j++) {
        u32 x = raw[j], filled = x | tops, lo = filled - p.cutLo, hi = filled - p.cutHi;
        notBoundary[j] = (loHigh ? x & lo : x | lo) & p.topLo;
        activation[j] = (hiHigh ? x & hi : x | hi) & p.topHi;
      }
      bitsN = gather(notBoundary, typename S::Sample());
      bitsA = gather(activation, typename S::Sample());
    });
  }
};

// The same for f32; a bound is NaN where no sample is meant. NaN samples have their own class and are not exchanged.
template <class S>
DEV void compareFloats(const FusedParams &p, const char *slot, f32 lo, f32 hi, u32 (&n)[S::words], u32 (&a)[S::words]) {
  UNROLL for (u32 k = 0; k < S::words; k++) {
    u32 raw[32], low = 0, high = 0, nan = 0;
    readWord<S>(slot, k, raw);
    UNROLL for (u32 j = 0; j < 32; j++) {
      f32 v = bitsFloat(raw[j]);
      low |= v <= lo ? 1u << j : 0;
      high |= v >= hi ? 1u << j : 0;
      nan |= v != v ? 1u << j : 0;
    }
    high &= ~low;
    u32 boundary = p.swap ? high : low;
    u32 activation = p.swap ? low : high;
    if (p.nanClass == classBoundary) boundary |= nan;
    if (p.nanClass == classActivation) activation |= nan;
    n[k] = ~boundary;
    a[k] = activation;
  }
}

// cutLo and cutHi are the bits of lo and hi.
template <class S> struct FloatClasses {
  typedef S Shape;
  static constexpr u32 tableBytes = 0;
  DEV_MEMBER static void load(const FusedParams &, char *) {}
  DEV_MEMBER static void classes(const FusedParams &p, const char *, const char *slot, u32, u32 (&n)[S::words], u32 (&a)[S::words]) {
    compareFloats<S>(p, slot, bitsFloat(p.cutLo), bitsFloat(p.cutHi), n, a);
  }
};

// A table with few intervals, by compares. Whether v is in a set is the exclusive or, over the values at which
// membership changes, of "v reaches it". Changes below the top bit and from it on are kept apart: where x has its top
// bit all the low ones are reached, and the high ones by t alone; where it has not, the low ones by t and no high one.
// So there are two exclusive ors of differences and one choice between them. Changes come in pairs: 0, which is always
// reached, or all top bits, which never are, make a pair of a single one. With changes on one side only, the other side
// is a constant, which is made 0 by taking the complement of the set (bits of swap: 1 for N, 2 for A).
//
// Most often each set is one interval, so one pair: then it is in the parameters (cutLo and topLo for N, cutHi and topHi
// for A, highLo and highHi where it is from the top bit on). If not (intervalLists), the table holds intervalWords words
// for N and then for A: pairs of low changes, pairs of high ones, and the changes of both.
template <class S> struct IntervalClasses {
  typedef S Shape;
  static constexpr u32 tableBytes = 2 * 4 * intervalWords;
  DEV_MEMBER static void load(const FusedParams &p, char *table) { loadTable(p, table, tableBytes / 4); }
  DEV_MEMBER static void classes(const FusedParams &p, const char *table, const char *slot, u32, u32 (&n)[S::words], u32 (&a)[S::words]) {
    if (p.highBits & intervalLists) {
      const u32 *setN = (const u32 *)table, *setA = setN + intervalWords;
      eachEight<S>(slot, n, a, [&](const u32 (&raw)[8], u32 &bitsN, u32 &bitsA) {
        bitsN = members(raw, setN);
        bitsA = members(raw, setA);
      });
    } else if (p.highBits == 0) {
      pairs<false, false>(p, slot, n, a);
    } else if (p.highBits == highLo) {
      pairs<true, false>(p, slot, n, a);
    } else if (p.highBits == highHi) {
      pairs<false, true>(p, slot, n, a);
    } else {
      pairs<true, true>(p, slot, n, a);
    }
    UNROLL for (u32 k = 0; k < S::words; k++) {
      if (p.swap & 1) n[k] = ~n[k];
      if (p.swap & 2) a[k] = ~a[k];
    }
  }
  template <bool nHigh, bool aHigh>
  DEV_MEMBER static void pairs(const FusedParams &p, const char *slot, u32 (&n)[S::words], u32 (&a)[S::words]) {
    eachEight<S>(slot, n, a, [&](const u32 (&raw)[8], u32 &bitsN, u32 &bitsA) {
      constexpr u32 tops = topBits<typename S::Sample>();
      u32 inN[8], inA[8];
      UNROLL for (u32 j = 0; j < 8; j++) {
        u32 filled = raw[j] | tops, high = raw[j] & tops, low = ~raw[j] & tops;
        inN[j] = ((filled - p.cutLo) ^ (filled - p.topLo)) & (nHigh ? high : low);
        inA[j] = ((filled - p.cutHi) ^ (filled - p.topHi)) & (aHigh ? high : low);
      }
      bitsN = gather(inN, typename S::Sample());
      bitsA = gather(inA, typename S::Sample());
    });
  }
  DEV_MEMBER static u32 members(const u32 (&raw)[8], const u32 *set) {
    constexpr u32 tops = topBits<typename S::Sample>();
    u32 in[8] = {}, lows = set[0], highs = set[1];
    const u32 *changes = set + 2;
    NO_UNROLL for (u32 i = 0; i < lows + highs; i++, changes += 2) {
      u32 first = changes[0], second = changes[1], flip = i < lows ? tops : 0;
      UNROLL for (u32 j = 0; j < 8; j++) {
        u32 filled = raw[j] | tops;
        in[j] ^= ((filled - first) ^ (filled - second)) & (raw[j] ^ flip);
      }
    }
    UNROLL for (u32 j = 0; j < 8; j++) in[j] &= tops;
    return gather(in, typename S::Sample());
  }
};

// Any table of u8: a byte a value in the block's memory, bit 7 for N and bit 6 for A.
template <class S> struct ByteTableClasses {
  typedef S Shape;
  static constexpr u32 tableBytes = 256;
  DEV_MEMBER static void load(const FusedParams &p, char *table) {
    loadTable(p, table, tableBytes / 4);
  }
  DEV_MEMBER static void classes(const FusedParams &, const char *table, const char *slot, u32, u32 (&n)[S::words], u32 (&a)[S::words]) {
    const u8 *of = (const u8 *)table;
    eachEight<S>(slot, n, a, [&](const u32 (&raw)[8], u32 &bitsN, u32 &bitsA) {
      u32 notBoundary[8], activation[8];
      UNROLL for (u32 j = 0; j < 8; j++) {
        u32 x = raw[j];
        u32 flags = of[x & 0xff] | of[x >> 8 & 0xff] << 8 | of[x >> 16 & 0xff] << 16 | (u32)of[x >> 24] << 24;
        notBoundary[j] = flags & 0x80808080;
        activation[j] = flags << 1 & 0x80808080;
      }
      bitsN = gather(notBoundary, u8());
      bitsA = gather(activation, u8());
    });
  }
};

// Any table of u16: two bits a value, the class, 16 values a word, in the block's memory.
template <class S> struct WordTableClasses {
  typedef S Shape;
  static constexpr u32 tableBytes = fusedWordTableBytes;
  DEV_MEMBER static void load(const FusedParams &p, char *table) { loadTable(p, table, tableBytes / 4); }
  DEV_MEMBER static void classes(const FusedParams &, const char *table, const char *slot, u32, u32 (&n)[S::words], u32 (&a)[S::words]) {
    static_assert(S::words <= 2, "bits are moved through two words");
    u32 lowB = 0, highB = 0, lowA = 0, highA = 0;
    NO_UNROLL for (u32 half = 2 * S::words; half-- > 0;) { // few lookups under way at once, for few registers
      u32 raw[8], boundary = 0, activation = 0;
      readHalf<S>(slot, half / 2, half % 2, raw);
      UNROLL for (u32 j = 0; j < 8; j++) { // in from the top: the first sample ends as bit 16
        u32 x = raw[j], first = *(const u32 *)(table + (x >> 2 & 0x3ffc)), second = *(const u32 *)(table + (x >> 18 & 0x3ffc));
        first = bitsFrom(first, first, 2 * x & 31);
        second = bitsFrom(second, second, 2 * (x >> 16) & 31);
        boundary = bitsFrom(bitsFrom(boundary, first, 1), second, 1);
        activation = bitsFrom(bitsFrom(activation, first >> 1, 1), second >> 1, 1);
      }
      highB = bitsFrom(lowB, highB, 16), highA = bitsFrom(lowA, highA, 16);
      lowB = bitsFrom(boundary, lowB, 16), lowA = bitsFrom(activation, lowA, 16);
    }
    n[0] = ~lowB, a[0] = lowA;
    if constexpr (S::words > 1) n[1] = ~highB, a[1] = highA;
  }
};
