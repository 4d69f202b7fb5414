// Means of windows of 8-bit samples by products of matrices: for devices that multiply bytes (8.0 and later).
//
// A block goes down a tile of 512 columns, 16 lines at a time, and keeps in its memory the lines that windows see, with
// what lies beside the tile: a ring. From one line to the next a window gains a line and loses one, so its sum changes by
//
//     D(line, x) = sum of v(line + half, x') - v(line - half - 1, x') over |x' - x| <= halfSamples
//
// and that is a product of matrices: 16 lines by the columns around, with ones (for what comes in) and minus ones (for
// what goes out) where the window is. Columns are taken 16 at a time, so that a row of A is 16 bytes of the line that comes in
// and 16 of the one that goes out. Of the 16 columns that a window's sums are worked out for at once, the pieces
// of 16 columns around are wholly in all their windows, or wholly in none, but for those at either end: the former are
// one sum for all 16, which slides along the line as windows do along columns.
//
//   pieces of 16      | L' | L  | F  | F  | ... | F  | R  | R' |      F are whole: f0 to f1, counted from the piece of x
//   windows of x        [       ...                ]
//   of x + 15               [       ...                ]              L (f0 - 1) and R (f1 + 1) are not, nor L', R' beyond
//
// Then each thread goes down four columns: adds D to its windows' sums and compares. What is kept is the negative of a
// sum. D has 16 bits, as windows are at most 127 columns wide.
#pragma once
#include "local_bytes.cuh"
#include "matrix.cuh"

// What is known of a launch when it is compiled: which of L' and R' there are, how many of the pieces between are whole, and
// how far pieces lie that are kept once they have been read; 0 where there are too many for that.
enum MatrixWhole { matrixNone, matrixOne, matrixMany };
template <bool farLeft, bool farRight, MatrixWhole pieces, u32 far> struct MatrixKind {
  static constexpr bool far0 = farLeft, far1 = farRight;
  static constexpr MatrixWhole whole = pieces;
  static constexpr u32 reach = far;
};
constexpr u32 matrixLines = 16, matrixOfThread = localMatrixColumns / localMatrixThreads;
constexpr u32 matrixPieces = localMatrixColumns / 16 / (localMatrixThreads / warpLanes); // that a warp works D out for
constexpr u32 matrixLoads = (localMatrixColumns + 2 * localMatrixHalo) / localMatrixThreads; // pieces of 16 bytes that a thread brings

// Where things lie in the block's memory.
struct MatrixShape {
  u32 halo;  // columns beside the tile, on either side: whole pieces
  u32 pitch; // bytes of a line of the ring, an odd number of pieces: rows of a matrix lie in different banks
  u32 lines; // of the ring
  static constexpr u32 changesPitch = 2 * localMatrixColumns + 32;

  DEV_MEMBER MatrixShape(const LocalParams &p) {
    halo = greatest((p.halfSamples + 15) / 16, 1u) * 16;
    pitch = localMatrixColumns + 2 * halo + 16;
    lines = p.linePhase;
  }
  // Tells whether there is room for the lines that come in next beside all that are in use: else they take the place of
  // those that go out, which no warp may need any more.
  DEV_MEMBER bool spare(const LocalParams &p) const { return lines >= 2 * p.halfLines + 1 + 2 * matrixLines; }
  DEV_MEMBER u32 zeros() const { return lines * pitch; }        // a line of them
  DEV_MEMBER u32 changes() const { return zeros() + pitch; }    // D of 16 lines
  // Places in the ring: of a line, of the one so many (at most all) before or after another.
  DEV_MEMBER u32 line(u32 i) const { return i * pitch; }
  DEV_MEMBER u32 before(u32 at, u32 back) const { return least(at - line(back), at - line(back) + zeros()); }
  DEV_MEMBER u32 after(u32 at, u32 on) const { return wrapped(at + line(on)); }
  DEV_MEMBER u32 wrapped(u32 at) const { return least(at, at - zeros()); } // one of the two is far too great
};

// What of a piece of 16 columns, counted from the windows' own, is in windows that reach r columns to either side: minus
// ones for the line that comes in and ones for the one that goes out; of columns 4 i and 4 i + 1 of the own piece
// (tile 0), or of the other two.
DEV MatrixB matrixWeights(i32 piece, u32 tile, i32 r) {
  u32 n = laneNumber() / 4, ones = 0;
  i32 x = (i32)(n / 2 * 4 + tile * 2 + n % 2);
  UNROLL for (u32 i = 0; i < 4; i++) {
    i32 distance = 16 * piece + (i32)(4 * (laneNumber() % 4) + i) - x;
    if (distance <= r && FAULT(141, -distance <= r, -distance < r)) ones |= 1u << (8 * i);
  }
  return MatrixB{{255 * ones, ones}};
}

// The pieces around that are partly in windows, and what of them is.
template <class Kind> struct MatrixWeights {
  i32 whole0, whole1; // f0, f1
  u32 ones, minusOnes; // bytes
  MatrixB at[4][2];   // of L', L, R, R': for columns 4 i and 4 i + 1 of a piece, and for the other two

  // one is 1, which the compiler is not to know: it would make what follows from it anew at every use.
  DEV_MEMBER MatrixWeights(u32 half, u32 one) : ones(one * 0x01010101), minusOnes(0 - one) {
    i32 r = (i32)half;
    if (r < 15) { // L' is before the piece of x, L that itself
      whole0 = 1;
      whole1 = 0;
    } else {
      whole0 = 1 - (r + 15) / 16 + (Kind::far0 ? 1 : 0);
      whole1 = r / 16 - (r % 16 == 15 ? 0 : 1);
    }
    UNROLL for (u32 i = 0; i < 4; i++) {
      i32 piece = i < 2 ? whole0 - 2 + (i32)i : whole1 - 1 + (i32)i;
      UNROLL for (u32 tile = 0; tile < 2; tile++) at[i][tile] = matrixWeights(piece, tile, r);
    }
  }
  DEV_MEMBER MatrixB plus() const { return MatrixB{{minusOnes, ones}}; } // a sum is kept as its negative
  DEV_MEMBER MatrixB minus() const { return MatrixB{{ones, minusOnes}}; }
};

#if defined(__CUDA_ARCH__)
// 16 bytes of device memory that no one writes.
DEV Quad readQuad(u64 address) {
  Quad q;
  asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(q.a), "=r"(q.b), "=r"(q.c), "=r"(q.d) : "l"(address));
  return q;
}
#else
DEV Quad readQuad(u64 address) { return *devicePointer<const Quad>(address); }
#endif

// Fills the columns beyond the page's border, of lines that have come in, with those that are seen there; place(line, column)
// is where they are, of `all` columns from one of the page on. Those seen lie there too: a window reaches no farther beyond
// the border than before it.
template <u32 lines, u32 threads, class Place> DEV void mirrorLines(const LocalParams &p, i32 firstColumn, i32 all, Place place) {
  i32 left = (i32)p.left - firstColumn, right = (i32)p.right - firstColumn;
  i32 before = greatest(left, 0), end = least(all, right + (i32)p.halfSamples), beyond = greatest(end - right, 0), each = before + beyond;
  for (i32 i = (i32)threadInBlock(); i < each * (i32)lines; i += (i32)threads) {
    i32 line = i / each, column = i % each;
    if (column >= before) column += right - before;
    i32 from = sampleSeen(p, firstColumn + column) - firstColumn;
    if (from >= 0 && FAULT(142, from < all, false)) *place((u32)line, column) = *place((u32)line, from);
  }
}

// Brings lines, reflected where the page ends, 16 at a time.
struct MatrixLoads {
  u32 from[matrixLoads], to[matrixLoads]; // bytes from the first of them to each of the thread's pieces, on the page and in the ring
  u32 word[matrixLoads][5], bits;
  u32 pieces, last;     // of a line, and the thread's
  bool aligned, border; // of the tile's columns some are beyond the page

  DEV_MEMBER MatrixLoads(const LocalParams &p, const MatrixShape &shape, i32 first) : bits(0), pieces(shape.pitch / 16 - 1), last(matrixLoads) {
    UNROLL for (u32 k = 0; k < matrixLoads; k++) {
      u32 i = threadInBlock() + k * localMatrixThreads, row = i / pieces, column = 16 * (i % pieces);
      if (row >= matrixLines) last = least(last, k);
      from[k] = row * (u32)p.pitch + column;
      to[k] = shape.line(row) + column;
    }
    aligned = p.samples.address % 16 == 0 && p.pitch % 16 == 0;
    border = first < (i32)p.left || first + (i32)(16 * pieces) > (i32)p.right;
  }
  // All threads have the first pieces.
  DEV_MEMBER bool has(u32 k) const { return k < localMatrixColumns / localMatrixThreads || k < last; }
  // Lines from one on, of the tile's columns from `first` on.
  DEV_MEMBER void load(const LocalParams &p, i32 first, i32 line) {
    i32 end = line + (i32)matrixLines;
    bool inside = line >= (i32)p.top && end <= (i32)p.bottom && end <= (i32)(p.lines + p.halfLines) && line >= -(i32)p.halfLines;
    u64 base = p.samples.address + (u64)((i64)line * (i64)p.pitch + first);
    bits = 0;
    if (!inside || border) {
      UNROLL for (u32 k = 0; k < matrixLoads; k++) {
        if (!has(k)) continue;
        u32 i = threadInBlock() + k * localMatrixThreads, row = i / pieces, column = 16 * (i % pieces);
        // What is not there is mirrored later.
        i32 at = greatest((i32)p.left - 15, least(first + (i32)column, (i32)p.right - 1));
        bits |= readWords(p.samples.address + (u64)((i64)lineSeen(p, line + (i32)row) * (i64)p.pitch) + (u64)(i64)at, word[k]) << (5 * k);
      }
    } else if (aligned) {
      UNROLL for (u32 k = 0; k < matrixLoads; k++) {
        if (!has(k)) continue;
        Quad q = readQuad(base + from[k]);
        UNROLL for (u32 w = 0; w < 4; w++) word[k][w] = wordOf(q, w);
      }
    } else {
      UNROLL for (u32 k = 0; k < matrixLoads; k++) {
        if (has(k)) bits |= readWords(base + from[k], word[k]) << (5 * k);
      }
    }
  }
  // The words that hold 16 samples, and how many bits come before.
  static DEV_MEMBER u32 readWords(u64 at, u32 (&word)[5]) {
    auto words = globalPointer<const u32>(at & ~3ull);
    UNROLL for (u32 w = 0; w < 5; w++) word[w] = words[w];
    return 8 * ((u32)at & 3);
  }
  // Leaves them in the ring from a place on, but for the first lines.
  DEV_MEMBER void store(char *memory, const MatrixShape &shape, u32 ring, i32 but) {
    if (bits) {
      UNROLL for (u32 k = 0; k < matrixLoads; k++) {
        UNROLL for (u32 w = 0; w < 4; w++) word[k][w] = bitsFrom(word[k][w], word[k][w + 1], bits >> (5 * k) & 31);
      }
    }
    UNROLL for (u32 k = 0; k < matrixLoads; k++) {
      if (has(k) && (i32)(to[k] / shape.pitch) >= but) *(Quad *)(memory + shape.wrapped(ring + to[k])) = Quad{word[k][0], word[k][1], word[k][2], word[k][3]};
    }
  }
};

DEV u32 lowHalves(i32 a, i32 b) { return bytesOf((u32)a, (u32)b, 0x5410); }

// Makes D of a warp's pieces of 16 lines: each(piece, D of its columns 4 i and 4 i + 1, D of the others). row is where the
// lane's row of A is, for the warp's first piece.
template <class Kind> struct MatrixSweep {
  const char *row;
  const MatrixWeights<Kind> &w;

  DEV_MEMBER MatrixA read(i32 piece) const { return readMatrix(row + 16 * piece); }
  // Two pieces are worked on at a time, so that products of one need not wait for each other.
  template <class Each> DEV_MEMBER void run(Each each) const {
    if constexpr (Kind::reach > 0) {
      runKept(each);
    } else {
      runRead(each);
    }
  }
  // Reads each piece once, while it is at the right of a window, and keeps it until it is at the left.
  template <class Each> DEV_MEMBER void runKept(Each each) const {
    constexpr u32 reach = Kind::reach, left = Kind::far0 ? 1 : 0, all = 2 * reach + 2; // left: where L is, of the pieces from -reach on
    const MatrixC none = {};
    MatrixC whole[2] = {};
    MatrixA pieces[all];
    UNROLL for (u32 i = 2; i < all; i++) pieces[i] = read((i32)i - 2 - (i32)reach);
    UNROLL for (u32 b = 0; b < matrixPieces; b += 2) {
      UNROLL for (u32 i = 0; i + 2 < all; i++) pieces[i] = pieces[i + 2];
      pieces[all - 2] = read((i32)(b + reach));
      pieces[all - 1] = read((i32)(b + reach + 1));
      UNROLL for (u32 k = 0; k < 2; k++) {
        if (Kind::whole == matrixOne) whole[k] = multiplyAdd(pieces[1 + k], w.plus(), none);
        if (Kind::whole == matrixMany) {
          if (b + k == 0) {
            UNROLL for (u32 i = 1; i < 2 * reach; i++) whole[k] = multiplyAdd(pieces[i], w.plus(), whole[k]);
          } else {
            whole[k] = slid(whole[1 - k], pieces[k], pieces[k + 2 * reach - 1]);
          }
        }
      }
      finish(b, pieces, pieces + left, pieces + 2 * reach, pieces, whole, each);
    }
  }
  template <class Each> DEV_MEMBER void runRead(Each each) const {
    MatrixC whole = {}, other = {};
    i32 j = w.whole0;
    NO_UNROLL for (; j < w.whole1; j += 2) {
      MatrixA a = read(j), b = read(j + 1);
      whole = multiplyAdd(a, w.plus(), whole);
      other = multiplyAdd(b, w.plus(), other);
    }
    if (j == w.whole1) whole = multiplyAdd(read(j), w.plus(), whole);
    UNROLL for (u32 i = 0; i < 4; i++) whole.at[i] += other.at[i];
    // The last of `left` and of `right` are those of the piece before.
    constexpr i32 ahead = Kind::far1 ? 2 : 1;
    MatrixA left[4], right[4];
    if (Kind::far0) left[3] = read(w.whole0 - 2);
    if (Kind::far1) right[3] = read(w.whole1 + 1);
    UNROLL for (i32 b = 0; b < (i32)matrixPieces; b += 2) {
      left[1] = left[3];
      left[2] = read(b + w.whole0 - 1);
      left[3] = read(b + w.whole0);
      MatrixA before = right[Kind::far1 ? 2 : 3]; // R of the piece before
      right[1] = right[3];
      right[2] = read(b + w.whole1 + ahead);
      right[3] = read(b + w.whole1 + ahead + 1);
      const MatrixA *near1 = right + (Kind::far1 ? 1 : 2);
      MatrixC all[2] = {whole, whole};
      if (b > 0) all[0] = slid(whole, left[2], before);
      all[1] = slid(all[0], left[3], near1[0]);
      whole = all[1];
      finish((u32)b, left + 1, left + 2, near1, right + 2, all, each);
    }
  }
  // D of two pieces, from what is partly in their windows, two of each, and the sums of what is wholly.
  template <class Each> DEV_MEMBER void finish(u32 b, const MatrixA *far0, const MatrixA *near0, const MatrixA *near1, const MatrixA *far1, const MatrixC (&whole)[2], Each each) const {
    MatrixC d[2][2];
    add(d, near0, 1, [&](u32 k, u32) { return whole[k]; });
    auto more = [&](u32 k, u32 tile) { return d[k][tile]; };
    add(d, near1, 2, more);
    if (Kind::far0) add(d, far0, 0, more);
    if (Kind::far1) add(d, far1, 3, more);
    UNROLL for (u32 k = 0; k < 2; k++) each(b + k, d[k][0], d[k][1]);
  }
  template <class To> DEV_MEMBER void add(MatrixC (&d)[2][2], const MatrixA *pieces, u32 weights, To to) const {
    UNROLL for (u32 k = 0; k < 2; k++) {
      UNROLL for (u32 tile = 0; tile < 2; tile++) d[k][tile] = multiplyAdd(pieces[k], w.at[weights][tile], to(k, tile));
    }
  }
  // The sum of the whole pieces, one of which goes and another comes.
  DEV_MEMBER MatrixC slid(const MatrixC &sum, const MatrixA &gone, const MatrixA &come) const {
    MatrixC without = multiplyAdd(gone, w.minus(), sum);
    return FAULT(143, true, false) ? multiplyAdd(come, w.plus(), without) : without;
  }
};
