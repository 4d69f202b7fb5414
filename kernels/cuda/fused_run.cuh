// What both fused kernels do with a run before and after its scan.
#pragma once
#include "fused_emit.cuh"

// The phase of sample `at`: its place in its image line.
template <class Image> DEV u32 phaseOf(const Image &p, u32 at) {
  u32 phase = at % p.pitch, left = p.pitch - p.frontPhase; // frontPhase is that of sample 0
  return phase >= left ? phase - left : phase + p.frontPhase;
}
// The phase one step of the block further.
DEV u32 advancePhase(const FusedParams &p, u32 phase) {
  u32 left = p.pitch - p.stepPhase; // sums might not fit 32 bits
  return phase >= left ? phase - left : phase + p.stepPhase;
}

// Brings the run from sample `at` on, of which the image holds at least one, to a slot.
template <class S, class Image, class Copy> DEV void fetchRun(const Image &p, char *slot, u32 at, Copy copy) {
  typedef typename S::Sample Sample;
  u32 left = p.end - at, bytes = left < S::runSamples ? left * (u32)sizeof(Sample) : S::runBytes;
  fetchBytes<S>(slot, p.samples.template as<const char>() + (u64)at * sizeof(Sample), bytes, copy);
}

// The lane's samples of the run from sample `at` on that lie in the image.
template <class S, class Image> DEV void samplesInside(const Image &p, u32 at, u32 (&in)[S::words]) {
  at += laneNumber() * S::lineSamples;
  UNROLL for (u32 k = 0; k < S::words; k++, at += 32) {
    in[k] = ~shiftLeft(allLanes, at < p.end ? p.end - at : 0);
    if (at < p.front) in[k] &= shiftLeft(allLanes, p.front - at);
  }
}

// Scans the classes of the run from sample `at` on; phase is that of its first sample. What lies outside of the image
// has no influence if there is one. If there are many it counts as padding: what comes before does not touch what comes
// after.
template <class S, bool many, class Image>
DEV RunScan<S::words> scanClasses(const FusedParams &p, const Image &image, u32 at, u32 phase, u32 (&n)[S::words],
                                  u32 (&a)[S::words], u32 *dropped) {
  u32 front = at == 0 && !many ? image.front : 0, in[S::words];
  bool outside = at - image.front >= image.inside; // some of it is; below front the difference is huge
  if (outside) {
    samplesInside<S>(image, at, in);
    UNROLL for (u32 k = 0; k < S::words; k++) {
      n[k] |= ~in[k];
      a[k] &= in[k];
    }
  }
  LineEnds<S::words> ends;
  bool hasEnds = holdsEnd<S>(image, phase);
  if (many) hasEnds = ballot(hasEnds || outside) != 0; // the vote: so that the compiler sees that all lanes go the same way
  if (!hasEnds) return scanRun<S, false>(p, n, a, ends, front, dropped);
  findEnds<S>(image, phase, ends);
  if (outside) {
    samplesInside<S>(image, at, in);
    UNROLL for (u32 k = 0; k < S::words; k++) {
      ends.last[k] &= in[k];
      ends.over[k] &= in[k];
      if (many) ends.over[k] |= FAULT(21, ~in[k], 0u);
    }
  }
  if (image.pitch > image.width) {
    UNROLL for (u32 k = 0; k < S::words; k++) {
      u32 padding = FAULT(20, ends.over[k] & ~ends.last[k], 0u);
      n[k] |= padding;
      a[k] &= ~padding;
    }
  }
  return scanRun<S, true>(p, n, a, ends, front, dropped);
}

// Where the spans of the run from sample `at` on go.
DEV Emission emissionOf(const FusedParams &p, const Decided &d, u32 at) {
  u32 room = d.index < p.capacity ? p.capacity - d.index : 0;
  return Emission{p.spans.as<Twin>() + d.index, room, at + p.origin, d.before};
}
