// Local thresholds of integers by sums over windows, from samples to two bit planes: v <= T, and v > T + margin. The
// definition is kernels/local_sums.go and local_rules.go, the launch gpu/local.go.
#include "local_bytes_tile.cuh"

// An entry of which two blocks are to fit a multiprocessor.
#if defined(__CUDA_ARCH__)
#define LOCAL_KERNEL(name) \
  extern "C" __attribute__((global)) __attribute__((launch_bounds(localThreads, 2))) void name(const LocalParams p)
#else
#define LOCAL_KERNEL(name) KERNEL(name, localThreads, LocalParams)
#endif

LOCAL_KERNEL(local_mean_u8) { byteTile<false>(p); }
LOCAL_KERNEL(local_stats_u8) { byteTile<true>(p); }
LOCAL_KERNEL(local_mean_wide_u8) { localTile<WideSums<u8, false>>(p); }
LOCAL_KERNEL(local_stats_wide_u8) { localTile<WideSums<u8, true>>(p); }
LOCAL_KERNEL(local_mean_u16) { localTile<WideSums<u16, false>>(p); }
LOCAL_KERNEL(local_stats_u16) { localTile<WideSums<u16, true>>(p); }
