#include "base/fork.hpp"

#include <pthread.h>

#include <atomic>

namespace kiln::base {
namespace {

std::atomic<bool> in_forked_child{false};

}  // namespace

void watch_forks() {
  [[maybe_unused]] static const int registered =
      pthread_atfork(nullptr, nullptr, [] { in_forked_child.store(true, std::memory_order_relaxed); });
}

bool forked() noexcept {
  return in_forked_child.load(std::memory_order_relaxed);
}

}  // namespace kiln::base
