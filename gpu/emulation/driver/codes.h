// The codes of the driver's results that the emulation gives, and its limits.
#pragma once
#include <cstddef>

namespace emulation {

constexpr int success = 0, invalidValue = 1, outOfMemory = 2, notInitialized = 3, noDevice = 100, invalidDevice = 101,
              invalidImage = 200, invalidContext = 201, noBinaryForGpu = 209, invalidPtx = 218,
              unsupportedPtxVersion = 222, invalidHandle = 400, notFound = 500, notReady = 600, illegalAddress = 700,
              launchOutOfResources = 701, launchTimeout = 702, misalignedAddress = 716, launchFailed = 719,
              cooperativeLaunchTooLarge = 720, unknown = 999;

// Name and description of a code, or null for one that is not known.
const char *codeName(int code);
const char *codeText(int code);

constexpr size_t maxStaticSharedBytes = 48 << 10;
constexpr size_t maxSharedBytes = 227 << 10;    // of a block that asked for it
constexpr size_t sharedBytesPerSM = 228 << 10;
constexpr unsigned maxThreadsPerBlock = 1024, maxThreadsPerSM = 2048, maxBlocksPerSM = 32;

constexpr int poison = 0xA7; // what fresh memory holds

} // namespace emulation
