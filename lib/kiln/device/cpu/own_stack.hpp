// Stacks of kiln's own for kernels: where the caller's is too small for them, and where a body may overwrite what lies in front
// of its variables.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>

#include "base/function_ref.hpp"
#include "device/cpu/fiber.hpp"

namespace kiln::backend::cpu {

/// One of the calling thread's, which keeps it for the next one. Of one thread.
class OwnStack {
 public:
  /// DeviceError where there is no memory.
  OwnStack();
  ~OwnStack();
  OwnStack(const OwnStack&) = delete;
  OwnStack& operator=(const OwnStack&) = delete;

  /// Calls work on the stack. What it throws is thrown here.
  void call(base::FunctionRef<void()> work);

  [[nodiscard]] Fiber& fiber() noexcept;
  /// Work was left by a jump: the stack is not used again.
  void abandon() noexcept;

  struct Place;

 private:
  std::unique_ptr<Place> place_;
  Place* outer_;
};

/// Bytes of stack that kernels may count on.
inline constexpr std::size_t kKernelStack = std::size_t{3} << 19;

/// Calls work, on an OwnStack where the calling thread has less than kKernelStack left. Throws what work throws, and
/// DeviceError.
template <class Work>
void with_enough_stack(const Work& work);

/// Whether the calling thread has so much left, on the stack that it is on.
[[nodiscard]] bool has_enough_stack() noexcept;

template <class Work>
void with_enough_stack(const Work& work) {
  if (has_enough_stack()) [[likely]]
    return work();
  OwnStack().call(work);
}

}  // namespace kiln::backend::cpu
