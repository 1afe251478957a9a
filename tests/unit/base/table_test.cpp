// Look-ups that need no lock.
#include "base/table.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <set>
#include <thread>
#include <vector>

using kiln::base::KeyHash;
using kiln::base::Table;

namespace {

struct Number {
  std::uint64_t value = 0;
  friend bool operator==(const Number&, const Number&) = default;
  [[nodiscard]] std::uint64_t hash() const noexcept { return KeyHash().add(value).value(); }
};

/// All keys have few hashes.
struct Colliding {
  std::uint64_t value = 0;
  friend bool operator==(const Colliding&, const Colliding&) = default;
  [[nodiscard]] std::uint64_t hash() const noexcept { return value % 3; }
};

template <class Key>
void check_many(std::uint64_t count) {
  Table<Key, std::uint64_t> table;
  std::vector<std::uint64_t*> places;
  for (std::uint64_t i = 0; i < count; ++i) {
    CHECK(table.find({i}) == nullptr);
    places.push_back(&table.add({i}, 2 * i));
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    REQUIRE(table.find({i}) == places[i]);
    REQUIRE(*places[i] == 2 * i);
  }
  CHECK(table.find({count}) == nullptr);
}

}  // namespace

TEST_CASE("table: each key is found, and its value stays where it is") {
  check_many<Number>(20000);
}

TEST_CASE("table: keys of one hash are told apart") {
  check_many<Colliding>(500);
}

TEST_CASE("table: a key that is there stays") {
  Table<Number, int> table;
  int& first = table.add({1}, 10);
  CHECK(&table.add({1}, 20) == &first);
  CHECK(first == 10);
}

TEST_CASE("table: values are of any kind") {
  Table<Number, std::atomic<int>> table;
  ++table.add({1}, 5);
  CHECK(*table.find({1}) == 6);
}

TEST_CASE("table: threads add and find at once, and agree") {
  constexpr std::uint64_t kKeys = 2000;
  Table<Number, std::uint64_t> table;
  std::vector<std::vector<std::uint64_t*>> seen(4, std::vector<std::uint64_t*>(kKeys));
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < seen.size(); ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < kKeys; ++i) {
        const std::uint64_t key = t % 2 == 0 ? i : kKeys - 1 - i;
        seen[t][key] = table.find({key});
        if (seen[t][key] == nullptr) seen[t][key] = &table.add({key}, key + 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::uint64_t i = 0; i < kKeys; ++i) {
    REQUIRE(*seen[0][i] == i + 1);
    for (const auto& of_thread : seen) REQUIRE(of_thread[i] == seen[0][i]);
  }
}

TEST_CASE("table: hashes of neighbours differ, also in their first bits") {
  std::set<std::uint64_t> hashes;
  std::set<std::uint64_t> first_bits;
  for (std::uint64_t i = 0; i < 4096; ++i) {
    const std::uint64_t hash = Number{i}.hash();
    hashes.insert(hash);
    first_bits.insert(hash >> 52);
  }
  CHECK(hashes.size() == 4096);
  CHECK(first_bits.size() > 2400);  // of 4,096 drawn at random: 2,589
  CHECK(KeyHash().add_bytes("abc", 3).value() != KeyHash().add_bytes("abd", 3).value());
  CHECK(KeyHash().add(1).add(2).value() != KeyHash().add(2).add(1).value());
}
