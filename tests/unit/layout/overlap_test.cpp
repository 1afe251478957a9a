#include "layout/overlap.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <random>
#include <set>
#include <vector>

using kiln::layout::overlaps;
using kiln::layout::overlaps_itself;
using kiln::layout::Window;

namespace {

struct Layout {
  std::int64_t offset = 0;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  std::int64_t itemsize = 4;
  [[nodiscard]] Window window(const char* base) const { return {base + offset, shape, strides, itemsize}; }
};

/// Bytes by brute force; `twice` tells whether some byte belongs to two elements.
std::set<std::int64_t> bytes_of(const Layout& layout, bool* twice = nullptr) {
  std::set<std::int64_t> bytes;
  std::vector<std::int64_t> index(layout.shape.size(), 0);
  while (true) {
    std::int64_t at = layout.offset;
    for (std::size_t d = 0; d < index.size(); ++d) at += index[d] * layout.strides[d];
    for (std::int64_t b = 0; b < layout.itemsize; ++b) {
      if (!bytes.insert(at + b).second && twice != nullptr) *twice = true;
    }
    std::size_t d = index.size();
    while (d > 0 && ++index[d - 1] == layout.shape[d - 1]) index[--d] = 0;
    if (d == 0) return bytes;
  }
}

const std::vector<char> memory(1 << 16);
const char* const base = memory.data() + (1 << 15);

}  // namespace

TEST_CASE("interleaved halves do not overlap, however long") {
  const std::int64_t n = 10'000'000;
  const Layout even{0, {n}, {8}, 4};
  const Layout odd{4, {n}, {8}, 4};
  CHECK_FALSE(overlaps(even.window(base), odd.window(base)));
  const Layout shifted{6, {n}, {8}, 4};
  CHECK(overlaps(even.window(base), shifted.window(base)));
}

TEST_CASE("reversed and transposed windows overlap") {
  const Layout forwards{0, {10}, {4}, 4};
  const Layout backwards{36, {10}, {-4}, 4};
  CHECK(overlaps(forwards.window(base), backwards.window(base)));
  const Layout square{0, {5, 5}, {20, 4}, 4};
  const Layout transposed{0, {5, 5}, {4, 20}, 4};
  CHECK(overlaps(square.window(base), transposed.window(base)));
}

TEST_CASE("columns of one matrix are apart") {
  const Layout left{0, {100, 2}, {16, 4}, 4};
  const Layout right{8, {100, 2}, {16, 4}, 4};
  CHECK_FALSE(overlaps(left.window(base), right.window(base)));
}

TEST_CASE("random windows agree with brute force") {
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  const auto make = [&] {
    Layout layout;
    layout.offset = pick(-20, 20);
    layout.itemsize = 1 << pick(0, 3);
    for (int d = pick(0, 3); d > 0; --d) {
      layout.shape.push_back(pick(1, 4));
      layout.strides.push_back(pick(-12, 12));
    }
    return layout;
  };
  int seen[2] = {};
  for (int round = 0; round < 20000; ++round) {
    const Layout a = make();
    const Layout b = make();
    const auto bytes_a = bytes_of(a);
    bool shared = false;
    for (const auto byte : bytes_of(b)) shared |= bytes_a.contains(byte);
    CHECK(overlaps(a.window(base), b.window(base)) == shared);
    ++seen[shared ? 1 : 0];
    bool twice = false;
    bytes_of(a, &twice);
    CHECK(overlaps_itself(a.window(base)) == twice);
  }
  CHECK(seen[0] > 1000);
  CHECK(seen[1] > 1000);
}

TEST_CASE("a hostile pair is answered in bounded time, on the safe side") {
  Layout a{0, {}, {}, 1};
  Layout b{1, {}, {}, 1};
  for (int d = 0; d < 12; ++d) {
    a.shape.push_back(1000 + d);
    a.strides.push_back(1000003 + 2 * 7919 * d);
    b.shape.push_back(1000 + 3 * d);
    b.strides.push_back(1000033 + 2 * 104729 * d);
  }
  const auto start = std::chrono::steady_clock::now();
  (void)overlaps(a.window(base), b.window(base));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(2));
}
