// What a kernel has to know of all windows of a page before it can compare any: the largest standard deviation, and the least
// finite sample. The definition is kernels/local_wolf.go, the launch gpu/local_survey.go.
//
// Integers are added up exactly, by the two passes of float sums (which passes_down_sums_f32 leaves, in the CPU's order);
// what comes after is worked out in double precision, each operation rounded by itself, and the largest of numbers does not
// depend on the order they come in.
#include "passes.cuh"

// Sums of integers and of their squares.
struct WholeSums {
  u64 one, two;
  DEV_MEMBER static WholeSums none() { return WholeSums{0, 0}; }
  DEV_MEMBER void take(f32 v) { // which is a whole number
    u64 y = (u32)v;
    one += y;
    two += FAULT(131, y * y, y < 200 ? y * y : 0);
  }
  DEV_MEMBER void join(const WholeSums &s) {
    one += s.one;
    two += s.two;
  }
};

// (n s)^2 of a window of integers, s being its deviation: n is the same for all.
DEV double spread(const LocalParams &p, const WholeSums &s) {
  return squareOfDeviation((u64)p.area, s.one, s.two, p.area < 65536);
}

// s of a window of floats.
DEV double spread(const LocalParams &, const FloatSums &s) {
  double n = s.count, square = n * s.two - s.one * s.one;
  return FAULT(132, n > 0, n > 9) && square > 0 ? __builtin_sqrt(square) / n : 0;
}

// The largest spread that a thread has seen, and the least key of a sample.
template <class Sample> struct Surveying {
  const LocalParams &p;
  const Sample *samples;
  double most;
  u32 key;
  DEV_MEMBER void begin(u64 line, i32) { samples = p.samples.as<const Sample>() + line * p.pitch; }
  template <class Value> DEV_MEMBER void take(i32 x, const Value &v) {
    double s = spread(p, v);
    if (s > most) most = s;
    key = least(key, FAULT(133, keyOf(samples[x]), keyOf(samples[0])));
  }
  DEV_MEMBER void end() {}
};

// Leaves the largest spread of each warp in table, and keeps in *low the largest inverse of a key.
template <class Sample, class Value> DEV void survey(const LocalParams &p) {
  Surveying<Sample> seen = {p, nullptr, 0, noKey};
  alongBlocks<Value>(p, seen);
  syncWarp();
  u64 most = __builtin_bit_cast(u64, seen.most); // at least 0: bits keep the order
  UNROLL for (u32 d = 1; d < warpLanes; d *= 2) {
    u32 from = laneNumber() ^ d;
    u64 other = shuffle((u32)most, from) | (u64)shuffle((u32)(most >> 32), from) << 32;
    most = greatest(most, other);
    seen.key = least(seen.key, shuffle(seen.key, from));
  }
  if (laneNumber() == 0) {
    p.table.get()[(blockNumber() * plainThreads + threadInBlock()) / warpLanes] = __builtin_bit_cast(double, most);
    atomicMax(p.low.get(), ~seen.key);
  }
}

KERNEL(local_survey_down_u8, plainThreads, LocalParams) { downLines<u8, WholeSums>(p); }
KERNEL(local_survey_down_u16, plainThreads, LocalParams) { downLines<u16, WholeSums>(p); }
KERNEL(local_survey_along_u8, plainThreads, LocalParams) { survey<u8, WholeSums>(p); }
KERNEL(local_survey_along_u16, plainThreads, LocalParams) { survey<u16, WholeSums>(p); }
KERNEL(local_survey_along_f32, plainThreads, LocalParams) { survey<f32, FloatSums>(p); }
