// The other half of kernels/cuda/device.cuh: the same names for a compiler of plain C++. A thread of a block is a
// fiber, a warp operation a meeting of 32 fibers, memory of a block a piece of an arena; see block.h.
#pragma once
#include "block.h"

#define DEV [[maybe_unused]] static inline
#define DEV_MEMBER inline
#define UNROLL
#define NO_UNROLL

// An entry registers itself under its name when the library is loaded.
#define KERNEL(name, threads, params)                                                                    \
  static void name##Body(const params p);                                                                \
  static const emulation::Registration name##Registration(                                               \
      #name, threads, sizeof(params), [](const void *p) { name##Body(*static_cast<const params *>(p)); }); \
  static void name##Body(const params p)

// The address of tag tells the declarations of a block apart, in every instance of a template its own.
#define SHARED(type, name)                                   \
  type &name = *static_cast<type *>(emulation::sharedMemory( \
      [] {                                                   \
        static char tag;                                     \
        return &tag;                                         \
      }(),                                                   \
      sizeof(type), alignof(type)))

DEV u32 threadInBlock() { return emulation::current->thread; }
DEV u32 blockNumber() { return emulation::current->block->number; }
DEV u32 blockCount() { return emulation::current->block->launch->grid; }
DEV u32 laneNumber() { return emulation::current->thread % warpLanes; }

DEV void syncBlock() { emulation::meetBlock(); }
DEV void syncWarp() { emulation::meetWarp(emulation::Meeting::sync, 0); }
DEV u32 ballot(bool p) { return emulation::meetWarp(emulation::Meeting::ballot, p)->ballot; }
DEV u32 shuffle(u32 v, u32 lane) {
  return emulation::meetWarp(emulation::Meeting::shuffle, v)->values[lane % warpLanes];
}
DEV u32 shuffleUp(u32 v, u32 d) {
  auto all = emulation::meetWarp(emulation::Meeting::shuffleUp, v)->values;
  return laneNumber() >= d ? all[laneNumber() - d] : v;
}
DEV u32 shuffleDown(u32 v, u32 d) {
  auto all = emulation::meetWarp(emulation::Meeting::shuffleDown, v)->values;
  return laneNumber() + d < warpLanes ? all[laneNumber() + d] : v;
}
DEV u32 matchLanes(u32 v) {
  auto all = emulation::meetWarp(emulation::Meeting::match, v)->values;
  u32 same = 0;
  for (u32 lane = 0; lane < warpLanes; lane++) same |= (u32)(all[lane] == v) << lane;
  return same;
}

DEV u32 countOnes(u32 x) { return (u32)__builtin_popcount(x); }
DEV u32 countOnes64(u64 x) { return (u32)__builtin_popcountll(x); }
DEV u32 leadingZeros(u32 x) { return x ? (u32)__builtin_clz(x) : 32; }
DEV u32 trailingZeros(u32 x) { return x ? (u32)__builtin_ctz(x) : 32; }

DEV u32 atomicAdd(u32 *p, u32 v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
DEV u64 atomicAdd(u64 *p, u64 v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
DEV u32 atomicOr(u32 *p, u32 v) { return __atomic_fetch_or(p, v, __ATOMIC_RELAXED); }
DEV u32 atomicMax(u32 *p, u32 v) {
  u32 old = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (old < v && !__atomic_compare_exchange_n(p, &old, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return old;
}
DEV u64 loadRelaxed(const u64 *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
DEV void storeRelaxed(u64 *p, u64 v) {
  __atomic_store_n(p, v, __ATOMIC_RELAXED);
  emulation::perhapsYield(); // so that others see every state of a descriptor
}
DEV void pause() { emulation::yield(); }

DEV u32 floatBits(f32 v) { return __builtin_bit_cast(u32, v); }
DEV u32 inRegister(u32 v) { return v; }

template <class T> DEV T *devicePointer(u64 address) {
  return static_cast<T *>(emulation::checkedAddress(address, alignof(T)));
}
