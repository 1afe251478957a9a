// Calls that threads of kiln's own make for the call of another thread.
#pragma once

#include <thread>

namespace kiln::profiling {

/// Whose calls they are.
struct Caller {
  std::thread::id thread = {};
  int depth = 0;  ///< of calls that are made for it
  bool silent = false;
};
/// This thread, or whom it works for, in the call that it is in.
[[nodiscard]] Caller caller() noexcept;

/// While it lives, who hears the caller hears calls of this thread. The caller outlives it.
class OnBehalf {
 public:
  explicit OnBehalf(const Caller& caller) noexcept;
  ~OnBehalf();
  OnBehalf(const OnBehalf&) = delete;
  OnBehalf& operator=(const OnBehalf&) = delete;
};

/// Other threads have called for the call that this thread is in: it is recorded.
void others_have_called() noexcept;

}  // namespace kiln::profiling
