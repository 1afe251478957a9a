// Who is asked about a signal: kiln's handler of memory, that of threads, then the host's.
#include "base/signals.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

// ThreadSanitizer has handlers of its own.
#if !defined(__SANITIZE_THREAD__)

using kiln::base::handle_signals;
using kiln::base::SignalOf;

namespace {

constexpr std::array kBoth{SIGSEGV, SIGBUS};

void* page = nullptr;

void write_to_page() {
  *static_cast<volatile int*>(page) = 1;
}

bool declines(int /*signal*/, const siginfo_t& /*info*/, const void* /*context*/) {
  return false;
}
bool makes_writable(int /*signal*/, const siginfo_t& info, const void* /*context*/) {
  return info.si_addr == page && ::mprotect(page, 4096, PROT_READ | PROT_WRITE) == 0;
}
bool ends_with_3(int signal, const siginfo_t& /*info*/, const void* /*context*/) {
  _exit(signal == SIGSEGV ? 3 : 4);
}

/// The status of a child that has a page without access; 128 + the signal that ended it.
template <class Work>
int status_of_child(const Work& work) {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGSEGV, SIG_DFL);  // in place of doctest's
    page = ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    work();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST_CASE("signals: the handler of memory is asked before that of threads, in whatever order they came") {
  const auto both = [](bool thread_first) {
    if (thread_first) handle_signals(kBoth, SignalOf::thread, ends_with_3);
    handle_signals(std::array{SIGSEGV}, SignalOf::memory, makes_writable);
    if (!thread_first) handle_signals(kBoth, SignalOf::thread, ends_with_3);
    for (int round = 0; round < 2; ++round) {
      write_to_page();
      ::mprotect(page, 4096, PROT_NONE);
    }
  };
  CHECK(status_of_child([&] { both(true); }) == 0);
  CHECK(status_of_child([&] { both(false); }) == 0);
}

TEST_CASE("signals: what the first declines the next one takes, and then the host") {
  CHECK(status_of_child([] {
          handle_signals(kBoth, SignalOf::memory, declines);
          handle_signals(kBoth, SignalOf::thread, ends_with_3);
          write_to_page();
        }) == 3);
  CHECK(status_of_child([] {
          std::signal(SIGSEGV, [](int) { _exit(7); });
          handle_signals(kBoth, SignalOf::memory, declines);
          handle_signals(kBoth, SignalOf::thread, declines);
          write_to_page();
        }) == 7);
  CHECK(status_of_child([] {
          handle_signals(kBoth, SignalOf::memory, declines);
          write_to_page();
        }) == 128 + SIGSEGV);
}

TEST_CASE("signals: one that a process sent is the host's") {
  const auto sent = [] {
    handle_signals(kBoth, SignalOf::thread, ends_with_3);
    raise(SIGSEGV);
  };
  CHECK(status_of_child(sent) == 128 + SIGSEGV);
  CHECK(status_of_child([&] {
          std::signal(SIGSEGV, [](int) { _exit(7); });
          sent();
        }) == 7);
}

TEST_CASE("signals: a host's handler of later is put beneath by the next call") {
  CHECK(status_of_child([] {
          handle_signals(kBoth, SignalOf::thread, ends_with_3);
          std::signal(SIGSEGV, [](int) { _exit(7); });
          write_to_page();
        }) == 7);
  CHECK(status_of_child([] {
          handle_signals(kBoth, SignalOf::thread, ends_with_3);
          std::signal(SIGSEGV, [](int) { _exit(7); });
          handle_signals(kBoth, SignalOf::thread, ends_with_3);
          write_to_page();
        }) == 3);
}

}  // namespace

#endif
