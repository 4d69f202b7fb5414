// Values of windows in two passes: down the lines of a window, which leaves a value for each sample and column, and along
// them. What a value is, its type says: none, take a sample, join another.
//
// Extremes and float sums never take anything off again: lines (then samples) are grouped into blocks as long as the
// window, which covers the end of one and the start of the next. What comes of the ends is worked out once a block,
// backwards, what comes of the starts grows step by step (van Herk 1992). Blocks of sums begin where the page says, so
// that sums are added in one order, whatever the band.
#pragma once
#include "float.cuh"
#include "local_view.cuh"

// Sums of finite samples and of their squares, and how many there are.
struct FloatSums {
  double one, two, count;
  DEV_MEMBER static FloatSums none() { return FloatSums{0, 0, 0}; }
  DEV_MEMBER void take(f32 v) {
    if (!isFinite(v)) return;
    double y = v;
    one += y;
    two += y * y;
    count += 1;
  }
  DEV_MEMBER void join(const FloatSums &s) {
    one += s.one;
    two += s.two;
    count += s.count;
  }
};

DEV u32 pageColumns(const LocalParams &p) { return p.right - p.left; }

// Down the lines: a thread a column of the page, strips of lines.
template <class Sample, class Value> DEV void downLines(const LocalParams &p) {
  u32 columns = pageColumns(p), column = blockNumber() % p.tiles * plainThreads + threadInBlock(), strip = blockNumber() / p.tiles;
  if (column >= columns) return;
  i32 height = 2 * (i32)p.halfLines + 1, half = (i32)p.halfLines, line = (i32)(strip * p.stripLines);
  i32 end = least(line + (i32)p.stripLines, (i32)p.lines);
  auto samples = p.samples.as<const Sample>() + ((i64)(i32)p.left + column);
  auto out = p.columns.as<Value>() + column, tails = p.scratch.as<Value>() + (u64)strip * height * columns + column;
  auto at = [&](i32 l) { return (f32)samples[(i64)lineSeen(p, l) * (i64)p.pitch]; };
  while (line < end) {
    i32 in = (i32)((p.linePhase + (u32)line) % (u32)height), n = height - in; // of the window's first line in its block
    auto tail = Value::none(), head = Value::none();
    for (i32 j = n; j-- > 0;) {
      tail.take(at(line - half + j));
      tails[(u64)j * columns] = tail;
    }
    for (i32 j = 0; j < in; j++) head.take(at(line - half + n + j));
    for (i32 j = 0; j < n && line < end; j++, line++) {
      if (FAULT(109, j > 0, true)) head.take(at(line + half));
      Value v = tails[(u64)j * columns];
      if (in + j > 0) v.join(head);
      out[(u64)(u32)line * columns] = v;
    }
  }
}

// Along the lines: a thread a block of samples as long as the window. visit hears of it: begin with a line and its first
// sample, take with each sample and the value of its window, end.
template <class Value, class Visit> DEV void alongBlocks(const LocalParams &p, Visit &visit) {
  u32 columns = pageColumns(p);
  i32 window = 2 * (i32)p.halfSamples + 1, half = (i32)p.halfSamples, width = (i32)p.width;
  u32 blocks = (p.width + p.samplePhase + (u32)window - 1) / (u32)window;
  u64 all = (u64)p.lines * blocks, step = (u64)blockCount() * plainThreads;
  for (u64 i = (u64)blockNumber() * plainThreads + threadInBlock(); i < all; i += step) {
    u64 line = i / blocks;
    i32 first = (i32)((u32)(i - line * blocks) * (u32)window) - (i32)p.samplePhase, end = first + window;
    auto values = p.columns.as<const Value>() + line * columns;
    auto tails = p.scratch.as<Value>() + line * p.width;
    auto at = [&](i32 column) { return values[(u32)(sampleSeen(p, column - half) - (i32)p.left)]; };
    first = greatest(first, 0);
    auto tail = Value::none(), head = Value::none();
    for (i32 column = end; column-- > first;) {
      tail.join(at(column));
      if (column < width) tails[column] = tail;
    }
    for (i32 column = end; column < first + window - 1; column++) head.join(at(column));
    visit.begin(line, first);
    for (i32 x = first; x < least(end, width); x++) {
      Value v = tails[x];
      if (x + window - 1 >= end) {
        head.join(at(x + window - 1));
        v.join(head);
      }
      visit.take(x, v);
    }
    visit.end();
  }
}
