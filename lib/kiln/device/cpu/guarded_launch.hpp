// A launch of a kernel in debug mode: what its body does to the process becomes a fault of its.
#pragma once

#include "base/function_ref.hpp"
#include "device/cpu/module.hpp"
#include "device/cpu/signal_guard.hpp"

namespace kiln::backend::cpu {

/// Calls a kernel's code, guarded() where the module is in debug mode: what its caller made is not lost by a crash.
template <class Code>
void call_guarded(const CpuModule& module, const Code& code) {
  if (!module.reports_crashes()) [[likely]]
    return code();
  if (const auto crash = guarded(code)) module.report(*crash);
}

/// While it lives, parts of work that its thread gives to Threads run as by run(). Of one thread.
class GuardedLaunch {
 public:
  explicit GuardedLaunch(const CpuModule& module);
  ~GuardedLaunch();
  GuardedLaunch(const GuardedLaunch&) = delete;
  GuardedLaunch& operator=(const GuardedLaunch&) = delete;

  /// That of the calling thread; null: none.
  [[nodiscard]] static const GuardedLaunch* current() noexcept { return of_thread; }
  /// Calls work, guarded(). A crash goes to the kernel's faults, and the work goes on with its next part. Thread-safe.
  void run(base::FunctionRef<void()> work) const;
  /// The same for what runs on the fiber, which `resume` resumes. Whether it crashed: the fiber can only be destroyed then.
  bool run(Fiber& fiber, base::FunctionRef<void()> resume) const;

  /// While it lives, the thread does the host's work, and its parts guard themselves.
  class Suspended {
   public:
    Suspended() noexcept;
    ~Suspended();
    Suspended(const Suspended&) = delete;
    Suspended& operator=(const Suspended&) = delete;

   private:
    const GuardedLaunch* launch_;
    Unguarded unguarded_;
  };

 private:
  static inline thread_local const GuardedLaunch* of_thread = nullptr;

  const CpuModule& module_;
  const GuardedLaunch* outer_;
};

}  // namespace kiln::backend::cpu
