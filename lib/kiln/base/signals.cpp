#include "base/signals.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <functional>
#include <mutex>
#include <utility>

#include "base/fork_safe_mutex.hpp"

namespace kiln::base {
namespace {

constinit std::array<std::atomic<SignalHandler>, 2> handlers{};  // by SignalOf
ForkSafeMutex before_mutex;
std::array<struct sigaction, NSIG> before;  // of each signal

/// The innermost call of a handler of before.
struct Forwarded {
  const void* context = nullptr;
  const void* frame = nullptr;
};
// The handler uses it: no memory may be allocated for it there.
__attribute__((tls_model("initial-exec"))) thread_local Forwarded forwarded;

/// As if kiln had set no handler.
void forward(int signal, siginfo_t* info, void* context) {
  const struct sigaction& earlier = before[static_cast<std::size_t>(signal)];
  // A handler that was set after kiln's may call kiln's in turn, which must not call it again. A handler that left by a jump
  // leaves its frame behind, which a later signal's is not below.
  const void* const here = __builtin_frame_address(0);
  const bool again = forwarded.context == context && std::less<>()(here, forwarded.frame);
  const Forwarded outer = std::exchange(forwarded, {context, here});
  if (!again && (earlier.sa_flags & SA_SIGINFO) != 0) {
    earlier.sa_sigaction(signal, info, context);
  } else if (!again && earlier.sa_handler != SIG_DFL && earlier.sa_handler != SIG_IGN) {
    earlier.sa_handler(signal);
  } else if (again || earlier.sa_handler == SIG_DFL || info->si_code > 0) {
    // The instruction runs again, and ends the process; one that somebody sent is sent again.
    std::signal(signal, SIG_DFL);
    if (info->si_code <= 0) ::raise(signal);
  }
  forwarded = outer;
}

void on_signal(int signal, siginfo_t* info, void* context) {
  const int saved = errno;
  bool taken = false;
  for (const auto& each : handlers) {
    const SignalHandler handler = info->si_code > 0 ? each.load(std::memory_order_acquire) : nullptr;
    if (!taken && handler != nullptr) taken = handler(signal, *info, context);
  }
  errno = saved;
  if (!taken) forward(signal, info, context);
}

bool is_handled(int signal, struct sigaction& now) {
  ::sigaction(signal, nullptr, &now);
  return (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_signal;
}

}  // namespace

void handle_signals(std::span<const int> signals, SignalOf of, SignalHandler handler) {
  handlers[static_cast<std::size_t>(of)].store(handler, std::memory_order_release);
  struct sigaction now{};
  if (is_handled(signals.front(), now)) return;  // who sets one sets it
  const std::lock_guard guard(before_mutex);
  struct sigaction own{};
  own.sa_sigaction = on_signal;
  own.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;  // the signal is not blocked behind a jump
  sigemptyset(&own.sa_mask);
  for (const int signal : signals) {
    if (is_handled(signal, now)) continue;
    before[static_cast<std::size_t>(signal)] = now;
    ::sigaction(signal, &own, nullptr);
  }
}

}  // namespace kiln::base
