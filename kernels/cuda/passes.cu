// Local thresholds in two passes, for what is not added up exactly in integers: extremes, sums of float samples, means
// weighted by a Gaussian. The first goes down the lines of a window and leaves a value for each sample and column, the
// second goes along them. The definitions are kernels/local_extremes.go, local_float.go and local_gaussian.go; launched
// by gpu/local_passes.go.
#include "passes.cuh"

// The least and the greatest finite sample; of none, infinities the wrong way around.
struct Extremes {
  f32 low, high;
  DEV_MEMBER static Extremes none() { return Extremes{bitsFloat(0x7f800000), bitsFloat(0xff800000)}; }
  DEV_MEMBER void take(f32 v) {
    if (!isFinite(v)) return;
    if (v < low) low = v;
    if (v > high) high = v;
  }
  DEV_MEMBER void join(const Extremes &e) {
    if (e.low < low) low = e.low;
    if (e.high > high) high = e.high;
  }
};

// Collects the bits of samples one after the other and adds them to planes that are zero.
struct BitWriter {
  u32 *low, *high; // of the line
  u32 word, lows, highs;
  DEV_MEMBER void put(u32 sample, bool isLow, bool isHigh) {
    if (sample / 32 != word) {
      flush();
      word = sample / 32;
    }
    lows |= (u32)isLow << (sample % 32);
    highs |= (u32)isHigh << (sample % 32);
  }
  DEV_MEMBER void flush() {
    if (lows) atomicOr(low + word, lows);
    if (highs) atomicOr(high + word, highs);
    lows = highs = 0;
  }
};

struct Sides {
  bool low, high;
};

// Where NaN goes.
DEV Sides withNaN(const LocalParams &p, Sides s, f32 v) {
  if (!isNaN(v)) return s;
  return Sides{p.nan == localNanLow, p.nan == localNanHigh};
}

// Compares with the middle of the extremes, all doubled.
DEV Sides decide(const LocalParams &p, const Extremes &e, f32 v) {
  double low = e.low, high = e.high, sum = low + high, y = v;
  bool flat = FAULT(110, high - low < p.contrast, high - low <= p.contrast);
  return Sides{flat ? sum < p.centre : 2 * y <= sum, flat ? sum >= p.centre : 2 * y > sum + p.margin};
}

DEV Sides decide(const LocalParams &p, const FloatSums &s, f32 v) {
  double n = s.count;
  if (n == 0) return Sides{FAULT(112, false, true), false};
  double square = n * s.two - s.one * s.one;
  if (square < 0) square = 0;
  LocalRule rule = ruleFor(p, n, n * p.margin);
  double t = scaledThreshold(p, rule, s.one, square), y = n * v;
  return Sides{y <= t, y > t + rule.margin};
}

// Writes the classes of samples.
template <class Sample> struct Comparing {
  const LocalParams &p;
  const Sample *samples; // of the line
  BitWriter bits;
  DEV_MEMBER void begin(u64 line, i32 first) {
    samples = p.samples.as<const Sample>() + line * p.pitch;
    bits = BitWriter{p.low.get() + line * p.wordsPerLine, p.high.get() + line * p.wordsPerLine, (u32)first / 32, 0, 0};
  }
  template <class Value> DEV_MEMBER void take(i32 x, const Value &v) {
    f32 own = (f32)samples[x];
    Sides s = withNaN(p, decide(p, v, own), own);
    bits.put((u32)x, s.low, s.high);
  }
  DEV_MEMBER void end() { bits.flush(); }
};

template <class Sample, class Value> DEV void alongLines(const LocalParams &p) {
  Comparing<Sample> comparing = {p, nullptr, {}};
  alongBlocks<Value>(p, comparing);
}

// A weighted sum, and the weights of the finite samples in it.
struct Weighted {
  double sum, weights;
};

template <class Sample> DEV void weighLines(const LocalParams &p) {
  u32 columns = pageColumns(p);
  const double *weight = p.table.get();
  u64 all = (u64)p.lines * columns, step = (u64)blockCount() * plainThreads;
  for (u64 i = (u64)blockNumber() * plainThreads + threadInBlock(); i < all; i += step) {
    i32 line = (i32)(i / columns), column = (i32)(i - (u64)(u32)line * columns) + (i32)p.left;
    Weighted w = {0, 0};
    auto take = [&](i32 l, double by) {
      f32 v = (f32)p.samples.as<const Sample>()[(i64)lineSeen(p, l) * (i64)p.pitch + column];
      if (!isFinite(v)) return;
      w.sum += by * (double)v;
      w.weights += by;
    };
    take(line, weight[0]);
    for (i32 d = 1; d <= (i32)p.halfLines; d++) {
      take(line - d, weight[d]);
      take(line + d, weight[d]);
    }
    p.columns.as<Weighted>()[i] = w;
  }
}

template <class Sample> DEV void weighSamples(const LocalParams &p) {
  u32 columns = pageColumns(p);
  const double *weight = p.table.get() + p.halfLines + 1;
  u64 words = (u64)p.lines * p.wordsPerLine, warps = (u64)blockCount() * (plainThreads / warpLanes);
  for (u64 word = (u64)blockNumber() * (plainThreads / warpLanes) + threadInBlock() / warpLanes; word < words; word += warps) {
    u64 line = word / p.wordsPerLine;
    u32 sample = (u32)(word - line * p.wordsPerLine) * 32 + laneNumber();
    Sides s = {false, false};
    if (sample < p.width) {
      auto values = p.columns.as<const Weighted>() + line * columns;
      auto at = [&](i32 x) { return values[(u32)(sampleSeen(p, x) - (i32)p.left)]; };
      Weighted w = at((i32)sample);
      w.sum *= weight[0];
      w.weights *= weight[0];
      for (i32 d = 1; d < FAULT(111, (i32)p.halfSamples + 1, (i32)p.halfSamples); d++) {
        Weighted a = at((i32)sample - d), b = at((i32)sample + d);
        w.sum += weight[d] * (a.sum + b.sum);
        w.weights += weight[d] * (a.weights + b.weights);
      }
      f32 v = (f32)p.samples.as<const Sample>()[line * p.pitch + sample];
      double n = w.weights, t = w.sum - n * p.offset, y = n * v;
      if (n != 0) s = Sides{y <= t, y > t + n * p.margin};
      s = withNaN(p, s, v);
    }
    u32 low = ballot(s.low), high = ballot(s.high);
    if (laneNumber() == 0) {
      p.low.get()[word] = low;
      p.high.get()[word] = high;
    }
  }
}

KERNEL(passes_down_extremes_u8, plainThreads, LocalParams) { downLines<u8, Extremes>(p); }
KERNEL(passes_down_extremes_u16, plainThreads, LocalParams) { downLines<u16, Extremes>(p); }
KERNEL(passes_down_extremes_f32, plainThreads, LocalParams) { downLines<f32, Extremes>(p); }
KERNEL(passes_down_sums_f32, plainThreads, LocalParams) { downLines<f32, FloatSums>(p); }
KERNEL(passes_down_gaussian_u8, plainThreads, LocalParams) { weighLines<u8>(p); }
KERNEL(passes_down_gaussian_u16, plainThreads, LocalParams) { weighLines<u16>(p); }
KERNEL(passes_down_gaussian_f32, plainThreads, LocalParams) { weighLines<f32>(p); }
KERNEL(passes_along_extremes_u8, plainThreads, LocalParams) { alongLines<u8, Extremes>(p); }
KERNEL(passes_along_extremes_u16, plainThreads, LocalParams) { alongLines<u16, Extremes>(p); }
KERNEL(passes_along_extremes_f32, plainThreads, LocalParams) { alongLines<f32, Extremes>(p); }
KERNEL(passes_along_sums_f32, plainThreads, LocalParams) { alongLines<f32, FloatSums>(p); }
KERNEL(passes_along_gaussian_u8, plainThreads, LocalParams) { weighSamples<u8>(p); }
KERNEL(passes_along_gaussian_u16, plainThreads, LocalParams) { weighSamples<u16>(p); }
KERNEL(passes_along_gaussian_f32, plainThreads, LocalParams) { weighSamples<f32>(p); }
