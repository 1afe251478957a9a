#include "backend/cpu/fiber.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
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
namespace {

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

}  // namespace

Fiber::Fiber(std::function<void()> body) : body_(std::move(body)) {
  const std::size_t bytes = kBytes + page_bytes();
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) {
    throw DeviceError(std::string("failed to allocate the stack of a thread of a block: ") + std::strerror(errno));
  }
  mprotect(memory, page_bytes(), PROT_NONE);
  memory_ = static_cast<char*>(memory) + page_bytes();
  getcontext(&own_);
  own_.uc_stack.ss_sp = memory_;
  own_.uc_stack.ss_size = kBytes;
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
  munmap(memory_ - page_bytes(), kBytes + page_bytes());
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
  void* fake_stack = nullptr;
  __sanitizer_start_switch_fiber(&fake_stack, memory_, kBytes);
#endif
#if KILN_FIBERS_OF_TSAN
  sanitizers_callers_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(sanitizers_own_, 0);
#endif
  swapcontext(&callers_, &own_);
#if KILN_FIBERS_OF_ASAN
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
  return !ended_;
}

}  // namespace kiln::backend::cpu
