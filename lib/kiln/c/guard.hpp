// What surrounds every function of the C interface: exceptions become statuses, and callbacks may not call kiln.
#pragma once

#include <utility>

#include "kiln/c/kiln.h"

namespace kiln::c {

/// Returns the status of the exception that is being handled. Stores an error in *error unless `error` is NULL.
kiln_status report(kiln_error** error) noexcept;

/// While one exists, calls of kiln by this thread are refused.
class CallbackScope {
 public:
  CallbackScope() noexcept { ++depth; }
  CallbackScope(const CallbackScope&) = delete;
  CallbackScope& operator=(const CallbackScope&) = delete;
  ~CallbackScope() { --depth; }
  /// Throws ArgumentError inside a callback.
  static void refuse() {
    if (depth != 0) [[unlikely]]
      fail();
  }

 private:
  [[noreturn]] static void fail();
  static thread_local int depth;
};

/// Runs `body` and returns KILN_OK, or the status of what it throws.
template <class F>
kiln_status guarded(kiln_error** error, F&& body) noexcept {
  if (error != nullptr) *error = nullptr;
  try {
    CallbackScope::refuse();
    std::forward<F>(body)();
    return KILN_OK;
  } catch (...) {
    return report(error);
  }
}

/// Does the same for a function of one output, which is null or zero unless the function succeeds.
template <class T, class F>
kiln_status guarded(kiln_error** error, T* output, F&& body) noexcept {
  if (output != nullptr) *output = T{};
  return guarded(error, std::forward<F>(body));
}

}  // namespace kiln::c
