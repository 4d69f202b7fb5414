// The scan of the fused kernels: what a stretch of samples (a lane's line, a run, a tile, all tiles before one) does
// to what comes after it, and how stretches are put together by addition.
//
// For each sample there are a bit N (no boundary) and a bit A (activation). *Ends* are the last samples of image
// lines and the padding behind them. A *cut* is a boundary or an end: what was active before it is not after it.
//
//   pass     P = N & ~end      samples that hand on what they are given
//   start    G = A & ~end      samples after which there is an activation, whatever was before
//   sum      P + G + carry     a run of ones in P carries out exactly once if anything in it, or its carry, is set:
//                              so the carry out of a sample is "active after it", and at a cut, where P and G are 0,
//                              the sum bit is the carry into it: "active before it"
//   closing  (sum & ~P) | (A & end)     cuts that close an activated span (an end takes its own sample along)
//
// Under `keep` those are the spans. Under `drop` a span needs boundaries at both ends, so ends close nothing, nor
// does the first boundary of an image line; that one is found by a second addition, of the state "unarmed": no
// boundary yet in this image line. It starts after an end and stops at a boundary:
//
//   first boundaries   F = ~N & carry into it of (N | end) + end
//
// What closes under `keep` but not under `drop` are the dropped runs. Rejected spans are those of the cuts that do
// not close where there is a sample before the cut in its span ("gap"): for a boundary, if the sample before it
// passes; for the end of a line that is no boundary, always.
//
// The same addition puts lanes together, with one bit a lane: P is "holds no cut", G "active after it from nothing";
// the carry into lane l is what the lanes before say. Likewise runs of a tile and tiles. In each stretch one cut is
// undecided until the state before the stretch is known: the first. Everything after it is not touched by that state.
#pragma once
#include "fused_ends.cuh"

// A stretch in 64 bits. Bits 0-16: closing cuts (of the group that is wanted), the first cut left out. Bits 17-33: the
// offset of the last boundary, stretchNone if there is none. From bit 34 on the flags. Bits 48-63: the launch's epoch,
// in descriptors of tiles.
constexpr u32 stretchNone = 0x1ffff;
constexpr u32 flagCut = 1;          // it holds a cut
constexpr u32 flagMayClose = 2;     // its first cut is of a kind that can close a span
constexpr u32 flagActiveFirst = 4;  // its first cut has an activation before it in the stretch
constexpr u32 flagActive = 8;       // active after it, if not active before
constexpr u32 flagUnarmed = 16;     // unarmed after it, if armed before
constexpr u32 flagStartsCut = 32;   // its first sample is a boundary (only for rejected spans)
constexpr u32 flagEndsGap = 64;     // its last sample passes (only for rejected spans)

DEV u64 packStretch(u32 count, u32 last, u32 flags) { return count | (u64)last << 17 | (u64)flags << 34; }
DEV u32 countOf(u64 stretch) { return (u32)stretch & 0x1ffff; }
DEV u32 lastOf(u64 stretch) { return (u32)(stretch >> 17) & 0x1ffff; }
DEV u32 flagsOf(u64 stretch) { return (u32)(stretch >> 34) & 0x7f; }

// The carries into 32 stretches, one a bit, of a state that a stretch starts (bit of starts) or, where it holds a cut,
// stops; in is the state before the first, *out that after the last.
DEV u32 carries(u32 cuts, u32 starts, u32 in, u32 *out) {
  u32 pass = ~cuts | starts;
  u64 sum = (u64)pass + starts + in;
  *out = (u32)(sum >> 32);
  return (u32)sum ^ pass ^ starts;
}

// Whether a first cut closes a span of the group, bit by bit: `may` for the kind of cut, the state before the
// stretch, `activeFirst` and `startsCut` from its flags, gap for the sample before the stretch.
DEV u32 closesFirst(bool rejected, u32 may, u32 unarmed, u32 active, u32 startsCut, u32 gap) {
  u32 able = may & ~unarmed;
  return rejected ? able & ~active & (~startsCut | gap) : able & active;
}

// Flags of 32 stretches, one a lane, as bits.
struct Flags {
  u32 cut, mayClose, activeFirst, active, unarmed, startsCut, endsGap;
};
DEV Flags flagsOfLanes(u64 stretch, bool rejected) {
  u32 flags = flagsOf(stretch);
  Flags f;
  f.cut = ballot(flags & flagCut);
  f.mayClose = ballot(flags & flagMayClose);
  f.activeFirst = ballot(flags & flagActiveFirst);
  f.active = ballot(flags & flagActive);
  f.unarmed = ballot(flags & flagUnarmed);
  f.startsCut = f.endsGap = 0;
  if (rejected) {
    f.startsCut = ballot(flags & flagStartsCut);
    f.endsGap = ballot(flags & flagEndsGap);
  }
  return f;
}

// What scanRun finds of a lane and of the run.
template <u32 words> struct RunScan {
  u32 closing[words]; // closing cuts of the lane, and the run's first cut whether it closes or not
  u32 last;           // offset in the run of the lane's last boundary, lineNone if it has none
  u32 count;          // of the run, as in its stretch
  u64 stretch;        // of the run; lane 0 has it right
};
constexpr u32 lineNone = 0xffff;

// The scan of a run: n and a of every lane; ends if the run has any, which is the same for all lanes. front is the
// number of samples before the band's first in this run. dropped counts dropped runs of the lane, for the kept group.
template <class S, bool hasEnds>
DEV RunScan<S::words> scanRun(const FusedParams &p, const u32 (&n)[S::words], const u32 (&a)[S::words],
                              const LineEnds<S::words> &ends, u32 front, u32 *dropped) {
  constexpr u32 words = S::words;
  RunScan<words> r;
  u32 lane = laneNumber();
  bool rejected = p.rejected;
  u32 pass[words], start[words], cut[words], boundary[words], passAll = allLanes;
  UNROLL for (u32 k = 0; k < words; k++) {
    u32 over = hasEnds ? ends.over[k] : 0;
    pass[k] = FAULT(1, n[k] & ~over, n[k]);
    start[k] = a[k] & ~FAULT(2, over, 0u);
    passAll &= pass[k];
    cut[k] = ~pass[k];
    boundary[k] = ~n[k];
  }
  u32 cuts = ballot(passAll != allLanes), first = trailingZeros(cuts); // lanes with a cut, the first of them

  u32 sum[words], activeEnd;
  u32 starts = ballot(addWords(pass, start, sum));
  u32 active = FAULT(3, carries(cuts, starts, 0, &activeEnd), carries(cuts, starts, 1, &activeEnd));
  addBit(sum, FAULT(4, active >> lane & 1, 0u), sum);
  u32 activated[words], closing[words];
  UNROLL for (u32 k = 0; k < words; k++) {
    activated[k] = sum[k] & cut[k];
    if constexpr (hasEnds) activated[k] |= FAULT(5, a[k] & ends.over[k], 0u);
    closing[k] = activated[k];
  }
  if (rejected) {
    u32 before = FAULT(6, shuffleUp(pass[words - 1], 1), pass[words - 1]); // in lane 0 it does not matter
    UNROLL for (u32 k = 0; k < words; k++) {
      u32 gap = pass[k] << 1 | (k ? pass[k - 1] : before) >> 31;
      u32 closes = boundary[k] & gap;
      if constexpr (hasEnds) closes |= ends.last[k] & n[k];
      closing[k] = closes & ~activated[k];
    }
  }
  // The first cut of the run, the lowest zero of the first lane's pass, is undecided. Among cuts it is the one with its
  // bit in `undecided`.
  u32 undecided[words];
  addBit(pass, lane == first, undecided);

  // Lanes with a boundary; with the first cut, if it can close; whether it is unarmed after the run.
  u32 bounded = cuts, mayClose = cuts, unarmedEnd = 0;
  if constexpr (hasEnds) {
    bounded = ballot(anyBit(boundary));
    mayClose = ballot(anyCommon(undecided, boundary));
    if (p.keep) {
      mayClose |= ballot(anyCommon(undecided, ends.last));
    } else {
      u32 unarmed[words], either[words];
      UNROLL for (u32 k = 0; k < words; k++) either[k] = n[k] | ends.over[k];
      u32 unarmedStarts = ballot(addWords(either, ends.over, unarmed));
      u32 unarmedIn = carries(cuts, unarmedStarts, 0, &unarmedEnd);
      addBit(unarmed, FAULT(7, unarmedIn >> lane & 1, 0u), unarmed);
      u32 lost[words];
      UNROLL for (u32 k = 0; k < words; k++) {
        // At a boundary both summands have the same bit, so the sum's is the carry.
        closing[k] &= boundary[k] & ~FAULT(8, unarmed[k], 0u);
        lost[k] = activated[k] & ~closing[k] & ~undecided[k]; // activated ones are cuts
      }
      *dropped += FAULT(9, countBits(lost), 0u);
    }
  }
  u32 activeFirst = ballot(anyCommon(activated, undecided));
  UNROLL for (u32 k = 0; k < words; k++) r.closing[k] = closing[k] | (undecided[k] & cut[k]);
  r.count = sumOfWarp(countBits(r.closing)) - (cuts ? 1 : 0);
  r.last = highestBit(boundary, lane * S::lineSamples, lineNone);
  u32 last = shuffle(r.last, 31 - leadingZeros(bounded));
  u32 flags = (cuts ? flagCut : 0) | (mayClose ? flagMayClose : 0) | (activeFirst ? flagActiveFirst : 0) |
              (activeEnd ? flagActive : 0) | (unarmedEnd ? flagUnarmed : 0);
  if (rejected) {
    u32 firstWord = boundary[0]; // with the first sample
    UNROLL for (u32 k = 1; k < words; k++) firstWord = front / 32 % words == k ? boundary[k] : firstWord;
    u32 startsCut = ballot(firstWord >> front % 32 & 1) >> front / S::lineSamples & 1, endsGap = ballot(pass[words - 1] >> 31) >> 31;
    flags |= (FAULT(10, startsCut, 0u) ? flagStartsCut : 0) | (endsGap ? flagEndsGap : 0);
  }
  r.stretch = packStretch(r.count, bounded ? last : stretchNone, flags);
  return r;
}

// What a pixel warp must know of its tile to write the spans of its run; 8 bytes.
// x: spans of the tile before the run in bits 0-16, and the flags below. y: the last boundary of the tile before the
// run, as a position, or noPosition.
constexpr u32 localCloses = 1u << 31;      // the run's first cut closes a span
constexpr u32 localAfterFirst = 1u << 30;  // the tile's first cut lies before the run
constexpr u32 localHoldsFirst = 1u << 29;  // the tile's first cut is the run's
constexpr u32 localMayClose = 1u << 28;    // flags of the tile's stretch
constexpr u32 localActiveFirst = 1u << 27;
constexpr u32 localStartsCut = 1u << 26;
constexpr u32 localCut = 1u << 25;
constexpr u32 localDrops = 1u << 24;       // the run's first cut, not the tile's, ends a run that is dropped
constexpr u32 noPosition = 0xffffffff;

struct TileScan {
  u64 stretch;
  Twin local; // of the lane's run
};

// Puts the runs of a tile together, one a lane; lanes from `warps` on hold nothing. origin is the position of the
// tile's first sample.
DEV TileScan scanTile(const FusedParams &p, u64 run, u32 runSamples, u32 origin) {
  u32 lane = laneNumber(), below = lanesBelow();
  bool rejected = p.rejected, exists = lane < p.warps;
  if (!exists) run = packStretch(0, stretchNone, 0);
  Flags f = flagsOfLanes(run, rejected);
  u32 first = trailingZeros(f.cut); // the run with the tile's first cut
  u32 activeEnd, unarmedEnd, unused;
  u32 active = carries(f.cut, f.active, 0, &activeEnd) | f.activeFirst;
  carries(f.cut, f.unarmed, 0, &unarmedEnd);
  // As if the tile began unarmed: so the tile's first cut is left out, and the others do not change.
  u32 unarmed = FAULT(11, carries(f.cut, f.unarmed, 1, &unused), carries(f.cut, f.unarmed, 0, &unused));
  u32 closes = closesFirst(rejected, f.mayClose, unarmed, active, f.startsCut, f.endsGap << 1);
  u32 firstBit = f.cut & ~(f.cut - 1);
  u32 count = countOf(run) + (closes >> lane & 1);

  TileScan t;
  u32 drops = f.cut & active & ~closes & ~firstBit;
  u32 inclusive = sumUpTo(count);
  u32 total = shuffle(inclusive, warpLanes - 1);
  u32 offset = lastOf(run) == stretchNone ? stretchNone : lane * runSamples + lastOf(run);
  u32 bounded = ballot(offset != stretchNone), lower = bounded & below;
  u32 last = shuffle(offset, 31 - leadingZeros(bounded));
  u32 before = shuffle(offset, 31 - leadingZeros(lower));

  bool mayClose = f.cut && f.mayClose >> first & 1, activeFirst = f.cut && active >> first & 1;
  bool startsCut = f.startsCut & 1, endsGap = f.endsGap >> (p.warps - 1) & 1;
  t.local.a = (inclusive - count) | (closes >> lane & 1 ? localCloses : 0) | (lane > first ? localAfterFirst : 0) |
              (lane == first ? localHoldsFirst : 0) | (mayClose ? localMayClose : 0) |
              (activeFirst ? localActiveFirst : 0) | (startsCut ? localStartsCut : 0) | (f.cut ? localCut : 0) |
              (drops >> lane & 1 ? localDrops : 0);
  t.local.b = FAULT(17, lower, 0u) ? origin + before : noPosition;
  t.stretch = packStretch(total, bounded ? last : stretchNone,
                          (f.cut ? flagCut : 0) | (mayClose ? flagMayClose : 0) | (activeFirst ? flagActiveFirst : 0) |
                              (activeEnd ? flagActive : 0) | (unarmedEnd ? flagUnarmed : 0) |
                              (startsCut ? flagStartsCut : 0) | (endsGap ? flagEndsGap : 0));
  return t;
}

// All that is known before a tile.
struct Before {
  u32 count; // spans
  u32 last;  // the last boundary, as a position, or noPosition
  u32 state; // beforeActive and so on
};

DEV Before beforeBand(const FusedParams &p) { return Before{0, p.beforeLast, p.beforeState}; }

// Goes on over `held` (1 to 32) tiles, one a lane; lanes beyond hold the empty stretch. origin is the position of the
// first sample of the lane's tile. Spans are added to *count lane by lane; *last and *bounded remember the lanes of the
// last tiles that had boundaries.
DEV void passTiles(const FusedParams &p, u64 tile, u32 held, u32 origin, u32 *state, u32 *count, u32 *last, u32 *bounded) {
  bool rejected = p.rejected;
  u32 lane = laneNumber(), activeIn = *state & FAULT(15, beforeActive, 0u) ? 1 : 0, unarmedIn = *state & beforeUnarmed ? 1 : 0;
  Flags f = flagsOfLanes(tile, rejected);
  u32 activeOut, unarmedOut;
  u32 active = carries(f.cut, f.active, activeIn, &activeOut) | f.activeFirst;
  u32 unarmed = carries(f.cut, f.unarmed, unarmedIn, &unarmedOut);
  u32 gap = f.endsGap << 1 | (*state & beforeGap ? 1 : 0);
  u32 closes = closesFirst(rejected, f.mayClose, unarmed, active, f.startsCut, gap);
  *count += countOf(tile) + (closes >> lane & 1);
  u32 holders = ballot(lastOf(tile) != stretchNone);
  if (holders) {
    *bounded = holders;
    *last = origin + FAULT(16, lastOf(tile), 0u);
  }
  u32 gapOut = f.endsGap >> FAULT(18, held - 1, 31u) & 1;
  *state = (activeOut ? beforeActive : 0) | (unarmedOut ? beforeUnarmed : 0) | (gapOut ? beforeGap : 0);
}

// The state before a tile, each of its bits at the place of the flag of the tile that it meets.
DEV u32 meetingState(u32 state) {
  return (state & beforeActive ? localActiveFirst : 0) | (state & beforeUnarmed ? localMayClose : 0) |
         (state & beforeGap ? localStartsCut : 0);
}
