// What would end the process while a kernel in debug mode runs, SIGSEGV among it, ends the kernel's part of the work instead.
#pragma once

#include <cstdint>
#include <optional>

#include "base/function_ref.hpp"
#include "device/cpu/fiber.hpp"
#include "device/kernel_abi.hpp"
#include "kernels-src/core/faults.hpp"

namespace kiln::backend::cpu {

/// A signal that an instruction of the thread itself raised.
struct Crash {
  int signal = 0;
  std::uintptr_t address = 0;      ///< that was accessed, where the signal is about memory
  std::uintptr_t instruction = 0;  ///< that raised it
  kinds::CrashKind kind = kinds::CrashKind::instruction;
};

/// From now on SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGTRAP are caught for threads in guarded(), by
/// base::handle_signals. To be called before each use of guarded(). Thread-safe.
void catch_signals();

/// Calls work, behind catch_signals(), on an OwnStack: a body that fills it, or overwrites what lies in front of its variables,
/// reaches none of the caller's. A signal in work ends it at once, without the destructors of what it made: work is to be a
/// kernel's code, with as little around it as can be. Throws what work throws.
[[nodiscard]] std::optional<Crash> guarded(base::FunctionRef<void()> work);

/// The same for what runs on the fiber, which `resume` resumes. After a crash the fiber can only be destroyed.
[[nodiscard]] std::optional<Crash> guarded(Fiber& fiber, base::FunctionRef<void()> resume);

/// While it lives, signals of the thread are not guarded()'s, which is further out, but the process's as ever.
class Unguarded {
 public:
  Unguarded() noexcept;
  ~Unguarded();
  Unguarded(const Unguarded&) = delete;
  Unguarded& operator=(const Unguarded&) = delete;

 private:
  void* frame_;
};

}  // namespace kiln::backend::cpu
