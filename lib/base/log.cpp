// Holds the callback of cache::set_log.
#include "base/log.hpp"

#include <pthread.h>

#include <atomic>
#include <memory>
#include <mutex>

namespace kiln::base {
namespace {

using Callback = std::function<void(std::string_view)>;

// Never destroyed: a fault may have to be told while the program exits. The mutex covers only the copying of the pointer.
constinit std::mutex callback_mutex;
constinit std::shared_ptr<const Callback>* callback = nullptr;

// A thread of the parent may hold the mutex at a fork, and would never release it in the child.
void survive_forks() {
  static constinit std::atomic<bool> registered{false};
  if (registered.exchange(true)) return;
  pthread_atfork([] { callback_mutex.lock(); }, [] { callback_mutex.unlock(); }, [] { callback_mutex.unlock(); });
}

}  // namespace

void set_log(std::function<void(std::string_view)> function) {
  survive_forks();
  auto replacement = function ? std::make_shared<const Callback>(std::move(function)) : nullptr;
  const std::lock_guard lock(callback_mutex);
  if (callback == nullptr) callback = std::make_unique<std::shared_ptr<const Callback>>().release();
  callback->swap(replacement);
}

void log_line(std::string_view line) noexcept {
  try {
    survive_forks();
    std::shared_ptr<const Callback> current;
    {
      const std::lock_guard lock(callback_mutex);
      if (callback != nullptr) current = *callback;
    }
    if (current != nullptr) (*current)(line);
  } catch (...) {
    // A log that fails must not fail the call that had something to say.
  }
}

}  // namespace kiln::base
