#include "backend/cpu/queue.hpp"

#include <unistd.h>

#include <system_error>
#include <utility>

#include "kiln/error.hpp"

namespace kiln::backend::cpu {

CpuQueue::CpuQueue() : owner_(getpid()) {
  if (forked()) return;
  try {
    thread_ = std::make_unique<std::thread>([this] { work_off(); });
  } catch (const std::system_error& error) {
    throw DeviceError(std::string("failed to make a stream on the CPU: no thread for it: ") + error.what());
  }
}

bool CpuQueue::in_child() const noexcept {
  return thread_ == nullptr || getpid() != owner_;
}

CpuQueue::~CpuQueue() {
  if (in_child()) {
    // The thread is the parent's: joining or destroying it would wait for ever or end the process.
    static_cast<void>(thread_.release());
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  more_.notify_one();
  thread_->join();
}

void CpuQueue::post(std::function<void()> work, After after) {
  if (in_child()) return work();
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back({std::move(work), after});
  }
  more_.notify_one();
}

void CpuQueue::work_off() {
  std::unique_lock lock(mutex_);
  while (true) {
    more_.wait(lock, [this] { return !tasks_.empty() || ending_; });
    if (tasks_.empty()) return;
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    busy_ = true;
    const bool skip = failure_ != nullptr && task.after == After::success;
    lock.unlock();
    std::exception_ptr failure;
    try {
      if (!skip) task.work();
    } catch (...) {
      failure = std::current_exception();
    }
    task.work = nullptr;  // what it held is released before anyone who waits goes on
    lock.lock();
    if (failure != nullptr && failure_ == nullptr) failure_ = failure;
    busy_ = false;
    if (tasks_.empty()) idle_.notify_all();
  }
}

void CpuQueue::wait() noexcept {
  if (in_child()) return;
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this] { return tasks_.empty() && !busy_; });
}

void CpuQueue::synchronize() {
  wait();
  if (in_child()) return;
  std::unique_lock lock(mutex_);
  if (const std::exception_ptr failure = std::exchange(failure_, nullptr)) {
    lock.unlock();
    std::rethrow_exception(failure);
  }
}

}  // namespace kiln::backend::cpu
