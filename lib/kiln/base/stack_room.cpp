#include "base/stack_room.hpp"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <exception>
#include <system_error>

extern "C" void* __libc_stack_end;  // NOLINT(bugprone-reserved-identifier): glibc's name for where the main thread's begins

namespace kiln::base {
namespace {

constexpr std::size_t kOwnStack = std::size_t{8} << 20;

struct Bounds {
  std::uintptr_t low = 0;
  std::uintptr_t high = 0;
};

Bounds bounds_of_thread() noexcept {
  if (::gettid() == ::getpid()) {
    // It grows up to its limit. pthread_getattr_np() would read /proc/self/maps.
    rlimit limit{};
    constexpr rlim_t kEnough = rlim_t{64} << 20;
    if (::getrlimit(RLIMIT_STACK, &limit) != 0) return {};
    const auto high = reinterpret_cast<std::uintptr_t>(__libc_stack_end);
    return {.low = high - std::min(limit.rlim_cur, kEnough), .high = high};
  }
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* low = nullptr;
  std::size_t size = 0;
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  return {.low = reinterpret_cast<std::uintptr_t>(low), .high = reinterpret_cast<std::uintptr_t>(low) + size};
}

struct Work {
  FunctionRef<void()> run;
  std::exception_ptr thrown = nullptr;
};

void* run(void* argument) {
  Work& work = *static_cast<Work*>(argument);
  try {
    work.run();
  } catch (...) {
    work.thrown = std::current_exception();
  }
  return nullptr;
}

}  // namespace

std::size_t stack_room() noexcept {
  thread_local const Bounds bounds = bounds_of_thread();
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return here > bounds.low && here < bounds.high ? here - bounds.low : 0;
}

void with_stack(std::size_t bytes, FunctionRef<void()> work) {
  if (stack_room() >= bytes) return work();
  Work job{work};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, std::max(bytes, kOwnStack));
  // The host program's signals are not this thread's.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread{};
  const int failed = pthread_create(&thread, &attributes, run, &job);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (failed != 0) throw std::system_error(failed, std::generic_category(), "no thread with a stack to compile on");
  pthread_join(thread, nullptr);
  if (job.thrown != nullptr) std::rethrow_exception(job.thrown);
}

}  // namespace kiln::base
