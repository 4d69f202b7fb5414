// The shape of the fused kernels: how samples are dealt to lanes, and where things lie in the block's memory.
//
// A lane owns a *line* of 128 bytes (`words` words of 32 samples), a warp a *run* of 32 such lines, a block a *tile*
// of as many runs as it has pixel warps. All are contiguous, so that bit i of a lane's words is its i-th sample and
// the words of the lanes, one after the other, are the run. (Lines of the image are called image lines where both
// are meant.) Tests use a shape of one word a lane, so that they have many runs and tiles.
#pragma once
#include "abi.cuh"
#include "words.cuh"

// A place where tests of the emulation plant an error, to see that they would find it. Devices have what is right.
#if defined(__CUDA_ARCH__)
#define FAULT(number, right, wrong) (right)
#else
#define FAULT(number, right, wrong) (emulation::plantedFault == (number) ? (wrong) : (right))
#endif

template <class SampleType, u32 wordsOfLane> struct Shape {
  typedef SampleType Sample;
  static constexpr u32 words = wordsOfLane;
  static constexpr u32 lineSamples = 32 * words;
  static constexpr u32 lineBytes = lineSamples * sizeof(Sample);
  static constexpr u32 chunks = lineBytes / 16; // of a line
  static constexpr u32 runSamples = warpLanes * lineSamples;
  static constexpr u32 runBytes = warpLanes * lineBytes;
  // The masks of a run: not-a-boundary and closing bits, and the last boundary of each line.
  static constexpr u32 maskBytes = warpLanes * (8 * words + 4);
  // Spans that fit there on their way out, 4 bytes each.
  static constexpr u32 staged = maskBytes / 4;
};

// Spans of a run that are found by rank, at most, and where their words are noted meanwhile: 4 bytes a span.
constexpr u32 mostByRank = 128;
constexpr u32 headBytes = 4 * mostByRank;

// Bytes of the block's memory for each pixel warp, with room for the masks of `kept` tiles. ranked is whether it finds
// spans by rank.
template <class S> constexpr u32 warpBytes(u32 kept, bool ranked) { return S::runBytes + kept * S::maskBytes + (ranked ? headBytes : 0); }

// A slot holds a run with its 16-byte chunks moved around within each line, so that the lanes can read chunk c of
// their lines together, without two wanting the same bank: chunk c of line r lies at c ^ (r mod chunks).
template <class S> DEV u32 chunkAt(u32 line, u32 chunk) { return line * S::lineBytes + ((chunk ^ (line & (S::chunks - 1))) << 4); }
// Where byte `at` of the run lies.
template <class S> DEV u32 byteAt(u32 at) {
  return chunkAt<S>(at / S::lineBytes, at / 16 & (S::chunks - 1)) + (at & 15);
}

// Brings a run of `bytes` bytes (fewer than a whole one only at the end of the band) to a slot, by as many requests
// as a line has chunks, each of them 512 consecutive bytes. copy moves 16 bytes; what is left over is moved at once.
template <class S, class Copy> DEV void fetchBytes(char *slot, const char *from, u32 bytes, Copy copy) {
  constexpr u32 linesAtOnce = warpLanes / S::chunks;
  u32 lane = laneNumber(), line = lane / S::chunks, chunk = lane & (S::chunks - 1);
  char *to = slot + lane * 16 - chunk * 16; // chunk 0 of the lane's first line
  from += lane * 16;
  if (bytes == S::runBytes) {
    UNROLL for (u32 k = 0; k < S::chunks; k++) {
      // The line is k*linesAtOnce + line; the two have no bits in common below `chunks`.
      u32 moved = chunk ^ (line & (S::chunks - 1)) ^ (k * linesAtOnce & (S::chunks - 1));
      copy(to + k * 512 + (moved << 4), from + k * 512);
    }
    return;
  }
  NO_UNROLL for (u32 k = 0; k < S::chunks; k++) {
    u32 moved = chunk ^ ((line + k * linesAtOnce) & (S::chunks - 1));
    if (k * 512 + lane * 16 + 16 <= bytes) copy(to + k * 512 + (moved << 4), from + k * 512);
  }
  from -= lane * 16;
  if (lane < FAULT(19, bytes & 15, 0u)) {
    u32 at = (bytes & ~15u) + lane;
    slot[byteAt<S>(at)] = from[at];
  }
}
