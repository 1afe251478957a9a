#include "backend/cpu/guarded_launch.hpp"

#include <utility>

namespace kiln::backend::cpu {

GuardedLaunch::GuardedLaunch(const CpuModule& module) : module_(module), outer_(std::exchange(current_, this)) {
  catch_signals();
}

GuardedLaunch::~GuardedLaunch() {
  current_ = outer_;
}

void GuardedLaunch::run(base::FunctionRef<void()> work) const {
  if (const auto crash = guarded(work)) module_.report(*crash);
}

GuardedLaunch::Suspended::Suspended() noexcept : launch_(std::exchange(current_, nullptr)) {}

GuardedLaunch::Suspended::~Suspended() {
  current_ = launch_;
}

}  // namespace kiln::backend::cpu
