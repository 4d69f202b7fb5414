// What the emulated machine is like, and which of its calls fail.
#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace emulation {

// One failure on request: the at-th call of a function gives code; with forever the device is lost then, and every
// later call of anything gives it. The names launch and copy stand for the work itself, which fails when its turn
// in the stream comes.
struct Failure {
  std::string function;
  int code = 0;
  uint64_t at = 1;
  bool forever = false;
};

// Read from text, comma separated: devices=1 driver=13000 cc=90 sms=4 memory=1G workers=4 resident=16 seed=1 delays=0
// timeout=60 copyrate=0 (bytes a second, 0: no limit) fail=FUNCTION:CODE[@N][!] (may be given more than once).
struct Config {
  uint64_t devices = 1, driver = 13000, cc = 90, sms = 4, memory = 1 << 30, workers = 0, resident = 16, seed = 1,
           delays = 0, timeout = 60, copyRate = 0;
  std::vector<Failure> failures;

  // Reads text over what is there; it gives what is wrong with the text, or nothing.
  std::string read(const std::string &text);
};

// Counts calls and knows when one is to fail.
class Failures {
public:
  void reset(const std::vector<Failure> &failures);
  // The code that this call of the function gives, 0 for none; once the device is lost, always its code.
  int call(const std::string &function);

private:
  std::mutex mutex_;
  std::vector<Failure> failures_;
  std::map<std::string, uint64_t> calls_;
  int lost_ = 0;
};

} // namespace emulation
