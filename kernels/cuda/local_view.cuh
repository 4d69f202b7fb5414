// What windows see of a page: its samples as they lie around the body of a band, reflected beyond its border.
#pragma once
#include "local_rule.cuh"

#if defined(__CUDA_ARCH__)
template <class T> DEV __attribute__((address_space(1))) T *globalPointer(u64 address) { return (__attribute__((address_space(1))) T *)address; }
// Bytes of a (0 to 3) and b (4 to 7) by the digits of which, the lowest first.
DEV u32 bytesOf(u32 a, u32 b, u32 which) {
  u32 r;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(which));
  return r;
}
// bits, moved up by one, and the sign of v.
DEV u32 pushSign(u32 bits, u32 v) {
  u32 r;
  asm("shf.l.wrap.b32 %0, %1, %2, 1;" : "=r"(r) : "r"(v), "r"(bits));
  return r;
}
#else
template <class T> DEV T *globalPointer(u64 address) { return devicePointer<T>(address); }
DEV u32 bytesOf(u32 a, u32 b, u32 which) {
  u64 both = a | (u64)b << 32;
  u32 r = 0;
  for (u32 i = 0; i < 4; i++) r |= (u32)(both >> (8 * (which >> (4 * i) & 7)) & 0xff) << (8 * i);
  return r;
}
DEV u32 pushSign(u32 bits, u32 v) { return bits << 1 | v >> 31; }
#endif

// The index that is seen at i, of those from first to end-1.
DEV i32 reflected(i32 i, i32 first, i32 end, i32 edge) {
  if (i < first) i = 2 * first - i - FAULT(101, edge, 1 - edge);
  if (i >= end) i = 2 * (end - 1) - i + FAULT(102, edge, 1 - edge);
  return greatest(first, least(i, end - 1)); // farther away nothing is asked for in earnest
}

// Beyond what the windows of the lines in hand see, the nearest line that they do.
DEV i32 lineSeen(const LocalParams &p, i32 line) {
  i32 half = (i32)p.halfLines;
  return reflected(greatest(-half, least(line, (i32)p.lines - 1 + half)), (i32)p.top, (i32)p.bottom, (i32)p.edge);
}
DEV i32 sampleSeen(const LocalParams &p, i32 sample) { return reflected(sample, (i32)p.left, (i32)p.right, (i32)p.edge); }

// Which tile a block has, and which of the strips of lines. Those at the page's border take longer, so they come first.
struct LocalPlace {
  u32 tile, strip;
  DEV_MEMBER LocalPlace(const LocalParams &p) {
    u32 strips = blockCount() / p.tiles, sides = least(p.tiles, 2u), block = blockNumber();
    if (block < sides * strips) {
      tile = block % sides * (p.tiles - 1);
      strip = block / sides;
    } else {
      block -= sides * strips;
      tile = 1 + block % (p.tiles - 2);
      strip = block / (p.tiles - 2);
    }
    strip = strip == 0 ? strips - 1 : strip - 1; // the last, then from the first on
  }
};

// Eight samples side by side.
template <class Sample> struct Eight {
  static constexpr u32 words = 2 * sizeof(Sample);
  u32 word[words];
  DEV_MEMBER u32 at(u32 i) const {
    if constexpr (sizeof(Sample) == 1) return word[i / 4 % words] >> (8 * (i & 3)) & 0xff;
    return word[i / 2 % words] >> (16 * (i & 1)) & 0xffff;
  }
};

// The words that hold eight samples, as loads bring them: one more, as samples may begin within a word.
template <class Sample> struct EightRaw {
  u32 word[Eight<Sample>::words + 1];
  // by is the number of bits before the first sample.
  DEV_MEMBER Eight<Sample> shifted(u32 by) const {
    Eight<Sample> e;
    UNROLL for (u32 k = 0; k < Eight<Sample>::words; k++) e.word[k] = bitsFrom(word[k], word[k + 1], by);
    return e;
  }
};

// Reads eight samples of a line from some column on. Where the page does not have them all they mean nothing: there is
// memory around it so that this can be done, localMargin bytes before and after.
template <class Sample> struct EightReader {
  u64 address, pitch; // of the first on the body's first line, and bytes to the next line

  DEV_MEMBER EightReader(const LocalParams &p, i32 column) : pitch(p.pitch * sizeof(Sample)) {
    column = greatest((i32)p.left - 7, least(column, (i32)p.right - 1));
    address = p.samples.address + (u64)((i64)column * (i64)sizeof(Sample));
  }
  DEV_MEMBER u64 on(i32 line) const { return address + (u64)((i64)line * (i64)pitch); }
  DEV_MEMBER u32 bitsBefore(i32 line) const { return 8 * (((u32)address + (u32)line * (u32)pitch) & 3); }
  DEV_MEMBER static EightRaw<Sample> load(u64 at) {
    EightRaw<Sample> raw;
    auto words = globalPointer<const u32>(at & ~3ull);
    UNROLL for (u32 k = 0; k <= Eight<Sample>::words; k++) raw.word[k] = words[k];
    return raw;
  }
};
