// Where a ufunc's loops come from when they are not its signatures: made for the dtypes of a call, such as those of a graph of
// other ufuncs.
#pragma once

#include "ufunc/loops.hpp"

namespace kiln::ufunc {

/// Immutable, so safe from any thread.
class LoopSource {
 public:
  virtual ~LoopSource() = default;
  /// The loop for these arguments, with its definition. Throws as choose_loop() does.
  [[nodiscard]] virtual Loop choose(const LoopRequest& request) const = 0;
  /// Whether its kernels wait for arithmetic rather than for memory, as far as texts tell.
  [[nodiscard]] virtual bool arithmetic_bound() const noexcept = 0;
};

}  // namespace kiln::ufunc
