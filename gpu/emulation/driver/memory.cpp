#include "memory.h"

#include <sys/mman.h>

#include <atomic>
#include <cstring>

#include "codes.h"

namespace emulation {
namespace {

constexpr size_t page = 4096, alignment = 256;
constexpr unsigned char canary = 0xC3;

size_t roundUp(size_t n, size_t to) { return (n + to - 1) / to * to; }

// The range is reserved once and handed out from the front; a terabyte of addresses costs nothing.
struct Range {
  uint64_t base = 0, bytes = 0;
  std::atomic<uint64_t> next{0};
  Range() {
    for (uint64_t want = 1ull << 40; want >= 1ull << 32; want >>= 1) {
      void *p = mmap(nullptr, want, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (p != MAP_FAILED) {
        base = reinterpret_cast<uint64_t>(p), bytes = want;
        return;
      }
    }
  }
};

Range &range() {
  static Range r;
  return r;
}

char *at(uint64_t address) { return reinterpret_cast<char *>(address); }

} // namespace

bool deviceRange(uint64_t address) { return address - range().base < range().bytes; }

int Memory::allocate(size_t bytes, size_t budget, uint64_t *address) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (bytes == 0) return invalidValue;
  if (bytes > budget || used_ + bytes > budget) return outOfMemory;
  size_t padded = roundUp(bytes, alignment), mapped = roundUp(padded, page);
  uint64_t offset = range().next.fetch_add(mapped + 2 * page);
  if (offset + mapped + 2 * page > range().bytes) return outOfMemory;
  uint64_t map = range().base + offset + page;
  if (mprotect(at(map), mapped, PROT_READ | PROT_WRITE) != 0) return outOfMemory;
  // The end lies as near to the guard page as alignment allows; what is left on both sides holds canaries.
  *address = map + mapped - padded;
  std::memset(at(map), canary, mapped);
  std::memset(at(*address), poison, bytes);
  live_[*address] = Allocation{bytes, map, mapped};
  used_ += bytes;
  return success;
}

int Memory::release(uint64_t address) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = live_.find(address);
  if (found == live_.end()) return invalidValue;
  const Allocation &a = found->second;
  // Its pages go back to the system, its addresses fault from now on.
  mmap(at(a.map), a.mapBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  used_ -= a.bytes;
  live_.erase(found);
  return success;
}

void Memory::releaseAll() {
  for (;;) {
    uint64_t address;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (live_.empty()) return;
      address = live_.begin()->first;
    }
    release(address);
  }
}

bool Memory::holds(uint64_t address, size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto next = live_.upper_bound(address);
  if (next == live_.begin()) return false;
  auto &[start, a] = *--next;
  return address - start <= a.bytes && bytes <= a.bytes - (address - start);
}

size_t Memory::used() {
  std::lock_guard<std::mutex> lock(mutex_);
  return used_;
}

std::string Memory::damage() {
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto &[address, a] : live_) {
    std::string d = damageOf(address, a);
    if (!d.empty()) return d;
  }
  return "";
}

std::string Memory::damageOf(uint64_t address, const Allocation &a) {
  struct Side {
    uint64_t from, to;
    const char *name;
  } sides[] = {{a.map, address, "before"}, {address + a.bytes, a.map + a.mapBytes, "after"}};
  static const std::string whole(page + alignment, (char)canary);
  for (const Side &s : sides) {
    if (std::memcmp(at(s.from), whole.data(), s.to - s.from) == 0) continue;
    uint64_t p = s.from;
    while ((unsigned char)*at(p) == canary) p++;
    uint64_t distance = p < address ? address - p : p - address - a.bytes;
    return "write " + std::to_string(distance) + " bytes " + s.name + " an allocation of " + std::to_string(a.bytes) + " bytes";
  }
  return "";
}

int Pinned::allocate(size_t bytes, void **p) {
  if (bytes == 0) return invalidValue;
  size_t mapped = roundUp(bytes, page) + page;
  void *m = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (m == MAP_FAILED) return outOfMemory;
  mprotect(static_cast<char *>(m) + mapped - page, page, PROT_NONE);
  std::memset(m, poison, bytes);
  std::lock_guard<std::mutex> lock(mutex_);
  live_[reinterpret_cast<uintptr_t>(m)] = {bytes, mapped};
  *p = m;
  return success;
}

int Pinned::release(void *p) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = live_.find(reinterpret_cast<uintptr_t>(p));
  if (found == live_.end()) return invalidValue;
  munmap(p, found->second.second);
  live_.erase(found);
  return success;
}

bool Pinned::holds(const void *p, size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto address = reinterpret_cast<uintptr_t>(p);
  auto next = live_.upper_bound(address);
  if (next == live_.begin()) return false;
  auto &[start, size] = *--next;
  return address - start <= size.first && bytes <= size.first - (address - start);
}

void Pinned::releaseAll() {
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto &[start, size] : live_) munmap(reinterpret_cast<void *>(start), size.second);
  live_.clear();
}

} // namespace emulation
