// Memory, copies, streams and events.
#include <chrono>
#include <cstring>
#include <thread>

#include "driver.h"

using namespace emulation;

API cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  if (int code = enter("cuMemAlloc_v2", Needs::context)) return code;
  return currentContext()->memory.allocate(bytes, driver().config.memory, address);
}

API cuMemFree_v2(uint64_t address) {
  if (int code = enter("cuMemFree_v2", Needs::context)) return code;
  if (address == 0) return success;
  currentContext()->drain(); // as the driver does
  return currentContext()->memory.release(address);
}

API cuMemHostAlloc(void **p, size_t bytes, unsigned) {
  if (int code = enter("cuMemHostAlloc", Needs::context)) return code;
  return currentContext()->pinned.allocate(bytes, p);
}

API cuMemFreeHost(void *p) {
  if (int code = enter("cuMemFreeHost", Needs::context)) return code;
  currentContext()->drain();
  return currentContext()->pinned.release(p);
}

// Rows of bytes between a host and a device, or within a device.
struct Copy {
  char *to;
  const char *from;
  size_t toPitch, fromPitch, bytes, rows;
};

static void copyRows(const Copy &c) {
  for (size_t r = 0; r < c.rows; r++) std::memcpy(c.to + r * c.toPitch, c.from + r * c.fromPitch, c.bytes);
  if (uint64_t rate = driver().config.copyRate) {
    std::this_thread::sleep_for(std::chrono::duration<double>((double)(c.bytes * c.rows) / (double)rate));
  }
}

static size_t extent(size_t pitch, size_t bytes, size_t rows) { return rows ? (rows - 1) * pitch + bytes : 0; }

static bool isDeviceMemory(const void *p, size_t bytes) {
  return currentContext()->memory.holds(reinterpret_cast<uint64_t>(p), bytes);
}

// Device memory on neither side where host memory is meant, nor the other way round.
static int checkSides(const Copy &c, bool toDevice, bool fromDevice) {
  size_t to = extent(c.toPitch, c.bytes, c.rows), from = extent(c.fromPitch, c.bytes, c.rows);
  auto wrong = [](const void *p, size_t bytes, bool device) {
    return device ? !isDeviceMemory(p, bytes) : !p || deviceRange(reinterpret_cast<uint64_t>(p));
  };
  return wrong(c.to, to, toDevice) || wrong(c.from, from, fromDevice) ? invalidValue : success;
}

// Asks for a copy. Only page-locked host memory is copied later; other memory is read before the call returns, or
// written before it returns, as the driver does.
static int copyAsync(Copy c, bool toDevice, bool fromDevice, void *stream) {
  if (c.bytes == 0 || c.rows == 0) return success;
  if (int code = checkSides(c, toDevice, fromDevice)) return code;
  Pinned &pinned = currentContext()->pinned;
  auto kept = std::make_shared<std::vector<char>>();
  bool wait = false;
  if (!fromDevice && !pinned.holds(c.from, extent(c.fromPitch, c.bytes, c.rows))) {
    kept->assign(c.from, c.from + extent(c.fromPitch, c.bytes, c.rows));
    c.from = kept->data();
  }
  if (!toDevice && !pinned.holds(c.to, extent(c.toPitch, c.bytes, c.rows))) wait = true;
  int code = addWork(stream, "copy", [c, kept] {
    copyRows(c);
    return success;
  });
  if (code || !wait) return code;
  currentContext()->stream(stream)->wait();
  return currentContext()->sticky;
}

static int copySync(const Copy &c, bool toDevice, bool fromDevice) {
  if (int code = copyAsync(c, toDevice, fromDevice, nullptr)) return code;
  currentContext()->stream(nullptr)->wait();
  return currentContext()->sticky;
}

static char *deviceAt(uint64_t address) { return reinterpret_cast<char *>(address); }
static char *hostAt(const void *p) { return const_cast<char *>(static_cast<const char *>(p)); }

API cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
  if (int code = enter("cuMemcpyHtoD_v2", Needs::context)) return code;
  return copySync(Copy{deviceAt(to), hostAt(from), bytes, bytes, bytes, 1}, true, false);
}

API cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
  if (int code = enter("cuMemcpyDtoH_v2", Needs::context)) return code;
  return copySync(Copy{hostAt(to), deviceAt(from), bytes, bytes, bytes, 1}, false, true);
}

API cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream) {
  if (int code = enter("cuMemcpyHtoDAsync_v2", Needs::context)) return code;
  return copyAsync(Copy{deviceAt(to), hostAt(from), bytes, bytes, bytes, 1}, true, false, stream);
}

API cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream) {
  if (int code = enter("cuMemcpyDtoHAsync_v2", Needs::context)) return code;
  return copyAsync(Copy{hostAt(to), deviceAt(from), bytes, bytes, bytes, 1}, false, true, stream);
}

API cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream) {
  if (int code = enter("cuMemcpyDtoDAsync_v2", Needs::context)) return code;
  return copyAsync(Copy{deviceAt(to), deviceAt(from), bytes, bytes, bytes, 1}, true, true, stream);
}

// CUDA_MEMCPY2D of the driver's header.
struct Memcpy2D {
  size_t srcXInBytes, srcY;
  int srcMemoryType;
  const void *srcHost;
  uint64_t srcDevice;
  void *srcArray;
  size_t srcPitch;
  size_t dstXInBytes, dstY;
  int dstMemoryType;
  void *dstHost;
  uint64_t dstDevice;
  void *dstArray;
  size_t dstPitch;
  size_t widthInBytes, height;
};
static_assert(sizeof(Memcpy2D) == 128, "CUDA_MEMCPY2D");

API cuMemcpy2DAsync_v2(const Memcpy2D *p, void *stream) {
  if (int code = enter("cuMemcpy2DAsync_v2", Needs::context)) return code;
  const int host = 1, device = 2;
  auto valid = [](int type) { return type == host || type == device; };
  if (!valid(p->srcMemoryType) || !valid(p->dstMemoryType)) return invalidValue;
  size_t fromPitch = p->srcPitch ? p->srcPitch : p->widthInBytes, toPitch = p->dstPitch ? p->dstPitch : p->widthInBytes;
  if (fromPitch < p->srcXInBytes + p->widthInBytes || toPitch < p->dstXInBytes + p->widthInBytes) return invalidValue;
  const char *from = p->srcMemoryType == device ? deviceAt(p->srcDevice) : hostAt(p->srcHost);
  char *to = p->dstMemoryType == device ? deviceAt(p->dstDevice) : hostAt(p->dstHost);
  from += p->srcY * fromPitch + p->srcXInBytes;
  to += p->dstY * toPitch + p->dstXInBytes;
  return copyAsync(Copy{to, from, toPitch, fromPitch, p->widthInBytes, p->height}, p->dstMemoryType == device,
                   p->srcMemoryType == device, stream);
}

API cuMemsetD8Async(uint64_t address, unsigned char value, size_t bytes, void *stream) {
  if (int code = enter("cuMemsetD8Async", Needs::context)) return code;
  if (bytes == 0) return success;
  if (!currentContext()->memory.holds(address, bytes)) return invalidValue;
  return addWork(stream, "copy", [=] {
    std::memset(deviceAt(address), value, bytes);
    return success;
  });
}

API cuMemsetD32Async(uint64_t address, uint32_t value, size_t words, void *stream) {
  if (int code = enter("cuMemsetD32Async", Needs::context)) return code;
  if (words == 0) return success;
  if (address % 4 != 0 || words > SIZE_MAX / 4 || !currentContext()->memory.holds(address, 4 * words)) return invalidValue;
  return addWork(stream, "copy", [=] {
    auto p = reinterpret_cast<uint32_t *>(address);
    for (size_t i = 0; i < words; i++) p[i] = value;
    return success;
  });
}

API cuStreamCreate(void **stream, unsigned flags) {
  if (int code = enter("cuStreamCreate", Needs::context)) return code;
  if (flags > 1) return invalidValue;
  DeviceContext *c = currentContext();
  std::lock_guard<std::mutex> lock(driver().mutex);
  const Config &config = driver().config;
  auto s = std::make_unique<Stream>(flags == 0, config.delays, config.seed + 1000 * c->streams.size());
  *stream = s.get();
  c->streams[s.get()] = std::move(s);
  return success;
}

API cuStreamDestroy_v2(void *stream) {
  if (int code = enter("cuStreamDestroy_v2", Needs::context)) return code;
  DeviceContext *c = currentContext();
  std::unique_ptr<Stream> taken;
  {
    std::lock_guard<std::mutex> lock(driver().mutex);
    auto found = c->streams.find(static_cast<Stream *>(stream));
    if (found == c->streams.end()) return invalidHandle;
    taken = std::move(found->second);
    c->streams.erase(found);
  }
  return success;
}

API cuStreamSynchronize(void *stream) {
  if (int code = enter("cuStreamSynchronize", Needs::context)) return code;
  Stream *s = currentContext()->stream(stream);
  if (!s) return invalidHandle;
  s->wait();
  return currentContext()->sticky;
}

API cuStreamQuery(void *stream) {
  if (int code = enter("cuStreamQuery", Needs::context)) return code;
  Stream *s = currentContext()->stream(stream);
  if (!s) return invalidHandle;
  return s->idle() ? success : notReady;
}

static std::shared_ptr<Event> eventOf(void *handle) {
  std::lock_guard<std::mutex> lock(driver().mutex);
  auto &events = currentContext()->events;
  auto found = events.find(handle);
  return found == events.end() ? nullptr : found->second;
}

// Events are reached even when the context has an error, or nobody would wake who waits for them.
static int addAlways(void *stream, std::function<void()> operation) {
  Stream *s = currentContext()->stream(stream);
  if (!s) return invalidHandle;
  s->add(std::move(operation));
  return success;
}

API cuStreamWaitEvent(void *stream, void *event, unsigned flags) {
  if (int code = enter("cuStreamWaitEvent", Needs::context)) return code;
  auto e = eventOf(event);
  if (!e) return invalidHandle;
  if (flags != 0) return invalidValue;
  uint64_t number = e->last();
  return addAlways(stream, [e, number] { e->await(number); });
}

API cuEventCreate(void **event, unsigned) {
  if (int code = enter("cuEventCreate", Needs::context)) return code;
  auto e = std::make_shared<Event>();
  std::lock_guard<std::mutex> lock(driver().mutex);
  *event = e.get();
  currentContext()->events[e.get()] = e;
  return success;
}

API cuEventDestroy_v2(void *event) {
  if (int code = enter("cuEventDestroy_v2", Needs::context)) return code;
  std::lock_guard<std::mutex> lock(driver().mutex);
  return currentContext()->events.erase(event) ? success : invalidHandle;
}

API cuEventRecord(void *event, void *stream) {
  if (int code = enter("cuEventRecord", Needs::context)) return code;
  auto e = eventOf(event);
  if (!e || !currentContext()->stream(stream)) return invalidHandle;
  uint64_t number = e->record();
  return addAlways(stream, [e, number] { e->reached(number); });
}

API cuEventSynchronize(void *event) {
  if (int code = enter("cuEventSynchronize", Needs::context)) return code;
  auto e = eventOf(event);
  if (!e) return invalidHandle;
  e->await(e->last());
  return currentContext()->sticky;
}

API cuEventQuery(void *event) {
  if (int code = enter("cuEventQuery", Needs::context)) return code;
  auto e = eventOf(event);
  if (!e) return invalidHandle;
  return e->done(e->last()) ? success : notReady;
}

API cuEventElapsedTime(float *milliseconds, void *from, void *to) {
  if (int code = enter("cuEventElapsedTime", Needs::context)) return code;
  auto a = eventOf(from), b = eventOf(to);
  if (!a || !b || a->last() == 0 || b->last() == 0) return invalidHandle;
  if (!a->done(a->last()) || !b->done(b->last())) return notReady;
  *milliseconds = (float)((b->seconds() - a->seconds()) * 1e3);
  return success;
}
