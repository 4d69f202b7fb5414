// The order-preserving key of a float, as segment.FloatKey defines it.
#pragma once
#include "abi.cuh"

// Numbers keep their order, -0 and 0 have the same key, NaN lies beyond the infinities.
DEV u32 floatKey(f32 v) {
  u32 bits = floatBits(v);
  if (bits == 0x80000000) bits = 0;
  return bits ^ ((u32)((i32)bits >> 31) | 0x80000000);
}

DEV bool isFinite(f32 v) { return (floatBits(v) & 0x7f800000) != 0x7f800000; }
DEV bool isNaN(f32 v) { return v != v; }

// Keys of samples, in their order. That of NaN and infinities is above all others.
constexpr u32 noKey = 0xffffffff;
DEV u32 keyOf(u8 v) { return v; }
DEV u32 keyOf(u16 v) { return v; }
DEV u32 keyOf(f32 v) { return isFinite(v) ? floatKey(v) : noKey; }
