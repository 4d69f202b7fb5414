// What windows see of a page: its samples as they lie around the body of a band, reflected beyond its border.
#pragma once
#include "local_rule.cuh"

// The index that is seen at i, of those from first to end-1.
DEV i32 reflected(i32 i, i32 first, i32 end, i32 edge) {
  if (i < first) i = 2 * first - i - edge;
  if (i >= end) i = 2 * (end - 1) - i + edge;
  return greatest(first, least(i, end - 1)); // farther away nothing is asked for in earnest
}

DEV i32 lineSeen(const LocalParams &p, i32 line) { return reflected(line, (i32)p.top, (i32)p.bottom, (i32)p.edge); }
DEV i32 sampleSeen(const LocalParams &p, i32 sample) { return reflected(sample, (i32)p.left, (i32)p.right, (i32)p.edge); }

// Four samples side by side, as they lie in memory.
template <class Sample> struct Four {
  static constexpr u32 words = sizeof(Sample);
  u32 word[words];
  DEV_MEMBER u32 at(u32 i) const {
    if constexpr (sizeof(Sample) == 1) return word[0] >> (8 * i) & 0xff;
    return word[i / 2 % words] >> (16 * (i & 1)) & 0xffff;
  }
};

// Reads four samples of any line, always those of the same columns, by whole words where the page has them.
template <class Sample> struct FourReader {
  const Sample *samples;
  i64 pitch;
  i32 first, at[4];
  bool plain;

  DEV_MEMBER FourReader(const LocalParams &p, i32 column) : samples(p.samples.as<const Sample>()), pitch((i64)p.pitch), first(column) {
    // A word may hold up to three samples before and after.
    plain = column - 3 >= (i32)p.left && column + 7 <= (i32)p.right;
    UNROLL for (i32 i = 0; i < 4; i++) at[i] = sampleSeen(p, column + i);
  }
  DEV_MEMBER Four<Sample> read(i32 line) const {
    Four<Sample> f;
    const Sample *from = samples + line * pitch;
    if (plain) {
      u64 address = (u64)(from + first);
      u32 by = (u32)address & 3;
      auto words = (const u32 *)(address - by);
      u32 low = words[0];
      UNROLL for (u32 k = 0; k < Four<Sample>::words; k++) {
        u32 high = by || k + 1 < Four<Sample>::words ? words[k + 1] : 0;
        f.word[k] = bitsFrom(low, high, 8 * by);
        low = high;
      }
    } else {
      UNROLL for (u32 k = 0; k < Four<Sample>::words; k++) f.word[k] = 0;
      UNROLL for (u32 i = 0; i < 4; i++) f.word[i * sizeof(Sample) / 4] |= (u32)from[at[i]] << (8 * sizeof(Sample) * i % 32);
    }
    return f;
  }
};
