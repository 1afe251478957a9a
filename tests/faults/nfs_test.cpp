// Many processes on one cache directory of a file system like NFS: files go stale under their readers, and there may be no
// locks.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "child.hpp"
#include "interposer.hpp"
#include "kernels.hpp"
#include "kiln/cache.hpp"
#include "unit/base/temporary_directory.hpp"

using kiln::Cache;
using kiln::CacheOptions;
using kiln::faults::Kind;
using kiln::test::Child;
using kiln::test::Ended;
using kiln::test::right;
using kiln::test::Say;

namespace {

constexpr int kProcesses = 32;
constexpr int kKernels = 8;

struct Outcome {
  std::uint64_t compiles = 0;
  std::uint64_t stale = 0;
};

/// All processes want all kernels, which no cache has, at once. `stale`: each so many-th call on a file is ESTALE.
Outcome run_together(const std::string& directory, int stale, int lock_error) {
  int gate[2];
  REQUIRE(::pipe2(gate, O_CLOEXEC) == 0);
  std::vector<Child> children;
  for (int i = 0; i < kProcesses; ++i) {
    children.emplace_back([&, i](const Say& say) {
      const Cache cache(CacheOptions{.directory = directory, .wait = std::chrono::minutes(5)});
      ::close(gate[1]);
      char nothing = 0;
      if (::read(gate[0], &nothing, 1) != 0) return say("wrong: the gate");
      // Other calls are struck in each.
      kiln::faults::watch(directory.c_str(), stale + i % 3, {"NFS", lock_error, Kind::nfs});
      bool all_right = true;
      for (int kernel = 0; kernel < kKernels; ++kernel) all_right = right((kernel + i) % kKernels, cache) && all_right;
      kiln::faults::watch(nullptr);
      const kiln::cache::Stats stats = cache.stats();
      say(fmt::format("{} {} {}", stats.compiles, kiln::faults::strikes(), all_right ? "right" : "wrong"));
    });
  }
  ::close(gate[0]);
  ::close(gate[1]);
  Outcome outcome;
  for (Child& child : children) {
    const Ended ended = child.wait();
    INFO(ended.said);
    CHECK(ended.status == 0);
    unsigned long long compiles = 0;
    unsigned long long strikes = 0;
    char verdict[8] = {};
    CHECK(std::sscanf(ended.said.c_str(), "%llu %llu %7s", &compiles, &strikes, verdict) == 3);
    CHECK(std::string(verdict) == "right");
    outcome.compiles += compiles;
    outcome.stale += strikes;
  }
  return outcome;
}

}  // namespace

TEST_CASE("NFS: 32 processes whose files go stale compile each kernel once, and leave whole entries") {
  const kiln::test::TemporaryDirectory folder;
  const Outcome outcome = run_together(folder / "cache", 11, 0);
  CHECK(outcome.stale > 100);
  CHECK(outcome.compiles >= kKernels);
  CHECK(outcome.compiles <= 2 * kKernels);
  const Cache cache(CacheOptions{.directory = folder / "cache"});
  CHECK(cache.list().size() == kKernels);
  CHECK(cache.verify().faults.empty());
}

TEST_CASE("NFS: without locks every process may compile for itself, and entries are whole") {
  for (const int error : {ENOLCK, EOPNOTSUPP}) {
    const kiln::test::TemporaryDirectory folder;
    const Outcome outcome = run_together(folder / "cache", 13, error);
    CHECK(outcome.compiles >= kKernels);
    CHECK(outcome.compiles <= kProcesses * kKernels);
    const Cache cache(CacheOptions{.directory = folder / "cache"});
    CHECK(cache.list().size() == kKernels);
    CHECK(cache.verify(true).entries == kKernels);
    // Whoever comes later compiles nothing.
    const Outcome again = run_together(folder / "cache", 13, error);
    CHECK(again.compiles == 0);
  }
}
