// Generalized ufuncs of few items: nanoseconds of an item for numbers of items around those that lanes take at once, and in the
// last column how much longer a call takes than one of more items, at worst. One thread, the shortest of many calls.
// usage: kiln-few-items [ROUNDS [DTYPE]], 8 and float32 where they are left out
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

constexpr std::int64_t kCounts[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 256};
constexpr std::int64_t kMost = 256;
const kiln::Device kOneThread = kiln::Device::cpu({.threads = 1});
DType dtype = DType::float32;

/// Numbers between -1 and 1.
Array numbers(const kiln::Shape& shape) {
  const Array array = Array::empty(shape, DType::float64);
  for (std::int64_t i = 0; i < array.size(); ++i) array.as<double>()[i] = static_cast<double>(i * 37 % 199 - 99) / 100;
  return to_device(array.astype(dtype), kOneThread);
}

struct Body {
  const char* name;
  kiln::GufuncDefinition definition;
  std::vector<std::vector<std::int64_t>> cores;  ///< of the operands, by powers of n: {1} is n
  std::vector<std::int64_t> sizes;
};

const std::vector<Body>& bodies() {
  static const std::vector<std::int64_t> rows = {8, 64, 1024};
  static const std::vector<Body> all = {
      {"sum",
       {.name = "sum",
        .layout = "(n)->()",
        .signatures = {"void(T[:] x, T s)"},
        .body = "T t = 0; for (index i = 0; i < n; ++i) t += x(i); s = t;"},
       {{1}, {}},
       rows},
      {"softmax",
       {.name = "softmax",
        .layout = "(n)->(n)",
        .signatures = {"void(T[:] x, T[:] y)"},
        .body = "T m = x(0); for (index i = 1; i < n; ++i) m = x(i) > m ? x(i) : m; T s = 0; for (index i = 0; i < n; ++i) { "
                "y(i) = exp(x(i) - m); s += y(i); } for (index i = 0; i < n; ++i) y(i) /= s;"},
       {{1}, {1}},
       rows},
      {"running sum",
       {.name = "running",
        .layout = "(n)->(n)",
        .signatures = {"void(T[:] x, T[:] y)"},
        .body = "T s = 0; for (index i = 0; i < n; ++i) { s += x(i); y(i) = s; }"},
       {{1}, {1}},
       rows},
      {"inner",
       {.name = "inner",
        .layout = "(n),(n)->()",
        .signatures = {"void(T[:] a, T[:] b, T r)"},
        .body = "T s = 0; for (index i = 0; i < n; ++i) s += a(i) * b(i); r = s;"},
       {{1}, {1}, {}},
       rows},
      {"product, loops",
       {.name = "product",
        .layout = "(n,n),(n,n)->(n,n)",
        .signatures = {"void(T[:,:] a, T[:,:] b, T[:,:] y)"},
        .body =
            "for (index i = 0; i < n; ++i) for (index j = 0; j < n; ++j) { T s = 0; for (index k = 0; k < n; ++k) s += a(i, "
            "k) * b(k, j); y(i, j) = s; }"},
       {{1, 1}, {1, 1}, {1, 1}},
       {8}},
      {"product, .each",
       {.name = "product_each",
        .layout = "(n,n),(n,n)->(n,n)",
        .signatures = {"void(T[:,:] a, T[:,:] b, T[:,:] y)"},
        .each = "i:n, j:n",
        .body = "T s = 0; for (index k = 0; k < n; ++k) s += a(i, k) * b(k, j); y(i, j) = s;"},
       {{1, 1}, {1, 1}, {1, 1}},
       {8}},
      {"filter",
       {.name = "filter",
        .layout = "(n)->(n)",
        .signatures = {"void(T[:] x, T[:] y)"},
        .body =
            "T s = 0; for (index i = 0; i < n; ++i) { const T d = x(i) - s; s += d > T(0.5) ? d * T(0.1) : d * T(0.3); y(i) "
            "= s; }"},
       {{1}, {1}},
       {64, 1024}},
      {"sum of exp",
       {.name = "exps",
        .layout = "(n)->()",
        .signatures = {"void(T[:] x, T s)"},
        .body = "T t = 0; for (index i = 0; i < n; ++i) t += exp(x(i)); s = t;"},
       {{1}, {}},
       {64, 1024}},
  };
  return all;
}

struct Measured {
  std::vector<Array> all;  ///< operands of kMost items
  Gufunc gufunc;
};

Measured prepare(const Body& body, std::int64_t n) {
  Measured made{.all = {}, .gufunc = kiln::guvectorize(body.definition)};
  for (const std::vector<std::int64_t>& core : body.cores) {
    std::vector<std::int64_t> shape{kMost};
    shape.insert(shape.end(), core.size(), n);
    made.all.push_back(numbers(kiln::Shape(shape)));
  }
  return made;
}

/// Nanoseconds of a call.
double time(const Measured& measured, std::int64_t count, int calls) {
  std::vector<Array> part;
  for (const Array& each : measured.all) part.push_back(each[{Slice{.stop = count}}]);
  const Array out = part.back();
  part.pop_back();
  double shortest = 1e18;
  for (int call = 0; call < calls; ++call) {
    const auto begin = Clock::now();
    if (part.size() == 1) {
      measured.gufunc({part[0]}, {.out = out});
    } else {
      measured.gufunc({part[0], part[1]}, {.out = out});
    }
    shortest = std::min(shortest, std::chrono::duration<double, std::nano>(Clock::now() - begin).count());
  }
  return shortest;
}

void row(const Body& body, std::int64_t n, int rounds) {
  // One for each: a gufunc remembers calls of 16 layouts.
  std::vector<Measured> measured;
  for (std::size_t i = 0; i < std::size(kCounts); ++i) measured.push_back(prepare(body, n));
  std::vector<double> shortest(measured.size(), 1e18);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < shortest.size(); ++i) shortest[i] = std::min(shortest[i], time(measured[i], kCounts[i], 10));
  }
  std::printf("%-16s%5lld", body.name, static_cast<long long>(n));
  double worst = 0;
  double least = 1e18;
  for (std::size_t i = shortest.size(); i-- > 0;) {
    worst = std::max(worst, shortest[i] / least);
    least = std::min(least, shortest[i]);
  }
  for (std::size_t i = 0; i < shortest.size(); ++i) {
    const double of_item = shortest[i] / static_cast<double>(kCounts[i]);
    std::printf(of_item < 100 ? "%7.1f" : "%7.0f", of_item);
  }
  std::printf("%7.2f\n", worst);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::max(1, std::atoi(arguments[1])) : 8;
  if (count > 2) dtype = kiln::dtype_from_name(arguments[2]);
  std::printf("%-16s%5s", "ns of an item", "n");
  for (const std::int64_t items : kCounts) std::printf("%7lld", static_cast<long long>(items));
  std::printf("%7s\n", "worst");
  for (const Body& body : bodies()) {
    for (const std::int64_t n : body.sizes) row(body, n, rounds);
  }
}
