// A mutex that a forked child can lock although another thread of the parent held it.
#pragma once

#include <unistd.h>

#include <memory>
#include <mutex>
#include <new>

namespace kiln::base {

/// As std::mutex. In a child the threads that held it are not there: the first to lock it there finds it free. A child's
/// threads must not lock it for the first time at once.
class ProcessMutex {
 public:
  void lock() {
    if (const pid_t process = ::getpid(); process != process_) {
      std::construct_at(&mutex_);
      process_ = process;
    }
    mutex_.lock();
  }
  void unlock() { mutex_.unlock(); }
  /// Whether it was last locked in the parent of this process: what it covers may be half done.
  [[nodiscard]] bool is_of_parent() const { return ::getpid() != process_; }

 private:
  std::mutex mutex_;
  pid_t process_ = ::getpid();
};

}  // namespace kiln::base
