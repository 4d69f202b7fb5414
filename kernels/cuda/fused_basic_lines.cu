// The same for devices older than sm_80. Their launch is gpu/fused.go.
#include "fused_lines.cuh"
#include "fused_basic.cuh"

typedef Shape<u8, 4> ShapeU8;
typedef Shape<u16, 2> ShapeU16;
typedef Shape<f32, 1> ShapeF32;

KERNEL(fused_basic_lines_u8, fusedBasicThreads, FusedParams) { fusedBasicBlock<LineClasses<ShapeU8>>(p); }
KERNEL(fused_basic_lines_u16, fusedBasicThreads, FusedParams) { fusedBasicBlock<LineClasses<ShapeU16>>(p); }
KERNEL(fused_basic_lines_f32, fusedBasicThreads, FusedParams) { fusedBasicBlock<LineClasses<ShapeF32>>(p); }
