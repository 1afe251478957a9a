#include "cache/shards.hpp"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <stdexcept>

using kiln::cache::for_each_shard;
using kiln::cache::kShards;

TEST_CASE("every shard is worked on once") {
  std::array<std::atomic<int>, kShards> times{};
  for_each_shard([&](unsigned shard) { ++times.at(shard); });
  for (const auto& count : times) CHECK(count == 1);
}

TEST_CASE("what a shard's work throws ends the work and reaches the caller") {
  std::atomic<unsigned> worked{0};
  const auto fail_early = [&](unsigned shard) {
    ++worked;
    if (shard == 3) throw std::runtime_error("shard 3");
  };
  CHECK_THROWS_WITH_AS(for_each_shard(fail_early), "shard 3", std::runtime_error);
  CHECK(worked <= kShards);
}
