// Ranks of the samples of a region, for medians of what has more than 256 values: 8-bit codes that keep the order of
// samples, and the samples of each code in order.
//
// A region is a tile and what its windows see around it, mirrored where the page ends, so that nothing after this asks
// for borders. Its samples are sorted (a radix sort by bytes, lowest first, each pass stable; the counts are a warp's
// for itself, so that warps go on without waiting for one another), and cut into 255 groups of equal size, whose numbers
// are the codes: a share of a group of the region lies in a window, whatever the samples are. Equal samples may have
// several codes; what is compared is the first sample of a group.
#pragma once
#include "float.cuh"
#include "local_view.cuh"

constexpr u32 rankWarps = medianSortThreads / warpLanes;
constexpr u32 rankGroups = 255;
// The code of what has no rank.
constexpr u32 noRank = 255;

// A sample of a region: its key and its place, line << 16 | column.
struct Ranked {
  u32 key, place;
};

// The memory of one region, for at most `most` samples.
struct Region {
  u8 *memory;
  u64 most;
  u32 lines, columns; // that it has
  DEV_MEMBER u32 samples() const { return lines * columns; }
  DEV_MEMBER u32 *heads() const { return (u32 *)memory; } // 256: the first key of each group, noKey for none
  DEV_MEMBER u32 *size() const { return heads() + 256; }  // 2: of a group, and of all
  DEV_MEMBER Ranked *ranked(u32 half) const { return (Ranked *)(memory + medianHeadBytes + half * most * sizeof(Ranked)); }
  DEV_MEMBER u8 *codes() const { return memory + medianHeadBytes + 2 * most * sizeof(Ranked); }
};

// Where a tile lies, and its region.
struct MedianTile {
  u32 line, sample, lines, samples; // of the body
  DEV_MEMBER MedianTile(const MedianParams &p, u32 tile) {
    line = tile / p.tiles * p.tileLines;
    sample = tile % p.tiles * p.tileSamples;
    lines = least(p.tileLines, p.lines - line);
    samples = least(p.tileSamples, p.width - sample);
  }
  DEV_MEMBER Region region(const MedianParams &p, u32 number) const {
    return Region{p.regions.get() + number * p.regionBytes, p.regionSamples, lines + 2 * p.halfLines, samples + 2 * p.halfSamples};
  }
};

struct RankCounts {
  u32 of[rankWarps][256], before[256];
};

// One pass: what load gives for 0 to n-1 goes to `to` in the order of eight bits of the keys.
template <class Load> DEV void rankPass(RankCounts &counts, u32 n, u32 shift, Ranked *to, Load load) {
  u32 thread = threadInBlock(), lane = laneNumber(), warp = thread / warpLanes;
  u32 each = (n + medianSortThreads - 1) / medianSortThreads * warpLanes, from = least(warp * each, n), end = least(from + each, n);
  for (u32 i = lane; i < 256; i += warpLanes) counts.of[warp][i] = 0;
  syncWarp();
  for (u32 i = from + lane; i < end; i += warpLanes) atomicAdd(&counts.of[warp][load(i).key >> shift & 0xff], 1);
  syncBlock();
  if (thread < 256) {
    u32 sum = 0;
    for (u32 w = 0; w < rankWarps; w++) {
      u32 c = counts.of[w][thread];
      counts.of[w][thread] = sum;
      sum += c;
    }
    counts.before[thread] = sum;
  }
  syncBlock();
  if (warp == 0) {
    u32 sum = 0;
    for (u32 k = 0; k < 8; k++) sum += counts.before[8 * lane + k];
    sum = sumUpTo(sum) - sum;
    for (u32 k = 0; k < 8; k++) {
      u32 c = counts.before[8 * lane + k];
      counts.before[8 * lane + k] = sum;
      sum += c;
    }
  }
  syncBlock();
  for (u32 i = lane; i < 256; i += warpLanes) counts.of[warp][i] += counts.before[i];
  syncWarp();
  for (u32 base = from; base < end; base += warpLanes) {
    bool valid = base + lane < end;
    Ranked r = valid ? load(base + lane) : Ranked{0, 0};
    u32 digit = valid ? r.key >> shift & 0xff : 256, same = matchLanes(digit), before = countOnes(same & lanesBelow());
    u32 at = valid ? counts.of[warp][digit] + before : 0;
    syncWarp();
    if (valid && before == 0) counts.of[warp][digit] += countOnes(same);
    syncWarp();
    if (valid) to[at] = r;
  }
  syncBlock();
}

// Sorts the region of the block's tile and gives its samples codes.
template <class Sample> DEV void rankRegion(const MedianParams &p) {
  SHARED(RankCounts, counts);
  MedianTile tile(p, p.firstTile + blockNumber());
  Region region = tile.region(p, blockNumber());
  u32 n = region.samples(), thread = threadInBlock();
  i32 line = (i32)tile.line - (i32)p.halfLines, sample = (i32)tile.sample - (i32)p.halfSamples;
  auto samples = p.samples.as<const Sample>();
  auto fromPage = [&](u32 i) {
    u32 l = i / region.columns, s = i - l * region.columns;
    i64 from = reflected(line + (i32)l, (i32)p.top, (i32)p.bottom, 1), at = reflected(sample + (i32)s, (i32)p.left, (i32)p.right, 1);
    return Ranked{keyOf(samples[from * (i64)p.pitch + at]), l << 16 | s};
  };
  rankPass(counts, n, 0, region.ranked(0), fromPage);
  NO_UNROLL for (u32 pass = 1; pass < sizeof(Sample); pass++) {
    const Ranked *last = region.ranked((pass + 1) & 1);
    rankPass(counts, n, 8 * pass, region.ranked(pass & 1), [&](u32 i) { return last[i]; });
  }
  const Ranked *ranked = region.ranked((sizeof(Sample) + 1) & 1);
  u32 all = 0; // samples that have a rank
  for (u32 step = 1u << 31; step > 0; step /= 2) {
    if (all + step <= n && all + step > all && ranked[all + step - 1].key != noKey) all += step;
  }
  u32 size = greatest((all + rankGroups - 1) / rankGroups, 1u);
  for (u32 i = thread; i < n; i += medianSortThreads) {
    Ranked r = ranked[i];
    region.codes()[(r.place >> 16) * region.columns + (r.place & 0xffff)] = (u8)(i < all ? i / size : noRank);
  }
  if (thread < 256) region.heads()[thread] = thread * size < all ? ranked[thread * size].key : noKey;
  if (thread == 0) {
    region.size()[0] = size;
    region.size()[1] = all;
  }
}
