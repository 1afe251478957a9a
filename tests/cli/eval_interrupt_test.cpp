// kiln eval and Ctrl-C: it ends at once, wherever it is, and leaves nothing behind.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "command.hpp"
#include "npy_file.hpp"

namespace {

using cli::Scratch;
using namespace std::chrono_literals;

/// A run of `kiln eval` on the CPU that goes on meanwhile; killed at the end.
class Evaluation {
 public:
  Evaluation(std::vector<std::string> words, const std::string& cache, const std::string& said) {
    words.insert(words.begin(), {KILN_CLI_COMMAND, "eval"});
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    std::string folder = "KILN_CACHE_DIR=" + cache;
    std::string device = "KILN_DEVICE=cpu";
    char* const environment[] = {folder.data(), device.data(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 2, said.c_str(), O_WRONLY | O_CREAT, 0600);
    REQUIRE(posix_spawn(&child_, KILN_CLI_COMMAND, &actions, nullptr, arguments.data(), environment) == 0);
    posix_spawn_file_actions_destroy(&actions);
  }
  ~Evaluation() {
    if (ended_) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  Evaluation(const Evaluation&) = delete;
  Evaluation& operator=(const Evaluation&) = delete;

  void interrupt() const { kill(child_, SIGINT); }
  bool ends_within(std::chrono::milliseconds time) {
    for (const auto until = std::chrono::steady_clock::now() + time; std::chrono::steady_clock::now() < until;) {
      ended_ = ended_ || waitpid(child_, &status_, WNOHANG) == child_;
      if (ended_) return true;
      std::this_thread::sleep_for(5ms);
    }
    return false;
  }
  /// The signal that ended it.
  [[nodiscard]] int signal() const { return WIFSIGNALED(status_) ? WTERMSIG(status_) : 0; }
  /// What it has computed for, in seconds: the 14th and 15th of what /proc says.
  [[nodiscard]] double processor_time() const {
    const std::string text = cli::read_file("/proc/" + std::to_string(child_) + "/stat");
    std::size_t at = text.rfind(')');  // of the name, which may have blanks
    for (int field = 2; field < 14; ++field) at = text.find(' ', at + 1);
    char* rest = nullptr;
    const double user = std::strtod(text.c_str() + at, &rest);
    return (user + std::strtod(rest, nullptr)) / static_cast<double>(sysconf(_SC_CLK_TCK));
  }

 private:
  pid_t child_ = 0;
  int status_ = 0;
  bool ended_ = false;
};

/// What all programs that ended have computed for, in seconds.
double time_of_children() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::string header_of(const std::string& type, std::uint64_t count) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + std::to_string(count) + ",), }";
  header.resize(117, ' ');
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size() + 1) + '\0' + header + '\n';
}

}  // namespace

TEST_CASE("eval: Ctrl-C ends a body in which one lane loops endlessly, and the others do not") {
  const Scratch scratch;
  std::array<std::uint32_t, 100> values{};
  cli::write_file(scratch.file("none.npy"), header_of("<u4", values.size()) + std::string(sizeof values, '\0'));
  values[37] = 3;
  const auto bytes = std::bit_cast<std::array<char, sizeof values>>(values);
  cli::write_file(scratch.file("one.npy"), header_of("<u4", values.size()) + std::string(bytes.data(), bytes.size()));
  // Zero is reached from zero alone, which no compiler knows: loops that end nowhere it may leave out.
  const std::string body =
      "uint32 f(uint32 a) { uint32 n = 0; while (a != 0) { a ^= a << 13; a ^= a >> 17; a ^= a << 5; ++n; } return n; }";

  const double before = time_of_children();
  Evaluation none({body, scratch.file("none.npy"), "-o", scratch.file("y.npy")}, scratch.file("cache"), scratch.file("said"));
  REQUIRE(none.ends_within(600s));
  CHECK(none.signal() == 0);
  CHECK(cli::read_npy(scratch.file("y.npy")).payload == std::string(sizeof values, '\0'));
  const double compiled = time_of_children() - before;

  cli::write_file(scratch.file("z.npy"), "old");
  const std::size_t count = scratch.count();
  Evaluation one({body, scratch.file("one.npy"), "-o", scratch.file("z.npy")}, scratch.file("cache"), scratch.file("said"));
  // The kernel is in the cache: what computes for longer than all that went before is the loop.
  while (one.processor_time() < 2 * compiled + 0.1 && !one.ends_within(10ms)) continue;
  REQUIRE_FALSE(one.ends_within(10ms));
  one.interrupt();
  REQUIRE(one.ends_within(60s));
  CHECK(one.signal() == SIGINT);
  CHECK(scratch.count() == count);
  CHECK(cli::read_file(scratch.file("z.npy")) == "old");
  CHECK(cli::read_file(scratch.file("said")) == "");
}

TEST_CASE("eval --chunk: Ctrl-C leaves the old file, and nothing beside it") {
  const Scratch scratch;
  constexpr std::uint64_t kCount = 1 << 26;
  cli::write_file(scratch.file("x.npy"), header_of("<f4", kCount));
  std::filesystem::resize_file(scratch.file("x.npy"), 128 + 4 * kCount);  // zeros that take no room on the disk
  cli::write_file(scratch.file("y.npy"), "old");
  Evaluation evaluation({"float32 slow(float32 x) { for (int i = 0; i < 1000; ++i) x = sin(x) + 1; return x; }",
                         scratch.file("x.npy"), "-o", scratch.file("y.npy"), "--chunk", "64K", "--progress"},
                        "", scratch.file("said"));
  // In the middle of its chunks.
  for (int i = 0; i < 6000 && scratch.count() < 4; ++i) std::this_thread::sleep_for(5ms);
  CHECK(scratch.count() == 4);  // two files, what it said, its folder
  std::this_thread::sleep_for(50ms);
  evaluation.interrupt();
  REQUIRE(evaluation.ends_within(60s));
  CHECK(evaluation.signal() == SIGINT);
  CHECK(scratch.count() == 3);
  CHECK(cli::read_file(scratch.file("y.npy")) == "old");
}
