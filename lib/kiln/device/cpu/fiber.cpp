#include "device/cpu/fiber.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <utility>

#include "kiln/error.hpp"

#if defined(__has_feature)
#define KILN_HAS_FEATURE(name) __has_feature(name)
#else
#define KILN_HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || KILN_HAS_FEATURE(address_sanitizer)
#include <sanitizer/common_interface_defs.h>
#define KILN_FIBERS_OF_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__) || KILN_HAS_FEATURE(thread_sanitizer)
#include <sanitizer/tsan_interface.h>
#define KILN_FIBERS_OF_TSAN 1
#endif

namespace kiln::backend::cpu {

Fiber::Fiber(std::function<void()> body, std::size_t bytes) : bytes_(bytes), body_(std::move(body)) {
  void* const memory =
      mmap(nullptr, bytes + 2 * kGuard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) {
    throw DeviceError(std::string("failed to allocate a stack for a kernel: ") + std::strerror(errno));
  }
  memory_ = static_cast<char*>(memory) + kGuard;
  if (mprotect(memory_, bytes, PROT_READ | PROT_WRITE) != 0) {
    const int error = errno;
    munmap(memory, bytes + 2 * kGuard);
    throw DeviceError(std::string("failed to allocate a stack for a kernel: ") + std::strerror(error));
  }
  getcontext(&own_);
  own_.uc_stack.ss_sp = memory_;
  own_.uc_stack.ss_size = bytes_;
  own_.uc_link = nullptr;
  const auto self = reinterpret_cast<std::uintptr_t>(this);  // which makecontext() passes in halves
  makecontext(&own_, reinterpret_cast<void (*)()>(&Fiber::enter), 2, static_cast<unsigned>(self),
              static_cast<unsigned>(self >> 32));
#if KILN_FIBERS_OF_TSAN
  sanitizers_own_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
#if KILN_FIBERS_OF_TSAN
  __tsan_destroy_fiber(sanitizers_own_);
#endif
  munmap(memory_ - kGuard, bytes_ + 2 * kGuard);
}

void Fiber::enter(unsigned low, unsigned high) {
  reinterpret_cast<Fiber*>(std::uintptr_t{high} << 32 | low)->run();
}

void Fiber::run() {
#if KILN_FIBERS_OF_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &callers_stack_, &callers_bytes_);
#endif
  while (true) {
    ended_ = false;
    body_();
    ended_ = true;
    suspend();
  }
}

void Fiber::suspend() {
#if KILN_FIBERS_OF_ASAN
  __sanitizer_start_switch_fiber(&fake_stack_, callers_stack_, callers_bytes_);
#endif
#if KILN_FIBERS_OF_TSAN
  __tsan_switch_to_fiber(sanitizers_callers_, 0);
#endif
  swapcontext(&own_, &callers_);
#if KILN_FIBERS_OF_ASAN
  __sanitizer_finish_switch_fiber(fake_stack_, &callers_stack_, &callers_bytes_);
#endif
}

bool Fiber::resume() {
#if KILN_FIBERS_OF_ASAN
  __sanitizer_start_switch_fiber(&callers_fake_stack_, memory_, bytes_);
#endif
#if KILN_FIBERS_OF_TSAN
  sanitizers_callers_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(sanitizers_own_, 0);
#endif
  pthread_sigmask(SIG_SETMASK, nullptr, &own_.uc_sigmask);  // the caller's: swapcontext() sets it
  swapcontext(&callers_, &own_);
#if KILN_FIBERS_OF_ASAN
  __sanitizer_finish_switch_fiber(callers_fake_stack_, nullptr, nullptr);
#endif
  return !ended_;
}

void Fiber::leave() noexcept {
#if KILN_FIBERS_OF_ASAN
  __sanitizer_start_switch_fiber(nullptr, callers_stack_, callers_bytes_);
  __sanitizer_finish_switch_fiber(callers_fake_stack_, nullptr, nullptr);
#endif
#if KILN_FIBERS_OF_TSAN
  __tsan_switch_to_fiber(sanitizers_callers_, 0);
#endif
}

}  // namespace kiln::backend::cpu
