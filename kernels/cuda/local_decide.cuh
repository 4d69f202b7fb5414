// From the sums of windows to classes.
#pragma once
#include "local_sums.cuh"

#if defined(__CUDA_ARCH__)
// To about 2^-22 of its value.
DEV f32 nearRoot(f32 v) {
  f32 r;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));
  return r;
}
DEV f32 multiplyAdd(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
DEV u32 reversedBits(u32 v) { return __builtin_bitreverse32(v); }
#else
DEV f32 nearRoot(f32 v) { return __builtin_sqrtf(v); }
DEV f32 multiplyAdd(f32 a, f32 b, f32 c) { return a * b + c; } // near enough, which is all that is asked for
DEV u32 reversedBits(u32 v) {
  u32 r = 0;
  for (u32 i = 0; i < 32; i++) r |= (v >> i & 1) << (31 - i);
  return r;
}
#endif

DEV f32 nearly(u32 v) { return (f32)v; }
DEV f32 nearly(u64 v) { return multiplyAdd((f32)(u32)(v >> 32), 4294967296.f, (f32)(u32)v); }

// Bits of a lane's samples, the first lowest.
struct LocalBits {
  u32 low, high;
};

// The lane's samples.
template <class T> struct LaneSamples {
  static constexpr u32 words = T::columns * sizeof(typename T::Sample) / 4;
  u32 word[words];
  DEV_MEMBER LaneSamples(const char *line, u32 lane) {
    auto from = (const Quad *)(line + LocalLine<T>::samples) + lane * (words / 4);
    UNROLL for (u32 k = 0; k < words / 4; k++) {
      Quad q = from[k];
      word[4 * k] = q.a;
      word[4 * k + 1] = q.b;
      word[4 * k + 2] = q.c;
      word[4 * k + 3] = q.d;
    }
  }
  DEV_MEMBER u32 at(u32 i) const {
    if constexpr (sizeof(typename T::Sample) == 1) return word[i / 4] >> (8 * (i & 3)) & 0xff;
    return word[i / 2 % words] >> (16 * (i & 1)) & 0xffff;
  }
};

// Bits of n v + beside - S < 0. S is what `by` has beyond the lane's first window.
template <class T> DEV u32 meansBelow(u32 n, typename T::Side beside, const LaneSamples<T> &v, const i32 (&by)[T::columns]) {
  u32 below = 0;
  UNROLL for (u32 i = T::columns; i-- > 0;) {
    i64 beyond = beside - by[i] + (i64)((u64)n * v.at(i));
    below = pushSign(below, (u32)((u64)beyond >> 32));
  }
  return below;
}

template <class T, u32 shift> DEV LocalBits compareMeans(const LocalParams &p, const char *line, u32 lanesBefore, u32 window) {
  typedef typename T::Side Side;
  typedef typename LocalLine<T>::Ones Ones;
  typedef LaneSums<Ones, typename T::One> Sums;
  u32 lane = lanesBefore + laneNumber(), n = window * (2 * p.halfLines + 1);
  i32 by[T::columns];
  i32 gained = slide<shift, i32>(Sums(line, lane, window), T::columns, [&](u32 i, i32 total) { by[i] = total; });
  Side from = (Side)laneWindow<shift, Ones, typename Sums::Four, typename T::Sum>(line, lanesBefore, window, gained);
  LaneSamples<T> v(line, lane);
  // v <= T is S - n v >= lowFrom, v > T + margin is S - n v < highBelow.
  u32 low = meansBelow<T>(n, (Side)(i64)p.lowFrom - FAULT(107, 1, 0) - from, v, by), high = ~low;
  if (p.lowFrom != p.highBelow) high = ~meansBelow<T>(n, (Side)(i64)p.highBelow - 1 - from, v, by);
  return LocalBits{low, high};
}

// Classes by thresholds in float32, and which of them are near a threshold.
template <class T, u32 shift, bool withMargin>
DEV LocalBits compareNearly(const LocalParams &p, f32 margin, const char *line, u32 lane, u32 window, typename T::Sum one, const i32 (&by)[T::columns],
                            typename T::Two two, u32 *near) {
  typedef typename T::Two Two;
  typedef LaneSums<typename LocalLine<T>::Twos, Two> Squares;
  f32 n = (f32)(window * (2 * p.halfLines + 1)), tolerance = bitsFloat(p.tolerance);
  f32 alpha = bitsFloat(p.alpha), beta = bitsFloat(p.beta), gamma = bitsFloat(p.gamma), delta = bitsFloat(p.delta);
  u32 below = 0, high = 0, close = 0;
  LaneSamples<T> v(line, lane);
  slide<shift, Two>(Squares(line + LocalLine<T>::twos, lane, window), T::columns, [&](u32 i, Two total) {
    f32 sum = nearly((u32)one + (u32)by[i]), squares = nearly((Two)(two + total));
    f32 root = nearRoot(__builtin_fabsf(multiplyAdd(n, squares, -(sum * sum))));
    f32 beyond = multiplyAdd(-n, nearly(v.at(i)), multiplyAdd(alpha, sum, beta));
    beyond = multiplyAdd(root, multiplyAdd(gamma, sum, delta), beyond);
    f32 distance = __builtin_fabsf(beyond);
    below = pushSign(below, floatBits(beyond));
    if constexpr (withMargin) {
      f32 other = beyond + margin;
      high = pushSign(high, floatBits(other));
      distance = least(distance, __builtin_fabsf(other));
    }
    close = pushSign(close, floatBits(distance - tolerance));
  });
  *near = reversedBits(close) >> (32 - T::columns);
  LocalBits bits = {~reversedBits(below) >> (32 - T::columns), reversedBits(withMargin ? high : below) >> (32 - T::columns)};
  return bits;
}

// By thresholds in float32, and in double precision where those are too near to tell.
template <class T, u32 shift> DEV LocalBits compareDeviations(const LocalParams &p, const LocalRule &rule, const char *line, u32 lanesBefore, u32 window, u32 valid) {
  typedef typename T::Sum Sum;
  typedef typename T::Two Two;
  typedef typename LocalLine<T>::Ones Ones;
  typedef typename LocalLine<T>::Twos Twos;
  typedef LaneSums<Ones, typename T::One> Sums;
  typedef LaneSums<Twos, Two> Squares;
  u32 lane = lanesBefore + laneNumber();
  i32 by[T::columns];
  i32 gained = slide<shift, i32>(Sums(line, lane, window), T::columns, [&](u32 i, i32 total) { by[i] = total; });
  Sum one = laneWindow<shift, Ones, typename Sums::Four, Sum>(line, lanesBefore, window, gained);
  Squares squares(line + LocalLine<T>::twos, lane, window);
  Two two = laneWindow<shift, Twos, typename Squares::Four, Two>(line + LocalLine<T>::twos, lanesBefore, window,
                                                               slide<shift, Two>(squares, T::columns, [](u32, Two) {}));
  LocalBits bits = {0, 0};
  u32 unsure = valid;
  if (p.fast) {
    u32 near;
    f32 margin = (f32)rule.margin;
    bits = margin == 0 ? compareNearly<T, shift, false>(p, margin, line, lane, window, one, by, two, &near)
                       : compareNearly<T, shift, true>(p, margin, line, lane, window, one, by, two, &near);
    unsure &= near;
  }
  while (ballot(unsure != 0)) {
    u32 i = unsure ? trailingZeros(unsure) : 0;
    // The window's sums, column by column.
    Sum sum = one;
    Two square = two;
    for (u32 k = 0; k < i; k++) {
      u32 to = window + k;
      auto ones = (const typename T::One *)line;
      auto twos = (const Two *)(line + LocalLine<T>::twos);
      sum += (Sum)ones[Ones::column(lane, to)] - ones[Ones::column(lane, k)];
      square += twos[Twos::column(lane, to)] - twos[Twos::column(lane, k)];
    }
    double v = ((const typename T::Sample *)(line + LocalLine<T>::samples))[lane * T::columns + i];
    u64 n = (u64)window * (2 * p.halfLines + 1);
    double d = squareOfDeviation(n, sum, square, n <= 65536 || sizeof(typename T::Sample) == 1);
    double t = scaledThreshold(p, rule, (double)(i64)(u64)sum, d), scaled = rule.n * v;
    if (unsure) {
      u32 bit = 1u << i;
      unsure &= ~bit;
      bits.low = (bits.low & ~bit) | (FAULT(108, scaled <= t, scaled < t) ? bit : 0);
      bits.high = (bits.high & ~bit) | (scaled > t + rule.margin ? bit : 0);
    }
  }
  return bits;
}
