// Blocks of threads on fibers: a thread runs until it waits for its warp or its block, or gives others time. Warps of
// a block and blocks of a launch take turns in an order drawn from a seed, so that code that needs an order it did
// not ask for fails.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "context.h"

namespace emulation {

// An entry of a kernel source.
struct Kernel {
  std::string name;
  uint32_t threads; // its launch bound
  size_t paramBytes;
  void (*run)(const void *params);
};

struct Registration {
  Registration(const char *name, uint32_t threads, size_t paramBytes, void (*run)(const void *));
};

// The kernel of a name, or null.
const Kernel *findKernel(const std::string &name);

// What went wrong in a launch: a code of the driver and what a person should read.
struct Fault {
  int code = 0;
  std::string text;
};

// One run of a kernel, shared by the OS threads that take its blocks.
struct Launch {
  const Kernel *kernel;
  std::vector<char> params;
  uint32_t grid, threads;
  size_t dynamicShared;
  uint32_t resident; // blocks that may run at once
  uint32_t workers;  // OS threads
  double timeout;    // seconds in which at least one block must end
  uint64_t seed;

  std::vector<uint32_t> order; // of the blocks
  std::atomic<uint32_t> next{0}, ended{0};
  std::atomic<bool> faulted{false};
  std::mutex mutex; // of fault
  Fault fault;

  void fail(int code, const std::string &text);
};

// Runs all blocks and reports the first fault. To be called in an OS thread that has KernelSignals.
Fault run(Launch &launch);

enum class Meeting : uint8_t { none, sync, ballot, shuffle, shuffleUp, shuffleDown, match, sum, matrix, product };

// What the lanes of a warp bring to a meeting; there are two, so that a lane may come to the next one while others
// still read the last.
struct Exchange {
  uint32_t values[32];
  uint32_t ballot;
};

struct Warp {
  Exchange exchanges[2];
  Meeting meeting = Meeting::none;
  uint32_t arrived = 0, ended = 0, generation = 0;
  bool paused = false;
};

enum class State : uint8_t { ready, inWarp, inBlock, done };

struct Block;

// A copy that a thread has asked for and that has not happened yet.
struct LateCopy {
  void *to;
  const void *from;
  size_t bytes;
  uint32_t group; // its number in the order of the thread's groups
};

struct Fiber {
  Context context;
  Block *block = nullptr;
  uint32_t thread = 0;
  State state = State::ready;
  uint32_t groups = 0; // made so far
  std::vector<LateCopy> copies;
};

struct Block {
  Launch *launch = nullptr;
  uint32_t number = 0;
  Context scheduler;
  std::vector<Fiber> fibers;
  std::vector<Warp> warps;
  std::vector<uint32_t> warpOrder;
  std::mt19937_64 random;
  uint32_t alive = 0, arrived = 0; // threads that have not ended; of them at the barrier
  bool faulted = false;
  bool waited = false; // a thread gave others time in this slice

  char *stacks = nullptr;
  size_t stackBytes = 0;
  std::unique_ptr<char[]> shared;
  size_t sharedUsed = 0;
  std::vector<std::pair<const void *, void *>> sharedNames;
};

// The fiber that this OS thread runs, null outside of kernels.
extern thread_local Fiber *current __attribute__((tls_model("initial-exec")));

// The error that kernels make on request, so that tests can see that they would find it; 0 for none.
extern int plantedFault;

// For the kernels, by way of host.cuh.
const Exchange *meetWarp(Meeting meeting, uint32_t value);
void meetBlock();
void yield();
void perhapsYield();
void *sharedMemory(const void *name, size_t bytes, size_t alignment);
void *dynamicSharedMemory();
void *checkedAddress(uint64_t address, size_t alignment);
void copyLater(void *to, const void *from, size_t bytes);
void commitCopies();
void waitForCopies(uint32_t left);

// Ends the launch from within a kernel.
[[noreturn]] void kernelFault(int code, const std::string &text);

} // namespace emulation
