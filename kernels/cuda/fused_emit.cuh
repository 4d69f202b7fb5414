// Writing the spans of a run, in order, once the number of spans before it is known.
//
// A span is written by positions in the band: sample i has position i, lines laid end to end with their padding. Its
// start is the last boundary before its end, even if that lies in an image line before (then, under `keep`, the span
// starts at the virtual boundary before its line), or noPosition if there is none; an end that is no boundary is the
// virtual one after the line, whose position is one more. So spans need no line numbers here, 8 bytes are all that is
// written of a span and nothing of a line, and the host finds lines as it copies.
#pragma once
#include "fused_scan.cuh"

// The masks of a run, from its scan to its emission some tiles later: the words N of each lane, then the words of
// closing cuts, then the last boundary of each lane.
DEV void storeWords(char *at, const u32 (&v)[1]) { ((u32 *)at)[laneNumber()] = v[0]; }
DEV void storeWords(char *at, const u32 (&v)[2]) { storeTwin((Twin *)at + laneNumber(), v[0], v[1]); }
DEV void storeWords(char *at, const u32 (&v)[4]) { storeQuad((Quad *)at + laneNumber(), v[0], v[1], v[2], v[3]); }
DEV void loadWords(const char *at, u32 (&v)[1]) { v[0] = ((const u32 *)at)[laneNumber()]; }
DEV void loadWords(const char *at, u32 (&v)[2]) {
  Twin t = ((const Twin *)at)[laneNumber()];
  v[0] = t.a, v[1] = t.b;
}
DEV void loadWords(const char *at, u32 (&v)[4]) {
  Quad q = ((const Quad *)at)[laneNumber()];
  v[0] = q.a, v[1] = q.b, v[2] = q.c, v[3] = q.d;
}
template <class S> DEV void storeMasks(char *slot, const u32 (&n)[S::words], const u32 (&closing)[S::words], u32 last) {
  storeWords(slot, n);
  storeWords(slot + warpLanes * 4 * S::words, closing);
  ((u32 *)(slot + warpLanes * 8 * S::words))[laneNumber()] = last;
}

// Where the spans of a run go.
struct Emission {
  Twin *spans;  // of the run, the first
  u32 room;     // that there is for them
  u32 origin;   // position of the run's first sample
  u32 before;   // the last boundary before the run, as a position, or noPosition
};

DEV void putSpan(const Emission &e, u32 at, u32 start, u32 end) {
  e.spans[at] = Twin{start == lineNone ? e.before : e.origin + start, e.origin + end};
}

// The span that the lowest closing of a word ends, as it is staged: start in the lower half, end in the upper. start
// is the last boundary before the word; offset that of the word's first sample.
DEV u32 lowestSpan(u32 n, u32 closing, u32 start, u32 offset) {
  u32 below = closing - 1, lower = below & ~closing & ~n, at = 31 - leadingZeros(closing & ~below);
  u32 from = offset + 31 - leadingZeros(lower);
  return (lower ? from : start) + (offset + at + (n >> at & 1)) * 65536; // one more where the end is no boundary
}

// Writes what is staged: consecutive lanes to consecutive places.
DEV void flushStaged(const Emission &e, const u32 *staged, u32 base, u32 count) {
  count = base < e.room ? least(count, e.room - base) : 0;
  NO_UNROLL for (u32 j = laneNumber(); j < count; j += warpLanes) {
    u32 v = staged[j];
    putSpan(e, base + j, v & 0xffff, v >> 16);
  }
}

// Many spans: the words of the run one after the other, 32 at a time, one a lane, so that all lanes have work in every
// turn. slot is free for staging.
template <class S>
DEV void emitByWords(const Emission &e, u32 *staged, const u32 (&n)[S::words], const u32 (&closing)[S::words]) {
  constexpr u32 words = S::words;
  u32 lane = laneNumber(), done = 0, before = lineNone;
  UNROLL for (u32 turn = 0; turn < words; turn++) {
    u32 source = (turn * warpLanes + lane) / words, wordN = 0, wordClosing = 0; // a word of the run in order
    UNROLL for (u32 k = 0; k < words; k++) {
      u32 otherN = shuffle(n[k], source), otherClosing = shuffle(closing[k], source);
      if (lane % words == k) {
        wordN = otherN;
        wordClosing = otherClosing;
      }
    }
    u32 offset = (turn * warpLanes + lane) * 32;
    u32 highest = offset + 31 - leadingZeros(~wordN), last = ~wordN ? highest : lineNone;
    u32 bounded = ballot(last != lineNone), lower = bounded & lanesBelow();
    u32 start = shuffle(last, 31 - leadingZeros(lower)), end = shuffle(last, 31 - leadingZeros(bounded));
    if (!lower) start = before;
    if (bounded) before = end;
    u32 count = countOnes(wordClosing), upTo = done + sumUpTo(count), rank = upTo - count;
    u32 all = shuffle(upTo, warpLanes - 1);
    NO_UNROLL for (u32 base = done; base < all; base += S::staged) {
      NO_UNROLL for (; wordClosing && rank < base + S::staged; wordClosing &= wordClosing - 1) {
        staged[rank++ - base] = lowestSpan(wordN, wordClosing, start, offset);
      }
      syncWarp();
      flushStaged(e, staged, base, least(all - base, S::staged));
      syncWarp();
    }
    done = all;
  }
}

// Some spans: every lane stages those of its line.
template <class S>
DEV void emitByLines(const Emission &e, u32 *staged, const u32 (&n)[S::words], const u32 (&closing)[S::words], u32 start, u32 rank,
                     u32 all) {
  u32 offset = laneNumber() * S::lineSamples, *to = staged + rank;
  UNROLL for (u32 k = 0; k < S::words; k++) {
    NO_UNROLL for (u32 left = closing[k]; left; left &= left - 1) *to++ = lowestSpan(n[k], left, start, offset + 32 * k);
    u32 highest = offset + 32 * k + 31 - leadingZeros(~n[k]);
    start = ~n[k] ? highest : start;
  }
  syncWarp();
  flushStaged(e, staged, 0, all);
  syncWarp();
}

// Few spans: lane l finds the one of rank l, wherever it is, and writes it straight to its place. For each word with
// spans its lane notes the word, and the last boundary before it, at the rank of the word's first span; the last note up
// to one's own rank is that of one's word.
template <class S>
DEV void emitByRank(const Emission &e, const char *slot, u32 *notes, const u32 (&n)[S::words], const u32 (&closing)[S::words],
                    u32 start, u32 rank, u32 all) {
  constexpr u32 words = S::words;
  u32 lane = laneNumber();
  const u32 *slotN = (const u32 *)slot, *slotClosing = slotN + warpLanes * words;
  storeQuad((Quad *)notes + lane, 0, 0, 0, 0);
  syncWarp();
  UNROLL for (u32 k = 0; k < words; k++) {
    if (closing[k]) notes[rank] = start | (0x8000 | (lane * words + k)) << 16;
    if (k + 1 < words) {
      rank += countOnes(closing[k]);
      u32 highest = lane * S::lineSamples + 32 * k + 31 - leadingZeros(~n[k]);
      start = ~n[k] ? highest : start;
    }
  }
  syncWarp();
  u32 lastNote = 0, lastRank = 0; // of the spans before
  NO_UNROLL for (u32 base = 0; base < all; base += warpLanes) {
    u32 own = notes[base + lane], noted = ballot(own != 0), upTo = noted & (lanesBelow() * 2 + 1);
    u32 holder = 31 - leadingZeros(upTo), note = shuffle(own, holder), skip = lane - holder;
    if (base > 0) {
      note = upTo ? note : lastNote;
      skip = upTo ? skip : base + lane - lastRank;
    }
    if (base + warpLanes < all && noted) {
      lastRank = base + 31 - leadingZeros(noted);
      lastNote = shuffle(own, lastRank - base);
    }
    u32 word = note >> 16 & 0x7fff, wordN = slotN[word], left = slotClosing[word];
    if (base + lane < least(all, e.room)) {
      NO_UNROLL for (; skip; skip--) left &= left - 1;
      u32 offset = word * 32, below = left - 1, lower = below & ~left & ~wordN, at = 31 - leadingZeros(left & ~below);
      u32 from = offset + 31 - leadingZeros(lower);
      putSpan(e, base + lane, lower ? from : note & 0xffff, offset + at + (wordN >> at & 1)); // the end: one more if no boundary
    }
  }
  syncWarp();
}

// At most one span a lane: straight to its place, which is already consecutive.
template <class S>
DEV void emitSingly(const Emission &e, const u32 (&n)[S::words], const u32 (&closing)[S::words], bool holds, u32 rank, u32 start) {
  if (!holds || rank >= e.room) return;
  u32 offset = laneNumber() * S::lineSamples, lower[S::words], boundary[S::words], atEnd[S::words];
  subtractBit(closing, 1, lower); // the bits below the only one
  UNROLL for (u32 k = 0; k < S::words; k++) {
    boundary[k] = lower[k] & ~n[k];
    atEnd[k] = closing[k] & n[k];
  }
  u32 from = highestBit(boundary, offset, start);
  putSpan(e, rank, from, offset + countBits(lower) + (anyBit(atEnd) ? 1 : 0));
}

// Writes the spans of a run whose masks are in slot. The first cut there is left out unless it closes a span. notes, if
// there are any, are for finding spans by rank.
template <class S> DEV void emitRun(const Emission &e, char *slot, u32 *notes, bool firstCloses) {
  constexpr u32 words = S::words;
  u32 n[words], closing[words], rest[words], lane = laneNumber();
  loadWords(slot, n);
  loadWords(slot + warpLanes * 4 * words, closing);
  u32 last = ((const u32 *)(slot + warpLanes * 8 * words))[lane];
  if (!firstCloses) {
    u32 holders = ballot(anyBit(closing));
    subtractBit(closing, FAULT(12, lane == trailingZeros(holders), lane == 0), rest);
    UNROLL for (u32 k = 0; k < words; k++) closing[k] &= rest[k];
  }
  u32 bounded = ballot(last != lineNone) & lanesBelow();
  u32 start = shuffle(last, 31 - leadingZeros(bounded)); // the last boundary before the lane's line
  if (!bounded) start = lineNone;
  u32 count = countBits(closing), holders = ballot(count != 0);
  if (!ballot(count > 1)) {
    emitSingly<S>(e, n, closing, count != 0, countOnes(holders & lanesBelow()), start);
    syncWarp();
    return;
  }
  u32 upTo = sumUpTo(count), all = shuffle(upTo, warpLanes - 1);
  if (notes && all <= mostByRank) {
    if (!firstCloses) storeWords(slot + warpLanes * 4 * words, closing);
    emitByRank<S>(e, slot, notes, n, closing, start, upTo - count, all);
    return;
  }
  syncWarp(); // all lanes have read the masks, which are now written over
  if (all <= S::staged) {
    emitByLines<S>(e, (u32 *)slot, n, closing, start, upTo - count, all);
  } else {
    emitByWords<S>(e, (u32 *)slot, n, closing);
  }
}

// What a pixel warp learns of its run once the state before the tile is known.
struct Decided {
  u32 index;   // spans before the run
  u32 before;  // the last boundary before it
  bool closes; // its first cut closes a span
  u32 drops;   // 1 if its first cut ends a run that is dropped
};
// before holds count and last of Before, and the state as meetingState gives it. Flags are moved to the bit of
// localActiveFirst to meet, so that a few logical operations do for all of them.
DEV Decided decide(const FusedParams &p, Twin local, const Quad &before) {
  constexpr u32 bit = localActiveFirst;
  static_assert(localMayClose == bit << 1 && localAfterFirst == bit << 3 && localHoldsFirst == bit << 2 &&
                    localStartsCut == bit >> 1 && localCut == bit >> 2 && localDrops == bit >> 3,
                "moves of flags");
  u32 flags = local.a, state = before.c;
  u32 able = (flags & ~state) >> 1, active = flags | state;
  u32 closes = able & active; // of the tile's first cut
  if (p.rejected) closes = able & ~active & (~flags | state) << 1;
  closes = FAULT(13, closes, 0u);
  u32 drops = flags >> 2 & flags << 2 & active & ~closes; // this run has it, and it ends an activated run
  Decided d;
  d.index = before.a + (flags & 0x1ffff) + ((flags >> 3 & FAULT(14, closes, 0u)) / bit & 1);
  d.before = local.b == noPosition ? before.b : local.b;
  d.closes = (flags | (flags >> 2 & closes) << 4) & localCloses;
  d.drops = (drops | flags << 3) / bit & 1;
  return d;
}
