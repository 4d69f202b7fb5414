// Kernels that are for tests of the emulation itself: ones that do what no kernel may, and one with the shape of a
// persistent kernel whose warps do different work.
#include "../../../kernels/cuda/async.cuh"

// Which thing to do, on how many words of memory.
struct SelftestParams {
  Ptr<u32> words;
  u32 n;
  u32 what;
};

KERNEL(selftest_faults, 64, SelftestParams) {
  u32 *words = p.words.get();
  struct Shared {
    u32 words[64];
  };
  SHARED(Shared, block);
  u32 *shared = block.words;
  switch (p.what) {
  case 0: // nothing wrong
    words[threadInBlock()] = blockNumber();
    break;
  case 1: // behind the allocation
    words[p.n] = 1;
    break;
  case 2: // far from any
    words[1 << 28] = 1;
    break;
  case 3: // a barrier that some threads do not come to, for they wait for others that are there
    if (threadInBlock() < 48) {
      syncBlock();
    } else {
      syncWarp();
    }
    break;
  case 4: // different operations in one warp
    if (laneNumber() < 16) {
      ballot(true);
    } else {
      shuffle(1, 0);
    }
    break;
  case 5: // an operation without the whole warp
    if (laneNumber() < 16) return;
    ballot(true);
    break;
  case 6: // waits for what nobody does
    while (loadRelaxed(reinterpret_cast<u64 *>(words)) != 1) pause();
    break;
  case 7: // a barrier too few: neighbours in other warps may not have written
    shared[threadInBlock()] = threadInBlock() + 1;
    words[blockNumber() * 64 + threadInBlock()] = shared[63 - threadInBlock()];
    break;
  case 8: // the same with the barrier
    shared[threadInBlock()] = threadInBlock() + 1;
    syncBlock();
    words[blockNumber() * 64 + threadInBlock()] = shared[63 - threadInBlock()];
    break;
  case 9: // waits for a block with a higher number; on a device, for one that may never start
    if (blockNumber() + 1 < blockCount()) {
      while (loadRelaxed(reinterpret_cast<u64 *>(words) + blockNumber() + 1) != 1) pause();
    }
    if (threadInBlock() == 0) storeRelaxed(reinterpret_cast<u64 *>(words) + blockNumber(), 1);
    break;
  }
}

// 26 warps: 24 copy and add up, one collects, and one only waits. All blocks meet twice by a counter in global
// memory, which needs them all to run at once. words: 16-byte aligned input of n words for each block, then a sum
// for each block, then the counter (8 bytes).
KERNEL(selftest_roles, 832, SelftestParams) {
  constexpr u32 workers = 24, stages = 3;
  char *memory = dynamicShared();
  auto slots = reinterpret_cast<u32 *>(memory); // of 4 words a lane
  auto sums = slots + workers * stages * warpLanes * 4;
  auto full = reinterpret_cast<u64 *>(memory + 210 * 1024 - 8 * stages);
  u32 warp = threadInBlock() / warpLanes, lane = laneNumber();
  if (threadInBlock() == 0) {
    for (u32 s = 0; s < stages; s++) initBarrier(full + s, workers + 1);
  }
  syncBlock();
  const u32 *input = p.words.get() + (u64)blockNumber() * p.n;
  u32 rounds = p.n / (workers * warpLanes * 4);
  if (warp < workers) {
    u32 *mine = slots + warp * stages * warpLanes * 4;
    auto fetch = [&](u32 round) {
      if (round < rounds) {
        copy16Async(mine + (round % stages * warpLanes + lane) * 4, input + ((round * workers + warp) * warpLanes + lane) * 4);
      }
      commitCopies();
    };
    for (u32 r = 0; r + 1 < stages; r++) fetch(r);
    for (u32 r = 0; r < rounds; r++) {
      fetch(r + stages - 1);
      waitForCopies<stages - 1>();
      syncWarp();
      const u32 *slot = mine + r % stages * warpLanes * 4; // the words that the neighbour copied
      u32 sum = 0;
      for (u32 k = 0; k < 4; k++) sum += slot[(lane ^ 1) * 4 + k];
      sum = sumOfWarp(sum);
      if (lane == 0) {
        sums[r * workers + warp] = sum;
        arrive(full + r % stages);
      }
      waitForPhase(full + r % stages, r / stages & 1);
    }
    waitForCopies<0>();
  } else if (warp == workers) {
    u32 total = 0;
    for (u32 r = 0; r < rounds; r++) {
      if (lane == 0) arrive(full + r % stages); // so that no phase ends twice before it is seen here
      waitForPhase(full + r % stages, r / stages & 1);
      total += lane < workers ? sums[r * workers + lane] : 0;
    }
    total = sumOfWarp(total);
    if (lane == 0) (p.words.get() + (u64)blockCount() * p.n)[blockNumber()] = total;
  }
  syncBlock();
  auto counter = reinterpret_cast<u64 *>(p.words.get() + (u64)blockCount() * (p.n + 2));
  if (threadInBlock() == 0) {
    atomicAdd(counter, (u64)1);
    while (loadRelaxed(counter) < blockCount()) pause();
  }
}
