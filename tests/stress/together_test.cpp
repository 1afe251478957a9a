// Many processes that want the same new kernels at once: each is compiled once, among all of them.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "faults/child.hpp"
#include "faults/kernels.hpp"
#include "faults/seed.hpp"
#include "kiln/cache.hpp"
#include "unit/base/temporary_directory.hpp"

using kiln::Cache;
using kiln::CacheOptions;
using kiln::test::Child;
using kiln::test::right;
using kiln::test::Say;

namespace {

constexpr int kProcesses = 64;
constexpr int kKernels = 50;

}  // namespace

TEST_CASE("64 processes that ask for the same 50 new kernels compile each exactly once" * doctest::test_suite("together")) {
  const kiln::test::TemporaryDirectory folder;
  // They begin when the last one is there: reading from the pipe ends when nobody can write to it.
  int gate[2];
  REQUIRE(::pipe2(gate, O_CLOEXEC) == 0);
  std::vector<Child> children;
  for (int i = 0; i < kProcesses; ++i) {
    children.emplace_back([&, i](const Say& say) {
      std::vector<std::string> lines;
      kiln::cache::set_log([&](std::string_view line) { lines.emplace_back(line); });
      std::vector<int> order(kKernels);
      std::iota(order.begin(), order.end(), 0);
      // Half of them in the same order, so that all want one kernel; the others in any.
      std::mt19937_64 random(kiln::test::seed() + static_cast<std::uint64_t>(i));
      if (i % 2 != 0) std::shuffle(order.begin(), order.end(), random);
      const Cache cache(CacheOptions{.directory = folder / "cache", .wait = std::chrono::minutes(10)});
      ::close(gate[1]);
      char nothing = 0;
      if (::read(gate[0], &nothing, 1) != 0) return say("wrong: the gate");
      for (const int kernel : order) {
        if (!right(kernel, cache)) say(fmt::format("wrong result of kernel {}", kernel));
      }
      const kiln::cache::Stats stats = cache.stats();
      say(fmt::format("{} {}", stats.compiles, stats.disk_hits));
      for (const std::string& line : lines) say("wrong: " + line);
    });
  }
  ::close(gate[0]);
  ::close(gate[1]);
  std::uint64_t compiles = 0;
  std::uint64_t hits = 0;
  for (Child& child : children) {
    const kiln::test::Ended ended = child.wait();
    INFO(ended.said);
    CHECK(ended.status == 0);
    CHECK(ended.said.find("wrong") == std::string::npos);
    unsigned long long compiled = 0;
    unsigned long long found = 0;
    CHECK(std::sscanf(ended.said.c_str(), "%llu %llu", &compiled, &found) == 2);
    CHECK(compiled + found == kKernels);
    compiles += compiled;
    hits += found;
  }
  CHECK(compiles == kKernels);
  CHECK(hits == (kProcesses - 1) * kKernels);
  const Cache cache(CacheOptions{.directory = folder / "cache"});
  CHECK(cache.list().size() == kKernels);
  CHECK(cache.verify().faults.empty());
}
