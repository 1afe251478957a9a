// Cores of a few elements by loops that compute each element for itself, items going one by one: nanoseconds of an item for
// every size. One thread, the shortest of a few calls in each of several rounds.
// usage: kiln-rows [ROUNDS [DTYPE]], 8 and float32 where they are left out
#include <kiln/kiln.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using kiln::Array;
using kiln::DType;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t kPlanes = 100;
constexpr std::int64_t kRows = 100;
constexpr std::int64_t kSizes[] = {4, 5, 8, 12, 15, 16, 17, 20, 24, 31, 32, 64};
constexpr const char* kBodies[] = {"a(i) * b(i) + T(1)", "a(i) * b(n - 1 - i)", "a(i) > b(i) ? a(i) : a(i) / b(i)",
                                   "sqrt(a(i) / b(i))",  "exp(a(i)) * b(i)",    "atan2(a(i), b(i))"};

/// Of two loop dimensions that nothing makes one: rows of an array with a row more.
Array ones(std::int64_t n, DType dtype) {
  const kiln::Device one = kiln::Device::cpu({.threads = 1});
  return to_device(Array::full({kPlanes, kRows + 1, n}, 1).astype(dtype), one)[{kiln::all, kiln::Slice{.stop = kRows}}];
}

double shortest(const char* expression, std::int64_t n, DType dtype, int rounds) {
  const kiln::Gufunc gufunc =
      kiln::guvectorize({.name = "row",
                         .layout = "(n),(n)->(n)",
                         .signatures = {"void(T[:] a, T[:] b, T[:] y)"},
                         .body = std::string("for (index i = 0; i < n; ++i) y(i) = ") + expression + ";"});
  const Array a = ones(n, dtype);
  const Array b = ones(n, dtype);
  const Array y = ones(n, dtype);
  double best = 1e18;
  for (int call = 0; call < rounds * 6; ++call) {
    const auto begin = Clock::now();
    gufunc({a, b}, {.out = y});
    best = std::min(best, std::chrono::duration<double, std::nano>(Clock::now() - begin).count());
  }
  return best / (kPlanes * kRows);
}

}  // namespace

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::max(1, std::atoi(arguments[1])) : 8;
  const DType dtype = count > 2 ? kiln::dtype_from_name(arguments[2]) : DType::float32;
  std::printf("%-34s", "ns of an item, elements");
  for (const std::int64_t n : kSizes) std::printf("%7lld", static_cast<long long>(n));
  std::printf("\n");
  for (const char* const body : kBodies) {
    std::printf("%-34s", body);
    for (const std::int64_t n : kSizes) std::printf("%7.2f", shortest(body, n, dtype, rounds));
    std::printf("\n");
  }
}
