// The fused kernels for many images, by tables. Their launch is gpu/fused_many.go.
#include "fused_classes.cuh"
#include "fused_images.cuh"

typedef Shape<u8, 4> ShapeU8;
typedef Shape<u16, 2> ShapeU16;

KERNEL(fused_many_intervals_u8, fusedThreads, FusedParams) { fusedBlock<IntervalClasses<ShapeU8>, ManyImages>(p); }
KERNEL(fused_many_intervals_u16, fusedThreads, FusedParams) { fusedBlock<IntervalClasses<ShapeU16>, ManyImages>(p); }
KERNEL(fused_many_table_u8, fusedThreads, FusedParams) { fusedBlock<ByteTableClasses<ShapeU8>, ManyImages>(p); }
KERNEL(fused_many_table_u16, fusedThreads, FusedParams) { fusedBlock<WordTableClasses<ShapeU16>, ManyImages>(p); }
