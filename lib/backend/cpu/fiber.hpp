// A function on a stack of its own, which can stop in its middle and go on later.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace kiln::backend::cpu {

/// Owns a stack below which lies a page that nobody may access. Of one thread. What runs on it throws nothing.
class Fiber {
 public:
  /// DeviceError where there is no memory.
  explicit Fiber(std::function<void()> body);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs the body on the stack, from its beginning or from where it suspended, until it ends or suspends; true: it suspended.
  bool resume();
  /// Of the body: returns to who started or resumed it, and here when it is resumed.
  void suspend();

  /// Whether an address is on the stack.
  [[nodiscard]] bool holds(const void* address) const noexcept {
    return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(memory_) < kBytes;
  }

 private:
  static constexpr std::size_t kBytes = std::size_t{512} << 10;  // what a thread of a GPU may have of local memory

  static void enter(unsigned low, unsigned high);
  void run();

  char* memory_ = nullptr;
  ucontext_t own_{};
  ucontext_t callers_{};
  std::function<void()> body_;
  bool ended_ = true;
  // What sanitizers keep of a stack.
  void* fake_stack_ = nullptr;
  const void* callers_stack_ = nullptr;
  std::size_t callers_bytes_ = 0;
  void* sanitizers_own_ = nullptr;
  void* sanitizers_callers_ = nullptr;
};

}  // namespace kiln::backend::cpu
