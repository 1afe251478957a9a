#include "device/cpu/worker_pool.hpp"

#include <doctest/doctest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/sanitizer.hpp"

using kiln::backend::cpu::WorkerPool;

namespace {

using namespace std::chrono_literals;

/// Counts how often each index was called.
struct Counts {
  explicit Counts(std::int64_t count) : calls(static_cast<std::size_t>(count)) {}

  static void piece(const void* work, std::int64_t index) {
    ++static_cast<const Counts*>(work)->calls[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] bool all(int times) const {
    return std::all_of(calls.begin(), calls.end(), [times](const std::atomic<int>& n) { return n == times; });
  }

  mutable std::vector<std::atomic<int>> calls;
};

}  // namespace

TEST_CASE("a worker pool calls every piece once, whoever takes it") {
  const oneapi::tbb::global_control allowed(oneapi::tbb::global_control::max_allowed_parallelism, 4);
  for (const int helpers : {1, 3}) {
    oneapi::tbb::task_arena arena(helpers + 1);
    const auto workers = std::make_shared<WorkerPool>(arena, helpers);
    for (int round = 0; round < kiln::test::rounds(2000); ++round) {
      const std::int64_t count = round % 37 + 1;
      const Counts counts(count);
      REQUIRE(workers->run(count, &counts, Counts::piece, 64));
      REQUIRE(counts.all(1));
      if (round % 100 == 0) std::this_thread::sleep_for(300us);  // helpers leave and are called again
    }
  }
}

TEST_CASE("helpers work while the caller does") {
  oneapi::tbb::task_arena arena(2);
  const auto workers = std::make_shared<WorkerPool>(arena, 1);
  // Each piece waits for the other: one thread alone would not end.
  struct Meeting {
    mutable std::atomic<int> there{0};
    mutable std::atomic<bool> met{true};
  } const meeting;
  const auto meet = [](const void* work, std::int64_t) {
    const auto& both = *static_cast<const Meeting*>(work);
    ++both.there;
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (both.there < 2 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    if (both.there < 2) both.met = false;
  };
  CHECK(workers->run(2, &meeting, meet, 64));
  CHECK(meeting.met);
}

TEST_CASE("what a piece throws is thrown when those that had begun are done") {
  oneapi::tbb::task_arena arena(2);
  const auto workers = std::make_shared<WorkerPool>(arena, 1);
  const Counts counts(16);
  const auto throwing = [](const void* work, std::int64_t index) {
    Counts::piece(work, index);
    if (index % 5 == 3) throw std::runtime_error("piece");
  };
  for (int round = 0; round < 20; ++round) {
    std::string text;
    try {
      workers->run(16, &counts, throwing, 64);
    } catch (const std::runtime_error& error) {
      text = error.what();
    }
    CHECK(text == "piece");
  }
  // Nobody takes the others: they would be pieces without end.
  std::atomic<std::int64_t> calls{0};
  const auto failing = [](const void* work, std::int64_t) {
    ++*static_cast<std::atomic<std::int64_t>*>(const_cast<void*>(work));
    throw std::runtime_error("piece");
  };
  CHECK_THROWS_AS(workers->run(std::int64_t{1} << 60, &calls, failing, 64), std::runtime_error);
  CHECK(calls <= 2);
  const Counts after(3);
  CHECK(workers->run(3, &after, Counts::piece, 64));
  CHECK(after.all(1));
}

TEST_CASE("one caller at a time has a worker pool, the others hear so") {
  oneapi::tbb::task_arena arena(2);
  const auto workers = std::make_shared<WorkerPool>(arena, 1);
  std::atomic<int> wrong{0};
  std::atomic<int> ran{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 3; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < kiln::test::rounds(2000); ++round) {
        const Counts counts(9);
        const bool had = workers->run(9, &counts, Counts::piece, 64);
        wrong += !counts.all(had ? 1 : 0);
        ran += had;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  CHECK(wrong == 0);
  CHECK(ran > 0);
  // Within a piece as well: the pool is its caller's.
  const auto inner = [](const void* work, std::int64_t) {
    const Counts counts(2);
    if ((*static_cast<const std::shared_ptr<WorkerPool>*>(work))->run(2, &counts, Counts::piece, 64))
      throw std::logic_error("it ran");
  };
  CHECK(workers->run(4, &workers, inner, 64));
}

TEST_CASE("a worker pool that goes leaves no helper behind that needs it") {
  oneapi::tbb::task_arena arena(2);
  std::vector<std::weak_ptr<WorkerPool>> pools;
  for (int round = 0; round < kiln::test::rounds(500); ++round) {
    const auto workers = std::make_shared<WorkerPool>(arena, 1);
    pools.push_back(workers);
    const Counts counts(4);
    CHECK(workers->run(4, &counts, Counts::piece, 64));
    CHECK(counts.all(1));
  }
  // A helper that was called comes when the system lets it, and then frees its pool.
  const auto gone = [&] { return std::ranges::all_of(pools, [](const auto& pool) { return pool.expired(); }); };
  const auto end = std::chrono::steady_clock::now() + 60s;
  while (!gone() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(1ms);
  CHECK(gone());
}
