// fork() while other threads compile, load and queue: the child can do all of it itself.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/fork.hpp"
#include "device/cpu/backend.hpp"
#include "device/cpu/queue.hpp"
#include "device/cpu_kernels.hpp"

// ThreadSanitizer ends a child that starts a thread after a fork of several.
#if !defined(__SANITIZE_THREAD__)

namespace kiln {
namespace {

using backend::Backend;

/// Compiles, loads and runs a kernel over enough elements for threads; true where the answers are right.
bool works(int number) {
  Backend& device = backend::cpu::open(2);
  const auto module = test::load_binary(device, "return a * " + std::to_string(number) + ".0f + b;");
  const std::vector<float> a(200'000, 2.0F);
  const std::vector<float> b(a.size(), 1.0F);
  std::vector<float> out(a.size());
  const auto size = static_cast<std::int64_t>(a.size());
  for (int turn = 0; turn < 3; ++turn) {
    kinds::launch(device, *module, test::BinaryLaunch(a.data(), b.data(), out.data(), size).get(),
                  {.queue = nullptr, .keep = nullptr});
  }
  for (const float x : out) {
    if (x != 2.0F * static_cast<float>(number) + 1.0F) return false;
  }
  const auto queue = device.make_queue();
  kinds::launch(device, *module, test::BinaryLaunch(out.data(), b.data(), out.data(), size).get(),
                {.queue = queue.get(), .keep = nullptr});
  queue->synchronize();
  return out[0] == (2.0F * static_cast<float>(number) + 1.0F) * static_cast<float>(number) + 1.0F;
}

/// The child's exit status; 1000 where it did not end within 20 s (and was killed).
int wait_for(pid_t child) {
  for (int tenths = 0; tenths < 200; ++tenths) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    usleep(100'000);
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return 1000;
}

TEST_CASE("cpu fork: a child forked in the middle of compiles can compile and run") {
  base::watch_forks();
  CHECK(works(1));  // oneTBB's threads exist, LLVM is loaded
  std::atomic<bool> stop{false};
  std::atomic<int> failures{0};
  std::vector<std::thread> busy;
  for (int t = 0; t < 3; ++t) {
    busy.emplace_back([&, t] {
      for (int i = 0; !stop; ++i) failures += works(10 * t + i % 7) ? 0 : 1;
    });
  }
  for (int turn = 0; turn < 6; ++turn) {
    const pid_t child = fork();
    if (child == 0) _exit(works(turn) && base::forked() ? 0 : 1);
    CHECK(wait_for(child) == 0);
  }
  stop = true;
  for (std::thread& thread : busy) thread.join();
  CHECK(failures == 0);
  CHECK_FALSE(base::forked());
}

TEST_CASE("cpu fork: a queue made before the fork works in the child's own thread") {
  base::watch_forks();
  auto queue = std::make_unique<backend::cpu::CpuQueue>();
  queue->post([] { usleep(20'000); });
  const pid_t child = fork();
  if (child == 0) {
    int ran = 0;
    queue->post([&] { ++ran; });
    queue->synchronize();
    queue.reset();
    _exit(ran == 1 ? 0 : 1);
  }
  CHECK(wait_for(child) == 0);
}

TEST_CASE("cpu fork: a child destroys a queue that was idle at the fork") {
  base::watch_forks();
  auto queue = std::make_unique<backend::cpu::CpuQueue>();
  queue->post([] {});
  queue->synchronize();
  usleep(20'000);  // until its thread waits for more
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    queue.reset();
    _exit(0);
  }
  CHECK(wait_for(child) == 0);
}

}  // namespace
}  // namespace kiln

#endif
