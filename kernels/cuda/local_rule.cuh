// The rules of local thresholds in double precision, operation by operation as kernels/local_rules.go has them: the bits
// are the same, which they would not be if a product and a sum were rounded together.
#pragma once
#include "abi.cuh"
#include "words.cuh"

// As in fused_shape.cuh: a place where tests of the emulation plant an error.
#if defined(__CUDA_ARCH__)
#define FAULT(number, right, wrong) (right)
#else
#define FAULT(number, right, wrong) (emulation::plantedFault == (number) ? (wrong) : (right))
#endif

// exp(-x / localDecaySteps) for 0 <= x <= 1.
DEV double decayWithin(double x) {
  double y = x * (1. / localDecaySteps), e = 1. / 24 - y * (1. / 120);
  e = 1. / 6 - y * e;
  e = 1. / 2 - y * e;
  e = 1 - y * e;
  return 1 - y * e;
}

// What a rule makes of windows of n samples.
struct LocalRule {
  double n, offset, margin, k, flat, least, steps;
};

DEV LocalRule ruleFor(const LocalParams &p, double n, double scaledMargin) {
  LocalRule r = {n, n * p.offset, scaledMargin, 0, 1 - p.k, n * p.least, 0};
  if (p.r > 0) r.k = p.k / (n * p.r);
  if (p.range > 0) r.steps = p.q / (n * p.range);
  return r;
}

// n T, from the sum of a window and the square of n times its deviation.
DEV double scaledThreshold(const LocalParams &p, const LocalRule &r, double sum, double square) {
  if (p.rule == localMean) return sum - r.offset;
  double root = __builtin_sqrt(square);
  if (p.rule == localNiblack) return sum - p.k * root;
  if (p.rule == localSauvola) return sum * (r.flat + r.k * root);
  if (p.rule == localWolf) return sum + (r.k * root - p.k) * (sum - r.least);
  double above = sum - r.least, x = above * r.steps;
  if (!(x > 0)) {
    x = 0;
  } else if (x > p.tableTop) {
    x = p.tableTop;
  }
  u32 at = (u32)x;
  double fade = p.table.get()[at] * decayWithin(x - at);
  return r.least + above * (r.flat + p.p * fade + r.k * root);
}

// n sumOfSquares - sum^2, which is at least 0, rounded as the CPU does it: once where it fits 64 bits, else its two
// halves for themselves.
DEV double squareOfDeviation(u64 n, u64 sum, u64 squares, bool fits) {
  if (fits) return (double)(n * squares - sum * sum);
  unsigned __int128 d = (unsigned __int128)n * squares - (unsigned __int128)sum * sum;
  return (double)(u64)(d >> 64) * 18446744073709551616. + (double)(u64)d;
}
