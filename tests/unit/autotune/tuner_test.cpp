#include "autotune/tuner.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "../base/temporary_directory.hpp"
#include "autotune/session.hpp"
#include "autotune/stopwatch.hpp"
#include "kiln/error.hpp"
#include "program/tuning.hpp"
#include "scripted_gpu.hpp"

using namespace kiln;
using namespace kiln::autotune;
using test::ScriptedGpu;
using test::TemporaryDirectory;

namespace {

const std::string kId(32, 'c');

class SizedModule : public backend::Module {
 public:
  explicit SizedModule(int most) : most_(most) {}
  [[nodiscard]] int max_threads() const noexcept override { return most_; }

 private:
  int most_;
};

std::shared_ptr<backend::Module> module_of(int most) {
  auto made = std::make_shared<SizedModule>(most);
  made->label = std::make_shared<const backend::KernelLabel>(backend::KernelLabel{kId, "ufunc", "contiguous"});
  return made;
}

/// A kernel that takes 1 ms, but for some shapes.
struct Fixture {
  ScriptedGpu gpu;
  TemporaryDirectory folder;
  Cache cache{CacheOptions{.directory = folder.path()}};
  std::shared_ptr<backend::Module> own = module_of(256);
  std::map<int, std::shared_ptr<backend::Module>> others{{1, module_of(256)}, {4, module_of(128)}};
  std::vector<std::pair<Choice, double>> times;
  std::vector<Choice> ran;
  Tuned tuned;

  TuneReport measure(std::int64_t elements = 1 << 20, bool in_session = true) {
    TuneReport report;
    const Session session(report, this);
    const auto load = [&](int accesses) {
      const auto found = others.find(accesses);
      if (found == others.end()) throw DeviceError("nobody compiles it");
      return found->second;
    };
    const auto run = [&](const backend::Module& module, const Choice& choice) {
      CHECK(&module == (choice.accesses == 2 ? own : others.at(choice.accesses)).get());
      ran.push_back(choice);
      double time = 1;
      for (const auto& [which, other] : times) {
        if (which == choice) time = other;
      }
      if (time < 0) throw DeviceError("too many resources");
      gpu.now += time;
    };
    const auto prepare = [&] { gpu.now += 100; };
    autotune::measure(
        {.backend = gpu, .module = own, .accesses = 2, .all_accesses = {1, 2, 4, 8}, .cache = cache, .load = load},
        {.session = in_session ? Session::of(this) : nullptr,
         .elements = elements,
         .width = 4,
         .model = {.block = 256, .accesses = 2},
         .run = run,
         .prepare = prepare},
        tuned);
    return report;
  }
  /// As another process would.
  void read(Tuned& into, const std::vector<int>& accesses = {1, 2, 4, 8}) {
    const auto load = [&](int wanted) { return others.at(wanted); };
    autotune::read({.backend = gpu, .module = own, .accesses = 2, .all_accesses = accesses, .cache = cache, .load = load},
                   into);
  }
};

}  // namespace

TEST_CASE("autotune: candidates are what device and kernel take, the cost model's first") {
  const std::vector<Choice> all = candidates({256, 2}, {.accesses = {1, 2}, .warp_size = 32, .max_threads = 256});
  CHECK(all == std::vector<Choice>{{256, 2}, {64, 1}, {128, 1}, {256, 1}, {64, 2}, {128, 2}});
  CHECK(candidates({64, 1}, {.accesses = {1}, .warp_size = 64, .max_threads = 128}) == std::vector<Choice>{{64, 1}, {128, 1}});
  CHECK(candidates({256, 1}, {.accesses = {1}, .max_threads = 1024}).size() == 5);
  CHECK_FALSE(is_free({.block = 96, .accesses = 1}, {.warp_size = 64}));
  CHECK_FALSE(is_free({.block = 512, .accesses = 1}, {.max_threads = 256}));
  CHECK_FALSE(is_free({.block = 128, .accesses = 3}, {.accesses = {1, 2}}));
}

TEST_CASE("autotune: what was measured is looked up by size class") {
  Tuned tuned;
  CHECK(tuned.find(1000) == nullptr);
  CHECK_FALSE(tuned.tried(1000));
  tuned.set(1000, {.choice = {128, 1}, .module = nullptr});
  CHECK(tuned.find(256)->choice.block == 128);
  CHECK(tuned.find(1023)->choice.block == 128);
  CHECK(tuned.find(255) == nullptr);
  CHECK(tuned.find(1024) == nullptr);
  CHECK(tuned.tried(300));
  const Tuned::Shape* const before = tuned.find(1000);
  tuned.set(1000, {.choice = {64, 1}, .module = nullptr});
  CHECK(tuned.find(1000)->choice.block == 64);
  CHECK(before->choice.block == 128);  // a launch may still read it
  tuned.set_model(1000);
  CHECK(tuned.find(1000) == nullptr);
  CHECK(tuned.tried(1000));
  CHECK(tuned.first_try(1 << 30));
  CHECK_FALSE(tuned.first_try(1 << 30));
}

TEST_CASE("autotune: works run in turn, for the median, within the budget") {
  ScriptedGpu gpu;
  std::vector<std::size_t> ran;
  int prepared = 0;
  const auto prepare = [&] {
    ++prepared;
    gpu.now += 1000;  // is not measured
  };
  int round = 0;
  const auto run = [&](std::size_t i) {
    if (i == 0) ++round;
    ran.push_back(i);
    gpu.now += i == 0 ? (round % 3 == 0 ? 9.0 : 5.0) : 4.0;
  };
  const auto times = time_in_turn(gpu, nullptr, 2, prepare, run, {.enough_ms = 20, .most_ms = 500, .least_rounds = 3});
  REQUIRE(times.size() == 2);
  CHECK(times[0].milliseconds == 5);
  CHECK(times[1].milliseconds == 4);
  CHECK(ran == std::vector<std::size_t>{0, 1, 0, 1, 0, 1, 0, 1});  // a warm-up, and three rounds
  CHECK(prepared == 8);

  // Each of four takes 100 ms of 500: two of them run, twice.
  ran.clear();
  const auto slow = [&](std::size_t i) {
    ran.push_back(i);
    gpu.now += 100;
  };
  const auto some = time_in_turn(gpu, nullptr, 4, prepare, slow);
  CHECK(ran == std::vector<std::size_t>{0, 1, 0, 1});
  CHECK(some[1].milliseconds == doctest::Approx(100));
  CHECK(some[2].why_not == "no time left");
  CHECK(some[3].why_not == "no time left");

  const auto failing = [&](std::size_t i) {
    if (i == 1) throw DeviceError("too many resources");
    gpu.now += 1;
  };
  const auto others = time_in_turn(gpu, nullptr, 3, prepare, failing);
  CHECK(others[0].milliseconds == doctest::Approx(1));
  CHECK(others[1].why_not == "too many resources");
  CHECK(others[2].milliseconds == doctest::Approx(1));
  const auto none = [](std::size_t) { throw DeviceError("lost"); };
  CHECK_THROWS_AS((void)time_in_turn(gpu, nullptr, 2, prepare, none), DeviceError);
}

TEST_CASE("autotune: the best is used, kept, and read by others on that device with that driver") {
  Fixture fixture;
  fixture.times = {{{128, 1}, 0.8}, {{64, 4}, 0.5}, {{128, 2}, 0.6}, {{64, 1}, -1}};
  const TuneReport report = fixture.measure();
  CHECK(report.why_not.empty());
  CHECK(report.id == kId);
  CHECK(report.driver == "CUDA 13.0");
  CHECK(report.elements == 1 << 20);
  CHECK(report.kept);
  REQUIRE(report.candidates.size() == 12);
  CHECK(report.candidates[0].block == 256);
  CHECK(report.candidates[0].elements_per_thread == 8);
  CHECK(report.candidates[report.best].block == 64);
  CHECK(report.candidates[report.best].elements_per_thread == 16);
  CHECK(report.candidates[report.best].milliseconds == doctest::Approx(0.5));
  std::map<std::string, int> reasons;
  for (const TuneCandidate& each : report.candidates) ++reasons[each.why_not];
  CHECK(reasons["too many resources"] == 1);
  CHECK(reasons["the kernel's registers leave room for fewer threads"] == 1);  // {256, 4}
  CHECK(reasons[""] == 7);                                                     // three more do not compile: {*, 8}
  REQUIRE(fixture.tuned.find(1 << 20) != nullptr);
  CHECK(fixture.tuned.find(1 << 20)->choice == Choice{64, 4});
  CHECK(fixture.tuned.find(1 << 20)->module == fixture.others.at(4));

  Tuned other;
  fixture.read(other);
  REQUIRE(other.find((1 << 20) + 5) != nullptr);
  CHECK(other.find(1 << 20)->choice == Choice{64, 4});
  CHECK(other.find(1 << 20)->module == fixture.others.at(4));
  CHECK(other.find(1 << 22) == nullptr);
  CHECK(other.tried(1 << 20));

  // A kernel of other accesses, whose loads fail, or that takes fewer threads, goes by the cost model.
  Tuned narrow;
  fixture.read(narrow, {1, 2});
  CHECK(narrow.find(1 << 20) == nullptr);
  const std::vector<cache::TunedShape> kept = program::tuned_shapes(fixture.cache, kId, fixture.gpu);
  REQUIRE(kept.size() == 1);
  CHECK(kept[0].block == 64);
  cache::TunedShape elsewhere = kept[0];
  elsewhere.driver = "CUDA 12.4";
  elsewhere.measured += 1;
  program::keep_shape(fixture.cache, kId, elsewhere);
  Tuned none;
  fixture.read(none);
  CHECK(none.find(1 << 20) == nullptr);
  CHECK_FALSE(none.tried(1 << 20));
  cache::TunedShape hostile = kept[0];
  hostile.block = 1000;  // no whole warps
  hostile.measured += 2;
  program::keep_shape(fixture.cache, kId, hostile);
  fixture.read(none);
  CHECK(none.find(1 << 20) == nullptr);
}

TEST_CASE("autotune: the cost model stays unless something is 3 % faster, and that is kept, too") {
  Fixture fixture;
  fixture.times = {{{128, 1}, 0.98}};
  const TuneReport report = fixture.measure();
  CHECK(report.best == 0);
  CHECK(fixture.tuned.find(1 << 20) == nullptr);
  CHECK(fixture.tuned.tried(1 << 20));
  Tuned other;
  fixture.read(other);
  CHECK(other.find(1 << 20) == nullptr);
  CHECK(other.tried(1 << 20));
  CHECK(program::tuned_shapes(fixture.cache, kId, fixture.gpu).front().model);
}

TEST_CASE("autotune: without a session each size class is tried once, with one again") {
  Fixture fixture;
  CHECK(fixture.measure(1 << 20, false).candidates.empty());
  const std::size_t runs = fixture.ran.size();
  CHECK(runs > 0);
  fixture.measure((1 << 20) + 1, false);
  CHECK(fixture.ran.size() == runs);
  fixture.measure(1 << 10, false);
  CHECK(fixture.ran.size() == 2 * runs);
  CHECK(fixture.measure().candidates.size() == 12);
}

TEST_CASE("autotune: a session is of one function, and of one thread") {
  TuneReport report;
  const int one = 1;
  const int other = 2;
  CHECK(Session::of(&one) == nullptr);
  {
    const Session session(report, &one);
    CHECK(Session::of(&one) == &session);
    CHECK(Session::of(&other) == nullptr);
    CHECK(maybe_wanted());
    not_tuned(Session::of(&one), "k", "because");
  }
  CHECK(report.why_not == "because");
  CHECK(Session::of(&one) == nullptr);
}
