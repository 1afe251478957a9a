#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "../base/child_process.hpp"
#include "../base/temporary_directory.hpp"
#include "counting_compiler.hpp"
#include "kernel/elementwise/spec.hpp"
#include "kiln/cache.hpp"
#include "plain_request.hpp"

using kiln::program::Origin;
using kiln::test::ChildProcess;
using kiln::test::CountingCompiler;
using kiln::test::TemporaryDirectory;
using namespace std::chrono_literals;

namespace {

struct ForkedKernel {
  explicit ForkedKernel(const std::string& body) {
    text.name = "k";
    text.body = body;
    text.input_names = {"a"};
    spec = kiln::kinds::ElementwiseSpec{.inputs = {{}}, .outputs = {{}}};
  }
  [[nodiscard]] kiln::program::Request request() const { return kiln::test::plain_request(text, spec, "float64(float64 a)"); }
  kiln::codegen::UserText text;
  kiln::kinds::ElementwiseSpec spec;
};

// The exit status of a child that does `work`, or -1 where it hangs.
template <typename Work>
int in_fork(Work work) {
  const pid_t child = fork();
  if (child == 0) _exit(work() ? 0 : 1);
  int status = 0;
  for (int i = 0; i < 12000; ++i) {
    if (waitpid(child, &status, WNOHANG) == child) return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    std::this_thread::sleep_for(5ms);
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return -1;
}

}  // namespace

TEST_CASE("helper process: forks while other threads compile" * doctest::skip()) {
  const CountingCompiler slow(300ms);
  const ForkedKernel kernel("return a;");
  std::thread compiling([&] { (void)kiln::program::build(kernel.request(), slow); });
  while (slow.compiles == 0) std::this_thread::yield();
  // The child has no thread that would ever finish the parent's compile.
  CHECK(in_fork([&] {
          const CountingCompiler own;
          return !kiln::program::build(kernel.request(), own).bytes().empty();
        }) == 0);
  compiling.join();

  // Threads that take the short locks all the time, so that forks fall into them.
  std::atomic<bool> stop{false};
  std::vector<std::thread> busy;
  const CountingCompiler quick;
  for (int t = 0; t < 2; ++t) {
    busy.emplace_back([&] {
      while (!stop) {
        (void)kiln::program::build(kernel.request(), quick);
        kiln::cache::set_log([](std::string_view) {});
      }
    });
  }
  int hung = 0;
  for (int i = 0; i < 50; ++i) {
    hung += in_fork([&] {
              kiln::cache::set_log(nullptr);
              return kiln::program::build(kernel.request(), quick).origin == Origin::memory;
            }) == 0
                ? 0
                : 1;
  }
  stop = true;
  for (auto& thread : busy) thread.join();
  CHECK(hung == 0);
}

TEST_CASE("a child forked while other threads compile can build") {
  const TemporaryDirectory folder;
  CHECK(ChildProcess("helper process: forks while other threads compile", {{"KILN_CACHE_DIR", folder / "cache"}}).wait() == 0);
  CHECK(ChildProcess("helper process: forks while other threads compile", {{"KILN_CACHE_DIR", ""}}).wait() == 0);
}
