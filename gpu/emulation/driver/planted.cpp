// Errors in kernels on request: see FAULT in kernels/cuda/fused_shape.cuh.
#include "block.h"

namespace emulation {
int plantedFault = 0;
}

// No kernel may be running.
extern "C" __attribute__((visibility("default"))) void emulationPlant(int number) { emulation::plantedFault = number; }
