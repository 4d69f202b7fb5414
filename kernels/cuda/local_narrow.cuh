// Means of windows of 8-bit samples, up to 33 columns wide, by products of matrices: for devices that multiply bytes (8.0
// and later).
//
// A warp goes down 512 columns, line by line, and keeps the sums of their windows where its products leave them. From one
// line to the next a window gains a line and loses one, so its sum changes by
//
//     D(line, x) = sum of v(line + half, x') - v(line - half - 1, x') over |x' - x| <= halfSamples
//
// and that is a product of matrices. Its 16 rows are 16 parts of the line, of two pieces of 16 columns each: a row of A has 16
// bytes of the line that comes in and 16 of the one that goes out, of one of the part's pieces or of one beside it; B
// has minus ones and ones where they are in a window. C, what the product is added to, is the sums of the line before,
// so that nothing is left to be added. What is kept is the negative of a sum.
//
//   pieces               |   0   |   1   |   2   |   3   |     1 and 2 are the part's own
//   windows of a column      [  in 1 ... ]
//                                    [ ... in 2 ...  ]         of 33 columns reach 16 to either side
//
// The lines that windows see lie in the block's memory, a ring.
#pragma once
#include "local_matrix_columns.cuh"
#include "local_narrow_loads.cuh"

constexpr u32 narrowAtOnce = 8; // lines that are written at once

// What of the pieces before, of a column's own and after is in windows, of columns 4 i and 4 i + 1 of a piece and of the
// other two.
struct NarrowWeights {
  MatrixB at[3][2];
  DEV_MEMBER NarrowWeights(u32 half) {
    UNROLL for (u32 i = 0; i < 3; i++) {
      UNROLL for (u32 tile = 0; tile < 2; tile++) at[i][tile] = matrixWeights((i32)i - 1, tile, (i32)half);
    }
  }
};

// Where a lane's rows of A lie in a line: of each piece that windows of a part see.
struct NarrowPlaces {
  u32 at[4];
  DEV_MEMBER NarrowPlaces() {
    UNROLL for (u32 i = 0; i < 4; i++) at[i] = NarrowRing::piece(2 * (laneNumber() % 16) + i);
  }
};
struct NarrowRows {
  MatrixA at[4];
  DEV_MEMBER NarrowRows(const char *line, const NarrowPlaces &places) {
    UNROLL for (u32 i = 0; i < 4; i++) at[i] = readMatrix(line + places.at[i]);
  }
};

// The sums of a warp's columns: of either piece of its parts, columns 4 i and 4 i + 1 and the other two.
struct NarrowSums {
  MatrixC at[2][2];
  DEV_MEMBER void add(const NarrowWeights &w, const NarrowRows &rows) {
    UNROLL for (u32 i = 0; i < 3; i++) {
      UNROLL for (u32 piece = 0; piece < 2; piece++) {
        UNROLL for (u32 k = 0; k < 2; k++) at[piece][k] = multiplyAdd(rows.at[piece + i], w.at[i][k], at[piece][k]);
      }
    }
  }
};

// Signs of what sums are compared with, of either piece of part lane/4 and of part lane/4 + 8: eight lines of four bits, the
// first line's and the first column's highest.
template <bool withMargin> struct NarrowSigns {
  u32 low[2][2], above[2][2]; // by part, by piece
  // Of a line: own has samples of part and piece, a word each. See MatrixColumns.
  DEV_MEMBER void push(const NarrowSums &sums, u32 n, u32 nOver, i32 apart, const MatrixA &own) {
    UNROLL for (u32 piece = 0; piece < 2; piece++) {
      UNROLL for (u32 k = 0; k < 2; k++) {
        u32 v = own.word[2 * piece + k];
        pushOne(low[k][piece], above[k][piece], plusProducts<false>(sums.at[piece][0].at[2 * k], n, v), apart);
        pushOne(low[k][piece], above[k][piece], plusProducts<false>(sums.at[piece][0].at[2 * k + 1], nOver, v), apart);
        pushOne(low[k][piece], above[k][piece], plusProducts<true>(sums.at[piece][1].at[2 * k], n, v), apart);
        pushOne(low[k][piece], above[k][piece], plusProducts<true>(sums.at[piece][1].at[2 * k + 1], nOver, v), apart);
      }
    }
  }
  static DEV_MEMBER void pushOne(u32 &low, u32 &above, i32 beyond, i32 apart) {
    low = pushSign(low, (u32)beyond);
    if constexpr (withMargin) above = pushSign(above, (u32)(beyond + apart));
  }
};

// From the words of either piece of a part, in each of its four lanes, to one with the 32 bits of a line in each lane: of
// the first four of eight lines, or of the others.
template <bool others> DEV u32 bitsOfPart(const u32 (&pieces)[2]) {
  return bitsOfFourLanes(bytesOf(reversedBits(pieces[0]), reversedBits(pieces[1]), others ? 0x7632 : 0x5410));
}

// Stores without a branch.
#if defined(__CUDA_ARCH__)
DEV void storeIf(bool there, u32 *to, u32 v) { asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p st.global.u32 [%1], %2; }" : : "r"((u32)there), "l"(to), "r"(v) : "memory"); }
#else
DEV void storeIf(bool there, u32 *to, u32 v) {
  if (there) *to = v;
}
#endif

// A lane's words of the bit planes: of parts lane/4 and lane/4 + 8, of line lane%4 and of the fourth after.
struct NarrowPlanes {
  u64 at; // of the first, in either plane
  u32 valid[2];
  bool inPlane[2];

  DEV_MEMBER NarrowPlanes(const LocalParams &p, u32 tile, i32 line) {
    u32 word = localNarrowColumns / 32 * tile + laneNumber() / 4;
    at = (u64)(line + (i32)(laneNumber() % 4)) * p.wordsPerLine + word;
    UNROLL for (u32 k = 0; k < 2; k++) {
      u32 its = word + 8 * k;
      inPlane[k] = its < p.wordsPerLine;
      valid[k] = ~shiftLeft(allLanes, 32 * its < p.width ? least(p.width - 32 * its, 32u) : 0);
    }
  }
  // Of eight lines, of which so many are there.
  template <bool withMargin> DEV_MEMBER void write(const LocalParams &p, const NarrowSigns<withMargin> &signs, i32 lines) {
    u32 *lows = p.low.get() + at, *highs = p.high.get() + at;
    UNROLL for (u32 k = 0; k < 2; k++) {
      u32 low0 = bitsOfPart<false>(signs.low[k]), low1 = bitsOfPart<true>(signs.low[k]);
      u32 high0 = ~(withMargin ? bitsOfPart<false>(signs.above[k]) : low0), high1 = ~(withMargin ? bitsOfPart<true>(signs.above[k]) : low1);
      bool there0 = inPlane[k] && (i32)(laneNumber() % 4) < lines, there1 = inPlane[k] && (i32)(laneNumber() % 4) + 4 < lines;
      storeIf(there0, lows + 8 * k, low0 & valid[k]);
      storeIf(there0, highs + 8 * k, high0 & valid[k]);
      storeIf(there1, lows + 4 * p.wordsPerLine + 8 * k, low1 & valid[k]);
      storeIf(there1, highs + 4 * p.wordsPerLine + 8 * k, high1 & valid[k]);
    }
    at += narrowAtOnce * p.wordsPerLine;
  }
};

// A block and its tile.
template <bool withMargin> struct NarrowTile {
  const LocalParams &p;
  const NarrowPage &page;
  const NarrowRing its;
  const NarrowWeights weights;
  const NarrowPlaces places;
  NarrowSums sums;
  char *const memory;
  const u32 n, nOver; // a window's samples; the same in the upper half
  const i32 apart;    // from one comparison to the other
  u32 ring;           // where the lines are that come in
  u32 row, own;       // where the lane's rows of A are, and its row of the samples to compare

  DEV_MEMBER NarrowTile(const LocalParams &p, const NarrowPage &page)
      : p(p), page(page), its(p), weights(p.halfSamples), memory(dynamicShared()),
        n((2 * p.halfSamples + 1) * (2 * p.halfLines + 1)), nOver(n << 16), apart((i32)p.highBelow - (i32)p.lowFrom), ring(0) {
    UNROLL for (u32 k = 0; k < 4; k++) {
      UNROLL for (u32 i = 0; i < 4; i++) sums.at[k / 2][k % 2].at[i] = (i32)p.lowFrom - FAULT(146, 1, 0);
    }
  }
  // The lines that are on their way come in, and the next set out: those that windows of lines from `line` on need.
  DEV_MEMBER void turn(NarrowLoads &loads, i32 line, i32 end) {
    waitForCopies<0>();
    syncWarp();
    if (page.border) {
      mirrorLines<narrowLines, localNarrowThreads>(p, page.first, (i32)(16 * (narrowOwn + 2)),
                                                   [&](u32 line, i32 column) { return memory + ring + line * NarrowRing::pitch + NarrowRing::column((u32)column); });
      syncWarp();
    }
    if (line < end) loads.load(p, page, line + (i32)p.halfLines, memory + its.nextLines(ring));
  }
  // While there are only lines of the first window yet; came: see run.
  DEV_MEMBER void addFirst(i32 came) {
    NO_UNROLL for (i32 i = 0; i < (i32)narrowLines; i++) {
      NarrowRows rows(memory + ring + (u32)i * NarrowRing::pitch, places);
      UNROLL for (u32 k = 0; k < 4; k++) {
        UNROLL for (u32 w = 0; w < 4; w++) rows.at[k].word[w] &= w < 2 && came + i >= 0 ? allLanes : 0; // none goes out yet
      }
      sums.add(weights, rows);
    }
  }
  DEV_MEMBER void goDown(NarrowSigns<withMargin> &signs) {
    UNROLL for (u32 i = 0; i < narrowLines; i++) {
      sums.add(weights, NarrowRows(memory + row, places));
      signs.push(sums, n, nOver, apart, readMatrix(memory + own));
      row = its.next(row);
      own = its.next(own);
    }
  }
  DEV_MEMBER void run(u32 tile, i32 from, i32 end) {
    i32 half = (i32)p.halfLines, window = 2 * half + 1;
    // Before the first line come those of its window, and some that do not count, so that they are a multiple of 4. came is
    // how many lines have come in before, less than 0 where the first do not count.
    i32 line = from - linesBefore(window), came = window + line - from;
    NarrowLoads loads(p, page, line + half);
    loads.load(p, page, line + half, memory);
    for (; line < from; came += (i32)narrowLines) {
      line += (i32)narrowLines;
      turn(loads, line, end);
      addFirst(came);
      ring = its.nextLines(ring);
    }
    row = laneNumber() < 16 ? ring : its.before(ring, (u32)window); // of the line that comes in, and of the one that goes out
    own = its.before(ring, p.halfLines) + (laneNumber() < 16 ? places.at[1] : places.at[2]);
    NarrowPlanes planes(p, tile, line);
    NO_UNROLL while (line < end) {
      NarrowSigns<withMargin> signs = {};
      i32 first = line;
      UNROLL for (u32 i = 0; i < narrowAtOnce; i += narrowLines) {
        line += (i32)narrowLines;
        turn(loads, line, end);
        goDown(signs);
        ring = its.nextLines(ring);
      }
      planes.write(p, signs, end - first);
    }
  }
  static DEV_MEMBER i32 linesBefore(i32 window) { return (window + (i32)narrowLines - 1) / (i32)narrowLines * (i32)narrowLines; }
};

template <bool withMargin> DEV void narrowTile(const LocalParams &p) {
  LocalPlace at(p);
  i32 from = (i32)(at.strip * p.stripLines);
  NarrowPage page(p, at.tile);
  NarrowTile<withMargin>(p, page).run(at.tile, from, least(from + (i32)p.stripLines, (i32)p.lines));
}
