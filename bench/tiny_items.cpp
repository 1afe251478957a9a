// Items of 2 to 8 elements that do not lie one behind the other: times over that of items that do. Three bodies, one thread,
// 1e4 items, the shortest of a few calls in each of several rounds.
// usage: kiln-tiny-items [ROUNDS [DTYPE]], 8 and float32 where they are left out
#include <kiln/kiln.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using kiln::Array;
using kiln::DType;
using kiln::Gufunc;
using kiln::Slice;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t kItems = 10'000;
constexpr int kMost = 8;
const kiln::Device kOneThread = kiln::Device::cpu({.threads = 1});
DType dtype = DType::float32;

Array ones(const kiln::Shape& shape) {
  return to_device(Array::full(shape, 1.0F).astype(dtype), kOneThread);
}
/// Items of n elements, `step` times as far apart, and backwards where it is negative.
Array every(std::int64_t n, std::int64_t step) {
  return ones({kItems * std::abs(step), n})[{Slice{.step = step}}];
}
Array padded(std::int64_t n) {
  return ones({kItems, n + 1})[{kiln::all, Slice{.stop = n}}];
}

Array side_by_side(std::int64_t n) {
  return ones({n, kItems}).transpose();
}

struct Layout {
  std::string name;
  Array a, b, out;
};

std::vector<Layout> layouts(std::int64_t n, bool sums) {
  const auto plain = [&] { return every(n, 1); };
  const auto result = [&] { return sums ? ones({kItems}) : plain(); };
  std::vector<Layout> all = {{"one behind the other", plain(), plain(), result()},
                             {"both inputs every second", every(n, 2), every(n, 2), result()},
                             {"one of them", every(n, 2), plain(), result()},
                             {"one every third", every(n, 3), plain(), result()},
                             {"both reversed", every(n, -1), every(n, -1), result()},
                             {"one reversed", every(n, -1), plain(), result()},
                             {"one padded by an element", padded(n), plain(), result()},
                             {"one vector for all", plain(), ones({n}), result()},
                             {"inputs side by side", side_by_side(n), side_by_side(n), result()}};
  if (sums) return all;
  all.push_back({"output every second", plain(), plain(), every(n, 2)});
  all.push_back({"output padded", plain(), plain(), padded(n)});
  all.push_back({"output reversed", plain(), plain(), every(n, -1)});
  all.push_back({"all every second", every(n, 2), every(n, 2), every(n, 2)});
  all.push_back({"all side by side", side_by_side(n), side_by_side(n), side_by_side(n)});
  return all;
}

/// Nanoseconds of an item.
double time(const Gufunc& gufunc, const Layout& layout) {
  double shortest = 1e18;
  for (int call = 0; call < 12; ++call) {
    const auto begin = Clock::now();
    gufunc({layout.a, layout.b}, {.out = layout.out});
    shortest = std::min(shortest, std::chrono::duration<double, std::nano>(Clock::now() - begin).count());
  }
  return shortest / kItems;
}

void table(const char* title, const kiln::GufuncDefinition& definition, bool sums, int rounds) {
  // One for each size: a gufunc has specialized kernels for 16 sizes and layouts.
  std::vector<Gufunc> gufuncs;
  for (int n = 2; n <= kMost; ++n) gufuncs.push_back(kiln::guvectorize(definition));
  std::vector<std::vector<Layout>> all;
  for (int n = 2; n <= kMost; ++n) all.push_back(layouts(n, sums));
  std::vector<std::vector<double>> shortest(all.size(), std::vector<double>(all[0].size(), 1e18));
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t k = 0; k < all[i].size(); ++k) shortest[i][k] = std::min(shortest[i][k], time(gufuncs[i], all[i][k]));
    }
  }
  std::printf("%-28s", title);
  for (int n = 2; n <= kMost; ++n) std::printf("%7d", n);
  std::printf("\n%-28s", "  ns of an item");
  for (const auto& row : shortest) std::printf("%7.2f", row[0]);
  for (std::size_t k = 1; k < all[0].size(); ++k) {
    std::printf("\n%-28s", ("  " + all[0][k].name).c_str());
    for (const auto& row : shortest) std::printf("%7.2f", row[k] / row[0]);
  }
  std::printf("\n");
}

}  // namespace

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::max(1, std::atoi(arguments[1])) : 8;
  if (count > 2) dtype = kiln::dtype_from_name(arguments[2]);
  const std::vector<std::string> sum = {"void(T[:] a, T[:] b, T r)"};
  const std::vector<std::string> each = {"void(T[:] a, T[:] b, T[:] y)"};
  table("inner product",
        {.name = "inner",
         .layout = "(n),(n)->()",
         .signatures = sum,
         .body = "T s = 0; for (index i = 0; i < n; ++i) s += a(i) * b(i); r = s;"},
        true, rounds);
  table("a(i) * b(n - 1 - i) + 1",
        {.name = "each",
         .layout = "(n),(n)->(n)",
         .signatures = each,
         .body = "for (index i = 0; i < n; ++i) y(i) = a(i) * b(n - 1 - i) + T(1);"},
        false, rounds);
  table("running sum of products",
        {.name = "running",
         .layout = "(n),(n)->(n)",
         .signatures = each,
         .body = "T s = 0; for (index i = 0; i < n; ++i) { s += a(i) * b(i); y(i) = s; }"},
        false, rounds);
}
