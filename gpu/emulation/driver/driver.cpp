// Initialization, devices, contexts and errors.
#include "driver.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "signals.h"

namespace emulation {
namespace {

thread_local DeviceContext *currentToThread = nullptr;
thread_local uint64_t currentGeneration = 0;
std::atomic<uint64_t> generation{1}; // counts resets, after which no context is current anywhere

} // namespace

Driver &driver() {
  static Driver *d = new Driver; // never destroyed: streams may outlive static objects
  return *d;
}

DeviceContext *currentContext() { return currentGeneration == generation ? currentToThread : nullptr; }

void setCurrentContext(DeviceContext *c) {
  currentToThread = c;
  currentGeneration = generation;
}

int enter(const char *function, Needs needs) {
  Driver &d = driver();
  if (int code = d.failures.call(function)) return code;
  if (needs == Needs::nothing) return success;
  if (!d.initialized) return notInitialized;
  if (needs == Needs::initialized) return success;
  DeviceContext *c = currentContext();
  if (!c || c->retained == 0) return invalidContext;
  return c->sticky;
}

void DeviceContext::drain() {
  if (defaultStream) defaultStream->wait();
  for (auto &s : streams) s.second->wait();
}

void DeviceContext::close() {
  drain();
  streams.clear();
  defaultStream.reset();
  events.clear();
  modules.clear();
  memory.releaseAll();
  pinned.releaseAll();
  sticky = success;
}

Stream *DeviceContext::stream(void *handle) {
  std::lock_guard<std::mutex> lock(driver().mutex);
  if (!handle) {
    if (!defaultStream) defaultStream = std::make_unique<Stream>(true, driver().config.delays, driver().config.seed);
    return defaultStream.get();
  }
  auto found = streams.find(static_cast<Stream *>(handle));
  return found == streams.end() ? nullptr : found->second.get();
}

void Driver::fault(DeviceContext *c, int code, const std::string &text) {
  int none = success;
  c->sticky.compare_exchange_strong(none, code);
  if (text.empty()) return;
  std::lock_guard<std::mutex> lock(mutex);
  lastFault = text;
  std::fprintf(stderr, "emulation: %s\n", text.c_str());
}

int addWork(void *handle, const char *failureName, std::function<int()> work) {
  DeviceContext *c = currentContext();
  Stream *s = c->stream(handle);
  if (!s) return invalidHandle;
  if (s->blocking) { // the default stream and blocking ones wait for each other
    if (handle) {
      c->stream(nullptr)->wait();
    } else {
      for (auto &other : c->streams) {
        if (other.second->blocking) other.second->wait();
      }
    }
  }
  std::string name = failureName;
  s->add([c, name, work = std::move(work)] {
    if (c->sticky) return;
    int code = driver().failures.call(name);
    if (!code) code = work();
    if (code) driver().fault(c, code, "");
  });
  return success;
}

} // namespace emulation

using namespace emulation;

API cuInit(unsigned) {
  Driver &d = driver();
  if (int code = enter("cuInit", Needs::nothing)) return code;
  std::lock_guard<std::mutex> lock(d.mutex);
  if (d.initialized) return success;
  if (const char *text = std::getenv("SEGSCAN_EMULATION"); text && d.contexts.empty()) {
    std::string wrong = d.config.read(text);
    if (!wrong.empty()) {
      std::fprintf(stderr, "emulation: SEGSCAN_EMULATION: %s\n", wrong.c_str());
      return unknown;
    }
    d.failures.reset(d.config.failures);
    if (int code = d.failures.call("cuInit")) return code;
  }
  if (d.config.devices == 0) return noDevice;
  installSignalHandler();
  for (uint64_t i = 0; i < d.config.devices; i++) {
    d.contexts.push_back(std::make_unique<DeviceContext>());
    d.contexts.back()->device = (int)i;
  }
  d.initialized = true;
  return success;
}

// Ends everything and starts anew with another configuration, whatever the environment says. It gives null, or what
// is wrong with the text. No call may be in progress.
extern "C" __attribute__((visibility("default"))) const char *emulationReset(const char *text) {
  static std::string wrong;
  Driver &d = driver();
  Config config;
  wrong = config.read(text);
  if (!wrong.empty()) return wrong.c_str();
  for (auto &c : d.contexts) c->close();
  std::lock_guard<std::mutex> lock(d.mutex);
  d.contexts.clear();
  d.config = config;
  d.failures.reset(config.failures);
  d.initialized = false;
  d.lastFault.clear();
  setenv("SEGSCAN_EMULATION", text, 1);
  generation++;
  return nullptr;
}

// What the last fault of a kernel was; empty if there was none since the reset.
extern "C" __attribute__((visibility("default"))) const char *emulationLastFault() {
  static std::string text;
  std::lock_guard<std::mutex> lock(driver().mutex);
  text = driver().lastFault;
  return text.c_str();
}

API cuDriverGetVersion(int *version) {
  if (int code = enter("cuDriverGetVersion", Needs::nothing)) return code;
  *version = (int)driver().config.driver;
  return success;
}

API cuDeviceGetCount(int *count) {
  if (int code = enter("cuDeviceGetCount", Needs::initialized)) return code;
  *count = (int)driver().config.devices;
  return success;
}

static bool isDevice(int device) { return device >= 0 && (uint64_t)device < driver().config.devices; }

API cuDeviceGet(int *device, int ordinal) {
  if (int code = enter("cuDeviceGet", Needs::initialized)) return code;
  if (!isDevice(ordinal)) return invalidDevice;
  *device = ordinal;
  return success;
}

API cuDeviceGetName(char *name, int bytes, int device) {
  if (int code = enter("cuDeviceGetName", Needs::initialized)) return code;
  if (!isDevice(device)) return invalidDevice;
  std::snprintf(name, (size_t)bytes, "Emulated Device %d", device);
  return success;
}

API cuDeviceGetUuid_v2(unsigned char *uuid, int device) {
  if (int code = enter("cuDeviceGetUuid_v2", Needs::initialized)) return code;
  if (!isDevice(device)) return invalidDevice;
  std::memset(uuid, 0, 16);
  uuid[15] = (unsigned char)(device + 1);
  return success;
}

API cuDeviceTotalMem_v2(size_t *bytes, int device) {
  if (int code = enter("cuDeviceTotalMem_v2", Needs::initialized)) return code;
  if (!isDevice(device)) return invalidDevice;
  *bytes = driver().config.memory;
  return success;
}

API cuDeviceGetAttribute(int *value, int attribute, int device) {
  if (int code = enter("cuDeviceGetAttribute", Needs::initialized)) return code;
  if (!isDevice(device)) return invalidDevice;
  const Config &c = driver().config;
  switch (attribute) {
  case 1: *value = maxThreadsPerBlock; break;
  case 2: *value = maxThreadsPerBlock; break; // of a block in x
  case 5: *value = 0x7fffffff; break;         // blocks in x
  case 8: *value = maxStaticSharedBytes; break;
  case 10: *value = 32; break;                // lanes of a warp
  case 13: *value = 1500000; break;           // kHz
  case 16: *value = (int)c.sms; break;
  case 17: *value = 0; break;                 // limit on the time of a kernel
  case 18: *value = 0; break;                 // integrated
  case 20: *value = 0; break;                 // compute mode: shared
  case 31: *value = 1; break;                 // concurrent kernels
  case 33: *value = device; break;            // PCI bus
  case 34: *value = 0; break;                 // PCI device
  case 36: *value = 2000000; break;           // kHz of memory
  case 37: *value = 4096; break;              // bits of its bus
  case 38: *value = 32 << 20; break;          // L2
  case 39: *value = maxThreadsPerSM; break;
  case 40: *value = 2; break;                 // copy engines
  case 41: *value = 1; break;                 // unified addresses
  case 75: *value = (int)c.cc / 10; break;
  case 76: *value = (int)c.cc % 10; break;
  case 81: *value = sharedBytesPerSM; break;
  case 82: *value = 65536; break;             // registers of a multiprocessor
  case 95: *value = 1; break;                 // cooperative launch
  case 97: *value = maxSharedBytes; break;
  default: return invalidValue;
  }
  return success;
}

API cuDevicePrimaryCtxRetain(void **context, int device) {
  if (int code = enter("cuDevicePrimaryCtxRetain", Needs::initialized)) return code;
  if (!isDevice(device)) return invalidDevice;
  std::lock_guard<std::mutex> lock(driver().mutex);
  DeviceContext *c = driver().contexts[(size_t)device].get();
  c->retained++;
  *context = c;
  return success;
}

API cuDevicePrimaryCtxRelease_v2(int device) {
  if (int code = enter("cuDevicePrimaryCtxRelease_v2", Needs::initialized)) return code;
  if (!isDevice(device)) return invalidDevice;
  DeviceContext *c = driver().contexts[(size_t)device].get();
  if (c->retained == 0) return invalidContext;
  if (--c->retained == 0) c->close();
  return success;
}

API cuCtxSetCurrent(void *context) {
  if (int code = enter("cuCtxSetCurrent", Needs::initialized)) return code;
  for (auto &c : driver().contexts) {
    if (c.get() != context) continue;
    setCurrentContext(c.get());
    return success;
  }
  if (context) return invalidContext;
  setCurrentContext(nullptr);
  return success;
}

API cuCtxSynchronize() {
  if (int code = enter("cuCtxSynchronize", Needs::context)) return code;
  currentContext()->drain();
  return currentContext()->sticky;
}

API cuMemGetInfo_v2(size_t *free, size_t *total) {
  if (int code = enter("cuMemGetInfo_v2", Needs::context)) return code;
  *total = driver().config.memory;
  *free = *total - currentContext()->memory.used();
  return success;
}

API cuGetErrorName(int code, const char **text) {
  *text = codeName(code);
  return *text ? success : invalidValue;
}

API cuGetErrorString(int code, const char **text) {
  *text = codeText(code);
  return *text ? success : invalidValue;
}
