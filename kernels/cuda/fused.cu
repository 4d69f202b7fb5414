// The fused kernels for thresholds; see fused_pipeline.cuh. Their launch is gpu/fused.go.
#include "fused_classes.cuh"
#include "fused_pipeline.cuh"

typedef Shape<u8, 4> ShapeU8;
typedef Shape<u16, 2> ShapeU16;
typedef Shape<f32, 1> ShapeF32;
static_assert(ShapeU8::runSamples == fusedRunU8 && ShapeU16::runSamples == fusedRunU16 && ShapeF32::runSamples == fusedRunSmall,
              "runs");
static_assert(warpBytes<ShapeU8>(fusedKept, true) == fusedWarpBytesU8 && warpBytes<ShapeU16>(fusedKept, true) == fusedWarpBytesU16 &&
                  warpBytes<ShapeF32>(fusedKept, true) == fusedWarpBytesF32,
              "memory of a pixel warp");

KERNEL(fused_u8, fusedThreads, FusedParams) { fusedBlock<ThresholdClasses<ShapeU8>>(p); }
KERNEL(fused_u16, fusedThreads, FusedParams) { fusedBlock<ThresholdClasses<ShapeU16>>(p); }
KERNEL(fused_f32, fusedThreads, FusedParams) { fusedBlock<FloatClasses<ShapeF32>>(p); }
