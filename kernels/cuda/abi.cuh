// What the kernels and the program that launches them agree on: sizes, layouts, parameters. It stands once, here;
// abi.go says the same to Go, and a test reads this file and compares every number and every field.
//
// Rules, so that the test can read it: a constant is one line `constexpr u32 name = number;`, a field is one line
// `type name;`, and ABI_SIZE, ABI_AT give sizes and offsets in bytes. A field has the same name in Go but for its
// first letter. Ptr<T> is a device address (8 bytes), 0 where a kernel does not need it. What is aligned to its size
// moves in one load or store; arrays in device memory must be aligned as their elements.
#pragma once
#include "device.cuh"

// Tiles: blocks of consecutive samples of a band, lines laid end to end. Every kernel on tiles comes twice, as
// `name` with the shipped tile and as `name_small` with the smallest, which tests use to have many.
constexpr u32 tileThreads = 256;
constexpr u32 tileItems = 8;
constexpr u32 tileSamples = 2048;
constexpr u32 smallThreads = 64;
constexpr u32 smallItems = 1;
constexpr u32 smallSamples = 64;
static_assert(tileSamples == tileThreads * tileItems && smallSamples == smallThreads * smallItems, "tile sizes");

// Counts a block of the multi-pass scan of counts: a block of tileThreads or smallThreads takes this many.
constexpr u32 countsBlock = 1024;
constexpr u32 countsSmall = 64;

// Threads of a block of every kernel that is not on tiles.
constexpr u32 plainThreads = 256;
// Samples a block of the histograms takes at a time, and samples of a float sum.
constexpr u32 histogramUnit = 16384;
constexpr u32 sumSamples = 64;
// Spans with at least this many samples inside belong to measure_long.
constexpr u32 measureLong = 65536;

// A pair, 8 bytes: the element of the scan. index is the position of the last boundary in its line, noIndex where
// there is none; state holds the flag (0, 1, 2) in bits 0-1 and the head in bit 2. Results of the scan have no head.
constexpr u32 noIndex = 0xffffffff;
constexpr u32 flagMask = 3;
constexpr u32 headBit = 4;
struct alignas(8) Pair {
  u32 index;
  u32 state;
};

// A span, both ends inclusive, in samples of the line.
struct alignas(8) Bound {
  u32 start;
  u32 end;
};

// A mark, 1 byte a sample: the kind in bits 0-1, the virtual ends of its span in bits 2-3.
constexpr u32 markNone = 0;
constexpr u32 markKept = 1;
constexpr u32 markRejected = 2;
constexpr u32 markDropped = 3;
constexpr u32 markEdgeShift = 2;
constexpr u32 edgeLeft = 1;
constexpr u32 edgeRight = 2;
// Edge rules.
constexpr u32 edgesDrop = 0;
constexpr u32 edgesKeep = 1;

// A descriptor of a tile, 64 bits, for look-back: the status in bits 62-63, below it the value (the scan: index in
// bits 0-31, state in bits 32-34; the compaction: a count of spans).
constexpr u32 statusShift = 62;
constexpr u32 statusAggregate = 1;
constexpr u32 statusPrefix = 2;

// Lines whose edge bits share a word: 4 bits a line, kept spans in the lower two.
constexpr u32 edgeLines = 8;

struct alignas(16) Counts {
  u64 kept;
  u64 rejected;
};
ABI_SIZE(Counts, 16);

// classify_u8, classify_u16, classify_f32, classify_table_u8, classify_table_u16.
struct ClassifyParams {
  Ptr<void> samples;
  Ptr<u32> bounds;
  Ptr<u8> table;
  Ptr<Pair> pairs;
  u64 n;
  u64 pitch;
  u32 width;
  u32 pos;
  u32 lo;
  u32 hi;
  u32 swap;
  u32 nanClass;
  u32 continued;
  u32 unused;
};
ABI_SIZE(ClassifyParams, 80);
ABI_AT(ClassifyParams, samples, 0);
ABI_AT(ClassifyParams, bounds, 8);
ABI_AT(ClassifyParams, table, 16);
ABI_AT(ClassifyParams, pairs, 24);
ABI_AT(ClassifyParams, n, 32);
ABI_AT(ClassifyParams, pitch, 40);
ABI_AT(ClassifyParams, width, 48);
ABI_AT(ClassifyParams, pos, 52);
ABI_AT(ClassifyParams, lo, 56);
ABI_AT(ClassifyParams, hi, 60);
ABI_AT(ClassifyParams, swap, 64);
ABI_AT(ClassifyParams, nanClass, 68);
ABI_AT(ClassifyParams, continued, 72);
ABI_AT(ClassifyParams, unused, 76);

// classify_masks, pack_masks.
struct MaskParams {
  Ptr<Pair> pairs;
  Ptr<u64> boundary;
  Ptr<u64> activation;
  u64 n;
  u64 words;
  u32 width;
  u32 wordsPerLine;
  u32 pos;
  u32 continued;
};
ABI_SIZE(MaskParams, 56);
ABI_AT(MaskParams, pairs, 0);
ABI_AT(MaskParams, boundary, 8);
ABI_AT(MaskParams, activation, 16);
ABI_AT(MaskParams, n, 24);
ABI_AT(MaskParams, words, 32);
ABI_AT(MaskParams, width, 40);
ABI_AT(MaskParams, wordsPerLine, 44);
ABI_AT(MaskParams, pos, 48);
ABI_AT(MaskParams, continued, 52);

// planes_u8, planes_u16, planes_f32, planes_table_u8, planes_table_u16.
struct PlanesParams {
  Ptr<void> samples;
  Ptr<u32> bounds;
  Ptr<u8> table;
  Ptr<u64> boundary;
  Ptr<u64> activation;
  u64 lines;
  u64 pitch;
  u32 width;
  u32 wordsPerLine;
  u32 lo;
  u32 hi;
  u32 swap;
  u32 nanClass;
};
ABI_SIZE(PlanesParams, 80);
ABI_AT(PlanesParams, samples, 0);
ABI_AT(PlanesParams, bounds, 8);
ABI_AT(PlanesParams, table, 16);
ABI_AT(PlanesParams, boundary, 24);
ABI_AT(PlanesParams, activation, 32);
ABI_AT(PlanesParams, lines, 40);
ABI_AT(PlanesParams, pitch, 48);
ABI_AT(PlanesParams, width, 56);
ABI_AT(PlanesParams, wordsPerLine, 60);
ABI_AT(PlanesParams, lo, 64);
ABI_AT(PlanesParams, hi, 68);
ABI_AT(PlanesParams, swap, 72);
ABI_AT(PlanesParams, nanClass, 76);

// scan.
struct ScanParams {
  Ptr<Pair> pairs;
  Ptr<Pair> scan;
  Ptr<u64> state;
  Ptr<Pair> aggregates;
  u64 n;
  u32 beforeIndex;
  u32 beforeFlag;
};
ABI_SIZE(ScanParams, 48);
ABI_AT(ScanParams, pairs, 0);
ABI_AT(ScanParams, scan, 8);
ABI_AT(ScanParams, state, 16);
ABI_AT(ScanParams, aggregates, 24);
ABI_AT(ScanParams, n, 32);
ABI_AT(ScanParams, beforeIndex, 40);
ABI_AT(ScanParams, beforeFlag, 44);

// readout.
struct ReadoutParams {
  Ptr<Pair> scan;
  Ptr<u8> marks;
  Ptr<u64> dropped;
  u64 n;
  u32 width;
  u32 pos;
  u32 edges;
  u32 ends;
  u32 beforeIndex;
  u32 beforeFlag;
};
ABI_SIZE(ReadoutParams, 56);
ABI_AT(ReadoutParams, scan, 0);
ABI_AT(ReadoutParams, marks, 8);
ABI_AT(ReadoutParams, dropped, 16);
ABI_AT(ReadoutParams, n, 24);
ABI_AT(ReadoutParams, width, 32);
ABI_AT(ReadoutParams, pos, 36);
ABI_AT(ReadoutParams, edges, 40);
ABI_AT(ReadoutParams, ends, 44);
ABI_AT(ReadoutParams, beforeIndex, 48);
ABI_AT(ReadoutParams, beforeFlag, 52);

// compact, compact_local, compact_stitch.
struct CompactParams {
  Ptr<u8> marks;
  Ptr<Pair> scan;
  Ptr<u64> state;
  Ptr<u16> local;
  Ptr<Counts> counts;
  Ptr<Bound> kept;
  Ptr<Bound> rejected;
  Ptr<u64> keptFirst;
  Ptr<u64> rejectedFirst;
  Ptr<u32> edges;
  Ptr<Counts> total;
  u64 keptCapacity;
  u64 rejectedCapacity;
  u64 n;
  u32 width;
  u32 pos;
  u32 beforeIndex;
  u32 wantRejected;
};
ABI_SIZE(CompactParams, 128);
ABI_AT(CompactParams, marks, 0);
ABI_AT(CompactParams, scan, 8);
ABI_AT(CompactParams, state, 16);
ABI_AT(CompactParams, local, 24);
ABI_AT(CompactParams, counts, 32);
ABI_AT(CompactParams, kept, 40);
ABI_AT(CompactParams, rejected, 48);
ABI_AT(CompactParams, keptFirst, 56);
ABI_AT(CompactParams, rejectedFirst, 64);
ABI_AT(CompactParams, edges, 72);
ABI_AT(CompactParams, total, 80);
ABI_AT(CompactParams, keptCapacity, 88);
ABI_AT(CompactParams, rejectedCapacity, 96);
ABI_AT(CompactParams, n, 104);
ABI_AT(CompactParams, width, 112);
ABI_AT(CompactParams, pos, 116);
ABI_AT(CompactParams, beforeIndex, 120);
ABI_AT(CompactParams, wantRejected, 124);

// compact_counts, compact_bases.
struct CountsParams {
  Ptr<Counts> counts;
  Ptr<Counts> sums;
  u64 n;
};
ABI_SIZE(CountsParams, 24);
ABI_AT(CountsParams, counts, 0);
ABI_AT(CountsParams, sums, 8);
ABI_AT(CountsParams, n, 16);

// What histogram_f32 counts beside the bins, one a histogram. Keys are order-preserving; both are maxima, so that
// zero is empty.
struct FloatCounts {
  u64 nan;
  u64 infinite;
  u32 maxKey;
  u32 maxInverseKey;
};
ABI_SIZE(FloatCounts, 24);
ABI_AT(FloatCounts, nan, 0);
ABI_AT(FloatCounts, infinite, 8);
ABI_AT(FloatCounts, maxKey, 16);
ABI_AT(FloatCounts, maxInverseKey, 20);

// histogram_u8, histogram_u16, histogram_f32, histogram_fine_f32.
struct HistogramParams {
  Ptr<void> samples;
  Ptr<u64> bins;
  Ptr<FloatCounts> counts;
  Ptr<u32> fineIndex;
  u64 lines;
  u64 pitch;
  u32 width;
  u32 perLine;
};
ABI_SIZE(HistogramParams, 56);
ABI_AT(HistogramParams, samples, 0);
ABI_AT(HistogramParams, bins, 8);
ABI_AT(HistogramParams, counts, 16);
ABI_AT(HistogramParams, fineIndex, 24);
ABI_AT(HistogramParams, lines, 32);
ABI_AT(HistogramParams, pitch, 40);
ABI_AT(HistogramParams, width, 48);
ABI_AT(HistogramParams, perLine, 52);

// A sum and the sum of squares, float64.
struct alignas(16) Sums {
  double sum;
  double sq;
};
ABI_SIZE(Sums, 16);

// sum_blocks_f32, sum_lines_f32.
struct SumParams {
  Ptr<f32> samples;
  Ptr<Sums> blocks;
  Ptr<Sums> sums;
  u64 lines;
  u64 pitch;
  u32 width;
  u32 blocksPerLine;
};
ABI_SIZE(SumParams, 48);
ABI_AT(SumParams, samples, 0);
ABI_AT(SumParams, blocks, 8);
ABI_AT(SumParams, sums, 16);
ABI_AT(SumParams, lines, 24);
ABI_AT(SumParams, pitch, 32);
ABI_AT(SumParams, width, 40);
ABI_AT(SumParams, blocksPerLine, 44);

// What is measured of one span: samples inside, those that are not NaN, activations; the sum as an integer or as
// the bits of a float64; the extremes as integers or as order-preserving keys (no meaning where used is 0).
struct Measured {
  u64 n;
  u64 used;
  u64 activations;
  u64 sum;
  u32 min;
  u32 max;
};
ABI_SIZE(Measured, 40);
ABI_AT(Measured, n, 0);
ABI_AT(Measured, used, 8);
ABI_AT(Measured, activations, 16);
ABI_AT(Measured, sum, 24);
ABI_AT(Measured, min, 32);
ABI_AT(Measured, max, 36);

// measure_u8, measure_u16, measure_f32, measure_long_u8, measure_long_u16, measure_long_f32.
struct MeasureParams {
  Ptr<void> samples;
  Ptr<Bound> spans;
  Ptr<u64> first;
  Ptr<u8> lineEdges;
  Ptr<u64> activation;
  Ptr<Measured> out;
  Ptr<u64> list;
  u64 count;
  u64 lines;
  u64 pitch;
  u32 width;
  u32 wordsPerLine;
};
ABI_SIZE(MeasureParams, 88);
ABI_AT(MeasureParams, samples, 0);
ABI_AT(MeasureParams, spans, 8);
ABI_AT(MeasureParams, first, 16);
ABI_AT(MeasureParams, lineEdges, 24);
ABI_AT(MeasureParams, activation, 32);
ABI_AT(MeasureParams, out, 40);
ABI_AT(MeasureParams, list, 48);
ABI_AT(MeasureParams, count, 56);
ABI_AT(MeasureParams, lines, 64);
ABI_AT(MeasureParams, pitch, 72);
ABI_AT(MeasureParams, width, 80);
ABI_AT(MeasureParams, wordsPerLine, 84);

// The fused kernels: samples to spans in one launch. A warp takes a run of runBytes (small: the smallest, for tests),
// a block a tile of as many runs as it has pixel warps. abi.go says what the fields mean.
constexpr u32 fusedWarps = 24;
constexpr u32 fusedThreads = 832;
constexpr u32 fusedLag = 3;
constexpr u32 fusedFixedBytes = 4608;
constexpr u32 fusedBasicWarps = 8;
constexpr u32 fusedBasicThreads = 256;
constexpr u32 fusedBasicFixedBytes = 896;
// Bytes of the block's memory for each pixel warp: of fused, of fused_basic, by sample type.
constexpr u32 fusedWarpBytesU8 = 9216;
constexpr u32 fusedWarpBytesU16 = 7168;
constexpr u32 fusedWarpBytesF32 = 6144;
constexpr u32 fusedBasicWarpBytesU8 = 5248;
constexpr u32 fusedBasicWarpBytesU16 = 4736;
constexpr u32 fusedBasicWarpBytesF32 = 4480;
// Samples of a run by sample type, and the smallest for all types.
constexpr u32 fusedRunU8 = 4096;
constexpr u32 fusedRunU16 = 2048;
constexpr u32 fusedRunSmall = 1024;
// Counters of the dropped runs of an image, which blocks share among them: one alone would be in too great demand.
constexpr u32 fusedDropCounters = 32;
// The longest band, in samples with padding: positions are 32 bits.
constexpr u32 fusedSamples = 4293918720;
// Classes of samples.
constexpr u32 classOther = 0;
constexpr u32 classBoundary = 1;
constexpr u32 classActivation = 2;
// Of highBits: which bounds have the top bit of a sample.
constexpr u32 highLo = 1;
constexpr u32 highHi = 2;
// Of highBits, for tables of intervals: a set is more than one interval.
constexpr u32 intervalLists = 4;
// Words of one set of a table of intervals, of which there are two.
constexpr u32 intervalWords = 16;
// Bytes of a table of classes of u16.
constexpr u32 fusedWordTableBytes = 16384;
// What is known before a sample or after the last.
constexpr u32 beforeActive = 1;
constexpr u32 beforeUnarmed = 2;
constexpr u32 beforeGap = 4;

// The result of a fused launch: spans, those over the capacity too, and what is known after the last sample (last is
// noIndex if there was no boundary).
struct FusedTotal {
  u32 count;
  u32 last;
  u32 state;
  u32 unused;
};
ABI_SIZE(FusedTotal, 16);

// One image of those that fused_many_* take.
struct FusedImage {
  Ptr<void> samples;
  u32 firstRun;
  u32 end;
  u32 front;
  u32 inside;
  u32 width;
  u32 pitch;
  u32 frontPhase;
  u32 wordPhase;
  u32 pitchReciprocal;
  u32 lastLow;
  u32 lastHigh;
  u32 overLow;
  u32 overHigh;
  u32 unused;
};
ABI_SIZE(FusedImage, 64);
ABI_AT(FusedImage, samples, 0);
ABI_AT(FusedImage, firstRun, 8);
ABI_AT(FusedImage, end, 12);
ABI_AT(FusedImage, front, 16);
ABI_AT(FusedImage, inside, 20);
ABI_AT(FusedImage, width, 24);
ABI_AT(FusedImage, pitch, 28);
ABI_AT(FusedImage, frontPhase, 32);
ABI_AT(FusedImage, wordPhase, 36);
ABI_AT(FusedImage, pitchReciprocal, 40);
ABI_AT(FusedImage, lastLow, 44);
ABI_AT(FusedImage, lastHigh, 48);
ABI_AT(FusedImage, overLow, 52);
ABI_AT(FusedImage, overHigh, 56);
ABI_AT(FusedImage, unused, 60);

// A run of those.
struct FusedRun {
  u32 image;
  u32 phase;
};
ABI_SIZE(FusedRun, 8);
ABI_AT(FusedRun, image, 0);
ABI_AT(FusedRun, phase, 4);

// fused_*, fused_basic_*.
struct FusedParams {
  Ptr<void> samples;
  Ptr<u32> classes;
  Ptr<u64> descriptors;
  Ptr<u32> ticket;
  Ptr<Bound> spans;
  Ptr<FusedTotal> total;
  Ptr<u32> dropped;
  Ptr<FusedImage> images;
  Ptr<FusedRun> runImages;
  u32 end;
  u32 front;
  u32 inside;
  u32 width;
  u32 pitch;
  u32 tiles;
  u32 warps;
  u32 epoch;
  u32 capacity;
  u32 cutLo;
  u32 cutHi;
  u32 topLo;
  u32 topHi;
  u32 highBits;
  u32 swap;
  u32 nanClass;
  u32 keep;
  u32 rejected;
  u32 beforeState;
  u32 beforeLast;
  u32 frontPhase;
  u32 stepPhase;
  u32 wordPhase;
  u32 pitchReciprocal;
  u32 lastLow;
  u32 lastHigh;
  u32 overLow;
  u32 overHigh;
  u32 origin;
  u32 lines;
  u32 runs;
  u32 imageCount;
  u32 zero;
  u32 unused;
};
ABI_SIZE(FusedParams, 208);
ABI_AT(FusedParams, samples, 0);
ABI_AT(FusedParams, classes, 8);
ABI_AT(FusedParams, descriptors, 16);
ABI_AT(FusedParams, ticket, 24);
ABI_AT(FusedParams, spans, 32);
ABI_AT(FusedParams, total, 40);
ABI_AT(FusedParams, dropped, 48);
ABI_AT(FusedParams, images, 56);
ABI_AT(FusedParams, runImages, 64);
ABI_AT(FusedParams, end, 72);
ABI_AT(FusedParams, front, 76);
ABI_AT(FusedParams, inside, 80);
ABI_AT(FusedParams, width, 84);
ABI_AT(FusedParams, pitch, 88);
ABI_AT(FusedParams, tiles, 92);
ABI_AT(FusedParams, warps, 96);
ABI_AT(FusedParams, epoch, 100);
ABI_AT(FusedParams, capacity, 104);
ABI_AT(FusedParams, cutLo, 108);
ABI_AT(FusedParams, cutHi, 112);
ABI_AT(FusedParams, topLo, 116);
ABI_AT(FusedParams, topHi, 120);
ABI_AT(FusedParams, highBits, 124);
ABI_AT(FusedParams, swap, 128);
ABI_AT(FusedParams, nanClass, 132);
ABI_AT(FusedParams, keep, 136);
ABI_AT(FusedParams, rejected, 140);
ABI_AT(FusedParams, beforeState, 144);
ABI_AT(FusedParams, beforeLast, 148);
ABI_AT(FusedParams, frontPhase, 152);
ABI_AT(FusedParams, stepPhase, 156);
ABI_AT(FusedParams, wordPhase, 160);
ABI_AT(FusedParams, pitchReciprocal, 164);
ABI_AT(FusedParams, lastLow, 168);
ABI_AT(FusedParams, lastHigh, 172);
ABI_AT(FusedParams, overLow, 176);
ABI_AT(FusedParams, overHigh, 180);
ABI_AT(FusedParams, origin, 184);
ABI_AT(FusedParams, lines, 188);
ABI_AT(FusedParams, runs, 192);
ABI_AT(FusedParams, imageCount, 196);
ABI_AT(FusedParams, zero, 200);
ABI_AT(FusedParams, unused, 204);

// bench_*: n samples of so many bytes (bench_fill), or n times 16 bytes.
struct BenchParams {
  Ptr<void> data;
  Ptr<u64> out;
  Ptr<u32> sink;
  u64 n;
  u64 seed;
  u32 every;
  u32 bytes;
  u32 writes;
  u32 unused;
};
ABI_SIZE(BenchParams, 56);
ABI_AT(BenchParams, data, 0);
ABI_AT(BenchParams, out, 8);
ABI_AT(BenchParams, sink, 16);
ABI_AT(BenchParams, n, 24);
ABI_AT(BenchParams, seed, 32);
ABI_AT(BenchParams, every, 40);
ABI_AT(BenchParams, bytes, 44);
ABI_AT(BenchParams, writes, 48);
ABI_AT(BenchParams, unused, 52);

// Local thresholds. A block of the kernels that add integers over windows takes this many columns, half a window on
// either side of its samples included.
constexpr u32 localColumns = 2048;
constexpr u32 localThreads = 256;
// The kernels that multiply matrices take this many columns, and at most so many more on either side that windows see.
constexpr u32 localMatrixColumns = 512;
constexpr u32 localMatrixHalo = 64;
constexpr u32 localMatrixThreads = 128;
constexpr u32 localNarrowColumns = 512;
constexpr u32 localNarrowThreads = 32;
// All kernels for local thresholds may read whole words, so many bytes before the first sample and after the last at most.
constexpr u32 localMargin = 32;
// What decides: kernels.LocalRule, by name.
constexpr u32 localMean = 0;
constexpr u32 localNiblack = 1;
constexpr u32 localSauvola = 2;
constexpr u32 localWolf = 3;
constexpr u32 localPhansalkar = 4;
constexpr u32 localMidrange = 5;
constexpr u32 localBernsen = 6;
// Where NaN goes, whatever the exchange of classes.
constexpr u32 localNanNone = 0;
constexpr u32 localNanLow = 1;
constexpr u32 localNanHigh = 2;
// Steps of the table of exp(-x) between two whole numbers.
constexpr u32 localDecaySteps = 64;

// local_*, passes_*.
struct LocalParams {
  Ptr<void> samples;
  Ptr<u32> low;
  Ptr<u32> high;
  Ptr<double> table;
  Ptr<void> columns;
  Ptr<void> scratch;
  u64 pitch;
  double area;
  double k;
  double r;
  double offset;
  double margin;
  double least;
  double p;
  double q;
  double range;
  double contrast;
  double centre;
  u64 lowFrom;
  u64 highBelow;
  u32 alpha;
  u32 beta;
  u32 gamma;
  u32 delta;
  u32 tolerance;
  u32 fast;
  u32 rule;
  u32 lines;
  u32 width;
  u32 wordsPerLine;
  u32 top;
  u32 bottom;
  u32 left;
  u32 right;
  u32 halfLines;
  u32 halfSamples;
  u32 edge;
  u32 nan;
  u32 stripLines;
  u32 tiles;
  u32 tileSamples;
  u32 linePhase;
  u32 samplePhase;
  u32 tableTop;
};
ABI_SIZE(LocalParams, 256);
ABI_AT(LocalParams, samples, 0);
ABI_AT(LocalParams, low, 8);
ABI_AT(LocalParams, high, 16);
ABI_AT(LocalParams, table, 24);
ABI_AT(LocalParams, columns, 32);
ABI_AT(LocalParams, scratch, 40);
ABI_AT(LocalParams, pitch, 48);
ABI_AT(LocalParams, area, 56);
ABI_AT(LocalParams, k, 64);
ABI_AT(LocalParams, r, 72);
ABI_AT(LocalParams, offset, 80);
ABI_AT(LocalParams, margin, 88);
ABI_AT(LocalParams, least, 96);
ABI_AT(LocalParams, p, 104);
ABI_AT(LocalParams, q, 112);
ABI_AT(LocalParams, range, 120);
ABI_AT(LocalParams, contrast, 128);
ABI_AT(LocalParams, centre, 136);
ABI_AT(LocalParams, lowFrom, 144);
ABI_AT(LocalParams, highBelow, 152);
ABI_AT(LocalParams, alpha, 160);
ABI_AT(LocalParams, beta, 164);
ABI_AT(LocalParams, gamma, 168);
ABI_AT(LocalParams, delta, 172);
ABI_AT(LocalParams, tolerance, 176);
ABI_AT(LocalParams, fast, 180);
ABI_AT(LocalParams, rule, 184);
ABI_AT(LocalParams, lines, 188);
ABI_AT(LocalParams, width, 192);
ABI_AT(LocalParams, wordsPerLine, 196);
ABI_AT(LocalParams, top, 200);
ABI_AT(LocalParams, bottom, 204);
ABI_AT(LocalParams, left, 208);
ABI_AT(LocalParams, right, 212);
ABI_AT(LocalParams, halfLines, 216);
ABI_AT(LocalParams, halfSamples, 220);
ABI_AT(LocalParams, edge, 224);
ABI_AT(LocalParams, nan, 228);
ABI_AT(LocalParams, stripLines, 232);
ABI_AT(LocalParams, tiles, 236);
ABI_AT(LocalParams, tileSamples, 240);
ABI_AT(LocalParams, linePhase, 244);
ABI_AT(LocalParams, samplePhase, 248);
ABI_AT(LocalParams, tableTop, 252);

// Medians of windows. Threads of a block that sorts a region; bytes before the samples of a region.
constexpr u32 medianSortThreads = 512;
constexpr u32 medianHeadBytes = 2048;
// median_*.
struct MedianParams {
  Ptr<void> samples;
  Ptr<u32> low;
  Ptr<u32> high;
  Ptr<u8> regions;
  u64 pitch;
  double offset;
  double margin;
  u64 regionBytes;
  u64 regionSamples;
  u32 lines;
  u32 width;
  u32 wordsPerLine;
  u32 top;
  u32 bottom;
  u32 left;
  u32 right;
  u32 halfLines;
  u32 halfSamples;
  u32 nan;
  u32 tileLines;
  u32 tileSamples;
  u32 tiles;
  u32 firstTile;
};
ABI_SIZE(MedianParams, 128);
ABI_AT(MedianParams, samples, 0);
ABI_AT(MedianParams, low, 8);
ABI_AT(MedianParams, high, 16);
ABI_AT(MedianParams, regions, 24);
ABI_AT(MedianParams, pitch, 32);
ABI_AT(MedianParams, offset, 40);
ABI_AT(MedianParams, margin, 48);
ABI_AT(MedianParams, regionBytes, 56);
ABI_AT(MedianParams, regionSamples, 64);
ABI_AT(MedianParams, lines, 72);
ABI_AT(MedianParams, width, 76);
ABI_AT(MedianParams, wordsPerLine, 80);
ABI_AT(MedianParams, top, 84);
ABI_AT(MedianParams, bottom, 88);
ABI_AT(MedianParams, left, 92);
ABI_AT(MedianParams, right, 96);
ABI_AT(MedianParams, halfLines, 100);
ABI_AT(MedianParams, halfSamples, 104);
ABI_AT(MedianParams, nan, 108);
ABI_AT(MedianParams, tileLines, 112);
ABI_AT(MedianParams, tileSamples, 116);
ABI_AT(MedianParams, tiles, 120);
ABI_AT(MedianParams, firstTile, 124);

// Expressions: kernels.Op and kernels.Instr, as a device reads them. A program has at most so many registers of each
// file; the last are bits.
constexpr u32 codeInts = 32;
constexpr u32 codeFloats = 32;
constexpr u32 codeBools = 64;
constexpr u32 codeNoReg = 65535;
struct alignas(8) CodeInstr {
  u16 op;
  u16 dst;
  u16 a;
  u16 b;
  u16 c;
  u16 unused;
  u32 more;
  u64 imm;
};
ABI_SIZE(CodeInstr, 24);
ABI_AT(CodeInstr, op, 0);
ABI_AT(CodeInstr, dst, 2);
ABI_AT(CodeInstr, a, 4);
ABI_AT(CodeInstr, b, 6);
ABI_AT(CodeInstr, c, 8);
ABI_AT(CodeInstr, unused, 10);
ABI_AT(CodeInstr, more, 12);
ABI_AT(CodeInstr, imm, 16);

// code_planes.
struct CodeParams {
  Ptr<void> samples;
  Ptr<void> red;
  Ptr<void> green;
  Ptr<void> blue;
  Ptr<void> alpha;
  Ptr<CodeInstr> code;
  Ptr<u32> boundary;
  Ptr<u32> activation;
  Ptr<u32> refused;
  u64 pitch;
  u64 colourPitch;
  u64 line;
  u64 sample;
  u32 lines;
  u32 width;
  u32 wordsPerLine;
  u32 count;
  u32 boundaryReg;
  u32 activationReg;
  u32 sampleType;
  u32 colourType;
  u32 columns;
  u32 swap;
  u32 nanClass;
  u32 ints;
  u32 floats;
  u32 unused;
};
ABI_SIZE(CodeParams, 160);
ABI_AT(CodeParams, samples, 0);
ABI_AT(CodeParams, red, 8);
ABI_AT(CodeParams, green, 16);
ABI_AT(CodeParams, blue, 24);
ABI_AT(CodeParams, alpha, 32);
ABI_AT(CodeParams, code, 40);
ABI_AT(CodeParams, boundary, 48);
ABI_AT(CodeParams, activation, 56);
ABI_AT(CodeParams, refused, 64);
ABI_AT(CodeParams, pitch, 72);
ABI_AT(CodeParams, colourPitch, 80);
ABI_AT(CodeParams, line, 88);
ABI_AT(CodeParams, sample, 96);
ABI_AT(CodeParams, lines, 104);
ABI_AT(CodeParams, width, 108);
ABI_AT(CodeParams, wordsPerLine, 112);
ABI_AT(CodeParams, count, 116);
ABI_AT(CodeParams, boundaryReg, 120);
ABI_AT(CodeParams, activationReg, 124);
ABI_AT(CodeParams, sampleType, 128);
ABI_AT(CodeParams, colourType, 132);
ABI_AT(CodeParams, columns, 136);
ABI_AT(CodeParams, swap, 140);
ABI_AT(CodeParams, nanClass, 144);
ABI_AT(CodeParams, ints, 148);
ABI_AT(CodeParams, floats, 152);
ABI_AT(CodeParams, unused, 156);
