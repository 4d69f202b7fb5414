// Local thresholds of integers: exact sums over windows whose cost does not grow with them.
//
// A block goes down a tile of 2048 columns. Each thread keeps the sums of eight columns over the lines of the window: a
// line comes in, a line goes out. It does so for some lines one after the other and leaves what it has after each in the
// block's memory. Then each warp takes a part of a line. A lane owns 32 (or 16) columns there and has the samples whose
// windows begin at them: from one to the next a window gains a column and loses one. Added up from the lane's first window on,
// these differences give all its windows but for the first, which a scan of the lanes' totals gives.
//
//   columns of a line     | lane 0 | lane 1 | lane 2 | lane 3 | ...
//   windows of lane 1              [ from here on ... width of the window ]
//                                   [ one further                          ]
//
// The last columns of a tile begin windows that end beyond it: the tiles overlap by the width of the window.
#pragma once
#include "local_view.cuh"

// Pieces of four columns with room between those of different lanes, so that no two lanes of a load want one bank.
template <class Sum, u32 columnsOfLane> struct Pieces {
  static constexpr u32 bytes = 4 * sizeof(Sum), ofLane = columnsOfLane / 4, laneBytes = ofLane * bytes + 16;
  static constexpr u32 lineBytes = localColumns / columnsOfLane * laneBytes;
  DEV_MEMBER static u32 at(u32 lane, u32 piece) { return (lane + piece / ofLane) * laneBytes + piece % ofLane * bytes; }
  // The same of one column, counted in sums.
  DEV_MEMBER static u32 column(u32 lane, u32 column) { return at(lane, column / 4) / sizeof(Sum) + column % 4; }
};

// Sums of 16-bit samples, and of windows that are too large for that.
template <class SampleType, bool stats> struct WideSums {
  typedef SampleType Sample;
  typedef u32 One;
  typedef u64 Two;
  typedef u64 Sum;
  typedef i64 Side;
  static constexpr bool withSquares = stats;
  static constexpr u32 lines = stats ? 2 : 4, columns = stats ? 16 : 32;
};

// The block's memory for one line.
template <class T> struct LocalLine {
  typedef Pieces<typename T::One, T::columns> Ones;
  typedef Pieces<typename T::Two, T::columns> Twos;
  static constexpr u32 ones = 0, twos = Ones::lineBytes, samples = twos + (T::withSquares ? Twos::lineBytes : 0);
  static constexpr u32 bytes = samples + localColumns * sizeof(typename T::Sample);
};

// The sums of a thread's eight columns.
template <class T> struct ColumnSums {
  typedef typename T::Sample Sample;
  typedef typename T::Two Two;
  u32 one[8];
  Two two[8];

  DEV_MEMBER ColumnSums() {
    UNROLL for (u32 i = 0; i < 8; i++) one[i] = two[i] = 0;
  }
  DEV_MEMBER void add(const Eight<Sample> &in) {
    UNROLL for (u32 i = 0; i < 8; i++) one[i] += in.at(i);
    if constexpr (T::withSquares) {
      UNROLL for (u32 i = 0; i < 8; i++) two[i] += (Two)in.at(i) * in.at(i);
    }
  }
  DEV_MEMBER void remove(const Eight<Sample> &out) {
    UNROLL for (u32 i = 0; i < 8; i++) one[i] -= out.at(i);
    if constexpr (T::withSquares) {
      UNROLL for (u32 i = 0; i < 8; i++) two[i] -= (Two)out.at(i) * out.at(i);
    }
  }
  DEV_MEMBER void store(char *line, u32 thread) const {
    typedef LocalLine<T> Line;
    UNROLL for (u32 k = 0; k < 2; k++) {
      char *to = line + Line::ones + Line::Ones::at(0, 2 * thread + k);
      *(Quad *)to = Quad{one[4 * k], one[4 * k + 1], one[4 * k + 2], one[4 * k + 3]};
      if constexpr (T::withSquares) {
        char *squares = line + Line::twos + Line::Twos::at(0, 2 * thread + k);
        UNROLL for (u32 h = 0; h < 2; h++) {
          u64 a = two[4 * k + 2 * h], b = two[4 * k + 2 * h + 1];
          ((Quad *)squares)[h] = Quad{(u32)a, (u32)(a >> 32), (u32)b, (u32)(b >> 32)};
        }
      }
    }
  }
};

// A piece of four sums.
template <class Value> struct Piece {
  Value v[4];
};

template <class Four> DEV Four readPiece(const char *at) {
  if constexpr (sizeof(Four) == 16) {
    Quad q = *(const Quad *)at;
    return Four{{q.a, q.b, q.c, q.d}};
  } else {
    Quad q = ((const Quad *)at)[0], r = ((const Quad *)at)[1];
    return Four{{q.a | (u64)q.b << 32, q.c | (u64)q.d << 32, r.a | (u64)r.b << 32, r.c | (u64)r.d << 32}};
  }
}

DEV u64 exchanged(u64 v, u32 lane) { return shuffle((u32)v, lane) | (u64)shuffle((u32)(v >> 32), lane) << 32; }

template <class Value> DEV Value totalOf(const Piece<Value> &p) { return p.v[0] + p.v[1] + p.v[2] + p.v[3]; }

// The sum of the window that begins with a warp's first column, in all lanes.
template <u32 shift, class Pieces, class Four, class Sum> DEV Sum firstWindow(const char *sums, u32 lanesBefore, u32 window) {
  u32 lane = laneNumber(), pieces = window / 4;
  Sum sum = 0;
  NO_UNROLL for (u32 piece = lane; piece < pieces; piece += warpLanes) sum += totalOf(readPiece<Four>(sums + Pieces::at(lanesBefore, piece)));
  if (lane == 0) {
    Four last = readPiece<Four>(sums + Pieces::at(lanesBefore, pieces));
    UNROLL for (u32 i = 0; i < FAULT(106, shift, 0u); i++) sum += last.v[i];
  }
  UNROLL for (u32 d = 1; d < warpLanes; d *= 2) sum += exchanged(sum, lane ^ d);
  return sum;
}

// What a window gains and loses: column i of piece `in`, or of `next` beyond it, and column j of `out`.
template <u32 i, u32 j, class Step, class Value> DEV Step moved(Step sum, const Piece<Value> &in, const Piece<Value> &next, const Piece<Value> &out) {
  return sum + (Step)(i < 4 ? in.v[i & 3] : next.v[i & 3]) - (Step)out.v[j];
}

// What a lane reads of a line's sums: its own pieces and those in which its windows end, far ones. These lie in two lanes'
// memory; those of the last lanes would be beyond the tile, where no window is asked for: they read something.
template <class Pieces, class Value> struct LaneSums {
  typedef Piece<Value> Four;
  const char *own, *in, *beyond;
  u32 far;
  DEV_MEMBER LaneSums(const char *sums, u32 lane, u32 window) {
    far = window / 4 % Pieces::ofLane;
    own = sums + lane * Pieces::laneBytes;
    in = sums + least(lane + window / 4 / Pieces::ofLane, Pieces::lineBytes / Pieces::laneBytes - 1) * Pieces::laneBytes + far * Pieces::bytes;
    beyond = in + (Pieces::laneBytes - Pieces::ofLane * Pieces::bytes);
  }
  DEV_MEMBER Four ownPiece(u32 j) const { return readPiece<Four>(own + j * Pieces::bytes); }
  DEV_MEMBER Four farPiece(u32 j) const { return readPiece<Four>((far + j < Pieces::ofLane ? in : beyond) + j * Pieces::bytes); }
};

// Goes over the windows of a lane: each(i, what the windows up to the one of column i have gained); gives what the window
// of the next lane's first column has. shift is the window's width modulo 4.
template <u32 shift, class Step, class Sums, class Each> DEV Step slide(const Sums &sums, u32 columns, Each each) {
  Step total = 0;
  auto now = sums.farPiece(0);
  UNROLL for (u32 j = 0; j < columns / 4; j++) {
    auto out = sums.ownPiece(j), next = sums.farPiece(j + 1);
    each(4 * j, total);
    each(4 * j + 1, total = moved<shift, 0>(total, now, next, out));
    each(4 * j + 2, total = moved<shift + 1, 1>(total, now, next, out));
    each(4 * j + 3, total = moved<shift + 2, 2>(total, now, next, out));
    total = moved<shift + 3, 3>(total, now, next, out);
    now = next;
  }
  return total;
}

// The sum of a lane's first window, of what each lane's windows gain.
template <u32 shift, class Pieces, class Four, class Sum, class Step> DEV Sum laneWindow(const char *sums, u32 lanesBefore, u32 window, Step gained) {
  Sum mine = sizeof(Sum) > sizeof(Step) ? (Sum)(i64)(i32)gained : (Sum)gained, before = mine; // modulo the size of Sum
  UNROLL for (u32 d = 1; d < warpLanes; d *= 2) {
    Sum lower = exchanged(before, laneNumber() - d);
    if (laneNumber() >= d) before += lower;
  }
  return firstWindow<shift, Pieces, Four, Sum>(sums, lanesBefore, window) + before - FAULT(105, mine, (Sum)0);
}
