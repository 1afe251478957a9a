// Keeps fork() away from the moments when another thread is inside clang or the loader: a child would inherit their locks held
// and their tables half written.
#pragma once

namespace kiln::backend::cpu {

/// While one lives, fork() in another thread waits. Not for long work, and never around code that may fork itself.
class ForkGate {
 public:
  ForkGate();
  ~ForkGate();
  ForkGate(const ForkGate&) = delete;
  ForkGate& operator=(const ForkGate&) = delete;
};

}  // namespace kiln::backend::cpu
