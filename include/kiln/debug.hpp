// Debugging of kernels: the checks of `.compile.debug`, and the destination of text that bodies print. docs/debugging.md
// describes both.
#pragma once

#include <functional>
#include <string_view>

#include "kiln/export.hpp"

namespace kiln {

/// Checks that a kernel makes while it runs: `.compile = {.debug = {.on = true}}`, `{.debug = {.nan = true}}`. Any member that
/// is true enables all checks of `on`. A plain value.
///
/// A call of such a kernel waits for its end. The first fault becomes a DeviceError of the call. It names the kernel, the
/// defect, the item (or the thread and its block), and the place in the text.
///
/// After a fault the kernel runs to its end, outputs hold the values that it wrote, and the device stays usable. Calls of one
/// such kernel run one at a time.
struct Debug {
  /// Checks indices of views against their shapes, division of integers by zero, and assert(). Clang adds two checks:
  /// conversions of floats to integers that do not fit, and shifts by an invalid count. A shift count is invalid if it is
  /// negative or not below the type's width.
  ///
  /// On the CPU it also catches faults that would end the process: stack overflow, invalid pointers, illegal instructions. The
  /// part of the work that such a fault ends is not done. Handlers of SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGTRAP are installed
  /// then; they forward other signals to the previous handlers.
  bool on = false;
  /// Checks the results of ufuncs and gufuncs for NaN, too.
  bool nan = false;
  /// Checks raw kernels on the CPU for data races. A race is two accesses of different threads to one element, at least one of
  /// them a write. The threads are of different blocks, or no barrier() separates the accesses. Two atomic operations are no
  /// race. The message has both lines. Elements of a ufunc's call race likewise on its raw outputs.
  ///
  /// Threads of a block may then use barrier() and shared memory on the CPU, too. A barrier that some of them do not reach is a
  /// fault. The threads run one at a time. For other kernels, and on GPUs, the effect is that of `on`.
  bool race = false;
  /// Returns true if anything is checked.
  [[nodiscard]] constexpr bool any() const noexcept { return on || nan || race; }
  /// Compares the sets of checks.
  friend bool operator==(const Debug&, const Debug&) = default;
};

/// Sets the callback that receives the text of each print() in debug mode, without a newline. An empty callback restores the
/// default, which writes a line to standard output. Thread-safe.
///
/// The texts of one launch come in the order of items, or of blocks and threads. The callback runs in the thread that calls the
/// kernel, or in that of its CPU stream. It may call kiln; an exception of it ends the call, which rethrows it.
///
/// Calls from several threads run the callback at the same time, and the texts of different calls may interleave.
KILN_API void set_print(std::function<void(std::string_view text)> callback);

}  // namespace kiln
