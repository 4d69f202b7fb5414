// The fused kernels for tables: of few intervals, and any. Their launch is gpu/fused.go.
#include "fused_classes.cuh"
#include "fused_pipeline.cuh"

typedef Shape<u8, 4> ShapeU8;
typedef Shape<u16, 2> ShapeU16;

KERNEL(fused_intervals_u8, fusedThreads, FusedParams) { fusedBlock<IntervalClasses<ShapeU8>>(p); }
KERNEL(fused_intervals_u16, fusedThreads, FusedParams) { fusedBlock<IntervalClasses<ShapeU16>>(p); }
KERNEL(fused_table_u8, fusedThreads, FusedParams) { fusedBlock<ByteTableClasses<ShapeU8>>(p); }
KERNEL(fused_table_u16, fusedThreads, FusedParams) { fusedBlock<WordTableClasses<ShapeU16>>(p); }
