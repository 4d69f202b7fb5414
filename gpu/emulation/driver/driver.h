// The state behind the exported functions.
#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "block.h"
#include "codes.h"
#include "config.h"
#include "memory.h"
#include "stream.h"

#define API extern "C" __attribute__((visibility("default"))) int

namespace emulation {

struct Function {
  const Kernel *kernel;
  int maxDynamicShared = maxStaticSharedBytes;
};

struct Module {
  int ptxVersion, target; // ten times
  std::map<std::string, std::unique_ptr<Function>> functions;
};

// The primary context of a device. Handles are the addresses of what they stand for.
struct DeviceContext {
  int device;
  int retained = 0;
  std::atomic<int> sticky{0}; // the error that has ended it
  Memory memory;
  Pinned pinned;
  std::unique_ptr<Stream> defaultStream;
  std::map<Stream *, std::unique_ptr<Stream>> streams;
  std::map<void *, std::shared_ptr<Event>> events; // by the handle, which is the address of the event
  std::map<Module *, std::unique_ptr<Module>> modules;
  uint64_t launches = 0;

  void drain(); // waits for all streams
  void close();
  Stream *stream(void *handle); // null if there is none
};

struct Driver {
  std::mutex mutex; // of everything here and of the maps of contexts
  bool initialized = false;
  Config config;
  Failures failures;
  std::vector<std::unique_ptr<DeviceContext>> contexts;
  std::string lastFault;

  void fault(DeviceContext *c, int code, const std::string &text);
};

Driver &driver();

// The context current to this OS thread.
DeviceContext *currentContext();
void setCurrentContext(DeviceContext *c);

enum class Needs { nothing, initialized, context };

// The start of every exported function: gives the code with which it must return at once, or 0.
int enter(const char *function, Needs needs);

// Adds work to a stream of the current context; a code it gives ends the context.
int addWork(void *stream, const char *failureName, std::function<int()> work);

// Reads PTX as a driver would: gives a code and, in log, what is wrong.
int readPtx(const char *text, const Config &config, Module *module, std::string *log);

} // namespace emulation
