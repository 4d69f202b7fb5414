#include "block.h"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <thread>

#include "codes.h"
#include "memory.h"
#include "signals.h"

namespace emulation {

thread_local Fiber *current __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

constexpr size_t stackBytes = 64 << 10;
constexpr size_t sharedAlignment = 1024;

std::map<std::string, Kernel> &kernels() {
  static std::map<std::string, Kernel> all;
  return all;
}

// Dynamic memory comes first, as aligned as can be.
char *dynamicSharedOf(const Block &b) {
  auto start = reinterpret_cast<uintptr_t>(b.shared.get());
  return reinterpret_cast<char *>((start + sharedAlignment - 1) & ~(sharedAlignment - 1));
}

void enter() {
  Fiber *me = current;
  Block *block = me->block;
  block->launch->kernel->run(block->launch->params.data());
  if (!me->copies.empty()) kernelFault(launchFailed, "a thread ended before its copies were done");
  me->state = State::done;
  Warp &warp = block->warps[me->thread / 32];
  warp.ended++;
  if (warp.arrived > 0) kernelFault(launchFailed, "a thread ended while others of its warp wait for it");
  block->alive--;
  if (block->alive > 0 && block->arrived == block->alive) { // those left have all come
    block->arrived = 0;
    for (Fiber &f : block->fibers) {
      if (f.state == State::inBlock) f.state = State::ready;
    }
  }
  emulation_switch(&me->context, &block->scheduler);
  __builtin_trap(); // nobody resumes a thread that has ended
}

void start(Block &b, Launch &launch, uint32_t number) {
  b.launch = &launch, b.number = number;
  b.random.seed(launch.seed * 0x9E3779B97F4A7C15u + number);
  b.alive = launch.threads, b.arrived = 0, b.faulted = false;
  b.warps.assign((launch.threads + 31) / 32, Warp());
  b.warpOrder.resize(b.warps.size());
  for (size_t w = 0; w < b.warps.size(); w++) b.warpOrder[w] = (uint32_t)w;
  b.fibers.resize(launch.threads);
  for (uint32_t t = 0; t < launch.threads; t++) {
    Fiber &f = b.fibers[t];
    f.block = &b, f.thread = t, f.state = State::ready, f.groups = 0;
    f.copies.clear();
    makeContext(&f.context, b.stacks + t * stackBytes, stackBytes, enter);
  }
  std::memset(dynamicSharedOf(b), poison, launch.dynamicShared);
  b.sharedUsed = 0;
  b.sharedNames.clear();
}

// Runs the threads of a warp until all wait; it tells whether any ran.
bool turn(Block &b, uint32_t w) {
  Warp &warp = b.warps[w];
  uint32_t first = w * 32, lanes = std::min(32u, b.launch->threads - first);
  bool any = false;
  for (warp.paused = false; !warp.paused;) {
    bool ran = false, backwards = b.random() & 1;
    for (uint32_t k = 0; k < lanes && !b.faulted; k++) {
      Fiber &f = b.fibers[first + (backwards ? lanes - 1 - k : k)];
      if (f.state != State::ready) continue;
      current = &f;
      emulation_switch(&b.scheduler, &f.context);
      current = nullptr;
      ran = true;
    }
    if (!ran) break;
    any = true;
  }
  return any;
}

// Gives every warp but a few a turn. A block in which no thread can run will never end.
void slice(Block &b) {
  std::shuffle(b.warpOrder.begin(), b.warpOrder.end(), b.random);
  bool any = false, skipped = false;
  for (uint32_t w : b.warpOrder) {
    if (b.warps.size() > 1 && b.random() % 8 == 0) {
      skipped = true;
      continue;
    }
    any = turn(b, w) || any;
    if (b.faulted) return;
  }
  if (!any && !skipped && b.alive > 0) {
    b.launch->fail(launchTimeout, "deadlock: all threads of block " + std::to_string(b.number) +
                                      " wait for threads that have ended or wait elsewhere");
    b.faulted = true;
  }
}

// The memory of blocks is kept from launch to launch.
class BlockPool {
public:
  std::unique_ptr<Block> take(uint32_t threads) {
    size_t bytes = threads * stackBytes;
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto &b : free_) {
      if (b->stackBytes >= bytes) {
        std::swap(b, free_.back());
        auto taken = std::move(free_.back());
        free_.pop_back();
        return taken;
      }
    }
    auto b = std::make_unique<Block>();
    void *p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return nullptr;
    b->stacks = static_cast<char *>(p), b->stackBytes = bytes;
    b->shared = std::make_unique<char[]>(maxSharedBytes + sharedAlignment);
    return b;
  }
  void give(std::unique_ptr<Block> b) {
    std::lock_guard<std::mutex> lock(mutex_);
    free_.push_back(std::move(b));
  }

private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Block>> free_;
};

BlockPool &pool() {
  static BlockPool p;
  return p;
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// One OS thread: keeps its share of the resident blocks going, one after the other.
void work(Launch &launch, uint32_t share, uint32_t worker) {
  std::mt19937_64 random(launch.seed + 77 * worker);
  std::vector<std::unique_ptr<Block>> running;
  double last = now();
  uint32_t seen = 0;
  while (!launch.faulted) {
    while (running.size() < share) {
      uint32_t taken = launch.next++;
      if (taken >= launch.grid) break;
      auto b = pool().take(launch.threads);
      if (!b) {
        launch.fail(launchOutOfResources, "no memory for the stacks of a block");
        break;
      }
      start(*b, launch, launch.order[taken]);
      running.push_back(std::move(b));
    }
    if (running.empty()) break;
    size_t i = random() % running.size();
    running[i]->waited = false;
    slice(*running[i]);
    if (running[i]->faulted) break;
    if (running[i]->waited) std::this_thread::yield(); // to the OS thread of whom it waits for
    if (running[i]->alive == 0) {
      launch.ended++;
      std::swap(running[i], running.back());
      pool().give(std::move(running.back()));
      running.pop_back();
    }
    uint32_t ended = launch.ended;
    if (ended != seen) {
      seen = ended, last = now();
    } else if (now() - last > launch.timeout) {
      launch.fail(launchTimeout, "no block has ended for " + std::to_string(launch.timeout) + " s");
    }
  }
  for (auto &b : running) pool().give(std::move(b));
}

} // namespace

Registration::Registration(const char *name, uint32_t threads, size_t paramBytes, void (*run)(const void *)) {
  kernels()[name] = Kernel{name, threads, paramBytes, run};
}

const Kernel *findKernel(const std::string &name) {
  auto found = kernels().find(name);
  return found == kernels().end() ? nullptr : &found->second;
}

void Launch::fail(int code, const std::string &text) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!faulted) fault = Fault{code, kernel->name + ": " + text};
  faulted = true;
}

Fault run(Launch &launch) {
  launch.order.resize(launch.grid);
  for (uint32_t i = 0; i < launch.grid; i++) launch.order[i] = i;
  // Blocks start roughly in order on a device; here any of a window of 64 may be next.
  std::mt19937_64 random(launch.seed);
  for (uint32_t from = 0; from < launch.grid; from += 64) {
    std::shuffle(launch.order.begin() + from, launch.order.begin() + std::min(launch.grid, from + 64), random);
  }
  uint32_t resident = std::min(launch.resident, launch.grid);
  uint32_t workers = std::min(launch.workers, resident);
  auto share = [&](uint32_t worker) { return resident / workers + (worker < resident % workers); };
  std::vector<std::thread> threads;
  for (uint32_t w = 1; w < workers; w++) {
    threads.emplace_back([&, w] {
      KernelSignals signals;
      work(launch, share(w), w);
    });
  }
  work(launch, share(0), 0); // in the stream's own OS thread
  for (auto &t : threads) t.join();
  return launch.fault;
}

const Exchange *meetWarp(Meeting meeting, uint32_t value) {
  Fiber *me = current;
  Block *block = me->block;
  Warp &warp = block->warps[me->thread / 32];
  uint32_t lane = me->thread % 32, first = me->thread - lane;
  if (warp.ended > 0) kernelFault(launchFailed, "a warp operation after a thread of the warp has ended");
  if (warp.arrived > 0 && warp.meeting != meeting) {
    kernelFault(launchFailed, "threads of a warp are at different warp operations");
  }
  Exchange &exchange = warp.exchanges[warp.generation & 1];
  warp.meeting = meeting;
  exchange.values[lane] = value;
  if (++warp.arrived < 32) {
    me->state = State::inWarp;
    emulation_switch(&me->context, &block->scheduler);
    return &exchange;
  }
  exchange.ballot = 0;
  for (uint32_t l = 0; l < 32; l++) {
    exchange.ballot |= (uint32_t)(exchange.values[l] != 0) << l;
    if (block->fibers[first + l].state == State::inWarp) block->fibers[first + l].state = State::ready;
  }
  warp.arrived = 0;
  warp.generation++;
  return &exchange;
}

void meetBlock() {
  Fiber *me = current;
  Block *block = me->block;
  if (++block->arrived < block->alive) {
    me->state = State::inBlock;
    emulation_switch(&me->context, &block->scheduler);
    return;
  }
  block->arrived = 0;
  for (Fiber &f : block->fibers) {
    if (f.state == State::inBlock) f.state = State::ready;
  }
}

void yield() {
  Fiber *me = current;
  me->block->waited = true;
  me->block->warps[me->thread / 32].paused = true;
  emulation_switch(&me->context, &me->block->scheduler);
}

void perhapsYield() {
  Fiber *me = current;
  if (me->block->random() % 2) return;
  me->block->warps[me->thread / 32].paused = true;
  emulation_switch(&me->context, &me->block->scheduler);
}

void *sharedMemory(const void *name, size_t bytes, size_t alignment) {
  Block *b = current->block;
  for (auto &known : b->sharedNames) {
    if (known.first == name) return known.second;
  }
  size_t at = (b->sharedUsed + alignment - 1) / alignment * alignment;
  if (at + bytes > maxStaticSharedBytes) kernelFault(launchOutOfResources, "more than 48 KB of static shared memory");
  b->sharedUsed = at + bytes;
  char *p = dynamicSharedOf(*b) + b->launch->dynamicShared + at;
  std::memset(p, poison, bytes);
  b->sharedNames.push_back({name, p});
  return p;
}

void *dynamicSharedMemory() { return dynamicSharedOf(*current->block); }

void *checkedAddress(uint64_t address, size_t alignment) {
  if (address % alignment != 0) kernelFault(misalignedAddress, "misaligned device address");
  if (address != 0 && !deviceRange(address)) kernelFault(illegalAddress, "an address that is no device memory");
  return reinterpret_cast<void *>(address);
}

void copyLater(void *to, const void *from, size_t bytes) {
  if (reinterpret_cast<uintptr_t>(to) % bytes || reinterpret_cast<uintptr_t>(from) % bytes) {
    kernelFault(misalignedAddress, "misaligned copy");
  }
  if (current->block->random() % 2) {
    std::memcpy(to, from, bytes);
  } else {
    current->copies.push_back(LateCopy{to, from, bytes, current->groups});
  }
}

void commitCopies() { current->groups++; }

void waitForCopies(uint32_t left) {
  auto &copies = current->copies;
  size_t done = 0;
  for (; done < copies.size() && copies[done].group + left < current->groups; done++) {
    std::memcpy(copies[done].to, copies[done].from, copies[done].bytes);
  }
  copies.erase(copies.begin(), copies.begin() + (ptrdiff_t)done);
}

void kernelFault(int code, const std::string &text) {
  Fiber *me = current;
  me->block->launch->fail(code, text);
  me->block->faulted = true;
  emulation_switch(&me->context, &me->block->scheduler);
  __builtin_trap();
}

} // namespace emulation
