// Notices that the process was forked after kiln was in use: threads and GPU contexts do not survive that.
#include <pthread.h>

#include <atomic>

#include "backend/backend.hpp"

namespace kiln::backend {
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

}  // namespace kiln::backend
