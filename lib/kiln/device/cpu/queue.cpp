#include "device/cpu/queue.hpp"
#include "base/fork.hpp"

#include <unistd.h>

#include <system_error>
#include <utility>

#include "kiln/error.hpp"
#include "shared/float_environment.hpp"

namespace kiln::backend::cpu {

CpuQueue::CpuQueue() : owner_(getpid()) {
  if (base::forked()) return;
  try {
    thread_ = std::make_unique<std::thread>([state = state_] { state->work_off(); });
  } catch (const std::system_error& error) {
    throw DeviceError(std::string("failed to make a stream on the CPU: no thread for it: ") + error.what());
  }
}

bool CpuQueue::in_child() const noexcept {
  return thread_ == nullptr || getpid() != owner_;
}

CpuQueue::~CpuQueue() {
  if (thread_ == nullptr) return;
  if (in_child()) {
    // The thread is the parent's: joining or destroying it would wait for ever or end the process. So would destroying what it
    // waited on, and it may have been in the middle of its list.
    static_cast<void>(thread_.release());
    static_cast<void>(new std::shared_ptr<State>(std::move(state_)));
    return;
  }
  {
    const std::lock_guard lock(state_->mutex);
    state_->ending = true;
  }
  state_->more.notify_one();
  if (thread_->get_id() == std::this_thread::get_id()) {
    thread_->detach();
  } else {
    thread_->join();
  }
}

void CpuQueue::post(std::function<void()> work, After after) {
  if (in_child()) return work();
  {
    const std::lock_guard lock(state_->mutex);
    state_->tasks.push_back({std::move(work), after});
  }
  state_->more.notify_one();
}

void CpuQueue::State::work_off() {
  std::unique_lock lock(mutex);
  while (true) {
    more.wait(lock, [this] { return !tasks.empty() || ending; });
    if (tasks.empty()) return;
    Task task = std::move(tasks.front());
    tasks.pop_front();
    busy = true;
    const bool skip = failure != nullptr && task.after == After::success;
    lock.unlock();
    std::exception_ptr thrown;
    try {
      const base::DefaultFloatEnvironment floats;
      if (!skip) task.work();
    } catch (...) {
      thrown = std::current_exception();
    }
    task.work = nullptr;  // what it held is released before anyone who waits goes on
    lock.lock();
    if (thrown != nullptr && failure == nullptr) failure = thrown;
    busy = false;
    if (tasks.empty()) idle.notify_all();
  }
}

void CpuQueue::wait() noexcept {
  if (in_child()) return;
  std::unique_lock lock(state_->mutex);
  state_->idle.wait(lock, [this] { return state_->tasks.empty() && !state_->busy; });
}

void CpuQueue::synchronize() {
  wait();
  if (in_child()) return;
  std::unique_lock lock(state_->mutex);
  if (const std::exception_ptr failure = std::exchange(state_->failure, nullptr)) {
    lock.unlock();
    std::rethrow_exception(failure);
  }
}

}  // namespace kiln::backend::cpu
