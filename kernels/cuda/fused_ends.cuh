// Where image lines end among a lane's samples. Sample i of the band, lines laid end to end with their padding, is
// sample i mod pitch of its line; a line ends with sample width - 1, and padding follows up to the pitch.
//
// Image stands for what holds the fields of an image: FusedParams where there is one, FusedImage where there are many.
#pragma once
#include "fused_shape.cuh"

template <u32 words> struct LineEnds {
  u32 last[words]; // the last sample of a line
  u32 over[words]; // the same, and padding
};

// Whether a run whose first sample has this place in its line (its phase) holds an end or padding.
template <class S, class Image> DEV bool holdsEnd(const Image &p, u32 phase) {
  return phase >= p.width || p.width - 1 - phase < S::runSamples;
}

// The place in its line of the lane's first sample.
template <class S, class Image> DEV u32 phaseOfLane(const Image &p, u32 phase) {
  u32 before = laneNumber() * S::lineSamples;
  if (p.pitch >= S::runSamples) { // at most one line ends before, and sums might not fit 32 bits
    u32 left = p.pitch - phase;
    return before >= left ? before - left : phase + before;
  }
  u32 at = phase + before;
  at -= mulHigh(at, p.pitchReciprocal) * p.pitch;
  return at >= p.pitch ? at - p.pitch : at; // for a pitch of 1, whose reciprocal does not fit
}

// One word from the phase of its first sample, for lines longer than 32 with their padding: at most one ends in it
// after the one that its first sample belongs to.
template <u32 words, class Image> DEV void endsOfWord(const Image &p, u32 phase, u32 k, LineEnds<words> &ends) {
  u32 toLast = p.width - 1 - phase, toNext = p.pitch - phase; // the first is huge in padding
  ends.last[k] = shiftLeft(1, toLast);
  ends.over[k] = (phase < p.width ? shiftLeft(allLanes, toLast) : allLanes) & ~shiftLeft(allLanes, toNext);
  if (toNext < 32) {
    ends.last[k] |= shiftLeft(1, toNext + p.width - 1);
    ends.over[k] |= shiftLeft(allLanes, toNext + p.width - 1);
  }
}

template <class S, class Image> DEV void findEnds(const Image &p, u32 phase, LineEnds<S::words> &ends) {
  if (p.width == p.pitch && p.pitch >= S::lineSamples) { // at most one in the lane's line, and no padding
    u32 toLast = p.width - 1 - phase - laneNumber() * S::lineSamples; // huge where the run's only end lies before
    if (p.pitch < S::runSamples) toLast = p.width - 1 - phaseOfLane<S>(p, phase);
    UNROLL for (u32 k = 0; k < S::words; k++) ends.last[k] = ends.over[k] = shiftLeft(1, toLast - 32 * k);
    return;
  }
  u32 own = phaseOfLane<S>(p, phase);
  if (p.width == p.pitch && p.pitch > 32) { // at most one in each word
    u32 toLast = p.width - 1 - own;
    UNROLL for (u32 k = 0; k < S::words; k++) {
      ends.last[k] = ends.over[k] = shiftLeft(1, toLast);
      toLast = toLast >= 32 ? toLast - 32 : toLast - 32 + p.pitch;
    }
    return;
  }
  UNROLL for (u32 k = 0; k < S::words; k++) {
    if (p.pitch <= 32) { // two words of the pattern, from the phase on
      ends.last[k] = bitsFrom(p.lastLow, p.lastHigh, own);
      ends.over[k] = bitsFrom(p.overLow, p.overHigh, own);
      own += p.wordPhase;
    } else {
      endsOfWord(p, own, k, ends);
      own += 32;
    }
    if (own >= p.pitch) own -= p.pitch;
  }
}
