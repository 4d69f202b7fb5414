// Local means of 8-bit samples by products of matrices, from samples to two bit planes: v <= T, and v > T + margin. The
// definition is kernels/local_sums.go, the launch gpu/local_matrix.go.
#include "local_matrix_columns.cuh"

// A block and its tile.
template <class Kind> struct MatrixTile {
  const LocalParams &p;
  const MatrixShape shape;
  const MatrixWeights<Kind> weights;
  MatrixColumns columns;
  char *const memory;
  const LocalPlace place;
  const u32 tile, warp, n, nOver; // a window's samples; the same in the upper half
  const i32 apart; // from one comparison to the other
  u32 ring;        // where the next lines that come in are
  u32 row;         // where the lane's row of A is: of a line that comes in, or of one that goes out
  u32 word, valid; // the lane's next word of the bit planes, and which bits of it are samples
  bool inPlane;    // lines have such a word

  // least(p.tiles, 1) is 1: see MatrixWeights.
  DEV_MEMBER MatrixTile(const LocalParams &p)
      : p(p), shape(p), weights(p.halfSamples, least(p.tiles, 1u)), memory(dynamicShared()), place(p), tile(place.tile), warp(shuffle(threadInBlock() / warpLanes, 0)),
        n((2 * p.halfSamples + 1) * (2 * p.halfLines + 1) * least(p.tiles, 1u)), nOver(n << 16), apart((i32)p.highBelow - (i32)p.lowFrom) {
    UNROLL for (u32 c = 0; c < matrixOfThread; c++) columns.sum[c] = (i32)p.lowFrom - FAULT(144, 1, 0);
  }

  // Works D out. came is how many lines have come in before these, less than 0 where the first of these do not count: zeros
  // are taken for them, and for lines that would go out before any have come.
  DEV_MEMBER void sweep(i32 came) const {
    i32 enough = laneNumber() < 16 ? 0 : (i32)(2 * p.halfLines + 1);
    const char *its = memory + (came + (i32)(laneNumber() % 16) < enough ? shape.zeros() : row) + shape.halo + 16 * matrixPieces * warp;
    char *changes = memory + shape.changes() + laneNumber() / 4 * MatrixShape::changesPitch + 2 * (16 * matrixPieces * warp + 4 * (laneNumber() % 4));
    MatrixSweep<Kind>{its, weights}.run([&](u32 piece, const MatrixC &a, const MatrixC &b) {
      char *to = changes + 32 * piece;
      *(Twin *)to = Twin{lowHalves(a.at[0], a.at[1]), lowHalves(b.at[0], b.at[1])};
      *(Twin *)(to + 8 * MatrixShape::changesPitch) = Twin{lowHalves(a.at[2], a.at[3]), lowHalves(b.at[2], b.at[3])};
    });
  }

  DEV_MEMBER Twin change(u32 line) const { return *(const Twin *)(memory + shape.changes() + line * MatrixShape::changesPitch + 2 * matrixOfThread * threadInBlock()); }
  // Goes down the lines and compares.
  template <bool withMargin> DEV_MEMBER void goDown() {
    u32 own = shape.before(ring, p.halfLines) + shape.halo + matrixOfThread * threadInBlock();
    UNROLL for (u32 i = 0; i < matrixLines; i++) {
      columns.add(change(i));
      u32 v = *(const u32 *)(memory + own);
      own = shape.after(own, 1);
      columns.compare<withMargin>(i / MatrixColumns::linesOfWord, n, nOver, apart, v);
    }
  }
  // While there are only lines of the first window yet.
  DEV_MEMBER void goDownFirst() {
    NO_UNROLL for (u32 i = 0; i < matrixLines; i++) columns.add(change(i));
  }
  DEV_MEMBER void write(i32 line, i32 end, bool withMargin) {
    constexpr u32 lines = MatrixColumns::linesOfWord;
    line += (i32)(laneNumber() % lines);
    UNROLL for (u32 k = 0; k < MatrixColumns::words; k++) {
      u32 low = bitsOfLines(columns.low[k]), high = ~low;
      if (withMargin) high = ~bitsOfLines(columns.above[k]);
      if (line + (i32)(k * lines) < end && inPlane) {
        p.low.get()[word] = low & valid;
        p.high.get()[word] = high & valid;
      }
      word += lines * p.wordsPerLine;
    }
  }

  DEV_MEMBER void run() {
    i32 from = (i32)(place.strip * p.stripLines), end = least(from + (i32)p.stripLines, (i32)p.lines);
    i32 half = (i32)p.halfLines, window = 2 * half + 1, firstColumn = (i32)(tile * localMatrixColumns) - (i32)shape.halo;
    bool withMargin = p.lowFrom != p.highBelow, spare = shape.spare(p);
    constexpr u32 lines = MatrixColumns::linesOfWord;
    word = localMatrixColumns / 32 * tile + warpLanes / lines * warp + laneNumber() / lines;
    valid = ~shiftLeft(allLanes, 32 * word < p.width ? least(p.width - 32 * word, 32u) : 0);
    inPlane = word < p.wordsPerLine;
    word += ((u32)from + laneNumber() % lines) * p.wordsPerLine;
    for (u32 i = threadInBlock(); i < shape.pitch / 4; i += localMatrixThreads) ((u32 *)(memory + shape.zeros()))[i] = 0;
    // Before the first line come those of its window, and some that do not count, so that they are a multiple of 16.
    i32 line = from - (window + (i32)matrixLines - 1) / (i32)matrixLines * (i32)matrixLines, came = window + line - from;
    ring = came < 0 ? shape.line(shape.lines - (u32)-came) : 0;
    row = shape.after(laneNumber() < 16 ? ring : shape.before(ring, (u32)window), laneNumber() % 16);
    MatrixLoads loads(p, shape, firstColumn);
    loads.load(p, firstColumn, line + half);
    loads.store(memory, shape, ring, -came);
    NO_UNROLL while (line < end) {
      syncBlock();
      if (loads.border) {
        mirrorLines<matrixLines, localMatrixThreads>(p, firstColumn, (i32)(shape.pitch - 16),
                                                     [&](u32 line, i32 column) { return memory + shape.after(ring, line) + column; });
        syncBlock();
      }
      bool more = line + (i32)matrixLines < end;
      if (more) loads.load(p, firstColumn, line + (i32)matrixLines + half); // on their way meanwhile
      sweep(came);
      syncWarp(); // a warp goes down the columns that it has D of
      if (line < from) {
        goDownFirst();
      } else {
        if (withMargin) {
          goDown<true>();
        } else {
          goDown<false>();
        }
        write(line, end, withMargin);
      }
      u32 next = shape.after(ring, matrixLines);
      if (!spare) syncBlock();
      if (more) loads.store(memory, shape, next, 0);
      ring = next;
      row = shape.after(row, matrixLines);
      line += (i32)matrixLines;
      came += (i32)matrixLines;
    }
  }
};

// An entry of which four blocks are to fit a multiprocessor.
#if defined(__CUDA_ARCH__)
#define MATRIX_KERNEL(name) extern "C" __attribute__((global)) __attribute__((launch_bounds(localMatrixThreads, 4))) void name(const LocalParams p)
#else
#define MATRIX_KERNEL(name) KERNEL(name, localMatrixThreads, LocalParams)
#endif

// By the number of samples of half a window: below 15; 15 or 16; 31 or 32; with the rest 15 or 0 by 16; with others.
MATRIX_KERNEL(local_matrix_small_u8) { MatrixTile<MatrixKind<true, false, matrixNone, 1>>(p).run(); }
MATRIX_KERNEL(local_matrix_one_u8) { MatrixTile<MatrixKind<false, false, matrixOne, 1>>(p).run(); }
MATRIX_KERNEL(local_matrix_three_u8) { MatrixTile<MatrixKind<false, false, matrixMany, 2>>(p).run(); }
MATRIX_KERNEL(local_matrix_even_u8) { MatrixTile<MatrixKind<false, false, matrixMany, 0>>(p).run(); }
MATRIX_KERNEL(local_matrix_odd_u8) { MatrixTile<MatrixKind<true, true, matrixMany, 0>>(p).run(); }
