// The fused kernels with the smallest run, one word a lane, which tests use to have many runs and tiles. (That of f32
// has one word a lane anyway.)
#include "fused_classes.cuh"
#include "fused_pipeline.cuh"

typedef Shape<u8, 1> SmallU8;
typedef Shape<u16, 1> SmallU16;
static_assert(SmallU8::runSamples == fusedRunSmall && SmallU16::runSamples == fusedRunSmall, "runs");

KERNEL(fused_u8_small, fusedThreads, FusedParams) { fusedBlock<ThresholdClasses<SmallU8>>(p); }
KERNEL(fused_u16_small, fusedThreads, FusedParams) { fusedBlock<ThresholdClasses<SmallU16>>(p); }
