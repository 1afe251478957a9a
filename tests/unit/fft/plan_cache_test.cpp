#include "fft/plan_cache.hpp"

#include <doctest/doctest.h>

#include <thread>

using namespace kiln::fft;

namespace {

/// Counts those that live.
struct CountedPlan {
  explicit CountedPlan(std::int64_t number) : id(number) { ++alive; }
  ~CountedPlan() { --alive; }
  CountedPlan(const CountedPlan&) = delete;
  CountedPlan& operator=(const CountedPlan&) = delete;
  std::int64_t id;
  static inline std::atomic<int> alive{0};
};

std::shared_ptr<CountedPlan> plan_of(PlanCache<CountedPlan>& cache, std::int64_t id, int& made) {
  return cache.find_or_make({id, 7}, [&] {
    ++made;
    return std::make_shared<CountedPlan>(id);
  });
}

}  // namespace

TEST_CASE("fft plans: the most recently used ones are kept") {
  PlanCache<CountedPlan> cache(3);
  int made = 0;
  for (const int id : {1, 2, 3, 1, 4}) CHECK(plan_of(cache, id, made)->id == id);
  CHECK(made == 4);
  CHECK(cache.size() == 3);
  plan_of(cache, 1, made);
  CHECK(made == 4);
  plan_of(cache, 2, made);  // dropped for 4
  CHECK(made == 5);
  CHECK(CountedPlan::alive == 3);
}

TEST_CASE("fft plans: one that is dropped lives until its last use is over") {
  PlanCache<CountedPlan> cache(1);
  int made = 0;
  const auto used = plan_of(cache, 1, made);
  plan_of(cache, 2, made);
  CHECK(used->id == 1);
  CHECK(CountedPlan::alive == 2);
}

TEST_CASE("fft plans: what cannot be made leaves nothing behind") {
  PlanCache<CountedPlan> cache(2);
  CHECK_THROWS_AS(cache.find_or_make({1}, []() -> std::shared_ptr<CountedPlan> { throw std::runtime_error("no plan"); }),
                  std::runtime_error);
  CHECK(cache.size() == 0);
}

TEST_CASE("fft plans: several threads") {
  PlanCache<CountedPlan> cache(4);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      int made = 0;
      for (int i = 0; i < 500; ++i) {
        const int id = (i * (t + 1)) % 7;
        if (plan_of(cache, id, made)->id != id) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(cache.size() == 4);
}
