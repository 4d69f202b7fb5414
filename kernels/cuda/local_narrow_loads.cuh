// The ring of lines that windows of local_narrow.cuh see, and how they come into it: four at a time, reflected where the
// page ends.
#pragma once
#include "async.cuh"
#include "local_view.cuh"

constexpr u32 narrowLines = 4;                     // that come in at once
constexpr u32 narrowOwn = localNarrowColumns / 16; // pieces of 16 columns of the tile; one on either side windows see too
static_assert(localNarrowThreads == warpLanes && narrowOwn == warpLanes, "a block is a warp, and each lane has a piece of a line");

// Where things lie in the block's memory.
struct NarrowRing {
  static constexpr u32 pitch = 16 * (narrowOwn + 2); // of a line
  u32 bytes; // of whole fours of lines

  DEV_MEMBER explicit NarrowRing(const LocalParams &p) : bytes(p.linePhase * pitch) {}
  // Of a line's pieces, counted from the first that windows see. The tile's own come first, in such an order that every
  // second one of 16 lies in other banks; then the one after and the one before.
  static DEV_MEMBER u32 piece(u32 i) {
    u32 own = i - 1;
    return 16 * (own < narrowOwn ? own ^ (own / 8 % 2) : own == narrowOwn ? narrowOwn : narrowOwn + 1);
  }
  static DEV_MEMBER u32 column(u32 i) { return piece(i / 16) + i % 16; }
  // Places so many lines before, and on the next line or the next four.
  DEV_MEMBER u32 before(u32 at, u32 back) const { return least(at - back * pitch, at - back * pitch + bytes); }
  DEV_MEMBER u32 next(u32 at) const { return least(at + pitch, at + pitch - bytes); } // one of the two is far too great
  DEV_MEMBER u32 nextLines(u32 at) const { return at + narrowLines * pitch == bytes ? 0 : at + narrowLines * pitch; }
};

// What of the page a tile's windows see.
struct NarrowPage {
  i32 first;    // column
  i32 top, end; // lines that are there and that windows of the lines in hand see
  bool border;  // some columns are not there

  DEV_MEMBER NarrowPage(const LocalParams &p, u32 tile) {
    first = (i32)(tile * localNarrowColumns) - 16;
    top = greatest((i32)p.top, -(i32)p.halfLines);
    end = least((i32)p.bottom, (i32)(p.lines + p.halfLines));
    border = first < (i32)p.left || first + (i32)(16 * (narrowOwn + 2)) > (i32)p.right;
  }
  // The lines from one on, as many as come in at once, are there as windows see them.
  DEV_MEMBER bool plain(i32 line) const { return !border && line >= top && line + FAULT(145, (i32)narrowLines, 1) <= end; }
  // Where the line's first column is that windows see at a line.
  static DEV_MEMBER u64 line(const LocalParams &p, i32 line) { return p.samples.address + (u64)((i64)lineSeen(p, line) * (i64)p.pitch); }
};

// Brings lines, which begin at multiples of 16 bytes: a lane a piece of each, and some lanes one beside the tile.
struct NarrowLoads {
  u64 next;     // where the lane's piece of the next line is
  u32 toBeside; // from there to the one beside the tile

  DEV_MEMBER NarrowLoads(const LocalParams &p, const NarrowPage &page, i32 line) {
    next = p.samples.address + (u64)((i64)line * (i64)p.pitch + page.first + (i32)(16 * piece(0)));
    toBeside = row(narrowLines) * (u32)p.pitch + 16 * (piece(narrowLines) - piece(0));
  }
  static DEV_MEMBER u32 row(u32 k) { return k < narrowLines ? k : laneNumber() / 2; }
  static DEV_MEMBER u32 piece(u32 k) { return k < narrowLines ? 1 + laneNumber() : laneNumber() % 2 * (narrowOwn + 1); }
  static DEV_MEMBER bool has(u32 k) { return k < narrowLines || laneNumber() < 2 * narrowLines; }
  static DEV_MEMBER u32 place(u32 k) { return row(k) * NarrowRing::pitch + NarrowRing::piece(piece(k)); }

  // Brings the next lines, of which `line` is the first, to a place in the ring: they are there when copies have been waited for.
  DEV_MEMBER void load(const LocalParams &p, const NarrowPage &page, i32 line, char *to) {
    if (page.plain(line)) {
      UNROLL for (u32 k = 0; k <= narrowLines; k++) {
        if (has(k)) copy(to + place(k), next + (u64)(i64)(i32)(k < narrowLines ? k * (u32)p.pitch : toBeside));
      }
    } else {
      UNROLL for (u32 k = 0; k <= narrowLines; k++) {
        i32 column = page.first + (i32)(16 * piece(k));
        // What is not on the page is mirrored later. There is memory around it for what is beside: see localMargin.
        if (has(k) && column > (i32)p.left - 16 && column < (i32)p.right) copy(to + place(k), page.line(p, line + (i32)row(k)) + (u64)(i64)column);
      }
    }
    commitCopies();
    next += narrowLines * p.pitch;
  }
  static DEV_MEMBER void copy(char *to, u64 at) { copy16Async(to, devicePointer<const Quad>(at)); }
};
