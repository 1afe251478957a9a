#include "device/cpu/own_stack.hpp"

#include <pthread.h>

#include <cstdint>
#include <utility>

namespace kiln::backend::cpu {

/// As large as the stack of a thread by default.
static constexpr std::size_t kBytes = std::size_t{8} << 20;

struct OwnStack::Place {
  Place() : fiber([this] { run(); }, kBytes) {}
  void run() noexcept {
    try {
      (*work)();
    } catch (...) {
      error = std::current_exception();
    }
  }

  Fiber fiber;
  const base::FunctionRef<void()>* work = nullptr;
  std::exception_ptr error;
  std::unique_ptr<Place> next;
};

namespace {

/// Those that no call uses now. No object of a class: calls may come after the thread's have been destroyed.
constinit thread_local OwnStack::Place* free_places = nullptr;
struct FreedWithThread {
  ~FreedWithThread() { const std::unique_ptr<OwnStack::Place> all(std::exchange(free_places, nullptr)); }
};
__attribute__((tls_model("initial-exec"))) constinit thread_local OwnStack::Place* innermost = nullptr;

/// Addresses of the thread's own stack above which there is enough left.
struct Enough {
  std::uintptr_t low = 0;
  std::uintptr_t bytes = 0;
  bool known = false;
};
__attribute__((tls_model("initial-exec"))) constinit thread_local Enough enough;

Enough enough_of_thread() noexcept {
  pthread_attr_t attributes;
  void* low = nullptr;
  std::size_t bytes = 0;
  const bool found = pthread_getattr_np(pthread_self(), &attributes) == 0;
  if (found) {
    pthread_attr_getstack(&attributes, &low, &bytes);
    pthread_attr_destroy(&attributes);
  }
  if (low == nullptr) return {.low = 0, .bytes = UINTPTR_MAX, .known = true};  // no /proc: as large as it usually is
  return {.low = reinterpret_cast<std::uintptr_t>(low) + kKernelStack,
          .bytes = bytes > kKernelStack ? bytes - kKernelStack : 0,
          .known = true};
}

[[gnu::noinline, gnu::cold]] bool has_enough(const void* here) noexcept {
  if (innermost != nullptr && innermost->fiber.holds(here)) return true;
  if (enough.known) return false;
  enough = enough_of_thread();
  return reinterpret_cast<std::uintptr_t>(here) - enough.low < enough.bytes;
}

}  // namespace

bool has_enough_stack() noexcept {
  const void* const here = __builtin_frame_address(0);
  if (reinterpret_cast<std::uintptr_t>(here) - enough.low < enough.bytes) [[likely]]
    return true;
  return has_enough(here);
}

OwnStack::OwnStack() : outer_(innermost) {
  if (free_places == nullptr) {
    place_ = std::make_unique<Place>();
  } else {
    place_.reset(free_places);
    free_places = place_->next.release();
  }
}

OwnStack::~OwnStack() {
  if (place_ == nullptr) return;
  static thread_local const FreedWithThread freed;
  static_cast<void>(freed);
  place_->next.reset(free_places);
  free_places = place_.release();
}

void OwnStack::call(base::FunctionRef<void()> work) {
  place_->work = &work;
  innermost = place_.get();
  place_->fiber.resume();
  innermost = outer_;
  if (place_->error) std::rethrow_exception(std::exchange(place_->error, nullptr));
}

Fiber& OwnStack::fiber() noexcept {
  return place_->fiber;
}

void OwnStack::abandon() noexcept {
  innermost = outer_;
  place_.reset();
}

}  // namespace kiln::backend::cpu
