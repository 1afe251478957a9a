#include "device/cpu/signal_guard.hpp"

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <csetjmp>
#include <csignal>
#include <cstddef>
#include <utility>

#include "base/signals.hpp"
#include "device/cpu/own_stack.hpp"

namespace kiln::backend::cpu {
namespace {

constexpr std::array kSignals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
constexpr std::size_t kHandlerStack = 64 << 10;

struct GuardFrame {
  sigjmp_buf jump;
  Fiber* fiber = nullptr;
  Crash crash;
};
// The handler reads it: no memory may be allocated for it there.
__attribute__((tls_model("initial-exec"))) thread_local GuardFrame* frame_of_thread = nullptr;

/// Of the thread, for the time that its own is full.
class HandlerStack {
 public:
  HandlerStack() {
    stack_t now{};
    if (::sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) return;
    memory_ = ::mmap(nullptr, kHandlerStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) return;
    const stack_t own{.ss_sp = memory_, .ss_flags = 0, .ss_size = kHandlerStack};
    ::sigaltstack(&own, nullptr);
  }
  ~HandlerStack() {
    if (memory_ == MAP_FAILED) return;
    // Somebody else may have set another since.
    const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
    stack_t now{};
    if (::sigaltstack(nullptr, &now) == 0 && now.ss_sp == memory_) ::sigaltstack(&none, nullptr);
    ::munmap(memory_, kHandlerStack);
  }
  HandlerStack(const HandlerStack&) = delete;
  HandlerStack& operator=(const HandlerStack&) = delete;

 private:
  void* memory_ = MAP_FAILED;
};

std::uintptr_t instruction_of(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return machine.pc;
#else
#error "which register is the instruction's?"
#endif
}

kinds::CrashKind kind_of(int signal, const siginfo_t& info, const Fiber& fiber) {
  if (signal != SIGSEGV && signal != SIGBUS) return kinds::CrashKind::instruction;
  if (info.si_code == SI_KERNEL) return kinds::CrashKind::no_address;
  if (fiber.is_below(info.si_addr)) return kinds::CrashKind::stack_full;
  if (fiber.is_above(info.si_addr)) return kinds::CrashKind::stack_overwritten;
  return info.si_code == SEGV_ACCERR ? kinds::CrashKind::guarded_memory : kinds::CrashKind::no_memory;
}

bool on_signal(int signal, const siginfo_t& info, const void* context) {
  GuardFrame* const frame = frame_of_thread;
  if (frame == nullptr) return false;
  frame_of_thread = nullptr;  // a crash on the way out ends the process: it would come here for ever
  frame->crash = {.signal = signal,
                  .address = reinterpret_cast<std::uintptr_t>(info.si_addr),
                  .instruction = instruction_of(context),
                  .kind = kind_of(signal, info, *frame->fiber)};
  frame->fiber->leave();
  siglongjmp(frame->jump, 1);
}

__attribute__((tls_model("initial-exec"))) thread_local bool unblocked = false;

/// Lets the thread have the signals while it lives: one that is blocked ends the process. Within another it does nothing.
class Unblocked {
 public:
  Unblocked() : outermost_(!unblocked) {
    if (!outermost_) return;
    static const sigset_t caught = [] {
      sigset_t set;
      sigemptyset(&set);
      for (const int signal : kSignals) sigaddset(&set, signal);
      return set;
    }();
    unblocked = true;
    ::pthread_sigmask(SIG_UNBLOCK, &caught, &before_);
    for (const int signal : kSignals) restores_ = restores_ || sigismember(&before_, signal) == 1;
  }
  ~Unblocked() {
    if (!outermost_) return;
    unblocked = false;
    if (restores_) ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  Unblocked(const Unblocked&) = delete;
  Unblocked& operator=(const Unblocked&) = delete;

 private:
  bool outermost_;
  bool restores_ = false;
  sigset_t before_{};
};

}  // namespace

void catch_signals() {
  base::handle_signals(kSignals, base::SignalOf::thread, on_signal);
}

std::optional<Crash> guarded(base::FunctionRef<void()> work) {
  OwnStack stack;
  const auto crash = guarded(stack.fiber(), [&] { stack.call(work); });
  if (crash) stack.abandon();
  return crash;
}

std::optional<Crash> guarded(Fiber& fiber, base::FunctionRef<void()> resume) {
  static thread_local const HandlerStack stack;
  static_cast<void>(stack);
  const Unblocked signals;
  GuardFrame frame;
  frame.fiber = &fiber;
  struct Restore {
    GuardFrame* const outer = frame_of_thread;
    ~Restore() { frame_of_thread = outer; }
  } const restore;
  if (sigsetjmp(frame.jump, /*savemask=*/0) != 0) return frame.crash;
  frame_of_thread = &frame;
  resume();
  return std::nullopt;
}

Unguarded::Unguarded() noexcept : frame_(std::exchange(frame_of_thread, nullptr)) {}

Unguarded::~Unguarded() {
  frame_of_thread = static_cast<GuardFrame*>(frame_);
}

}  // namespace kiln::backend::cpu
