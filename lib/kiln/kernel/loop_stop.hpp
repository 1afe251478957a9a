// Ends the loops of a kernel in debug mode on the CPU once its call is to end: they look at a flag in the kernel's FaultBuffer.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "device/backend.hpp"
#include "device/stop_request.hpp"

namespace kiln::kinds {

/// While it lives, a thread of its own looks each millisecond whether the request is due, and sets the flag then. Does nothing
/// without a request, and for a kernel that is not one of the CPU's.
class LoopStop {
 public:
  LoopStop(const backend::Backend& backend, const backend::Module& module, const backend::StopRequest* request);
  ~LoopStop() { end(); }
  LoopStop(const LoopStop&) = delete;
  LoopStop& operator=(const LoopStop&) = delete;

  /// Waits for the queue's work, unless the queue is null, and watches no more.
  void end_with(backend::Queue* queue);
  /// Watches no more, and clears the flag.
  void end() noexcept;
  /// Stopped where a loop was ended.
  void require_not_stopped() const;

 private:
  void watch();

  const backend::StopRequest* request_;
  std::atomic<std::uint32_t>* flag_ = nullptr;
  bool stopped_ = false;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ends_ = false;
  std::thread watcher_;
};

}  // namespace kiln::kinds
