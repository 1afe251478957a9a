// Debugging kernels: what `.compile.debug` checks, and where the text goes that bodies print. docs/debugging.md has the whole.
#pragma once

#include <functional>
#include <string_view>

#include "kiln/export.hpp"

namespace kiln {

/// What a kernel checks while it runs: `.compile = {.debug = {.on = true}}`, `{.debug = {.nan = true}}`. Any member that is
/// true turns all of `on` on. A plain value.
///
/// A call of such a kernel waits for its end. The first fault becomes a DeviceError of the call that names the kernel, what was
/// wrong, the item or the thread and its block, and the place in the text. The kernel runs to its end, outputs hold what it
/// wrote, and the device goes on. Calls of one such kernel run one after the other.
struct Debug {
  /// Indices of views against their shapes, division of integers by zero, assert(). By Clang also shifts by as many bits as the
  /// type has or by fewer than none, and conversions of floats to integers that do not fit. On the CPU also what would end the
  /// process: a full stack, pointers that lead nowhere, instructions that the processor refuses. The part of the work that one
  /// ends is not done; handlers of SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGTRAP are set then, which leave other signals to who
  /// had them.
  bool on = false;
  /// Results of ufuncs and gufuncs that are NaN, too.
  bool nan = false;
  /// Raw kernels on the CPU: two threads that access the same element, one of them to write it, with no barrier() between, or
  /// of different blocks; the message has both lines. Not where both accesses are atomic operations. Threads of a block may
  /// then use barrier() and shared memory on the CPU, too; a barrier that some of them do not reach is a fault. They run one at
  /// a time. Nothing more than `on` for other kernels, and on GPUs.
  bool race = false;
  /// Whether anything is checked.
  [[nodiscard]] constexpr bool any() const noexcept { return on || nan || race; }
  /// The same checks.
  friend bool operator==(const Debug&, const Debug&) = default;
};

/// Receives what bodies print in debug mode, a text for each print(), without a newline. An empty callback brings back the
/// default, which writes a line to standard output. The texts of one launch come by items, or by blocks and threads. Called
/// from the thread that calls the kernel, or that of its CPU stream; may call kiln. Calls from several threads hand over at the
/// same time: the callback is then in several threads at once, and texts of one call may come between those of another. What it
/// throws, the call throws. Thread-safe.
KILN_API void set_print(std::function<void(std::string_view text)> callback);

}  // namespace kiln
