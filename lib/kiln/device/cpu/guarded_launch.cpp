#include "device/cpu/guarded_launch.hpp"

#include <utility>

namespace kiln::backend::cpu {

GuardedLaunch::GuardedLaunch(const CpuModule& module) : module_(module), outer_(std::exchange(of_thread, this)) {
  catch_signals();
}

GuardedLaunch::~GuardedLaunch() {
  of_thread = outer_;
}

void GuardedLaunch::run(base::FunctionRef<void()> work) const {
  if (const auto crash = guarded(work)) module_.report(*crash);
}

bool GuardedLaunch::run(Fiber& fiber, base::FunctionRef<void()> resume) const {
  const auto crash = guarded(fiber, resume);
  if (crash) module_.report(*crash);
  return crash.has_value();
}

GuardedLaunch::Suspended::Suspended() noexcept : launch_(std::exchange(of_thread, nullptr)) {}

GuardedLaunch::Suspended::~Suspended() {
  of_thread = launch_;
}

}  // namespace kiln::backend::cpu
