// The fused kernels for many images; see fused_images.cuh. Their launch is gpu/fused_many.go.
#include "fused_classes.cuh"
#include "fused_images.cuh"

typedef Shape<u8, 4> ShapeU8;
typedef Shape<u16, 2> ShapeU16;
typedef Shape<f32, 1> ShapeF32;

KERNEL(fused_many_u8, fusedThreads, FusedParams) { fusedBlock<ThresholdClasses<ShapeU8>, ManyImages>(p); }
KERNEL(fused_many_u16, fusedThreads, FusedParams) { fusedBlock<ThresholdClasses<ShapeU16>, ManyImages>(p); }
KERNEL(fused_many_f32, fusedThreads, FusedParams) { fusedBlock<FloatClasses<ShapeF32>, ManyImages>(p); }
