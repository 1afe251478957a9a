#include "clang/driver/serve.hpp"

#include <fcntl.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/PrettyStackTrace.h>
#include <llvm/Support/Signals.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <semaphore>
#include <string>
#include <string_view>
#include <utility>

#include "clang/driver/messages.hpp"
#include "clang/interface.h"

namespace kiln::clang_module {
namespace {

/// Clang recurses for each level of nesting. The largest that the limits of the process allow is taken.
constexpr std::array kStackSizes{std::size_t{256} << 20, std::size_t{64} << 20, std::size_t{8} << 20, std::size_t{1} << 20};
constexpr std::size_t kGuard = std::size_t{1} << 20;
/// A process that has grown by more is not kept.
constexpr std::uint64_t kMostGrowth = std::uint64_t{512} << 20;
/// One that nobody asks for as long is not kept either.
constexpr int kLongestIdleMs = 60'000;

// What the handlers of signals read is plain data.
std::atomic<bool> begun{false};
int connection = -1;
int output = -1;                    ///< what LLVM prints goes to this file
std::atomic<bool> answered{false};  ///< true while an answer goes out
std::atomic<bool> ending{false};
std::atomic<pid_t> sender{0};  ///< the thread that sends how it ended
int end_status = 0;
const char* end_error = "";
std::uintptr_t stack_begin = 0;
std::size_t stack_size = 0;
rlimit own_limit{};
bool bounded = false;  ///< by a question's memory limit
std::uint64_t memory_limit = 0;
std::uint64_t bound = 0;  ///< of the address space
std::array<char, 256> crash_text;
std::array<char, 32> clock_text;  ///< the limit by the clock
std::array<char, std::size_t{256} << 10> signal_stack;

std::uint64_t address_space() noexcept {
  std::array<char, 64> text{};
  const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t size = ::read(file, text.data(), text.size() - 1);
  ::close(file);
  std::uint64_t pages = 0;
  for (ssize_t i = 0; i < size && text[static_cast<std::size_t>(i)] >= '0'; ++i) {
    pages = pages * 10 + static_cast<std::uint64_t>(text[static_cast<std::size_t>(i)] - '0');
  }
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void bound_memory(std::uint64_t limit) {
  ::getrlimit(RLIMIT_AS, &own_limit);
  memory_limit = limit;
  const std::uint64_t used = address_space();  // 0 without /proc: there is no bound then
  bound = used + limit;
  bounded = used > 0 && bound > used && bound < own_limit.rlim_cur;
  if (!bounded) return;
  const rlimit bounds{.rlim_cur = bound, .rlim_max = own_limit.rlim_max};
  bounded = ::setrlimit(RLIMIT_AS, &bounds) == 0;
}
void lift_memory_bound() noexcept {
  if (bounded) ::setrlimit(RLIMIT_AS, &own_limit);
}

/// Zeros: no bounds.
void bound_time(std::int64_t milliseconds, std::int64_t seconds) noexcept {
  itimerval time{};
  time.it_value.tv_sec = milliseconds / 1000;
  time.it_value.tv_usec = milliseconds % 1000 * 1000;
  ::setitimer(ITIMER_PROF, &time, nullptr);
  time.it_value = {.tv_sec = seconds, .tv_usec = 0};
  ::setitimer(ITIMER_REAL, &time, nullptr);
}

[[noreturn]] void send_end(bool with_output) noexcept {
  const pid_t own = ::gettid();
  if (pid_t other = 0; !sender.compare_exchange_strong(other, own)) {
    if (other == own) _exit(1);  // it crashed while it sent
    while (true) pause();        // the other thread ends the process
  }
  static std::array<char, std::size_t{16} << 10> log;
  static std::array<char, std::size_t{24} << 10> message;
  const ssize_t size = with_output && output >= 0 ? ::pread(output, log.data(), log.size(), 0) : 0;
  const std::string_view printed(log.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  const std::size_t bytes = clang_messages::write_failure(message, end_status, end_error, printed);
  clang_messages::send_message(connection, {message.data(), bytes});
  _exit(1);
}

void on_crash(int signal, siginfo_t* info, void* /*context*/) {
  if (ending.load()) send_end(false);  // while it reported what it was doing
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  if (signal == SIGSEGV && info->si_code > 0 && address - stack_begin + kGuard < 2 * kGuard) {
    std::snprintf(crash_text.data(), crash_text.size(), "%zu MiB", stack_size >> 20);
    end_service(KILN_CLANG_TOO_DEEP, crash_text.data());
  }
  const char* const name = ::sigabbrev_np(signal);
  std::snprintf(crash_text.data(), crash_text.size(), "clang crashed (SIG%s)", name == nullptr ? "?" : name);
  end_service(KILN_CLANG_CRASHED, crash_text.data());
}

/// By the clock: of the question, or of end_service().
void on_time_limit(int signal) {
  if (sender.load() == 0) end_service(KILN_CLANG_TOO_LONG, signal == SIGALRM ? clock_text.data() : "");
}

void on_no_memory() {
  // What was asked for is not reported: a table that grows asks for as much as it has.
  const bool much = bounded && address_space() > bound - memory_limit / 2;
  end_service(much ? KILN_CLANG_TOO_LARGE : KILN_CLANG_NO_MEMORY, "");
}

void set_handlers() {
  llvm::setBugReportMsg("");
  llvm::EnablePrettyStackTrace();  // sets handlers of its own, which the next ones replace
  struct sigaction crash{};
  crash.sa_sigaction = on_crash;
  crash.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS}) ::sigaction(signal, &crash, nullptr);
  struct sigaction time{};
  time.sa_handler = on_time_limit;
  time.sa_flags = SA_ONSTACK | SA_RESTART | SA_NODEFER;  // end_service() counts on the next alarm
  for (const int signal : {SIGPROF, SIGALRM}) ::sigaction(signal, &time, nullptr);
  for (const int signal : {SIGINT, SIGHUP, SIGTERM, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE}) ::signal(signal, SIG_DFL);
  std::set_new_handler(on_no_memory);
  llvm::install_bad_alloc_error_handler([](void*, const char*, bool) { on_no_memory(); });
}

/// What is to be answered next.
struct Handover {
  std::string question;
  std::binary_semaphore ready{0};
  std::atomic<int> unanswered{0};
};

void answer(std::string_view question) {
  const clang_messages::Limits limits = clang_messages::limits_of(question);
  if (output >= 0 && ::ftruncate(output, 0) == 0) ::lseek(output, 0, SEEK_SET);
  bound_memory(limits.bytes);
  std::snprintf(clock_text.data(), clock_text.size(), "%lld s", static_cast<long long>(limits.seconds));
  bound_time(limits.milliseconds, limits.seconds);
  const kiln_clang_api& api = *kiln_clang(KILN_CLANG_INTERFACE);
  const std::unique_ptr<const kiln_clang_result, void (*)(const kiln_clang_result*)> result(clang_messages::call(api, question),
                                                                                            api.release);
  const std::string bytes = clang_messages::answer_bytes(*result);
  bound_time(0, 0);
  lift_memory_bound();
  if (answered.exchange(true)) {
    while (true) pause();  // another thread answers
  }
  clang_messages::send_message(connection, bytes);
  answered = false;
}

void* work(void* argument) {
  auto& handover = *static_cast<Handover*>(argument);
  const stack_t stack{.ss_sp = signal_stack.data(), .ss_flags = 0, .ss_size = signal_stack.size()};
  ::sigaltstack(&stack, nullptr);
  const std::uint64_t before = address_space();
  while (true) {
    handover.ready.acquire();
    try {
      answer(std::exchange(handover.question, {}));
    } catch (const std::exception&) {
      _exit(1);  // a question that is none
    }
    if (address_space() > before + kMostGrowth) _exit(0);
    --handover.unanswered;
  }
}

/// A thread with the largest stack there is, whose end is known.
bool start_worker(Handover& handover) {
  rlimit limit{};
  const bool known = ::getrlimit(RLIMIT_AS, &limit) == 0;
  for (const std::size_t size : kStackSizes) {
    if (known && limit.rlim_cur != RLIM_INFINITY && size > limit.rlim_cur / 8 && size != kStackSizes.back()) continue;
    void* const memory =
        ::mmap(nullptr, size + kGuard, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) continue;
    char* const begin = static_cast<char*>(memory) + kGuard;
    ::mprotect(memory, kGuard, PROT_NONE);
    stack_begin = reinterpret_cast<std::uintptr_t>(begin);
    stack_size = size;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, begin, size);
    pthread_t thread{};
    const int failed = pthread_create(&thread, &attributes, work, &handover);
    pthread_attr_destroy(&attributes);
    if (failed == 0) return true;
    ::munmap(memory, size + kGuard);
  }
  return false;
}

/// False where the other side is gone, or has no question for long.
bool next_question(const Handover& handover, std::string& question) {
  pollfd come{.fd = connection, .events = POLLIN, .revents = 0};
  while (::poll(&come, 1, kLongestIdleMs) == 0) {
    if (handover.unanswered == 0) return false;
  }
  return clang_messages::receive_message(connection, question);
}

}  // namespace

bool serving() noexcept {
  return begun.load(std::memory_order_relaxed);
}

void serve(int socket) {
  begun = true;
  connection = socket;
  output = ::memfd_create("kiln-clang-output", MFD_CLOEXEC);
  if (output >= 0) {
    ::dup2(output, STDOUT_FILENO);
    ::dup2(output, STDERR_FILENO);
  }
  set_handlers();
  Handover handover;
  if (!start_worker(handover)) end_service(KILN_CLANG_NO_MEMORY, "");
  // While the other thread works, this one notices when nobody wants the answer any more. Signals are the other one's.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  std::string question;
  while (next_question(handover, question)) {
    handover.question = std::move(question);
    ++handover.unanswered;
    handover.ready.release();
  }
  _exit(0);
}

void end_service(int status, const char* error) noexcept {
  if (answered.exchange(true)) {
    if (ending.load()) send_end(false);
    _exit(1);
  }
  end_status = status;
  end_error = error;
  ending = true;
  bound_time(0, 0);
  lift_memory_bound();
  ::alarm(2);                      // the next step may wait for a lock that this thread holds
  llvm::sys::RunSignalHandlers();  // prints what LLVM was doing
  send_end(true);
}

}  // namespace kiln::clang_module
