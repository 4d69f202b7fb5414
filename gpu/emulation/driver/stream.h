// Streams and events: work is done in order by an OS thread of the stream, after the call that asked for it.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <thread>

namespace emulation {

class Stream {
public:
  // delays is the most microseconds an operation is held back, to show waits that are missing.
  Stream(bool blocking, uint64_t delays, uint64_t seed);
  ~Stream(); // after all that was asked for
  void add(std::function<void()> operation);
  void wait(); // for all that was asked for
  bool idle();
  const bool blocking; // takes turns with the default stream

private:
  void work();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  bool busy_ = false, closing_ = false;
  uint64_t delays_;
  std::mt19937_64 random_;
  std::thread thread_;
};

// An event may be destroyed while streams still know it, so they hold its shared half.
class Event {
public:
  // Notes that a recording was asked for, and gives its number.
  uint64_t record();
  void reached(uint64_t number);
  // The last recording asked for; 0: none.
  uint64_t last();
  void await(uint64_t number);
  bool done(uint64_t number);
  double seconds(); // when the last recording was reached

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t asked_ = 0, reached_ = 0;
  double at_ = 0;
};

} // namespace emulation
