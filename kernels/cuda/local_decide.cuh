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
#else
DEV f32 nearRoot(f32 v) { return __builtin_sqrtf(v); }
DEV f32 multiplyAdd(f32 a, f32 b, f32 c) { return a * b + c; } // near enough, which is all that is asked for
#endif

DEV f32 nearly(u32 v) { return (f32)v; }
DEV f32 nearly(u64 v) { return multiplyAdd((f32)(u32)(v >> 32), 4294967296.f, (f32)(u32)v); }

// Bits of a lane's samples, the first lowest.
struct LocalBits {
  u32 low, high;
};

// The lane's samples, four at a time.
template <class T> DEV Four<typename T::Sample> samplesOf(const char *line, u32 lane, u32 j) {
  Four<typename T::Sample> f;
  auto words = (const u32 *)(line + LocalLine<T>::samples + (lane * T::columns + 4 * j) * sizeof(typename T::Sample));
  UNROLL for (u32 k = 0; k < Four<typename T::Sample>::words; k++) f.word[k] = words[k];
  return f;
}

// By the sign of what a sum has beyond n v.
template <class T> DEV LocalBits compareMeans(const LocalParams &p, const char *line, u32 lane, const Windows<typename T::Sum, i32, T::columns> &w) {
  typedef typename T::Side Side;
  constexpr u32 sign = 8 * sizeof(Side) - 1;
  u32 n = (u32)(i64)p.area;
  Side from = (Side)w.from, lowFrom = (Side)(i64)p.lowFrom, highBelow = (Side)(i64)p.highBelow;
  u32 below = 0, high = 0;
  UNROLL for (u32 j = T::columns / 4; j-- > 0;) {
    auto v = samplesOf<T>(line, lane, j);
    UNROLL for (u32 i = 4; i-- > 0;) {
      Side beyond = from + w.by[4 * j + i] - (Side)((typename T::Sum)n * v.at(i));
      below = below << 1 | (u32)((typename T::Sum)(beyond - lowFrom) >> sign);
      if (lowFrom != highBelow) high = high << 1 | (u32)((typename T::Sum)(beyond - highBelow) >> sign);
    }
  }
  return LocalBits{~below, lowFrom == highBelow ? below : high};
}

// By thresholds in float32, and in double precision where those are too near to tell.
template <class T>
DEV LocalBits compareDeviations(const LocalParams &p, const LocalRule &rule, const char *line, u32 lane, u32 valid,
                                const Windows<typename T::Sum, i32, T::columns> &one,
                                const Windows<typename T::Two, typename T::Two, T::columns> &two) {
  typedef typename T::Sum Sum;
  typedef typename T::Two Two;
  LocalBits bits = {0, 0};
  u32 unsure = valid;
  if (p.fast) {
    f32 n = (f32)p.area, margin = (f32)rule.margin, tolerance = bitsFloat(p.tolerance);
    f32 alpha = bitsFloat(p.alpha), beta = bitsFloat(p.beta), gamma = bitsFloat(p.gamma), delta = bitsFloat(p.delta);
    u32 below = 0, high = 0, near = 0;
    UNROLL for (u32 j = T::columns / 4; j-- > 0;) {
      auto v = samplesOf<T>(line, lane, j);
      UNROLL for (u32 i = 4; i-- > 0;) {
        f32 sum = nearly((u32)(one.from + (Sum)(i64)one.by[4 * j + i])), squares = nearly((Two)(two.from + two.by[4 * j + i]));
        f32 root = nearRoot(greatest(multiplyAdd(n, squares, -(sum * sum)), 0.f));
        f32 beyond = multiplyAdd(-n, (f32)v.at(i), multiplyAdd(alpha, sum, beta));
        beyond = multiplyAdd(root, multiplyAdd(gamma, sum, delta), beyond);
        f32 distance = __builtin_fabsf(beyond);
        below = below << 1 | floatBits(beyond) >> 31;
        if (margin != 0) {
          f32 other = beyond + margin;
          high = high << 1 | floatBits(other) >> 31;
          distance = least(distance, __builtin_fabsf(other));
        }
        near = near << 1 | floatBits(distance - tolerance) >> 31;
      }
    }
    bits = LocalBits{~below, margin != 0 ? high : below};
    unsure &= near;
  }
  while (ballot(unsure != 0)) {
    u32 i = trailingZeros(unsure) & 31;
    Sum by = 0;
    Two squares = 0;
    UNROLL for (u32 k = 0; k < T::columns; k++) {
      if (k == i) {
        by = (Sum)(i64)one.by[k];
        squares = two.by[k];
      }
    }
    double v = ((const typename T::Sample *)(line + LocalLine<T>::samples))[lane * T::columns + i % T::columns];
    u64 sum = one.from + by, n = (u64)p.area;
    double square = squareOfDeviation(n, sum, (u64)(Two)(two.from + squares), n <= 65536 || sizeof(typename T::Sample) == 1);
    double t = scaledThreshold(p, rule, (double)(i64)sum, square), scaled = rule.n * v;
    if (unsure) {
      u32 bit = 1u << i;
      unsure &= ~bit;
      bits.low = (bits.low & ~bit) | (scaled <= t ? bit : 0);
      bits.high = (bits.high & ~bit) | (scaled > t + rule.margin ? bit : 0);
    }
  }
  return bits;
}
