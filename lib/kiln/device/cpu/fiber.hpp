// A function on a stack of its own, which can stop in its middle and go on later.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace kiln::backend::cpu {

/// Owns a stack between memory that nobody may access. Of one thread. What runs on it throws nothing.
class Fiber {
 public:
  /// What a thread of a GPU may have of local memory.
  static constexpr std::size_t kThreadBytes = std::size_t{512} << 10;

  /// `bytes`: of the stack, whole pages. DeviceError where there is no memory.
  explicit Fiber(std::function<void()> body, std::size_t bytes = kThreadBytes);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs the body on the stack, from its beginning or from where it suspended, until it ends or suspends; true: it suspended.
  bool resume();
  /// Of the body: returns to who started or resumed it, and here when it is resumed.
  void suspend();

  /// Whether an address is on the stack.
  [[nodiscard]] bool holds(const void* address) const noexcept { return offset_of(address) < bytes_; }
  /// Whether it is in the memory that nobody may access, where a full stack goes on.
  [[nodiscard]] bool is_below(const void* address) const noexcept { return offset_of(address) + kGuard < kGuard; }
  /// Where it goes on in front of its beginning.
  [[nodiscard]] bool is_above(const void* address) const noexcept { return offset_of(address) - bytes_ < kGuard; }

  /// Called on it by a signal's handler, which then jumps to who resumed it: the body never goes on, and is not destroyed. The
  /// fiber is good for nothing then but to be destroyed.
  void leave() noexcept;

 private:
  static constexpr std::size_t kGuard = std::size_t{64} << 10;

  [[nodiscard]] std::uintptr_t offset_of(const void* address) const noexcept {
    return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(memory_);
  }
  static void enter(unsigned low, unsigned high);
  void run();

  char* memory_ = nullptr;  // of the stack alone
  std::size_t bytes_;
  ucontext_t own_{};
  ucontext_t callers_{};
  std::function<void()> body_;
  bool ended_ = true;
  // What sanitizers keep of a stack.
  void* fake_stack_ = nullptr;
  void* callers_fake_stack_ = nullptr;
  const void* callers_stack_ = nullptr;
  std::size_t callers_bytes_ = 0;
  void* sanitizers_own_ = nullptr;
  void* sanitizers_callers_ = nullptr;
};

}  // namespace kiln::backend::cpu
