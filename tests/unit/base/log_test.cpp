#include "base/log.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

#include "temporary_directory.hpp"

TEST_CASE("set_log: the callback gets lines until it is replaced, and its exceptions go nowhere") {
  std::vector<std::string> lines;
  kiln::base::set_log([&](std::string_view line) { lines.emplace_back(line); });
  kiln::base::log_line("one");
  kiln::base::set_log([](std::string_view) { throw std::runtime_error("callback"); });
  kiln::base::log_line("two");
  kiln::base::set_log(nullptr);
  kiln::base::log_line("three");
  CHECK(lines == std::vector<std::string>{"one"});
}

TEST_CASE("set_log: lines may come from many threads while the callback changes") {
  std::atomic<int> count{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 200; ++i) kiln::base::log_line("x");
    });
  }
  for (int i = 0; i < 100; ++i) kiln::base::set_log([&](std::string_view) { ++count; });
  for (auto& thread : threads) thread.join();
  kiln::base::log_line("x");
  kiln::base::set_log(nullptr);
  CHECK(count >= 1);
}

namespace {

/// What the process writes to standard error meanwhile.
template <class Work>
std::string standard_error_of(Work work) {
  const kiln::test::TemporaryDirectory folder;
  const std::string path = folder / "stderr";
  const int before = dup(STDERR_FILENO);
  const int file = open(path.c_str(), O_WRONLY | O_CREAT, 0600);
  dup2(file, STDERR_FILENO);
  work();
  dup2(before, STDERR_FILENO);
  close(before);
  close(file);
  return kiln::test::read_text(path);
}

bool is_pending(int signal) {
  sigset_t pending;
  sigpending(&pending);
  return sigismember(&pending, signal) == 1;
}

std::string line_of(const std::string& text) {
  return "kiln[" + std::to_string(getpid()) + "]: " + text + "\n";
}

}  // namespace

TEST_CASE("KILN_LOG=1 shows the log where the program has no callback") {
  kiln::base::set_log(nullptr);
  CHECK(standard_error_of([] { kiln::base::log_line("unseen"); }).empty());
  setenv("KILN_LOG", "1", 1);
  CHECK(standard_error_of([] { kiln::base::log_line("a\nb"); }) == line_of("a b"));
  kiln::base::set_log([](std::string_view) {});
  CHECK(standard_error_of([] { kiln::base::log_line("the callback's"); }).empty());
  kiln::base::set_log(nullptr);
  unsetenv("KILN_LOG");
}

TEST_CASE("KILN_LOG=FILE adds each line to the file, whoever else gets it") {
  const kiln::test::TemporaryDirectory folder;
  const std::string file = folder / "log";
  setenv("KILN_LOG", file.c_str(), 1);
  kiln::base::log_line("one");
  kiln::base::set_log([](std::string_view) {});
  kiln::base::log_line("two");
  kiln::base::set_log(nullptr);
  CHECK(standard_error_of([] { kiln::base::tell_line("three"); }).empty());
  CHECK(kiln::test::read_text(file) == line_of("one") + line_of("two") + line_of("three"));
  setenv("KILN_LOG", (folder / "absent/log").c_str(), 1);
  const std::string complaint = line_of("cannot open KILN_LOG " + folder / "absent/log" + ": No such file or directory");
  CHECK(standard_error_of([] {
          kiln::base::log_line("lost");
          kiln::base::log_line("lost");
        }) == complaint);
  unsetenv("KILN_LOG");
}

TEST_CASE("what a user asked for in vain is told on standard error where nobody has the line") {
  kiln::base::set_log(nullptr);
  CHECK(standard_error_of([] { kiln::base::tell_line("x is not used"); }) == line_of("x is not used"));
  std::string seen;
  kiln::base::set_log([&](std::string_view line) { seen = line; });
  CHECK(standard_error_of([] { kiln::base::tell_line("y"); }).empty());
  CHECK(seen == "y");
  kiln::base::set_log(nullptr);
}

TEST_CASE("tell_line: a pipe that nobody reads does not end the process") {
  int ends[2] = {-1, -1};
  REQUIRE(pipe(ends) == 0);
  close(ends[0]);
  const int before = dup(STDERR_FILENO);
  dup2(ends[1], STDERR_FILENO);
  kiln::base::tell_line("to nobody");
  dup2(before, STDERR_FILENO);
  close(before);
  close(ends[1]);
  CHECK_FALSE(is_pending(SIGPIPE));
}
