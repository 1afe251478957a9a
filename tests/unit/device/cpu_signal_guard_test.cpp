// Signals that a kernel raises end the kernel alone; those of others go where they went.
#include "device/cpu/signal_guard.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "../base/sanitizer.hpp"
// ThreadSanitizer has handlers of its own, and ends children of several threads.
#if !defined(__SANITIZE_THREAD__)

namespace kiln::backend::cpu {
namespace {

void write_to(std::uintptr_t address) {
  *reinterpret_cast<volatile int*>(address) = 1;
}

/// 128 + the signal that ended it, or its exit status.
template <class Work>
int status_of_child(const Work& work) {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGSEGV, SIG_DFL);  // in place of doctest's
    work();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

__attribute__((noinline)) int deeper(int depth) {
  volatile char page[1024];
  page[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : deeper(depth + 1) + page[0];
}

TEST_CASE("signal guard: a crash is a value, and the thread goes on") {
  catch_signals();
  for (int round = 0; round < 3; ++round) {
    const auto crash = guarded([] { write_to(16); });
    REQUIRE(crash);
    CHECK(crash->signal == SIGSEGV);
    CHECK(crash->address == 16);
    CHECK(crash->instruction != 0);
    CHECK((crash->kind == kinds::CrashKind::no_memory));
  }
  const auto trap = guarded([] { __builtin_trap(); });
  REQUIRE(trap);
  CHECK((trap->signal == SIGILL || trap->signal == SIGTRAP));
  const auto full = guarded([] { static_cast<void>(deeper(0)); });
  REQUIRE(full);
  CHECK((full->kind == kinds::CrashKind::stack_full));
  // What lies in front of an array is another stack's: nothing of this thread is overwritten.
  if (!test::kAddressSanitizer) {  // which ends the process at the write
    const auto overwritten = guarded([] {
      char few[16];
      void* (*const volatile fill)(void*, int, std::size_t) = std::memset;
      fill(few, 1, 1 << 20);
    });
    REQUIRE(overwritten);
    CHECK((overwritten->kind == kinds::CrashKind::stack_overwritten));
  }
  bool done = false;
  CHECK_FALSE(guarded([&] { done = true; }));
  CHECK(done);
  CHECK_THROWS_AS(static_cast<void>(guarded([] { throw 7; })), int);
  std::thread([] {
    const auto deep = guarded([] { static_cast<void>(deeper(0)); });
    REQUIRE(deep);
    CHECK((deep->kind == kinds::CrashKind::stack_full));
  }).join();
}

TEST_CASE("signal guard: the innermost one catches, and none within Unguarded") {
  catch_signals();
  bool outer_went_on = false;
  CHECK_FALSE(guarded([&] {
    CHECK(guarded([] { write_to(16); }));
    outer_went_on = true;
  }));
  CHECK(outer_went_on);
  CHECK(status_of_child([] {
          catch_signals();
          static_cast<void>(guarded([] {
            const Unguarded host;
            write_to(16);
          }));
        }) == 128 + SIGSEGV);
}

TEST_CASE("signal guard: other crashes are the process's") {
  CHECK(status_of_child([] {
          catch_signals();
          write_to(16);
        }) == 128 + SIGSEGV);
  CHECK(status_of_child([] {
          catch_signals();
          static_cast<void>(guarded([] { raise(SIGSEGV); }));  // sent, not raised by an instruction
        }) == 128 + SIGSEGV);
  // Who handled them before does, and after.
  const auto handler = [](int) { _exit(7); };
  CHECK(status_of_child([&] {
          std::signal(SIGSEGV, handler);
          catch_signals();
          static_cast<void>(guarded([] { write_to(16); }));
          write_to(16);
        }) == 7);
  CHECK(status_of_child([&] {
          std::signal(SIGSEGV, handler);
          {
            catch_signals();
          }
          write_to(16);
        }) == 7);
}

TEST_CASE("signal guard: memory that may only be read, and signals that the host blocks") {
  catch_signals();
  void* const page = ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const auto crash = guarded([&] { write_to(reinterpret_cast<std::uintptr_t>(page)); });
  REQUIRE(crash);
  CHECK((crash->kind == kinds::CrashKind::guarded_memory));
  ::munmap(page, 4096);
  std::thread([] {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    CHECK(guarded([] { write_to(16); }));
    sigset_t now;
    pthread_sigmask(SIG_SETMASK, nullptr, &now);
    CHECK(sigismember(&now, SIGSEGV) == 1);
  }).join();
}

sigjmp_buf host_jump;

TEST_CASE("signal guard: a host that leaves its handler by a jump, and one that sets it while a guard lives") {
  CHECK(status_of_child([] {
          std::signal(SIGSEGV, [](int) { siglongjmp(host_jump, 1); });
          catch_signals();
          static int rounds = 0;
          sigsetjmp(host_jump, 1);
          if (++rounds <= 3) write_to(16);
        }) == 0);
  CHECK(status_of_child([] {
          catch_signals();
          std::signal(SIGSEGV, [](int) { _exit(7); });
          catch_signals();
          if (!guarded([] { write_to(16); })) _exit(1);
          write_to(16);
        }) == 7);
  catch_signals();  // of the parent
  CHECK(status_of_child([] {
          std::signal(SIGSEGV, [](int) { _exit(7); });
          {
            catch_signals();
          }
          catch_signals();
          if (!guarded([] { write_to(16); })) _exit(1);
        }) == 0);
}

}  // namespace
}  // namespace kiln::backend::cpu

#endif
