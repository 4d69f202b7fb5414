// The fused kernels for thresholds of each line; see fused_lines.cuh. Their launch is gpu/fused.go.
#include "fused_lines.cuh"
#include "fused_pipeline.cuh"

typedef Shape<u8, 4> ShapeU8;
typedef Shape<u16, 2> ShapeU16;
typedef Shape<f32, 1> ShapeF32;

KERNEL(fused_lines_u8, fusedThreads, FusedParams) { fusedBlock<LineClasses<ShapeU8>>(p); }
KERNEL(fused_lines_u16, fusedThreads, FusedParams) { fusedBlock<LineClasses<ShapeU16>>(p); }
KERNEL(fused_lines_f32, fusedThreads, FusedParams) { fusedBlock<LineClasses<ShapeF32>>(p); }
