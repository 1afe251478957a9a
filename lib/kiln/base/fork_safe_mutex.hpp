// A mutex that a forked child can lock although another thread of the parent held it.
#pragma once

#include <unistd.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

namespace kiln::base {

/// As std::mutex. In a child the threads that held it are not there: the first to lock it there finds it free.
class ForkSafeMutex {
 public:
  void lock() {
    const pid_t own = ::getpid();
    for (pid_t last = process_.load(std::memory_order_acquire); last != own; last = process_.load(std::memory_order_acquire)) {
      if (last == kBeingMade || !process_.compare_exchange_strong(last, kBeingMade)) {
        std::this_thread::yield();
        continue;
      }
      std::construct_at(&mutex_);
      process_.store(own, std::memory_order_release);
    }
    mutex_.lock();
  }
  void unlock() { mutex_.unlock(); }
  /// Whether it was last locked in the parent of this process: what it covers may be half done.
  [[nodiscard]] bool is_of_parent() const { return process_.load(std::memory_order_acquire) != ::getpid(); }

 private:
  static constexpr pid_t kBeingMade = -1;
  std::mutex mutex_;
  std::atomic<pid_t> process_ = ::getpid();
};

}  // namespace kiln::base
