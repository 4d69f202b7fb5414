// Local thresholds of integers: exact sums over windows whose cost does not grow with them.
//
// A block goes down a tile of 1024 columns. Each thread keeps the sums of four columns over the lines of the window: a
// line comes in, a line goes out. It does so for some lines one after the other and leaves what it has after each in the
// block's memory. Then each warp takes a line. A lane owns 32 (or 16) columns there and has the samples whose windows
// begin at them: from one to the next a window gains a column and loses one. Added up from the lane's first window on,
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
  static constexpr u32 bytes = 4 * sizeof(Sum), ofLane = columnsOfLane / 4, laneBytes = ofLane * bytes + (bytes < 16 ? 8 : 16);
  static constexpr u32 lineBytes = localColumns / columnsOfLane * laneBytes;
  // Where piece `piece` of those from a lane's first on lies. Beyond the tile there is nothing: then some other piece.
  DEV_MEMBER static u32 at(u32 lane, u32 piece) {
    lane = least(lane + piece / ofLane, localColumns / columnsOfLane - 1);
    return lane * laneBytes + piece % ofLane * bytes;
  }
};

// Sums of 8-bit samples: at most 257 lines, so that a column's sum has 16 bits, and windows whose sum of squares has 32.
template <bool stats> struct PackedSums {
  typedef u8 Sample;
  typedef u16 One;
  typedef u32 Two;
  typedef u32 Sum; // of a window
  typedef i32 Side; // to compare n v with a sum
  static constexpr bool withSquares = stats;
  static constexpr u32 lines = 8, columns = 32;
};

// Sums of 16-bit samples, and of windows that are too large for that.
template <class SampleType, bool stats> struct WideSums {
  typedef SampleType Sample;
  typedef u32 One;
  typedef u64 Two;
  typedef u64 Sum;
  typedef i64 Side;
  static constexpr bool withSquares = stats;
  static constexpr u32 lines = stats ? 4 : 8, columns = stats ? 16 : 32;
};

// The block's memory for one line.
template <class T> struct LocalLine {
  typedef Pieces<typename T::One, T::columns> Ones;
  typedef Pieces<typename T::Two, T::columns> Twos;
  static constexpr u32 ones = 0, twos = Ones::lineBytes, samples = twos + (T::withSquares ? Twos::lineBytes : 0);
  static constexpr u32 bytes = samples + localColumns * sizeof(typename T::Sample);
};

// The sums of a thread's four columns.
template <class T> struct ColumnSums {
  typedef typename T::Sample Sample;
  static constexpr bool packed = sizeof(typename T::One) == 2;
  u32 one[packed ? 2 : 4];
  typename T::Two two[4];

  DEV_MEMBER ColumnSums() {
    UNROLL for (u32 i = 0; i < (packed ? 2 : 4); i++) one[i] = 0;
    UNROLL for (u32 i = 0; i < 4; i++) two[i] = 0;
  }
  DEV_MEMBER void shift(const Four<Sample> &in, const Four<Sample> &out) {
    if constexpr (packed) { // two columns a word; no sum of them leaves its half
      UNROLL for (u32 i = 0; i < 2; i++) one[i] += (in.at(2 * i) | in.at(2 * i + 1) << 16) - (out.at(2 * i) | out.at(2 * i + 1) << 16);
    } else {
      UNROLL for (u32 i = 0; i < 4; i++) one[i] += in.at(i) - out.at(i);
    }
    if constexpr (T::withSquares) {
      typedef typename T::Two Two;
      UNROLL for (u32 i = 0; i < 4; i++) two[i] += (Two)in.at(i) * in.at(i) - (Two)out.at(i) * out.at(i);
    }
  }
  DEV_MEMBER void store(char *line, u32 thread) const {
    typedef LocalLine<T> Line;
    char *to = line + Line::ones + Line::Ones::at(thread / Line::Ones::ofLane, thread % Line::Ones::ofLane);
    if constexpr (packed) {
      *(Twin *)to = Twin{one[0], one[1]};
    } else {
      *(Quad *)to = Quad{one[0], one[1], one[2], one[3]};
    }
    if constexpr (T::withSquares) {
      char *squares = line + Line::twos + Line::Twos::at(thread / Line::Twos::ofLane, thread % Line::Twos::ofLane);
      if constexpr (sizeof(typename T::Two) == 4) {
        *(Quad *)squares = Quad{(u32)two[0], (u32)two[1], (u32)two[2], (u32)two[3]};
      } else {
        ((Quad *)squares)[0] = Quad{(u32)two[0], (u32)((u64)two[0] >> 32), (u32)two[1], (u32)((u64)two[1] >> 32)};
        ((Quad *)squares)[1] = Quad{(u32)two[2], (u32)((u64)two[2] >> 32), (u32)two[3], (u32)((u64)two[3] >> 32)};
      }
    }
  }
};

// A piece of four sums.
template <class Value> struct Piece {
  Value v[4];
  DEV_MEMBER static Piece read(const char *at);
};
template <> DEV_MEMBER Piece<u16> Piece<u16>::read(const char *at) {
  Twin t = *(const Twin *)at;
  return Piece{(u16)t.a, (u16)(t.a >> 16), (u16)t.b, (u16)(t.b >> 16)};
}
template <> DEV_MEMBER Piece<u32> Piece<u32>::read(const char *at) {
  Quad q = *(const Quad *)at;
  return Piece{q.a, q.b, q.c, q.d};
}
template <> DEV_MEMBER Piece<u64> Piece<u64>::read(const char *at) {
  Quad q = ((const Quad *)at)[0], r = ((const Quad *)at)[1];
  return Piece{q.a | (u64)q.b << 32, q.c | (u64)q.d << 32, r.a | (u64)r.b << 32, r.c | (u64)r.d << 32};
}

DEV u32 exchanged(u32 v, u32 lane) { return shuffle(v, lane); }
DEV u64 exchanged(u64 v, u32 lane) { return shuffle((u32)v, lane) | (u64)shuffle((u32)(v >> 32), lane) << 32; }

// The sum of the window that begins with a warp's first column, in all lanes.
template <class Pieces, class Value, class Sum> DEV Sum firstWindow(const char *sums, u32 lanesBefore, u32 window) {
  Sum sum = 0;
  for (u32 piece = laneNumber(); 4 * piece < window; piece += warpLanes) {
    auto four = Piece<Value>::read(sums + Pieces::at(lanesBefore, piece));
    UNROLL for (u32 i = 0; i < 4; i++) {
      if (4 * piece + i < window) sum += four.v[i];
    }
  }
  for (u32 d = 1; d < warpLanes; d *= 2) sum += exchanged(sum, laneNumber() ^ d);
  return sum;
}

// The windows of a lane: that of its column i has the sum from + by[i].
template <class Sum, class Step, u32 columns> struct Windows {
  Sum from;
  Step by[columns];
};

// shift is the window's width modulo 4.
template <u32 shift, class Pieces, class Value, class Sum, class Step, u32 columns>
DEV void addWindows(const char *sums, u32 lanesBefore, u32 window, Windows<Sum, Step, columns> &w) {
  u32 lane = lanesBefore + laneNumber(), far = window / 4;
  Step total = 0;
  auto in = Piece<Value>::read(sums + Pieces::at(lane, far));
  UNROLL for (u32 j = 0; j < columns / 4; j++) {
    auto out = Piece<Value>::read(sums + Pieces::at(lane, j)), next = Piece<Value>::read(sums + Pieces::at(lane, far + j + 1));
    UNROLL for (u32 i = 0; i < 4; i++) {
      w.by[4 * j + i] = total;
      total += (Step)(i + shift < 4 ? in.v[(i + shift) & 3] : next.v[(i + shift) & 3]) - (Step)out.v[i];
    }
    in = next;
  }
  Sum before = (Sum)total; // modulo the size of Sum; a Step has its sign
  UNROLL for (u32 d = 1; d < warpLanes; d *= 2) {
    Sum lower = exchanged(before, laneNumber() - d);
    if (laneNumber() >= d) before += lower;
  }
  w.from = firstWindow<Pieces, Value, Sum>(sums, lanesBefore, window) + before - (Sum)total;
}
