// The other half of kernels/cuda/async.cuh: a barrier is a word that counts, a copy happens at once or as late as
// its thread allows, by chance.
#pragma once
#include "host.cuh"

DEV char *dynamicShared() { return static_cast<char *>(emulation::dynamicSharedMemory()); }

// In the word: arrivals that are missing in bits 0-15, the count in bits 16-31, the parity of the phase in bit 32.
DEV void initBarrier(u64 *barrier, u32 count) { *barrier = count | (u64)count << 16; }
DEV void arrive(u64 *barrier) {
  u64 missing = *barrier & 0xffff, count = *barrier >> 16 & 0xffff, parity = *barrier >> 32;
  if (missing == 0 || missing > count || parity > 1) {
    emulation::kernelFault(719, "arrival at a barrier that has not been initialized");
  }
  if (--missing == 0) missing = count, parity ^= 1;
  *barrier = missing | count << 16 | parity << 32;
}
DEV bool phaseEnded(u64 *barrier, u32 parity) {
  emulation::yield();
  return *barrier >> 32 != parity;
}

DEV void pauseShortly() {}

DEV void copy16Async(void *shared, const void *global) { emulation::copyLater(shared, global, 16); }
DEV void commitCopies() { emulation::commitCopies(); }
template <u32 left> DEV void waitForCopies() { emulation::waitForCopies(left); }

DEV u32 sumOfWarp(u32 v) {
  auto all = emulation::meetWarp(emulation::Meeting::sum, v)->values;
  u32 sum = 0;
  for (u32 lane = 0; lane < warpLanes; lane++) sum += all[lane];
  return sum;
}
