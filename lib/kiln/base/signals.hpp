// The one owner of the signals that instructions raise: asks kiln's handlers, then the one that was there before kiln.
#pragma once

#include <csignal>
#include <cstdint>
#include <span>

namespace kiln::base {

/// Whether it took care of a signal that an instruction of this thread raised: the instruction then runs again. It may also
/// leave by siglongjmp. It runs in a signal handler: no locks, and no memory is allocated.
using SignalHandler = bool (*)(int signal, const siginfo_t& info, const void* context);

/// Which handler is asked first. There is one of each.
enum class SignalOf : std::uint8_t {
  memory,  ///< knows the address
  thread,  ///< knows what the thread was doing
};

/// From now on `handler` is asked about these signals. Those that nobody takes, and those that a process sent, go to the
/// handler that was there before. Call it again before each use: the host may have set a handler since. Handlers stay, since
/// setting and restoring them takes longer than a short kernel. Thread-safe; one system call where nothing is to be done.
void handle_signals(std::span<const int> signals, SignalOf of, SignalHandler handler);

}  // namespace kiln::base
