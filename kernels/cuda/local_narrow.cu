// Local means of 8-bit samples in windows up to 33 columns wide, from samples to two bit planes: v <= T, and v > T + margin. The
// definition is kernels/local_sums.go, the launch gpu/local_matrix.go.
#include "local_narrow.cuh"

// An entry of which twelve blocks are to fit a multiprocessor.
#if defined(__CUDA_ARCH__)
#define NARROW_KERNEL(name) extern "C" __attribute__((global)) __attribute__((launch_bounds(localNarrowThreads, 12))) void name(const LocalParams p)
#else
#define NARROW_KERNEL(name) KERNEL(name, localNarrowThreads, LocalParams)
#endif

NARROW_KERNEL(local_narrow_u8) {
  if (p.lowFrom == p.highBelow) {
    narrowTile<false>(p);
  } else {
    narrowTile<true>(p);
  }
}
