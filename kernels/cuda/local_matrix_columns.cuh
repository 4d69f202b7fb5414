// A thread's columns of a tile of local_matrix.cuh: sums of windows, and what they are compared with.
#pragma once
#include "local_matrix.cuh"

// Adds a half of a pair, with its sign.
#if defined(__CUDA_ARCH__)
template <bool upper> DEV i32 plusSigned(i32 sum, u32 pair) {
  i32 r;
  asm("dp2a.lo.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(pair), "r"(upper ? 0x0100 : 0x0001), "r"(sum));
  return r;
}
#else
template <bool upper> DEV i32 plusSigned(i32 sum, u32 pair) { return sum + (i32)(short)(pair >> (upper ? 16 : 0)); }
#endif

// sum + the products of the halves of n and the lower, or the upper, two bytes of v.
template <bool upper> DEV i32 plusProducts(i32 sum, u32 n, u32 v) { return (i32)(upper ? dotHalvesHigh(n, v, (u32)sum) : dotHalvesLow(n, v, (u32)sum)); }

// The negatives of the sums of the windows of four columns, and signs: of n v - S + lowFrom - 1, and of the same with
// highBelow. A word has them of eight lines, the first line's and the first column's highest.
struct MatrixColumns {
  static constexpr u32 linesOfWord = 8, words = matrixLines / linesOfWord;
  i32 sum[4];
  u32 low[words], above[words];

  // D, two columns a word.
  DEV_MEMBER void add(const Twin &change) {
    sum[0] = plusSigned<false>(sum[0], change.a);
    sum[1] = plusSigned<true>(sum[1], change.a);
    sum[2] = plusSigned<false>(sum[2], change.b);
    sum[3] = plusSigned<true>(sum[3], change.b);
  }
  // Of a line, by its word: v has a sample a column. The comparisons lie so far apart.
  template <bool withMargin> DEV_MEMBER void compare(u32 word, u32 n, u32 nOver, i32 apart, u32 v) {
    push<withMargin>(word, plusProducts<false>(sum[0], n, v), apart);
    push<withMargin>(word, plusProducts<false>(sum[1], nOver, v), apart);
    push<withMargin>(word, plusProducts<true>(sum[2], n, v), apart);
    push<withMargin>(word, plusProducts<true>(sum[3], nOver, v), apart);
  }
  template <bool withMargin> DEV_MEMBER void push(u32 word, i32 beyond, i32 apart) {
    low[word] = pushSign(low[word], (u32)beyond);
    if constexpr (withMargin) above[word] = pushSign(above[word], (u32)(beyond + apart));
  }
};

// From the words of four lanes, which have four bits of each of four lines in either half, to those of one line in each
// lane.
DEV u32 bitsOfFourLanes(u32 v) {
  u32 lane = laneNumber(), own = lane & 1 ? 0xf0f0f0f0 : 0x0f0f0f0f, o = shuffle(v, lane ^ 2);
  v = bytesOf(v, o, lane & 2 ? 0x3715 : 0x6240);
  o = shuffle(v, lane ^ 1);
  return (v & own) | (bitsFrom(o, o, lane & 1 ? 4 : 28) & ~own);
}

// From a word of each of eight lanes, which has four bits of each of eight lines, to one with 32 bits of one line in each
// lane.
DEV u32 bitsOfLines(u32 bits) {
  u32 lane = laneNumber(), v = reversedBits(bits), o = shuffle(v, lane ^ 4);
  return bitsOfFourLanes(bytesOf(v, o, lane & 4 ? 0x3276 : 0x5410));
}
