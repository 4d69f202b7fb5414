#include "stream.h"

#include <chrono>

#include "signals.h"

namespace emulation {

Stream::Stream(bool blocking, uint64_t delays, uint64_t seed)
    : blocking(blocking), delays_(delays), random_(seed), thread_([this] { work(); }) {}

Stream::~Stream() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Stream::add(std::function<void()> operation) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    queue_.push_back(std::move(operation));
  }
  changed_.notify_all();
}

void Stream::wait() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return queue_.empty() && !busy_; });
}

bool Stream::idle() {
  std::lock_guard<std::mutex> lock(mutex_);
  return queue_.empty() && !busy_;
}

void Stream::work() {
  KernelSignals signals; // none of the program's signals end up here
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return closing_ || !queue_.empty(); });
    if (queue_.empty()) return;
    auto operation = std::move(queue_.front());
    queue_.pop_front();
    busy_ = true;
    lock.unlock();
    if (delays_) std::this_thread::sleep_for(std::chrono::microseconds(random_() % delays_));
    operation();
    operation = nullptr;
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

uint64_t Event::record() {
  std::lock_guard<std::mutex> lock(mutex_);
  return ++asked_;
}

void Event::reached(uint64_t number) {
  std::lock_guard<std::mutex> lock(mutex_);
  reached_ = number;
  at_ = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  changed_.notify_all();
}

uint64_t Event::last() {
  std::lock_guard<std::mutex> lock(mutex_);
  return asked_;
}

void Event::await(uint64_t number) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return reached_ >= number; });
}

bool Event::done(uint64_t number) {
  std::lock_guard<std::mutex> lock(mutex_);
  return reached_ >= number;
}

double Event::seconds() {
  std::lock_guard<std::mutex> lock(mutex_);
  return at_;
}

} // namespace emulation
