// Local thresholds of 8-bit samples whose columns' sums have 16 bits and whose windows' sums of squares have 32: as in
// local_sums.cuh, with as few instructions and accesses to the block's memory as can be.
//
//   tile   | lane 0 | lane 1 | ...    columns, 32 a lane; its first is aligned in memory, where lines allow that
//   words     | word 0 | word 1 | ... samples whose windows begin `lead` columns later: bits of two lanes make a word
//
// A line of a tile is for two warps. The second begins with the lane that the first ends with, so that both have the
// bits of the lane after their last word.
#pragma once
#include "local_decide.cuh"

DEV u32 pairOf(const Eight<u8> &e, u32 i) { return bytesOf(e.word[i / 2], 0, i % 2 ? 0x4342 : 0x4140); }

#if defined(__CUDA_ARCH__)
// sum + a half of pair, and sum - a half of it.
template <bool upper> DEV i32 plusHalf(i32 sum, u32 pair) {
  i32 r;
  asm("dp2a.lo.u32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(pair), "r"(upper ? 0x0100 : 0x0001), "r"(sum));
  return r;
}
template <bool upper> DEV i32 minusHalf(i32 sum, u32 pair) {
  i32 r;
  asm("dp2a.lo.u32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(pair), "r"(upper ? 0xff00 : 0x00ff), "r"(sum));
  return r;
}
#else
template <bool upper> DEV i32 plusHalf(i32 sum, u32 pair) { return sum + (i32)(pair >> (upper ? 16 : 0) & 0xffff); }
template <bool upper> DEV i32 minusHalf(i32 sum, u32 pair) { return sum - (i32)(pair >> (upper ? 16 : 0) & 0xffff); }
#endif

// sum + n v, v being byte i of a word, n below 2^16.
template <u32 i> DEV i32 plusProduct(i32 sum, u32 n, u32 word) {
  u32 pair = i % 2 ? n << 16 : n;
  return (i32)(i < 2 ? dotHalvesLow(pair, word, (u32)sum) : dotHalvesHigh(pair, word, (u32)sum));
}

#if defined(__CUDA_ARCH__)
// sum + the halves of pair, signed, times bytes 0 and 1 of word, or 2 and 3.
template <bool upper> DEV u32 plusPairs(u32 sum, u32 pair, u32 word) {
  u32 r;
  if constexpr (upper) {
    asm("dp2a.hi.s32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(pair), "r"(word), "r"(sum));
  } else {
    asm("dp2a.lo.s32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(pair), "r"(word), "r"(sum));
  }
  return r;
}
// To about 2^-22 of its value.
DEV f32 nearInverseRoot(f32 v) {
  f32 r;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));
  return r;
}
#else
template <bool upper> DEV u32 plusPairs(u32 sum, u32 pair, u32 word) {
  word >>= upper ? 16 : 0;
  return sum + (u32)((i32)(short)pair * (i32)(word & 0xff)) + (u32)((i32)pair >> 16) * (word >> 8 & 0xff);
}
DEV f32 nearInverseRoot(f32 v) { return 1 / __builtin_sqrtf(v); }
#endif

// The block's memory for one line: pieces of eight sums of 16 bits, of four squares, and samples, 16 bytes each. Lanes
// are so far apart that eight of them read from all banks.
template <bool stats> struct ByteLine {
  static constexpr u32 sampleLane = stats ? 32 : 48; // with squares there is no room for more in 64 KiB
  static constexpr u32 onesLane = 80, twosLane = 144, lanes = localColumns / 32;
  static constexpr u32 twos = lanes * onesLane, samples = twos + (stats ? lanes * twosLane : 0), bytes = samples + lanes * sampleLane;
  static constexpr u32 lines = 4, buffers = stats ? 1 : 2;
  struct Ones {
    DEV_MEMBER static u32 at(u32 column) { return column / 32 * onesLane + column % 32 * 2; }
    DEV_MEMBER static u32 column(u32, u32 column) { return at(column) / 2; }
  };
  struct Twos {
    DEV_MEMBER static u32 at(u32 column) { return column / 32 * twosLane + column % 32 * 4; }
    DEV_MEMBER static u32 column(u32, u32 column) { return at(column) / 4; }
  };
  DEV_MEMBER static u32 sample(u32 column) { return samples + column / 32 * sampleLane + column % 32; }
};

// Reads eight columns a thread: at once where they are aligned, else by words.
struct ByteReader {
  u64 address, pitch;
  u32 by; // bits before the first, of the first word
  bool aligned;

  // Columns of which the page has none may be any others.
  DEV_MEMBER ByteReader(const LocalParams &p, i32 column, bool linesAligned) : pitch(p.pitch), aligned(linesAligned) {
    i32 low = (i32)p.left - 7, high = (i32)p.right - 1;
    if (column < low) column += (low - column + 7) / 8 * 8;
    if (column > high) column -= (column - high + 7) / 8 * 8;
    address = p.samples.address + (u64)(i64)column;
    by = 8 * ((u32)address & 7);
    if (aligned) address &= ~7ull;
  }
  DEV_MEMBER u64 on(i32 line) const { return address + (u64)((i64)line * (i64)pitch); }
  static DEV_MEMBER Eight<u8> byWords(u64 at) { return EightReader<u8>::load(at).shifted(8 * ((u32)at & 3)); }
  template <bool aligned> DEV_MEMBER Eight<u8> columns(u64 at) const {
    if constexpr (!aligned) return byWords(at);
    u64 v = *globalPointer<const u64>(at);
    return Eight<u8>{{(u32)v, (u32)(v >> 32)}};
  }
  // Those from within eight on.
  template <bool aligned> DEV_MEMBER Eight<u8> within(u64 at) const {
    if constexpr (!aligned) return byWords(at);
    u64 v = globalPointer<const u64>(at)[0], w = globalPointer<const u64>(at)[1];
    bool later = by >= 32;
    u32 a = (u32)(later ? v >> 32 : v), b = (u32)(later ? w : v >> 32), c = (u32)(later ? w >> 32 : w);
    return Eight<u8>{{bitsFrom(a, b, by & 31), bitsFrom(b, c, by & 31)}};
  }
  DEV_MEMBER Eight<u8> columns(u64 at) const { return aligned ? columns<true>(at) : columns<false>(at); }
  DEV_MEMBER Eight<u8> within(u64 at) const { return aligned ? within<true>(at) : within<false>(at); }
};

// The sums of a thread's eight columns, two a word; of squares, and sums beside: v^2 + v = (v + 1) v is added, and
// ~v v = -(v + 1) v, which no multiplication by a negative byte is needed for.
template <bool stats> struct ByteSums {
  u32 one[4], two[8];
  DEV_MEMBER ByteSums() {
    UNROLL for (u32 i = 0; i < 4; i++) one[i] = 0;
    UNROLL for (u32 i = 0; i < 8; i++) two[i] = 0;
  }
  DEV_MEMBER void products(u32 k, u32 word, u32 a, u32 b) {
    u32 even = word & 0x00ff00ff, odd = word & 0xff00ff00;
    two[4 * k] = plusPairs<false>(two[4 * k], a, even);
    two[4 * k + 1] = plusPairs<false>(two[4 * k + 1], a, odd);
    two[4 * k + 2] = plusPairs<true>(two[4 * k + 2], b, even);
    two[4 * k + 3] = plusPairs<true>(two[4 * k + 3], b, odd);
  }
  DEV_MEMBER void add(const Eight<u8> &in) {
    UNROLL for (u32 i = 0; i < 4; i++) one[i] += pairOf(in, i);
    if constexpr (stats) {
      UNROLL for (u32 k = 0; k < 2; k++) products(k, in.word[k], pairOf(in, 2 * k) + 0x00010001, pairOf(in, 2 * k + 1) + 0x00010001);
    }
  }
  DEV_MEMBER void move(const Eight<u8> &in, const Eight<u8> &out) {
    UNROLL for (u32 i = 0; i < 4; i++) one[i] = one[i] + pairOf(in, i) - pairOf(out, i);
    if constexpr (stats) {
      UNROLL for (u32 k = 0; k < 2; k++) {
        products(k, in.word[k], pairOf(in, 2 * k) + 0x00010001, pairOf(in, 2 * k + 1) + 0x00010001);
        products(k, out.word[k], ~pairOf(out, 2 * k), ~pairOf(out, 2 * k + 1));
      }
    }
  }
  DEV_MEMBER void store(char *line, u32 thread) const {
    typedef ByteLine<stats> Line;
    *(Quad *)(line + Line::Ones::at(8 * thread)) = Quad{one[0], one[1], one[2], one[3]};
    if constexpr (stats) {
      auto to = (Quad *)(line + Line::twos + Line::Twos::at(8 * thread));
      to[0] = Quad{two[0], two[1], two[2], two[3]};
      to[1] = Quad{two[4], two[5], two[6], two[7]};
    }
  }
};

DEV u32 wordOf(const Quad &q, u32 i) { return i == 0 ? q.a : i == 1 ? q.b : i == 2 ? q.c : q.d; }

// What the windows of a lane have gained up to each of its columns, `gained` up to the next lane's first; of a window of
// which so many columns are left beyond whole pieces.
template <bool stats, u32 shift> struct ByteSlide {
  typedef ByteLine<stats> Line;
  static constexpr u32 shiftOfTwos = shift % 4;

  static DEV_MEMBER u32 farLane(u32 lane, u32 window) { return least(lane + window / 32, Line::lanes - 1); }

  static DEV_MEMBER i32 ones(const char *line, u32 lane, u32 window, i32 (&by)[32]) {
    u32 far = window / 8 % 4;
    auto own = (const Quad *)(line + lane * Line::onesLane);
    const char *in = line + farLane(lane, window) * Line::onesLane + far * 16;
    const char *next = line + farLane(lane + 1, window) * Line::onesLane - 64 + far * 16;
    i32 total = 0;
    Quad now = *(const Quad *)in;
    UNROLL for (u32 j = 0; j < 4; j++) {
      Quad out = own[j], after = *(const Quad *)((far + j + 1 < 4 ? in : next) + (j + 1) * 16);
      step<0>(total, now, after, out, by + 8 * j);
      now = after;
    }
    return total;
  }
  template <u32 i> static DEV_MEMBER void step(i32 &total, const Quad &now, const Quad &after, const Quad &out, i32 *by) {
    if constexpr (i < 8) {
      by[i] = total;
      constexpr u32 from = shift + i;
      u32 in = from < 8 ? wordOf(now, from / 2) : wordOf(after, (from - 8) / 2);
      total = minusHalf<i % 2>(plusHalf<from % 2>(total, in), wordOf(out, i / 2));
      step<i + 1>(total, now, after, out, by);
    }
  }

  static DEV_MEMBER u32 twos(const char *squares, u32 lane, u32 window, u32 (&by)[32]) {
    u32 far = window / 4 % 8, total = 0;
    auto own = (const Quad *)(squares + lane * Line::twosLane);
    const char *in = squares + farLane(lane, window) * Line::twosLane + far * 16;
    const char *next = squares + farLane(lane + 1, window) * Line::twosLane - 128 + far * 16;
    Quad now = *(const Quad *)in;
    UNROLL for (u32 j = 0; j < 8; j++) {
      Quad out = own[j], after = *(const Quad *)((far + j + 1 < 8 ? in : next) + (j + 1) * 16);
      UNROLL for (u32 i = 0; i < 4; i++) {
        by[4 * j + i] = total;
        total = total + (shiftOfTwos + i < 4 ? wordOf(now, shiftOfTwos + i) : wordOf(after, shiftOfTwos + i - 4)) - wordOf(out, i);
      }
      now = after;
    }
    return total;
  }

  // The sum of each lane's first window, of what each lane's windows gain; part is the sum of some of the columns of the
  // warp's first window.
  static DEV_MEMBER u32 first(u32 part, u32 gained) {
    u32 before = gained;
    UNROLL for (u32 d = 1; d < warpLanes; d *= 2) {
      part += shuffle(part, laneNumber() ^ d);
      u32 lower = shuffle(before, laneNumber() - d);
      if (laneNumber() >= d) before += lower;
    }
    return part + before - FAULT(105, gained, 0u);
  }
  static DEV_MEMBER u32 someOnes(const char *line, u32 lanesBefore, u32 window) {
    u32 sum = 0, pieces = window / 8, rest = shift;
    NO_UNROLL for (u32 piece = laneNumber(); piece <= pieces; piece += warpLanes) {
      Quad q = *(const Quad *)(line + Line::Ones::at(32 * lanesBefore + 8 * piece));
      u32 all = piece < pieces ? allLanes : 0;
      UNROLL for (u32 i = 0; i < 4; i++) {
        u32 some = 2 * i + 1 < FAULT(106, rest, 0u) ? allLanes : 2 * i < FAULT(106, rest, 0u) ? 0xffffu : 0u;
        u32 pair = wordOf(q, i) & (all | some);
        sum = (u32)plusHalf<true>(plusHalf<false>((i32)sum, pair), pair);
      }
    }
    return sum;
  }
  static DEV_MEMBER u32 someTwos(const char *squares, u32 lanesBefore, u32 window) {
    u32 sum = 0, pieces = window / 4;
    NO_UNROLL for (u32 piece = laneNumber(); piece <= pieces; piece += warpLanes) {
      Quad q = *(const Quad *)(squares + Line::Twos::at(32 * lanesBefore + 4 * piece));
      u32 all = piece < pieces ? allLanes : 0;
      UNROLL for (u32 i = 0; i < 4; i++) sum += wordOf(q, i) & (all | (i < shiftOfTwos ? allLanes : 0));
    }
    return sum;
  }
};

// A lane's samples.
template <bool stats> struct ByteSamples {
  u32 word[8];
  DEV_MEMBER ByteSamples(const char *line, u32 lane) {
    auto from = (const Quad *)(line + ByteLine<stats>::sample(32 * lane));
    UNROLL for (u32 k = 0; k < 2; k++) {
      Quad q = from[k];
      UNROLL for (u32 i = 0; i < 4; i++) word[4 * k + i] = wordOf(q, i);
    }
  }
};

template <u32 shift> DEV LocalBits compareByteMeans(const LocalParams &p, const char *line, u32 lanesBefore, u32 window) {
  typedef ByteSlide<false, shift> Slide;
  u32 lane = lanesBefore + laneNumber(), n = window * (2 * p.halfLines + 1);
  i32 by[32];
  u32 gained = (u32)Slide::ones(line, lane, window, by);
  i32 from = (i32)Slide::first(Slide::someOnes(line, lanesBefore, window), gained);
  ByteSamples<false> v(line, lane);
  auto below = [&](i32 beside) {
    u32 bits = 0;
    UNROLL for (u32 j = 8; j-- > 0;) {
      bits = pushSign(bits, (u32)plusProduct<3>(beside - by[4 * j + 3], n, v.word[j]));
      bits = pushSign(bits, (u32)plusProduct<2>(beside - by[4 * j + 2], n, v.word[j]));
      bits = pushSign(bits, (u32)plusProduct<1>(beside - by[4 * j + 1], n, v.word[j]));
      bits = pushSign(bits, (u32)plusProduct<0>(beside - by[4 * j], n, v.word[j]));
    }
    return bits;
  };
  // v <= T is S - n v >= lowFrom, v > T + margin is S - n v < highBelow.
  u32 low = below((i32)p.lowFrom - FAULT(107, 1, 0) - from), high = ~low;
  if (p.lowFrom != p.highBelow) high = ~below((i32)p.highBelow - 1 - from);
  return LocalBits{low, high};
}

// How far a float32 of n (v - T) may be off, with roundings of u = 2^-24 of a value each and F = 255 n, the most a sum
// can be, G the most that gamma S + delta can be.
//
// d = n Q - S^2 of Q, S, each rounded: 2 roundings of n Q <= F^2, 3 of S^2 <= F^2 and one of d <= F^2/4, which is less
// than E = 6 u F^2. The root r' is that of the greater of |d'| and E. Where |d'| is greater, |r' - r| = |d' - d| / (r' + r)
// <= E / r', as |d' - d| <= E and d >= 0 (and |d'| > E only if d' > 0); else d <= 2 E and |r' - r| <= sqrt(E) = E / r'.
// All else are 12 roundings of the largest there is, those of the inverse root and of the product that makes a root of
// it, of at most F/2, among them.
struct ByteDoubt {
  f32 error, always, slope; // within always + slope / r' a decision is in doubt

  DEV_MEMBER ByteDoubt(const LocalParams &p, double margin) {
    constexpr double rounding = 1. / (1 << 24);
    double full = 255 * p.area, gamma = bitsFloat(p.gamma), delta = bitsFloat(p.delta);
    double factor = greatest(__builtin_fabs(delta), __builtin_fabs(gamma * full + delta)), square = 6 * rounding * full * full;
    double rest = 12 * rounding * (__builtin_fabs((double)bitsFloat(p.alpha)) * full + __builtin_fabs((double)bitsFloat(p.beta)) + full / 2 * factor + full + margin);
    error = (f32)square;
    always = FAULT(113, (f32)(1.05 * rest), 0.f);
    slope = FAULT(113, (f32)(1.05 * square * factor), 0.f);
  }
};

// Classes by thresholds in float32, and which of them are in doubt.
template <bool withMargin>
DEV LocalBits compareBytesNearly(const LocalParams &p, const ByteDoubt &doubt, f32 margin, const ByteSamples<true> &v, u32 n, u32 one, const i32 (&ones)[32], u32 two,
                                 const u32 (&twos)[32], u32 *near) {
  f32 area = (f32)n, alpha = bitsFloat(p.alpha), beta = bitsFloat(p.beta), gamma = bitsFloat(p.gamma), delta = bitsFloat(p.delta);
  u32 below = 0, high = 0, close = 0;
  UNROLL for (u32 i = 0; i < 32; i++) {
    u32 s = one + (u32)ones[i];
    f32 sum = nearly(s), squares = nearly(two + twos[i] - s), sample = bitsFloat(bytesOf(v.word[i / 4], 0x4b000000, 0x7440 | i % 4)) - 8388608.f;
    f32 square = __builtin_fmaxf(__builtin_fabsf(multiplyAdd(area, squares, -(sum * sum))), doubt.error), inverse = nearInverseRoot(square);
    f32 beyond = multiplyAdd(-area, sample, multiplyAdd(alpha, sum, beta));
    beyond = multiplyAdd(square * inverse, multiplyAdd(gamma, sum, delta), beyond);
    f32 distance = __builtin_fabsf(beyond);
    below = pushSign(below, floatBits(beyond));
    if constexpr (withMargin) {
      f32 other = beyond + margin;
      high = pushSign(high, floatBits(other));
      distance = __builtin_fminf(distance, __builtin_fabsf(other));
    }
    close = pushSign(close, floatBits(multiplyAdd(-doubt.slope, inverse, distance - doubt.always)));
  }
  *near = reversedBits(close);
  return LocalBits{~reversedBits(below), reversedBits(withMargin ? high : below)};
}

// By thresholds in float32, and in double precision where those are too near to tell.
template <u32 shift>
DEV LocalBits compareByteDeviations(const LocalParams &p, const LocalRule &rule, const ByteDoubt &doubt, const char *line, u32 lanesBefore, u32 window, u32 valid) {
  typedef ByteLine<true> Line;
  typedef ByteSlide<true, shift> Slide;
  u32 lane = lanesBefore + laneNumber(), n = window * (2 * p.halfLines + 1), one, two, unsure = valid;
  const char *lineTwos = line + Line::twos;
  LocalBits bits = {0, 0};
  {
    i32 ones[32];
    u32 twos[32];
    one = (u32)Slide::ones(line, lane, window, ones);
    one = Slide::first(Slide::someOnes(line, lanesBefore, window), one);
    two = Slide::twos(lineTwos, lane, window, twos);
    two = Slide::first(Slide::someTwos(lineTwos, lanesBefore, window), two);
    if (p.fast) {
      u32 near;
      f32 margin = (f32)rule.margin;
      ByteSamples<true> v(line, lane);
      bits = margin == 0 ? compareBytesNearly<false>(p, doubt, margin, v, n, one, ones, two, twos, &near)
                         : compareBytesNearly<true>(p, doubt, margin, v, n, one, ones, two, twos, &near);
      unsure &= near;
    }
  }
  while (ballot(unsure != 0)) {
    u32 i = unsure ? trailingZeros(unsure) : 0, sum = one, square = two;
    NO_UNROLL for (u32 k = 32 * lane; k < 32 * lane + i; k++) { // the window's sums, column by column
      u32 to = least(k + window, localColumns - 1);
      sum += (u32)*(const u16 *)(line + Line::Ones::at(to)) - *(const u16 *)(line + Line::Ones::at(k));
      square += *(const u32 *)(lineTwos + Line::Twos::at(to)) - *(const u32 *)(lineTwos + Line::Twos::at(k));
    }
    double v = *(const u8 *)(line + Line::sample(32 * lane + i));
    double d = squareOfDeviation(n, sum, square - sum, true);
    double t = scaledThreshold(p, rule, (double)sum, d), scaled = rule.n * v;
    if (unsure) {
      u32 bit = 1u << i;
      unsure &= ~bit;
      bits.low = (bits.low & ~bit) | (FAULT(108, scaled <= t, scaled < t) ? bit : 0);
      bits.high = (bits.high & ~bit) | (scaled > t + rule.margin ? bit : 0);
    }
  }
  return bits;
}
