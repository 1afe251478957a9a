#include "kernel/loop_stop.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <system_error>

#include "kernel/faults.hpp"
#include "kiln/error.hpp"

namespace kiln::kinds {

LoopStop::LoopStop(const backend::Backend& backend, const backend::Module& module, const backend::StopRequest* request)
    : request_(request) {
  if (request_ == nullptr || backend.kind() != DeviceKind::cpu || module.faults() == nullptr) return;
  static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
  // The kernel's memory is this process's.
  flag_ = reinterpret_cast<std::atomic<std::uint32_t>*>(static_cast<char*>(module.faults()) + offsetof(FaultBuffer, stop));
  try {
    watcher_ = std::thread([this] { watch(); });
  } catch (const std::system_error& error) {
    throw DeviceError(std::string("no thread to watch over a call that may be stopped: ") + error.what());
  }
}

void LoopStop::end_with(backend::Queue* queue) {
  if (flag_ != nullptr && queue != nullptr) queue->synchronize();
  end();
}

void LoopStop::end() noexcept {
  if (!watcher_.joinable()) return;
  {
    const std::lock_guard guard(mutex_);
    ends_ = true;
  }
  ended_.notify_one();
  watcher_.join();
  constexpr std::uint32_t kLoopEnded = 2;
  stopped_ = flag_->exchange(0, std::memory_order_relaxed) == kLoopEnded;
}

void LoopStop::watch() {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, std::chrono::milliseconds(1), [this] { return ends_; })) {
    if (!request_->due()) continue;
    flag_->store(1, std::memory_order_relaxed);
    return;
  }
}

void LoopStop::require_not_stopped() const {
  if (stopped_) request_->fail(backend::kPartlyWritten);
}

}  // namespace kiln::kinds
