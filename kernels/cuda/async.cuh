// What sm_80 and later add for kernels whose warps do different work: copies that go on while a thread does other
// things, barriers that count arrivals, and (for older devices too) sums over a warp and memory of a block sized by
// the launch. Needs PTX 7.1 on sm_80 and later.
#pragma once
#include "device.cuh"

#if defined(__CUDA_ARCH__)

// The block's memory that the launch asked for, aligned to 1024 bytes.
extern __attribute__((shared)) __attribute__((aligned(1024))) char dynamicSharedBytes[];
DEV char *dynamicShared() { return dynamicSharedBytes; }

DEV u32 sharedAddress(const void *p) {
  return (u32)(u64)(__attribute__((address_space(3))) const void *)p;
}

// A barrier in memory of the block: a phase ends when `count` threads have arrived, and the next begins. The phases
// have parity 0, 1, 0, ...
DEV void initBarrier(u64 *barrier, u32 count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" : : "r"(sharedAddress(barrier)), "r"(count) : "memory");
}
DEV void arrive(u64 *barrier) {
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" : : "r"(sharedAddress(barrier)) : "memory");
}
DEV bool phaseEnded(u64 *barrier, u32 parity) {
  u32 ended;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(ended)
               : "r"(sharedAddress(barrier)), "r"(parity)
               : "memory");
  return ended;
}

// Leaves the others of the multiprocessor their turns for a while.
DEV void pauseShortly() { asm volatile("nanosleep.u32 100;" : : : "memory"); }

// Copies 16 bytes from global memory to the block's; both addresses are multiples of 16. It is there once the
// thread has waited for its group, and other threads may read it after they have met this one.
DEV void copy16Async(void *shared, const void *global) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(sharedAddress(shared)), "l"(global) : "memory");
}
// Makes a group, maybe an empty one, of the thread's copies since the last.
DEV void commitCopies() { asm volatile("cp.async.commit_group;" : : : "memory"); }
// Waits until at most `left` of the thread's groups are still under way, the newest.
template <u32 left> DEV void waitForCopies() { asm volatile("cp.async.wait_group %0;" : : "n"(left) : "memory"); }

DEV u32 sumOfWarp(u32 v) {
#if __CUDA_ARCH__ >= 800
  u32 r;
  asm volatile("redux.sync.add.u32 %0, %1, %2;" : "=r"(r) : "r"(v), "r"(allLanes));
  return r;
#else
  for (u32 d = 1; d < warpLanes; d *= 2) v += shuffle(v, laneNumber() ^ d);
  return v;
#endif
}

#else
#include "host_async.cuh"
#endif

// The whole warp waits for the end of a phase. It leaves the loop by a vote, so that it stays together.
DEV void waitForPhase(u64 *barrier, u32 parity) {
  while (ballot(phaseEnded(barrier, parity)) != allLanes) pauseShortly();
}

// The warp arrives at a barrier of `arrivals` for each warp: by its first lane, once all lanes are done with what they
// wrote. Tools that look for races do not see that the others' writes come before; for them every lane arrives.
#if defined(SEGSCAN_EVERY_LANE_ARRIVES)
constexpr u32 arrivals = warpLanes;
DEV void arriveForWarp(u64 *barrier) { arrive(barrier); }
#else
constexpr u32 arrivals = 1;
DEV void arriveForWarp(u64 *barrier) {
  syncWarp();
  if (laneNumber() == 0) arrive(barrier);
}
#endif
