#include "program/fork_guard.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "program/builder.hpp"

namespace kiln::program {
namespace {

constinit std::mutex list_mutex;
constinit std::vector<Builder*>* builders = nullptr;  // never destroyed: a builder may be used while the program exits

// The handlers may be registered twice by threads that begin at once; only the outermost does something.
constinit thread_local int depth = 0;

void before_fork() {
  if (depth++ > 0) return;
  list_mutex.lock();
  if (builders == nullptr) return;
  for (Builder* builder : *builders) builder->before_fork();
}

void after_fork(bool child) {
  if (--depth > 0) return;
  if (builders != nullptr) {
    for (Builder* builder : *builders) child ? builder->after_fork_in_child() : builder->after_fork_in_parent();
  }
  list_mutex.unlock();
}

// Before any lock is held: a fork without the handlers would leave it locked in the child.
void register_handlers() {
  static constinit std::atomic<bool> registered{false};
  if (registered.load(std::memory_order_acquire)) return;
  pthread_atfork(before_fork, [] { after_fork(false); }, [] { after_fork(true); });
  registered.store(true, std::memory_order_release);
}

}  // namespace

void guard_forks_of(Builder* builder) {
  register_handlers();
  const std::lock_guard lock(list_mutex);
  if (builders == nullptr) builders = std::make_unique<std::vector<Builder*>>().release();
  builders->push_back(builder);
}

void forget_forks_of(Builder* builder) noexcept {
  const std::lock_guard lock(list_mutex);
  builders->erase(std::remove(builders->begin(), builders->end(), builder), builders->end());
}

}  // namespace kiln::program
