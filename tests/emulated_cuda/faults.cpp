#include "faults.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "device.hpp"
#include "fiber.hpp"

namespace kiln_emulated {
namespace {

constexpr std::array<int, 4> kSignals = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
constexpr int kDefaultSeconds = 30;

std::array<struct sigaction, kSignals.size()> before;
struct sigaction before_alarm;
timer_t watch;
volatile int fault_signal = 0;
void* volatile fault_address = nullptr;

int alarm_signal() {
  return SIGRTMIN + 4;
}

void on_signal(int signal, siginfo_t* info, void*) {
  if (Fiber::running() == nullptr) {
    // Not a kernel's: the instruction is tried again under the old rule.
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      if (kSignals[i] == signal) sigaction(signal, &before[i], nullptr);
    }
    return;
  }
  fault_signal = signal;
  fault_address = info->si_addr;
  Fiber::pause();
}

}  // namespace

FaultGuard::FaultGuard() {
  struct sigaction action{};
  action.sa_sigaction = on_signal;
  // Not blocked in the handler, which never returns.
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &before[i]);
  sigaction(alarm_signal(), &action, &before_alarm);
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = alarm_signal();
  event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
  timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &watch);
  const char* const asked = std::getenv("KILN_EMULATED_SECONDS");
  itimerspec limit{};
  limit.it_value.tv_sec = asked != nullptr ? std::atoi(asked) : kDefaultSeconds;
  timer_settime(watch, 0, &limit, nullptr);
}

FaultGuard::~FaultGuard() {
  timer_delete(watch);
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before[i], nullptr);
  sigaction(alarm_signal(), &before_alarm, nullptr);
}

void clear_fault() {
  fault_signal = 0;
}

Fault last_fault() {
  const int signal = fault_signal;
  if (signal == 0) return {};
  char address[32];
  std::snprintf(address, sizeof(address), "%p", fault_address);
  if (signal == SIGSEGV || signal == SIGBUS) {
    return {fake_cuda::kIllegalAddress, std::string("touched memory that is not there, at ") + address};
  }
  // -fsanitize-trap=alignment, or __trap().
  if (signal == SIGILL) return {fake_cuda::kMisaligned, "accessed a misaligned address, or gave up"};
  if (signal == SIGFPE) return {fake_cuda::kLaunchFailed, "divided an integer by zero"};
  return {fake_cuda::kTimeout, "ran for too long"};
}

}  // namespace kiln_emulated
