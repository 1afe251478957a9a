// Which accesses of a launch race, and what the fault says of them: without a kernel.
#include "kernel/raw/race.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

using namespace kiln::kinds;

namespace {

constexpr std::int32_t kRead = 0, kWrite = kRaceWrites, kUpdate = kRaceWrites | kRaceAtomic, kAtomicRead = kRaceAtomic;
constexpr std::array kPlaces{RacePlace{"k", 1, 10}, RacePlace{"k", 2, 20}};

/// Blocks of four threads, with one view of 4 x 8 int32 and a pointer to 8 float64; accesses by thread number.
class Launch {
 public:
  explicit Launch(std::int64_t size = -1) {
    launch_.count = 2;
    launch_.size = size;
    launch_.grid = {2, 3, 1};
    launch_.block = {2, 2, 1};
    launch_.shared_bytes = 64;
    launch_.axes = {4, 8, 32, -4};
    set(0, view_.data() + 7, 2, 4, 32);
    set(1, pointer_.data(), 0, 8, 8);
    table_.places = kPlaces.data();
    table_.variables = &variable_;
    table_.variable_count = 1;
    checker_ = std::make_unique<RaceChecker>(raced(launch_), table_, *faults_, dynamic_.data());
  }

  void access(std::int64_t block, std::int64_t thread, void* address, std::int64_t bytes, std::int32_t use,
              std::int32_t place = 0, const void* value = nullptr) {
    checker_->enter(block, thread);
    checker_->access(address, bytes, value, use, place);
  }
  void barrier() { checker_->pass_barrier(); }
  RaceChecker& checker() { return *checker_; }
  std::uint32_t count() const { return faults_->count; }
  /// Faults since the last time, of the same memory or not.
  std::uint32_t found() {
    const std::uint32_t count = faults_->count;
    faults_->count = 0;
    return count;
  }
  const Fault& first() const { return faults_->first; }

  std::int32_t& view(std::size_t i) { return view_[i]; }
  double& pointer(std::size_t i) { return pointer_[i]; }
  char* dynamic() { return dynamic_.data(); }
  std::int16_t* shared() { return shared_.data(); }

 private:
  void set(std::size_t i, void* address, std::uint8_t dimensions, std::uint8_t item_bytes, std::int64_t size) {
    RawLaunch::Argument& argument = launch_.arguments[i];
    argument = {.value = {}, .array = true, .dimensions = dimensions, .item_bytes = item_bytes, .size = size};
    std::memcpy(argument.value.data(), static_cast<void*>(&address), sizeof address);
  }

  RawLaunch launch_{};
  std::array<std::int32_t, 32> view_{};
  std::array<double, 8> pointer_{};
  alignas(16) std::array<char, 64> dynamic_{};
  alignas(16) std::array<std::int16_t, 15> shared_{};
  RaceVariable variable_{
      .name = "tile", .address = shared_.data(), .bytes = 30, .item_bytes = 2, .shared = 1, .rank = 2, .extent = {3, 5}};
  RaceTable table_{};
  std::unique_ptr<FaultBuffer> faults_ = std::make_unique<FaultBuffer>();
  std::unique_ptr<RaceChecker> checker_;
};

}  // namespace

TEST_CASE("races: of each two accesses of a block") {
  struct Case {
    std::int32_t first;
    std::int32_t second;
    std::uint32_t races;
  };
  for (const auto& [first, second, races] :
       {Case{kRead, kRead, 0}, Case{kRead, kWrite, 1}, Case{kWrite, kRead, 1}, Case{kWrite, kWrite, 1},
        Case{kUpdate, kUpdate, 0}, Case{kUpdate, kWrite, 1}, Case{kWrite, kUpdate, 1}, Case{kUpdate, kRead, 0},
        Case{kRead, kUpdate, 0}, Case{kAtomicRead, kUpdate, 0}, Case{kWrite, kAtomicRead, 1}}) {
    CAPTURE(first);
    CAPTURE(second);
    Launch launch;
    launch.access(0, 1, &launch.pointer(3), 8, first);
    launch.access(0, 1, &launch.pointer(3), 8, second);
    CHECK(launch.found() == 0);  // of one thread
    launch.access(0, 2, &launch.pointer(4), 8, first);
    launch.access(0, 1, &launch.pointer(4), 8, second);
    CHECK(launch.found() == races);
    launch.access(0, 2, &launch.pointer(5), 8, first);
    launch.barrier();
    launch.access(0, 1, &launch.pointer(5), 8, second);
    CHECK(launch.found() == 0);
    launch.barrier();
    launch.access(1, 1, &launch.pointer(5), 8, second);  // a barrier of one block is none of two
    CHECK(launch.found() == (second == kWrite || (first == kWrite && second != kUpdate) ? 1 : 0));
  }
}

TEST_CASE("races: one reader of several, and bytes that overlap") {
  Launch launch;
  for (const std::int64_t thread : {0, 1, 2, 1}) launch.access(0, thread, &launch.view(0), 4, kRead);
  launch.access(0, 1, &launch.view(0), 4, kWrite);
  CHECK(launch.found() == 1);
  auto* const bytes = reinterpret_cast<char*>(&launch.pointer(0));
  launch.access(0, 0, bytes, 16, kWrite);
  launch.access(0, 1, bytes + 15, 1, kRead);
  CHECK(launch.found() == 1);
  launch.access(0, 1, bytes + 16, 2, kWrite);
  launch.access(0, 2, bytes + 18, 2, kWrite);
  launch.access(0, 3, bytes + 20, 4, kWrite);
  CHECK(launch.found() == 0);
  launch.access(0, 3, bytes + 17, 2, kRead);
  CHECK(launch.found() == 1);
  // Across pages of the shadow.
  std::vector<char> large(1 << 16);
  launch.access(0, 0, large.data() + 3, 60000, kWrite);
  launch.access(0, 1, large.data() + 60002, 1, kRead);
  launch.access(0, 1, large.data() + 60003, 5, kRead);
  CHECK(launch.found() == 1);
}

TEST_CASE("races: who writes what is there already") {
  Launch launch;
  const double same = 0, other = 1;
  launch.access(0, 0, &launch.pointer(0), 8, kWrite, 0, &same);
  launch.access(0, 1, &launch.pointer(0), 8, kWrite, 0, &same);
  CHECK(launch.found() == 0);
  launch.access(0, 2, &launch.pointer(0), 8, kWrite, 0, &other);
  CHECK(launch.found() == 1);
}

TEST_CASE("races: shared memory is each block's own") {
  Launch launch;
  for (const std::int64_t block : {0, 1}) {
    launch.access(block, 0, launch.dynamic() + 4, 4, kWrite);
    launch.access(block, 1, launch.shared(), 2, kWrite);
    launch.barrier();
  }
  CHECK(launch.found() == 0);
  launch.access(1, 1, launch.dynamic() + 4, 4, kWrite);
  launch.access(1, 0, launch.dynamic() + 4, 4, kWrite);
  CHECK(launch.found() == 1);
}

TEST_CASE("races: the fault names the memory, both threads and both places") {
  const auto fault_of = [](Launch& launch, void* address, std::int64_t bytes) {
    launch.access(5, 1, address, bytes, kRead, 1);
    launch.access(5, 2, address, bytes, kWrite, 0);
    return launch.first();
  };
  Launch launch;
  const Fault view = fault_of(launch, &launch.view(8 + 6), 4);
  CHECK(view.kind == FaultKind::race);
  CHECK(view.argument == 0);
  CHECK(view.rank == 2);
  CHECK(view.index[0] == 1);
  CHECK(view.index[1] == 1);
  CHECK(std::string(view.file) == "k");
  CHECK(std::string(view.to) == "k");
  CHECK(std::vector{view.line, view.column, view.other_line, view.other_column} == std::vector{1, 10, 2, 20});
  CHECK(std::vector{view.use, view.other_use} == std::vector{1, 0});
  CHECK(std::vector(view.place.block, view.place.block + 3) == std::vector{1, 2, 0});
  CHECK(std::vector(view.place.thread, view.place.thread + 3) == std::vector{0, 1, 0});
  CHECK(std::vector(view.other.thread, view.other.thread + 3) == std::vector{1, 0, 0});
  CHECK(view.place.item == -1);

  Launch pointer;
  CHECK(fault_of(pointer, &pointer.pointer(7), 8).index[0] == 7);
  CHECK(pointer.first().argument == 1);
  Launch shared;
  const Fault tile = fault_of(shared, shared.shared() + 13, 2);
  CHECK(tile.argument == -1);
  CHECK(std::string(tile.text) == "tile");
  CHECK(std::vector<std::int64_t>{tile.rank, tile.index[0], tile.index[1]} == std::vector<std::int64_t>{2, 2, 3});
  Launch dynamic;
  CHECK(std::string(fault_of(dynamic, dynamic.dynamic() + 12, 4).text) == "the dynamic shared memory");
  CHECK(dynamic.first().index[0] == 12);
  Launch unknown;
  double elsewhere = 0;
  CHECK(fault_of(unknown, &elsewhere, 8).rank == -1);
  CHECK(unknown.first().bits == 64);

  Launch items(100);
  items.access(41, 0, &items.pointer(0), 8, kWrite);
  items.access(42, 0, &items.pointer(0), 8, kRead);
  CHECK(items.first().place.item == 42);
  CHECK(items.first().other.item == 41);
  items.access(43, 0, &items.pointer(0), 8, kUpdate);
  CHECK(items.count() == 2);
  CHECK(items.first().place.item == 42);  // the first remains

  Launch missing;
  missing.checker().enter(1, 0);
  missing.checker().report_missing(0, 3, kPlaces[1]);
  CHECK(missing.first().kind == FaultKind::barrier);
  CHECK(missing.first().other.thread[1] == 1);
  CHECK(missing.first().line == 2);
}
