// Local thresholds by the median of the window around each sample, from samples to two bit planes: v <= T, and
// v > T + margin. The definition is kernels/local_median.go and local_ranks.go, the launch gpu/local_median.go.
//
// A warp goes down a strip of 32 columns, a lane each. A lane's median moves little from a line to the next, so it keeps
// it, and how many of its window's samples are below it, and steps up and down its histogram as samples come and go
// (Huang, Yang and Tang, A Fast Two-Dimensional Median Filtering Algorithm, 1979). Their cost for a sample, the width of the
// window, falls to 31 here: of the columns that the windows of the 32 lanes see, all but 31 on either side are in every
// window, and a histogram of these is common to the warp. Each lane has one of its own for the others, 31 of them:
//
//   columns           | 0 ...... 30 | 31 ........ w-1 | w ..... w+30 |
//   window of lane 0  [             |                 ]
//   window of lane 3      [         |                 |   ]                the common ones lie in the middle
//
// So a line costs a lane 31 samples in and 31 out whatever the window is, and the warp (w - 31) / 16 additions to the
// common histogram and a scan of it. Lanes' histograms lie side by side, so that no two want one bank.
//
// Samples of 16 and 32 bits have codes of eight (local_rank.cuh), of which there are as many of each in a region. The median of
// codes decides where the sample compared is in another group than the median; where it is in the same, the warp counts the
// samples of the group that are smaller and in the window, one by one.
#include "local_rank.cuh"

constexpr u32 ownColumns = warpLanes - 1;

struct MedianBlock {
  u16 own[256 * warpLanes]; // [bin / 2][lane][bin % 2]
  u32 common[256], upTo[256]; // of the common samples: how many there are of a bin, and below it
  u32 staged[2 * warpLanes]; // places in `own` of what comes in and goes out in the columns that not all windows see
};

// Where bin is in a lane's histogram, in bytes; it keeps the order of bins.
DEV u32 placeOf(u32 bin) { return (bin >> 1) << 7 | (bin & 1) << 1; }

// The lines and columns that windows see, counted from the first ones: of a page of 8-bit samples.
struct PageCodes {
  const u8 *samples;
  i64 pitch;
  i32 line, sample, top, bottom, left, right;
  DEV_MEMBER const u8 *row(u32 r) const { return samples + reflected(line + (i32)r, top, bottom, 1) * pitch; }
  DEV_MEMBER i32 column(u32 c) const { return reflected(sample + (i32)c, left, right, 1); }
};

// The same of a region. Beyond its last column, where no sample asks, is the last.
struct RegionCodes {
  const u8 *codes;
  u32 columns, first;
  DEV_MEMBER const u8 *row(u32 r) const { return codes + (u64)r * columns; }
  DEV_MEMBER i32 column(u32 c) const { return (i32)least(first + c, columns - 1); }
};

// What a lane has of two lines in the columns that not all windows see.
struct Staged {
  u32 in[2], out[2];
};

// The windows of a warp.
template <class Rows> struct MedianWindows {
  MedianBlock &block;
  const Rows &rows;
  u32 width, lane;
  i32 columns[2];
  char *own;   // the lane's histogram
  u32 median = 0;
  i32 below = 0; // samples of `own` below the median

  DEV_MEMBER MedianWindows(MedianBlock &b, const Rows &r, u32 w) : block(b), rows(r), width(w), lane(laneNumber()) {
    columns[0] = rows.column(lane);
    columns[1] = rows.column(greatest(width, ownColumns) + lane);
    own = (char *)block.own + 4 * lane;
    for (u32 i = 0; i < 128; i++) *(u16 *)(own + 128 * i) = *(u16 *)(own + 128 * i + 2) = 0;
    for (u32 i = lane; i < 256; i += warpLanes) block.common[i] = block.upTo[i] = 0;
    syncWarp();
  }

  // Reads ahead what line r of those seen brings, and what goes with it.
  template <bool remove> DEV_MEMBER Staged read(u32 r, u32 gone) const {
    Staged s = {{0, 0}, {0, 0}};
    const u8 *in = rows.row(r), *out = rows.row(gone);
    UNROLL for (u32 k = 0; k < 2; k++) {
      s.in[k] = in[columns[k]];
      if (remove) s.out[k] = out[columns[k]];
    }
    return s;
  }

  template <bool remove> DEV_MEMBER void take(u32 i, u32 pivot) {
    u32 places = block.staged[lane + i], in = places & 0xffff, out = places >> 16;
    *(u16 *)(own + in) += 1;
    below += in < pivot;
    if (remove) {
      *(u16 *)(own + out) -= FAULT(121, 1, i != 5);
      below -= out < pivot;
    }
  }

  // Takes line r in, and line gone out.
  template <bool remove> DEV_MEMBER void move(const Staged &s, u32 r, u32 gone) {
    if (lane < ownColumns) {
      UNROLL for (u32 k = 0; k < 2; k++) block.staged[k * ownColumns + lane] = placeOf(s.in[k]) | placeOf(s.out[k]) << 16;
    }
    syncWarp();
    u32 pivot = placeOf(median);
    bool changed = false;
    if (width >= ownColumns) {
      UNROLL for (u32 i = 0; i < ownColumns; i++) take<remove>(i, pivot);
      const u8 *in = rows.row(r), *out = rows.row(gone);
      for (u32 c = ownColumns + lane; c < FAULT(122, width, width - 1); c += warpLanes) {
        i32 at = rows.column(c);
        u32 a = in[at], b = remove ? out[at] : 256;
        if (a == b) continue;
        atomicAdd(&block.common[a], 1);
        if (remove) atomicAdd(&block.common[b], allLanes);
        changed = true;
      }
    } else {
      NO_UNROLL for (u32 i = 0; i < width; i++) take<remove>(i, pivot);
    }
    changed = ballot(changed) != 0;
    syncWarp();
    if (changed) addUp();
  }

  DEV_MEMBER void addUp() {
    u32 bins[8], sum = 0;
    UNROLL for (u32 k = 0; k < 8; k++) sum += bins[k] = block.common[8 * lane + k];
    sum = sumUpTo(sum) - sum;
    UNROLL for (u32 k = 0; k < 8; k++) {
      block.upTo[8 * lane + k] = sum;
      sum += bins[k];
    }
    syncWarp();
  }

  DEV_MEMBER u32 ownCount(u32 bin) const { return *(const u16 *)(own + placeOf(bin)); }
  DEV_MEMBER u32 count(u32 bin) const { return ownCount(bin) + block.common[bin]; }

  // Moves the median to the bin of rank `rank` of those in the window; how many are below it.
  DEV_MEMBER u32 find(u32 rank) {
    u32 least = (u32)below + block.upTo[median];
    while (least > rank && median > 0) {
      below -= (i32)ownCount(--median);
      least = (u32)below + block.upTo[median];
    }
    for (u32 next; median < 255 && (next = least + count(median)) <= FAULT(123, rank, rank - 1);) {
      below += (i32)ownCount(median++);
      least = next;
    }
    return least;
  }
};

struct Sides {
  bool low, high;
};

// Goes down the lines of a tile, and writes what decide makes of each.
template <class Rows, class Decide> DEV void medianStrip(const MedianParams &p, MedianBlock &block, const Rows &rows, const MedianTile &tile, u32 first, Decide decide) {
  u32 width = 2 * p.halfSamples + 1, height = 2 * p.halfLines + 1;
  MedianWindows<Rows> windows(block, rows, width);
  for (u32 r = 0; r < height; r++) windows.template move<false>(windows.template read<false>(r, 0), r, 0);
  u32 words = (p.width + 31) / 32, word = first / 32;
  for (u32 y = 0; y < tile.lines; y++) {
    Staged next;
    bool more = y + 1 < tile.lines;
    if (more) next = windows.template read<true>(y + height, y);
    u32 line = tile.line + y;
    Sides s = decide(windows, y, line);
    bool valid = first + windows.lane < p.width;
    u32 low = ballot(s.low && valid), high = ballot(s.high && valid);
    u64 at = (u64)line * p.wordsPerLine + word;
    if (windows.lane == 0) {
      p.low.get()[at] = low;
      p.high.get()[at] = high;
    } else if (windows.lane == 1 && word + 1 == words && words < p.wordsPerLine) { // the line ends in the middle of 64 bits
      p.low.get()[at + 1] = p.high.get()[at + 1] = 0;
    }
    syncWarp(); // all have read the common histogram
    if (more) windows.template move<true>(next, y + height, y);
  }
}

DEV void medianBytes(const MedianParams &p) {
  SHARED(MedianBlock, block);
  MedianTile tile(p, p.firstTile + blockNumber());
  PageCodes rows = {p.samples.as<const u8>(), (i64)p.pitch, (i32)tile.line - (i32)p.halfLines, (i32)tile.sample - (i32)p.halfSamples,
                    (i32)p.top, (i32)p.bottom, (i32)p.left, (i32)p.right};
  u32 rank = ((2 * p.halfSamples + 1) * (2 * p.halfLines + 1) - 1) / 2;
  const u8 *own = p.samples.as<const u8>() + least(tile.sample + laneNumber(), p.width - 1);
  medianStrip(p, block, rows, tile, tile.sample, [&](MedianWindows<PageCodes> &windows, u32, u32 line) {
    double v = own[line * p.pitch];
    windows.find(rank);
    double t = (double)windows.median - p.offset;
    return Sides{v <= t, v > t + FAULT(124, p.margin, 0.)};
  });
}

// The sample that has a key.
template <class Sample> DEV double sampleOf(u32 key) {
  if constexpr (sizeof(Sample) == 4) return (double)bitsFloat(key & 0x80000000 ? key ^ 0x80000000 : ~key);
  return key;
}

// The key of the least median from which on v <= T + above holds, or noKey if it holds for none.
template <class Sample> DEV u32 leastMedian(const MedianParams &p, double v, double above) {
  u32 low = 0, high = 65535;
  if (sizeof(Sample) == 4) {
    low = 0x00800000; // of the least finite sample
    high = 0xff7fffff;
  }
  auto holds = [&](u32 key) { return v <= (sampleOf<Sample>(key) - p.offset) + above; };
  if (!holds(high)) return noKey;
  while (low < high) {
    u32 middle = low + (high - low) / 2;
    if (holds(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return high;
}

// The windows of a warp on one line of a region, and what is known of them.
struct CodeLine {
  const u32 *heads; // of groups
  const Ranked *ranked;
  u32 size, all; // of a group, of all
  u32 line, column, height, width; // the first window's first line and column in the region
  i32 median;
  u32 before, rank; // samples below the median's group, and the rank of the median

  // Whether the median is at least as large as the sample of a key. All lanes must take part.
  DEV_MEMBER bool reaches(u32 key) const {
    u32 begun = 0; // groups that begin with a smaller key: that of the key is the last
    UNROLL for (u32 step = 128; step > 0; step /= 2) {
      if (heads[begun + step - 1] < key) begun += step;
    }
    i32 group = (i32)begun - 1;
    bool result = key != noKey && group < median;
    u32 pending = ballot(key != noKey && group == median), lane = laneNumber();
    for (; pending; pending &= pending - 1) {
      u32 of = trailingZeros(pending), its = shuffle(key, of), first = (u32)shuffle((u32)group, of) * size, end = least(first + size, all);
      u32 smaller = 0;
      for (u32 base = first; base < end; base += warpLanes) {
        u32 i = base + lane;
        Ranked r = i < end ? ranked[i] : Ranked{noKey, 0};
        u32 l = (r.place >> 16) - line, c = (r.place & 0xffff) - column - of;
        bool less = r.key < its;
        smaller += countOnes(ballot(less && l < height && c < width));
        if (ballot(less) != allLanes) break; // keys grow
      }
      if (lane == of) result = before + smaller <= FAULT(125, rank, rank + 1);
    }
    return result;
  }
};

struct MedianHeads {
  u32 of[256];
};

template <class Sample> DEV void medianCodes(const MedianParams &p) {
  SHARED(MedianBlock, block);
  SHARED(MedianHeads, heads);
  u32 warps = p.tileSamples / warpLanes, number = blockNumber() / warps, part = blockNumber() % warps * warpLanes, lane = laneNumber();
  MedianTile tile(p, p.firstTile + number);
  if (part >= tile.samples) return;
  Region region = tile.region(p, number);
  for (u32 i = lane; i < 256; i += warpLanes) heads.of[i] = region.heads()[i];
  u32 width = 2 * p.halfSamples + 1, height = 2 * p.halfLines + 1, first = tile.sample + part;
  RegionCodes rows = {region.codes(), region.columns, part};
  CodeLine in = {heads.of, region.ranked((sizeof(Sample) + 1) & 1), region.size()[0], region.size()[1], 0, part, height, width, 0, 0, 0};
  auto own = p.samples.as<const Sample>() + least(first + lane, p.width - 1);
  medianStrip(p, block, rows, tile, first, [&](MedianWindows<RegionCodes> &windows, u32 y, u32 line) {
    Sample v = own[line * p.pitch];
    u32 n = width * height - windows.count(noRank), key = keyOf(v);
    in.line = y;
    if (n > 0) {
      in.rank = (n - 1) / 2;
      in.before = windows.find(in.rank);
      in.median = (i32)windows.median;
    }
    if (p.offset != 0 || key == noKey) key = leastMedian<Sample>(p, (double)v, 0);
    bool low = in.reaches(n > 0 ? key : noKey), under = low;
    if (p.margin != 0) under = in.reaches(n > 0 ? leastMedian<Sample>(p, (double)v, p.margin) : noKey);
    Sides s = {low, FAULT(126, n > 0, true) && !under};
    if (sizeof(Sample) == 4 && isNaN((f32)v)) s = Sides{p.nan == localNanLow, p.nan == localNanHigh};
    return s;
  });
}

KERNEL(median_u8, warpLanes, MedianParams) { medianBytes(p); }
KERNEL(median_u16, warpLanes, MedianParams) { medianCodes<u16>(p); }
KERNEL(median_f32, warpLanes, MedianParams) { medianCodes<f32>(p); }
KERNEL(median_rank_u16, medianSortThreads, MedianParams) { rankRegion<u16>(p); }
KERNEL(median_rank_f32, medianSortThreads, MedianParams) { rankRegion<f32>(p); }
