// Items that lie side by side, the elements of each apart, beside items one behind the other: nanoseconds of an item, and times
// over the latter. One thread, the shortest of a few calls in each of several rounds.
// usage: kiln-side-by-side [ROUNDS [DTYPE]], 8 and float32 where they are left out
#include <kiln/kiln.hpp>

#include <algorithm>
#include <array>
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
using kiln::Shape;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t kItems = 10'000;
const kiln::Device kOneThread = kiln::Device::cpu({.threads = 1});
DType dtype = DType::float32;

/// Ones: (kItems, core…), the items last in memory where they are to lie side by side.
Array ones(const Shape& core, bool beside) {
  Shape shape = beside ? core : Shape{};
  shape.push_back(kItems);
  for (std::size_t d = 0; !beside && d < core.size(); ++d) shape.push_back(core[d]);
  const Array array = to_device(Array::full(shape, 1.0F).astype(dtype), kOneThread);
  if (!beside) return array;
  kiln::Dims axes{static_cast<std::int64_t>(core.size())};
  for (std::size_t d = 0; d < core.size(); ++d) axes.push_back(static_cast<std::int64_t>(d));
  return array.transpose(axes);
}

struct Body {
  const char* name;
  kiln::GufuncDefinition definition;
  int a, b, out;  // axes of each core
  std::vector<std::int64_t> sizes;
};

const std::vector<Body>& bodies() {
  const auto product = [](const char* each, const char* body) {
    return kiln::GufuncDefinition{.name = "product",
                                  .layout = "(n,n),(n,n)->(n,n)",
                                  .signatures = {"void(T[:,:] a, T[:,:] b, T[:,:] y)"},
                                  .each = each,
                                  .body = body};
  };
  static const std::vector<Body> all = {
      {"matrix product",
       product("",
               "for (index i = 0; i < n; ++i) for (index j = 0; j < n; ++j) { T s = 0; for (index k = 0; k < n; ++k) s += "
               "a(i, k) * b(k, j); y(i, j) = s; }"),
       2,
       2,
       2,
       {3, 5, 8, 10, 14}},
      {"matrix product, .each",
       product("i:n, j:n", "T s = 0; for (index k = 0; k < n; ++k) s += a(i, k) * b(k, j); y(i, j) = s;"),
       2,
       2,
       2,
       {3, 5, 8, 9, 10, 12, 14, 15, 16, 20, 24, 30, 32, 40}},
      {"matrix times vector",
       {.name = "times",
        .layout = "(n,n),(n)->(n)",
        .signatures = {"void(T[:,:] a, T[:] b, T[:] y)"},
        .body = "for (index i = 0; i < n; ++i) { T s = 0; for (index j = 0; j < n; ++j) s += a(i, j) * b(j); y(i) = s; }"},
       2,
       1,
       1,
       {3, 8, 12, 16, 32}},
      {"inner product",
       {.name = "inner",
        .layout = "(n),(n)->()",
        .signatures = {"void(T[:] a, T[:] b, T y)"},
        .body = "T s = 0; for (index i = 0; i < n; ++i) s += a(i) * b(i); y = s;"},
       1,
       1,
       0,
       {8, 16, 64, 100}},
      {"running sum of products",
       {.name = "running",
        .layout = "(n),(n)->(n)",
        .signatures = {"void(T[:] a, T[:] b, T[:] y)"},
        .body = "T s = 0; for (index i = 0; i < n; ++i) { s += a(i) * b(i); y(i) = s; }"},
       1,
       1,
       1,
       {8, 16, 64, 100}},
      {"a(i) * b(i) + 1",
       {.name = "each",
        .layout = "(n),(n)->(n)",
        .signatures = {"void(T[:] a, T[:] b, T[:] y)"},
        .body = "for (index i = 0; i < n; ++i) y(i) = a(i) * b(i) + T(1);"},
       1,
       1,
       1,
       {8, 16, 64, 100}},
      {"a(i) > b(i) ? a(i) : 1",
       {.name = "larger",
        .layout = "(n),(n)->(n)",
        .signatures = {"void(T[:] a, T[:] b, T[:] y)"},
        .body = "for (index i = 0; i < n; ++i) y(i) = a(i) > b(i) ? a(i) : T(1);"},
       1,
       1,
       1,
       {8, 16, 64, 100}},
      {"sorting",
       {.name = "sorted",
        .layout = "(n),(n)->(n)",
        .signatures = {"void(T[:] a, T[:] b, T[:] y)"},
        .body =
            "for (index i = 0; i < n; ++i) { index at = 0; for (index k = 0; k < n; ++k) at += a(k) < a(i) || (a(k) == a(i) "
            "&& k < i) ? 1 : 0; y(at) = a(i) + b(i); }"},
       1,
       1,
       1,
       {16, 64}}};
  return all;
}

// Which of a, b and the output lie side by side.
struct Layout {
  const char* name;
  bool a, b, out;
};
constexpr std::array<Layout, 5> kLayouts = {{{"packed", false, false, false},
                                             {"all beside", true, true, true},
                                             {"inputs", true, true, false},
                                             {"first input", true, false, false},
                                             {"output", false, false, true}}};

void table(const Body& body, std::int64_t n, int rounds) {
  const auto core = [n](int axes) { return Shape(std::vector<std::int64_t>(static_cast<std::size_t>(axes), n)); };
  const Gufunc gufunc = kiln::guvectorize(body.definition);
  std::array<double, kLayouts.size()> shortest{};
  shortest.fill(1e18);
  std::vector<std::array<Array, 3>> arrays;
  for (const Layout& layout : kLayouts) {
    arrays.push_back({ones(core(body.a), layout.a), ones(core(body.b), layout.b), ones(core(body.out), layout.out)});
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t k = 0; k < kLayouts.size(); ++k) {
      for (int call = 0; call < 6; ++call) {
        const auto begin = Clock::now();
        gufunc({arrays[k][0], arrays[k][1]}, {.out = arrays[k][2]});
        shortest[k] = std::min(shortest[k], std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / kItems);
      }
    }
  }
  std::printf("%-24s %3lld %9.2f", body.name, static_cast<long long>(n), shortest[0]);
  for (std::size_t k = 1; k < kLayouts.size(); ++k) std::printf(" %9.2f (%4.2f)", shortest[k], shortest[k] / shortest[0]);
  std::printf("\n");
}

}  // namespace

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::max(1, std::atoi(arguments[1])) : 8;
  if (count > 2) dtype = kiln::dtype_from_name(arguments[2]);
  std::printf("%-24s %3s", "ns of an item", "n");
  for (const Layout& layout : kLayouts) std::printf(" %9s%s", layout.name, &layout == kLayouts.data() ? "" : "       ");
  std::printf("\n");
  for (const Body& body : bodies()) {
    for (const std::int64_t n : body.sizes) table(body, n, rounds);
  }
}
