// The measure stage: what lies strictly inside each span. Its definition is segment/cpu_measure.go, its launch
// gpu/measure.go.
#include "float.cuh"
#include "operator.cuh"

// The samples lo to hi-1 of a line.
struct Inside {
  u64 line, lo, hi;
};

// The line of a span: the last that starts at it or before.
DEV u64 lineOfSpan(const MeasureParams &p, u64 span) {
  const u64 *first = p.first.get();
  u64 low = 0, high = p.lines - 1;
  while (low < high) {
    u64 middle = low + (high - low + 1) / 2;
    if (first[middle] <= span) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

// Its samples inside: a clipped end is no boundary, so it counts.
DEV Inside insideOf(const MeasureParams &p, u64 span) {
  Bound b = p.spans.get()[span];
  Inside in = {lineOfSpan(p, span), (u64)b.start + 1, b.end};
  if (p.lineEdges.set()) {
    u32 edge = p.lineEdges.get()[in.line];
    if ((edge & edgeLeft) && span == p.first.get()[in.line]) in.lo--;
    if ((edge & edgeRight) && span + 1 == p.first.get()[in.line + 1]) in.hi++;
  }
  in.hi = greatest(in.lo, in.hi);
  return in;
}

// What one thread has found; extremes are integers or keys.
struct Found {
  u64 used, activations, sum;
  u32 least, most;
};

DEV Found nothing() { return Found{0, 0, 0, 0xffffffff, 0}; }

DEV Found joined(const Found &a, const Found &b) {
  return Found{a.used + b.used, a.activations + b.activations, a.sum + b.sum, least(a.least, b.least),
               greatest(a.most, b.most)};
}

DEV Found joinedWarp(Found v) {
  for (u32 d = 1; d < warpLanes; d *= 2) {
    Found far = {SumOperator::down(v.used, d), SumOperator::down(v.activations, d), SumOperator::down(v.sum, d),
                 shuffleDown(v.least, d), shuffleDown(v.most, d)};
    v = joined(v, far); // only lane 0 is read
  }
  return v;
}

// Activations by words, strided over the threads of a group.
DEV u64 onesInside(const MeasureParams &p, const Inside &in, u32 me, u32 group) {
  if (in.lo == in.hi) return 0;
  const u64 *words = p.activation.get() + in.line * p.wordsPerLine;
  u64 head = in.lo / 64, tail = (in.hi - 1) / 64, ones = 0;
  for (u64 w = head + me; w <= tail; w += group) {
    u64 x = words[w];
    if (w == head) x &= ~0ull << in.lo % 64;
    if (w == tail) x &= ~0ull >> (63 - (in.hi - 1) % 64);
    ones += countOnes64(x);
  }
  return ones;
}

// The float samples of a block of 64 (aligned to the line start) that lie inside, from left to right.
DEV double blockSum(const f32 *line, u64 block, const Inside &in, Found *f) {
  u64 end = least(in.hi, (block + 1) * sumSamples);
  double sum = 0;
  for (u64 i = greatest(in.lo, block * sumSamples); i < end; i++) {
    f32 v = line[i];
    if (isNaN(v)) continue;
    sum += v;
    f->used++;
    f->least = least(f->least, floatKey(v));
    f->most = greatest(f->most, floatKey(v));
  }
  return sum;
}

DEV double shuffleDouble(double v, u32 lane) {
  return __builtin_bit_cast(double, SumOperator::of(__builtin_bit_cast(u64, v), lane));
}

// Sums of groups of threads in the order of threads, which is the order of blocks; thread 0 of the group has them.
struct ByWarp {
  static constexpr u32 threads = warpLanes;
  DEV_MEMBER double inOrder(double sum, double own, u32 count) const {
    for (u32 lane = 0; lane < count; lane++) sum += shuffleDouble(own, lane);
    return sum;
  }
  DEV_MEMBER Found join(const Found &f) const { return joinedWarp(f); }
};

struct ByBlock {
  static constexpr u32 threads = plainThreads;
  struct Shared {
    double sums[plainThreads];
    Found warps[plainThreads / warpLanes];
  };
  Shared *shared;
  DEV_MEMBER double inOrder(double sum, double own, u32 count) const {
    syncBlock();
    shared->sums[threadInBlock()] = own;
    syncBlock();
    if (threadInBlock() == 0) {
      for (u32 i = 0; i < count; i++) sum += shared->sums[i];
    }
    return sum;
  }
  DEV_MEMBER Found join(const Found &f) const {
    Found w = joinedWarp(f);
    syncBlock();
    if (laneNumber() == 0) shared->warps[threadInBlock() / warpLanes] = w;
    syncBlock();
    Found all = nothing();
    for (u32 i = 0; i < plainThreads / warpLanes; i++) all = joined(all, shared->warps[i]);
    return all;
  }
};

template <class Sample> DEV void samplesInside(const Sample *line, const Inside &in, u32 me, u32 group, Found *f) {
  for (u64 i = in.lo + me; i < in.hi; i += group) {
    u32 v = line[i];
    f->used++;
    f->sum += v;
    f->least = least(f->least, v);
    f->most = greatest(f->most, v);
  }
}

template <class Sample, class Group>
DEV void measureSpan(const MeasureParams &p, u64 span, const Inside &in, const Group &group) {
  u32 me = threadInBlock() % Group::threads;
  auto line = p.samples.as<const Sample>() + in.line * p.pitch;
  Found f = nothing();
  double sum = 0;
  if constexpr (__is_same(Sample, f32)) {
    u64 end = (in.hi + sumSamples - 1) / sumSamples;
    for (u64 block = in.lo / sumSamples; block < end; block += Group::threads) {
      double own = block + me < end ? blockSum(line, block + me, in, &f) : 0;
      sum = group.inOrder(sum, own, (u32)least((u64)Group::threads, end - block));
    }
  } else {
    samplesInside(line, in, me, Group::threads, &f);
  }
  f.activations = onesInside(p, in, me, Group::threads);
  f = group.join(f);
  if (me == 0) {
    u64 total = __is_same(Sample, f32) ? __builtin_bit_cast(u64, sum) : f.sum;
    p.out.get()[span] = Measured{in.hi - in.lo, f.used, f.activations, total, f.least, f.most};
  }
}

// A warp a span, but for the long ones.
template <class Sample> DEV void measureShort(const MeasureParams &p) {
  u64 warps = (u64)blockCount() * (plainThreads / warpLanes);
  u64 span = (u64)blockNumber() * (plainThreads / warpLanes) + threadInBlock() / warpLanes;
  for (; span < p.count; span += warps) {
    Inside in = insideOf(p, span);
    if (in.hi - in.lo < measureLong) measureSpan<Sample>(p, span, in, ByWarp());
  }
}

// A block a span, of those listed.
template <class Sample> DEV void measureListed(const MeasureParams &p) {
  SHARED(ByBlock::Shared, shared);
  for (u64 i = blockNumber(); i < p.count; i += blockCount()) {
    u64 span = p.list.get()[i];
    measureSpan<Sample>(p, span, insideOf(p, span), ByBlock{&shared});
  }
}

KERNEL(measure_u8, plainThreads, MeasureParams) { measureShort<u8>(p); }
KERNEL(measure_u16, plainThreads, MeasureParams) { measureShort<u16>(p); }
KERNEL(measure_f32, plainThreads, MeasureParams) { measureShort<f32>(p); }
KERNEL(measure_long_u8, plainThreads, MeasureParams) { measureListed<u8>(p); }
KERNEL(measure_long_u16, plainThreads, MeasureParams) { measureListed<u16>(p); }
KERNEL(measure_long_f32, plainThreads, MeasureParams) { measureListed<f32>(p); }
