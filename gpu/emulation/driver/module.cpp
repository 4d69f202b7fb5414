// Modules, functions and launches.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <thread>

#include "driver.h"

namespace emulation {
namespace {

// The newest PTX that a driver reads, ten times, by the CUDA version it reports.
int newestPtx(uint64_t driver) {
  struct Step {
    uint64_t driver;
    int ptx;
  };
  const Step steps[] = {{13000, 90}, {12090, 88}, {12080, 87}, {12060, 85}, {12050, 85}, {12040, 84}, {12030, 83},
                        {12020, 82}, {12010, 81}, {12000, 80}, {11080, 78}, {11070, 77}, {11060, 76}, {11050, 75},
                        {11040, 74}, {11030, 73}, {11020, 72}, {11010, 71}, {11000, 70}, {10020, 65}, {10010, 64},
                        {10000, 63}, {9020, 62},  {9010, 61},  {9000, 60}};
  for (const Step &s : steps) {
    if (driver >= s.driver) return s.ptx;
  }
  return 50;
}

} // namespace

int readPtx(const char *text, const Config &config, Module *module, std::string *log) {
  int major, minor, target;
  const char *at = std::strstr(text, ".version ");
  if (!at || std::sscanf(at, ".version %d.%d", &major, &minor) != 2) {
    *log = "ptxas fatal   : Missing .version directive at start of file";
    return invalidPtx;
  }
  at = std::strstr(text, ".target ");
  if (!at || std::sscanf(at, ".target sm_%d", &target) != 1) {
    *log = "ptxas fatal   : Missing .target directive";
    return invalidPtx;
  }
  module->ptxVersion = major * 10 + minor, module->target = target;
  if (module->ptxVersion > newestPtx(config.driver)) {
    *log = "ptxas application ptx input, line 2; fatal   : Unsupported .version " + std::to_string(major) + "." +
           std::to_string(minor) + "; current version is '" + std::to_string(newestPtx(config.driver) / 10) + "." +
           std::to_string(newestPtx(config.driver) % 10) + "'";
    return unsupportedPtxVersion;
  }
  if ((uint64_t)target > config.cc) {
    *log = "ptxas fatal   : SM version specified by .target is higher than default SM version assumed";
    return noBinaryForGpu;
  }
  const char *mark = ".visible .entry ";
  for (at = std::strstr(text, mark); at; at = std::strstr(at + 1, mark)) {
    char name[256];
    size_t bytes = 0;
    const char *param = std::strstr(at, "_param_0[");
    if (std::sscanf(at + std::strlen(mark), "%255[A-Za-z0-9_]", name) != 1) continue;
    if (param) std::sscanf(param, "_param_0[%zu]", &bytes);
    const Kernel *k = findKernel(name);
    if (!k || k->paramBytes != bytes) {
      *log = std::string("emulation: ") + name +
             (k ? " has a parameter of another size; build the emulation again" : " is not built in");
      return invalidPtx;
    }
    module->functions[name] = std::make_unique<Function>(Function{k});
  }
  return success;
}

} // namespace emulation

using namespace emulation;

API cuModuleLoadDataEx(void **module, const void *image, unsigned count, const int *options, void **values) {
  std::string log;
  auto m = std::make_unique<Module>();
  int code = enter("cuModuleLoadDataEx", Needs::context);
  if (code) {
    log = "emulation: refused on request";
  } else {
    code = readPtx(static_cast<const char *>(image), driver().config, m.get(), &log);
  }
  char *buffer = nullptr; // of errors: option 5, its size 6
  size_t bytes = 0;
  for (unsigned i = 0; i < count; i++) {
    if (options[i] == 5) buffer = static_cast<char *>(values[i]);
    if (options[i] == 6) bytes = reinterpret_cast<size_t>(values[i]);
  }
  if (buffer && bytes) std::snprintf(buffer, bytes, "%s", log.c_str());
  if (code) return code;
  std::lock_guard<std::mutex> lock(driver().mutex);
  *module = m.get();
  currentContext()->modules[m.get()] = std::move(m);
  return success;
}

API cuModuleUnload(void *module) {
  if (int code = enter("cuModuleUnload", Needs::context)) return code;
  currentContext()->drain();
  std::lock_guard<std::mutex> lock(driver().mutex);
  return currentContext()->modules.erase(static_cast<Module *>(module)) ? success : invalidHandle;
}

API cuModuleGetFunction(void **function, void *module, const char *name) {
  if (int code = enter("cuModuleGetFunction", Needs::context)) return code;
  std::lock_guard<std::mutex> lock(driver().mutex);
  auto &modules = currentContext()->modules;
  auto m = modules.find(static_cast<Module *>(module));
  if (m == modules.end()) return invalidHandle;
  auto f = m->second->functions.find(name);
  if (f == m->second->functions.end()) return notFound;
  *function = f->second.get();
  return success;
}

static Function *functionOf(void *handle, Module **module) {
  std::lock_guard<std::mutex> lock(driver().mutex);
  for (auto &m : currentContext()->modules) {
    for (auto &f : m.second->functions) {
      if (f.second.get() != handle) continue;
      if (module) *module = m.second.get();
      return f.second.get();
    }
  }
  return nullptr;
}

API cuFuncSetAttribute(void *function, int attribute, int value) {
  if (int code = enter("cuFuncSetAttribute", Needs::context)) return code;
  Function *f = functionOf(function, nullptr);
  if (!f) return invalidHandle;
  if (attribute != 8 || value < 0 || (size_t)value > maxSharedBytes) return invalidValue;
  f->maxDynamicShared = value;
  return success;
}

API cuFuncGetAttribute(int *value, int attribute, void *function) {
  if (int code = enter("cuFuncGetAttribute", Needs::context)) return code;
  Module *m = nullptr;
  Function *f = functionOf(function, &m);
  if (!f) return invalidHandle;
  switch (attribute) {
  case 0: *value = (int)f->kernel->threads; break;
  case 1: *value = 1024; break; // static shared memory
  case 2: *value = 0; break;    // constant memory
  case 3: *value = 0; break;    // local memory
  case 4: *value = 32; break;   // registers
  case 5: *value = m->ptxVersion; break;
  case 6: *value = (int)driver().config.cc; break;
  case 8: *value = f->maxDynamicShared; break;
  default: return invalidValue;
  }
  return success;
}

// Blocks of a kernel that fit on a multiprocessor at once.
static unsigned blocksPerSM(unsigned threads, size_t dynamicShared) {
  unsigned byThreads = maxThreadsPerSM / ((threads + 31) / 32 * 32);
  unsigned byShared = (unsigned)(sharedBytesPerSM / (dynamicShared + 1024)); // the system takes 1 KB of each
  return std::min({byThreads, byShared, maxBlocksPerSM});
}

API cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads, size_t dynamicShared) {
  if (int code = enter("cuOccupancyMaxActiveBlocksPerMultiprocessor", Needs::context)) return code;
  Function *f = functionOf(function, nullptr);
  if (!f) return invalidHandle;
  if (threads <= 0 || (unsigned)threads > f->kernel->threads) return invalidValue;
  *blocks = (int)blocksPerSM((unsigned)threads, dynamicShared);
  return success;
}

static int launch(void *function, const unsigned grid[3], const unsigned block[3], unsigned dynamicShared, void *stream,
                  void **params, bool cooperative) {
  Function *f = functionOf(function, nullptr);
  if (!f) return invalidHandle;
  const Config &config = driver().config;
  uint64_t resident = blocksPerSM(block[0], dynamicShared) * config.sms;
  bool one = grid[1] == 1 && grid[2] == 1 && block[1] == 1 && block[2] == 1; // what the kernels here are written for
  if (!one || grid[0] == 0 || grid[0] > 0x7fffffff || block[0] == 0 || block[0] > maxThreadsPerBlock ||
      block[0] > f->kernel->threads || (int)dynamicShared > f->maxDynamicShared || !params || !params[0]) {
    return invalidValue;
  }
  if (resident == 0) return launchOutOfResources;
  if (cooperative && grid[0] > resident) return cooperativeLaunchTooLarge;
  DeviceContext *c = currentContext();
  auto l = std::make_shared<Launch>();
  l->kernel = f->kernel;
  l->params.assign(static_cast<char *>(params[0]), static_cast<char *>(params[0]) + f->kernel->paramBytes);
  l->grid = grid[0], l->threads = block[0], l->dynamicShared = dynamicShared;
  l->resident = (uint32_t)(cooperative ? grid[0] : std::min(resident, config.resident));
  unsigned cores = std::max(2u, std::min(8u, std::thread::hardware_concurrency()));
  l->workers = config.workers ? (uint32_t)config.workers : cores;
  l->timeout = (double)config.timeout;
  {
    std::lock_guard<std::mutex> lock(driver().mutex);
    l->seed = config.seed * 1000003 + c->launches++;
  }
  return addWork(stream, "launch", [c, l] {
    Fault fault = run(*l);
    if (!fault.code) {
      std::string damage = c->memory.damage();
      if (!damage.empty()) fault = Fault{illegalAddress, l->kernel->name + ": " + damage};
    }
    if (fault.code) driver().fault(c, fault.code, fault.text);
    return fault.code;
  });
}

API cuLaunchKernel(void *function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,
                   unsigned blockZ, unsigned dynamicShared, void *stream, void **params, void **extra) {
  if (int code = enter("cuLaunchKernel", Needs::context)) return code;
  if (extra) return invalidValue;
  const unsigned grid[] = {gridX, gridY, gridZ}, block[] = {blockX, blockY, blockZ};
  return launch(function, grid, block, dynamicShared, stream, params, false);
}

API cuLaunchCooperativeKernel(void *function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                              unsigned blockY, unsigned blockZ, unsigned dynamicShared, void *stream, void **params) {
  if (int code = enter("cuLaunchCooperativeKernel", Needs::context)) return code;
  const unsigned grid[] = {gridX, gridY, gridZ}, block[] = {blockX, blockY, blockZ};
  return launch(function, grid, block, dynamicShared, stream, params, true);
}
