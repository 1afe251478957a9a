#include "cache/flight.hpp"

#include <doctest/doctest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>
#include <vector>

#include "../base/child_process.hpp"
#include "../base/temporary_directory.hpp"
#include "base/fault_point.hpp"
#include "base/file_descriptor.hpp"

using kiln::cache::FlightState;
using kiln::cache::take_flight;
using kiln::test::ChildProcess;
using kiln::test::TemporaryDirectory;
using namespace std::chrono_literals;

TEST_CASE("a flight excludes others until it ends, and leaves no file") {
  const TemporaryDirectory folder;
  const std::string path = folder / "k.lock";
  auto first = take_flight(path, 1s);
  REQUIRE(first.state == FlightState::held);
  const auto start = std::chrono::steady_clock::now();
  CHECK(take_flight(path, 60ms).state == FlightState::timed_out);
  CHECK(std::chrono::steady_clock::now() - start >= 60ms);
  CHECK(take_flight(folder / "other.lock", 0ms).state == FlightState::held);
  first.flight.reset();
  CHECK_FALSE(std::filesystem::exists(path));
  CHECK(take_flight(path, 0ms).state == FlightState::held);
}

TEST_CASE("the longest time-out is for ever, and a negative one none") {
  const TemporaryDirectory folder;
  const std::string path = folder / "k.lock";
  auto first = take_flight(path, 0ms);
  REQUIRE(first.state == FlightState::held);
  CHECK(take_flight(path, std::chrono::milliseconds::min()).state == FlightState::timed_out);
  std::thread holder([&] {
    std::this_thread::sleep_for(30ms);
    first.flight.reset();
  });
  CHECK(take_flight(path, std::chrono::milliseconds::max()).state == FlightState::held);
  holder.join();
}

TEST_CASE("many threads hold a flight one at a time") {
  const TemporaryDirectory folder;
  const std::string path = folder / "k.lock";
  std::atomic<int> inside{0};
  std::atomic<int> clashes{0};
  std::atomic<int> held{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        const auto attempt = take_flight(path, 30s);
        if (attempt.state != FlightState::held) continue;
        ++held;
        if (inside.fetch_add(1) != 0) ++clashes;
        std::this_thread::yield();
        inside.fetch_sub(1);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(held == 120);
  CHECK(clashes == 0);
}

TEST_CASE("a flight that cannot be is unavailable at once") {
  const TemporaryDirectory folder;
  CHECK(take_flight(folder / "absent/k.lock", 10s).state == FlightState::unavailable);
  CHECK(take_flight("/proc/k.lock", 10s).state == FlightState::unavailable);
}

TEST_CASE("helper process: takes a flight and keeps it" * doctest::skip()) {
  const auto attempt = take_flight(kiln::test::from_parent("KILN_TEST_PATH"), 10s);
  REQUIRE(attempt.state == FlightState::held);
  kiln::test::write_text(kiln::test::from_parent("KILN_TEST_READY"), "ready");
  std::this_thread::sleep_for(60s);
}

TEST_CASE("a flight of a killed process is free again") {
  const TemporaryDirectory folder;
  ChildProcess child("helper process: takes a flight and keeps it",
                     {{"KILN_TEST_PATH", folder / "k.lock"}, {"KILN_TEST_READY", folder / "ready"}});
  for (int i = 0; i < 6000 && kiln::test::read_text(folder / "ready") != "ready"; ++i) std::this_thread::sleep_for(5ms);
  REQUIRE(kiln::test::read_text(folder / "ready") == "ready");
  CHECK(take_flight(folder / "k.lock", 50ms).state == FlightState::timed_out);
  child.kill();
  CHECK(child.wait() == 128 + SIGKILL);
  CHECK(take_flight(folder / "k.lock", 10s).state == FlightState::held);
}

TEST_CASE("a child forked during a flight does not keep it") {
  const TemporaryDirectory folder;
  auto attempt = take_flight(folder / "k.lock", 1s);
  REQUIRE(attempt.state == FlightState::held);
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  attempt.flight.reset();
  CHECK(take_flight(folder / "k.lock", 0ms).state == FlightState::held);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST_CASE("whoever waits for a file that lost its name goes on with the next of that name") {
  const TemporaryDirectory folder;
  const std::string path = folder / "k.lock";
  const auto other = kiln::base::FileDescriptor::open(path, O_RDWR | O_CREAT, 0600);
  REQUIRE(flock(other.get(), LOCK_EX) == 0);
  FlightState state = FlightState::unavailable;
  std::thread waiting([&] { state = take_flight(path, 20s).state; });
  std::this_thread::sleep_for(50ms);
  unlink(path.c_str());  // and never unlocked
  const auto start = std::chrono::steady_clock::now();
  waiting.join();
  CHECK(state == FlightState::held);
  CHECK(std::chrono::steady_clock::now() - start < 10s);
}

namespace {

// At "flight:opened", once: another process opens the same file, a child is forked, and the last holder removes the file.
std::string opened_path;
kiln::base::FileDescriptor opened_elsewhere;
pid_t forked_child = 0;

void remove_what_was_opened(const char* step) {
  if (std::string(step) != "flight:opened" || forked_child != 0) return;
  opened_elsewhere = kiln::base::FileDescriptor::open(opened_path, O_RDWR);
  forked_child = fork();
  if (forked_child == 0) {
    pause();
    _exit(0);
  }
  unlink(opened_path.c_str());
}

}  // namespace

TEST_CASE("a file that lost its name before it was locked is not left locked by a forked child") {
  const TemporaryDirectory folder;
  opened_path = folder / "k.lock";
  forked_child = 0;
  kiln::base::fault_hook = remove_what_was_opened;
  const auto attempt = take_flight(opened_path, 10s);
  kiln::base::fault_hook = nullptr;
  CHECK(attempt.state == FlightState::held);
  CHECK(flock(opened_elsewhere.get(), LOCK_EX | LOCK_NB) == 0);
  kill(forked_child, SIGKILL);
  waitpid(forked_child, nullptr, 0);
  opened_elsewhere = {};
}

TEST_CASE("a helper process that is no test case is told apart from one that passes") {
  CHECK(ChildProcess("helper process: there is none", {}).wait() == 126);
}
