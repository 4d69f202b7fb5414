// Device memory: a range of addresses of its own in which no host memory ever lies, with unmapped pages around every
// allocation, so that an access outside of one faults. Addresses are not used twice.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace emulation {

// Whether the address lies in the range of device memory, allocated or not.
bool deviceRange(uint64_t address);

class Memory {
public:
  // Takes memory filled with poison. It fails with outOfMemory over the budget of the device.
  int allocate(size_t bytes, size_t budget, uint64_t *address);
  int release(uint64_t address);
  void releaseAll();
  // Whether [address, address+bytes) lies in one allocation.
  bool holds(uint64_t address, size_t bytes);
  size_t used();
  // Describes a write beside an allocation, too near for a page to catch it; empty if there is none.
  std::string damage();

private:
  struct Allocation {
    size_t bytes;      // as asked for
    uint64_t map;      // first page
    size_t mapBytes;   // without the guard page
  };
  std::string damageOf(uint64_t address, const Allocation &a);
  std::mutex mutex_;
  std::map<uint64_t, Allocation> live_;
  size_t used_ = 0;
};

// Host memory the driver gives out: page-locked on a real one.
class Pinned {
public:
  int allocate(size_t bytes, void **p);
  int release(void *p);
  bool holds(const void *p, size_t bytes);
  void releaseAll();

private:
  std::mutex mutex_;
  std::map<uintptr_t, std::pair<size_t, size_t>> live_; // bytes as asked for, bytes mapped
};

} // namespace emulation
