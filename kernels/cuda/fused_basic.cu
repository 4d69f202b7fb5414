// The fused kernels for devices older than sm_80; see fused_basic.cuh. Their launch is gpu/fused.go.
#include "fused_classes.cuh"
#include "fused_basic.cuh"

typedef Shape<u8, 4> ShapeU8;
typedef Shape<u16, 2> ShapeU16;
typedef Shape<f32, 1> ShapeF32;
static_assert(warpBytes<ShapeU8>(1, false) == fusedBasicWarpBytesU8 && warpBytes<ShapeU16>(1, false) == fusedBasicWarpBytesU16 &&
                  warpBytes<ShapeF32>(1, false) == fusedBasicWarpBytesF32,
              "memory of a warp");

KERNEL(fused_basic_u8, fusedBasicThreads, FusedParams) { fusedBasicBlock<ThresholdClasses<ShapeU8>>(p); }
KERNEL(fused_basic_u16, fusedBasicThreads, FusedParams) { fusedBasicBlock<ThresholdClasses<ShapeU16>>(p); }
KERNEL(fused_basic_f32, fusedBasicThreads, FusedParams) { fusedBasicBlock<FloatClasses<ShapeF32>>(p); }
KERNEL(fused_basic_intervals_u8, fusedBasicThreads, FusedParams) { fusedBasicBlock<IntervalClasses<ShapeU8>>(p); }
KERNEL(fused_basic_intervals_u16, fusedBasicThreads, FusedParams) { fusedBasicBlock<IntervalClasses<ShapeU16>>(p); }
KERNEL(fused_basic_table_u8, fusedBasicThreads, FusedParams) { fusedBasicBlock<ByteTableClasses<ShapeU8>>(p); }
KERNEL(fused_basic_table_u16, fusedBasicThreads, FusedParams) { fusedBasicBlock<WordTableClasses<ShapeU16>>(p); }
