// The operator of the scan, on the device; nothing else writes this arithmetic. Its statement in Go, with the reasons
// and the proofs, is segment/flagandindex.go.
#pragma once
#include "abi.cuh"

DEV Pair identityPair() { return Pair{noIndex, 0}; }

// The value of one sample of class c (0 other, 1 boundary, 2 activation) at position i of its line.
DEV Pair liftPair(u32 c, u32 i, bool head) { return Pair{c == 1 ? i : noIndex, c | (head ? headBit : 0)}; }

DEV u32 flagOf(Pair a) { return a.state & flagMask; }

// The value of stretch a followed by stretch b: b alone if a line starts in it; else b resets what was known if it
// holds a boundary, and extends it if not. Associative, not commutative, total.
DEV Pair combinePairs(Pair a, Pair b) {
  if (b.state & headBit) return b;
  u32 head = a.state & headBit;
  if (b.index != noIndex) return Pair{b.index, b.state | head};
  return Pair{a.index, greatest(flagOf(a), flagOf(b)) | head};
}

// What the scans of tile.cuh must know of an operator: the identity, the combination in order, the exchange between
// lanes, and how a value travels in a descriptor (below the status).
struct PairOperator {
  typedef Pair Value;
  DEV_MEMBER static Pair identity() { return identityPair(); }
  DEV_MEMBER static Pair combine(Pair a, Pair b) { return combinePairs(a, b); }
  DEV_MEMBER static Pair up(Pair a, u32 d) { return Pair{shuffleUp(a.index, d), shuffleUp(a.state, d)}; }
  DEV_MEMBER static Pair down(Pair a, u32 d) { return Pair{shuffleDown(a.index, d), shuffleDown(a.state, d)}; }
  DEV_MEMBER static Pair of(Pair a, u32 lane) { return Pair{shuffle(a.index, lane), shuffle(a.state, lane)}; }
  DEV_MEMBER static u64 pack(Pair a) { return a.index | (u64)a.state << 32; }
  DEV_MEMBER static Pair unpack(u64 d) { return Pair{(u32)d, (u32)(d >> 32) & (flagMask | headBit)}; }
};

// Sums of counts.
struct SumOperator {
  typedef u64 Value;
  DEV_MEMBER static u64 identity() { return 0; }
  DEV_MEMBER static u64 combine(u64 a, u64 b) { return a + b; }
  DEV_MEMBER static u64 join(u32 low, u32 high) { return low | (u64)high << 32; }
  DEV_MEMBER static u64 up(u64 a, u32 d) { return join(shuffleUp((u32)a, d), shuffleUp((u32)(a >> 32), d)); }
  DEV_MEMBER static u64 down(u64 a, u32 d) { return join(shuffleDown((u32)a, d), shuffleDown((u32)(a >> 32), d)); }
  DEV_MEMBER static u64 of(u64 a, u32 lane) { return join(shuffle((u32)a, lane), shuffle((u32)(a >> 32), lane)); }
  DEV_MEMBER static u64 pack(u64 a) { return a; }
  DEV_MEMBER static u64 unpack(u64 d) { return d & ((1ull << statusShift) - 1); }
};
