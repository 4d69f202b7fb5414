// Thresholds that differ from line to line: classes holds lo and hi of each line, as the classify kernels take them.
//
// A lane compares its samples with the bounds of the line that its first sample is in. If more lines begin among them it
// compares all of them again with the bounds of each, and takes the bits from that line's first sample on.
#pragma once
#include "fused_classes.cuh"

// One bound of a lane for packed samples: cut without its top bit, in every sample; high, all ones where it has none, so
// that the majority of x, difference and high is one of the two forms; tops, or 0 where no sample reaches it.
struct LaneBound {
  u32 cut, high, tops;
};
template <class Sample> DEV LaneBound laneBound(i32 least) { // from 0 to one more than the greatest value
  constexpr u32 tops = topBits<Sample>(), ones = sizeof(Sample) == 1 ? 0x01010101 : 0x00010001, top = sizeof(Sample) == 1 ? 0x80 : 0x8000;
  u32 v = (u32)least;
  return LaneBound{(v & (top - 1)) * ones, v & top ? 0 : allLanes, v < 2 * top ? tops : 0};
}

// N and A of a lane by the bounds lo and hi, in which the classes are not exchanged yet.
template <class S> DEV void compareLane(const FusedParams &, const char *slot, u32 lo, u32 hi, u32 (&n)[S::words], u32 (&a)[S::words], u8) {
  typedef typename S::Sample Sample;
  i32 above = (i32)lo + 1;
  LaneBound l = laneBound<Sample>(above), h = laneBound<Sample>(greatest((i32)hi, above));
  eachEight<S>(slot, n, a, [&](const u32 (&raw)[8], u32 &bitsN, u32 &bitsA) {
    u32 notBoundary[8], activation[8];
    UNROLL for (u32 j = 0; j < 8; j++) {
      u32 x = raw[j], filled = x | topBits<Sample>(), t = filled - l.cut, u = filled - h.cut;
      notBoundary[j] = ((x & t) | (l.high & (x | t))) & l.tops;
      activation[j] = ((x & u) | (h.high & (x | u))) & h.tops;
    }
    bitsN = gather(notBoundary, Sample());
    bitsA = gather(activation, Sample());
  });
}
template <class S> DEV void compareLane(const FusedParams &p, const char *slot, u32 lo, u32 hi, u32 (&n)[S::words], u32 (&a)[S::words], u16) {
  compareLane<S>(p, slot, lo, hi, n, a, u8());
}
template <class S> DEV void compareLane(const FusedParams &p, const char *slot, u32 lo, u32 hi, u32 (&n)[S::words], u32 (&a)[S::words], f32) {
  compareFloats<S>(p, slot, bitsFloat(lo), bitsFloat(hi), n, a);
}

template <class S> struct LineClasses {
  typedef S Shape;
  typedef typename S::Sample Sample;
  static constexpr u32 tableBytes = 0;
  DEV_MEMBER static void load(const FusedParams &, char *) {}
  DEV_MEMBER static void classes(const FusedParams &p, const char *, const char *slot, u32 at, u32 (&n)[S::words], u32 (&a)[S::words]) {
    const Twin *bounds = p.classes.as<const Twin>();
    at += laneNumber() * S::lineSamples;
    u32 inside = at > p.front ? at - p.front : 0, line = inside / p.pitch;
    u32 left = p.pitch - (inside - line * p.pitch); // samples from there to the next line; a few before the band do not count
    if (at < p.front) left += p.front - at;
    Twin b = bounds[least(line, p.lines - 1)];
    compareLane<S>(p, slot, b.a, b.b, n, a, Sample());
    NO_UNROLL while (ballot(left < S::lineSamples)) {
      u32 nextN[S::words], nextA[S::words];
      b = bounds[least(++line, p.lines - 1)];
      compareLane<S>(p, slot, b.a, b.b, nextN, nextA, Sample());
      UNROLL for (u32 k = 0; k < S::words; k++) {
        u32 from = shiftLeft(allLanes, left > 32 * k ? left - 32 * k : 0);
        n[k] = (n[k] & ~FAULT(22, from, 0u)) | (nextN[k] & FAULT(22, from, 0u));
        a[k] = (a[k] & ~from) | (nextA[k] & from);
      }
      left = least(left, S::lineSamples) + least(p.pitch, S::lineSamples);
    }
    if (sizeof(Sample) < 4 && p.swap) exchangeClasses<S>(n, a);
  }
};
