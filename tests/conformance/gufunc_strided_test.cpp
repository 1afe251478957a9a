// Small cores of any stride between items, at the very ends of the memory that may be touched: between pages that may not.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "devices.hpp"
#include "fenced.hpp"
#include "golden.hpp"
#include "kiln/gufunc.hpp"
#include "values.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Gufunc;
using kiln::Strides;

namespace {

constexpr std::int64_t kItems = 203;

/// Items of n elements, `step` elements apart, with nothing before the lowest and behind the highest.
template <class T>
struct Items {
  std::int64_t n, step;
  Fenced memory;
  Items(std::int64_t size, std::int64_t stride, bool at_end)
      : n(size), step(stride), memory(static_cast<std::size_t>((kItems - 1) * std::abs(stride) + size) * sizeof(T), at_end) {}
  [[nodiscard]] T* item(std::int64_t x) const {
    return reinterpret_cast<T*>(memory.data()) + (step < 0 ? (kItems - 1 - x) * -step : x * step);
  }
  [[nodiscard]] Array array(DType dtype) const {
    const auto bytes = static_cast<std::int64_t>(sizeof(T));
    return Array::view(item(0), {kItems, n}, dtype, {.strides = Strides{step * bytes, bytes}});
  }
  void fill(int seed) const {
    for (std::int64_t x = 0; x < kItems; ++x) {
      for (std::int64_t i = 0; i < n; ++i) item(x)[i] = static_cast<T>((x * 5 + i * 3 + seed) % 7);
    }
  }
};

struct Body {
  const char* text;
  bool chain;          // y holds running sums
  std::int64_t first;  // of the elements that it writes
};
// A sum in order, loops along a core that leave nothing and that leave the first element, and a condition.
constexpr Body kBodies[] = {
    // the last but one looks at where elements lie
    {"T s = 0; for (index i = 0; i < n; ++i) { s += a(i) * b(n - 1 - i); y(i) = s; }", true, 0},
    {"for (index i = 0; i < n; ++i) y(i) = a(i) * b(n - 1 - i);", false, 0},
    {"for (index i = 1; i < n; ++i) y(i) = a(i) * b(n - 1 - i);", false, 1},
    {"for (index i = 0; i < n; ++i) y(i) = a.data()[i] * (&b(0))[n - 1 - i];", false, 0},
    {"for (index i = 0; i < n; ++i) if (i > 0) y(i) = a(i) * b(n - 1 - i);", false, 1},
};

template <class T>
void check(DType dtype, std::int64_t n, const Body& body) {
  static kiln::test::Sample sample = sample_of_combinations();
  if (!sample.takes_next()) return;
  const Gufunc gufunc = kiln::guvectorize(
      {.name = "strided", .layout = "(n),(n)->(n)", .signatures = {"void(T[:] a, T[:] b, T[:] y)"}, .body = body.text});
  CAPTURE(std::string(kiln::name(dtype)));
  CAPTURE(n);
  CAPTURE(std::string(body.text));
  const std::int64_t steps[] = {n, n + 1, 3 * n, -n, -2 * n - 1};
  for (const bool at_end : {true, false}) {
    for (const std::int64_t a_step : {n, n + 1, 3 * n, -n, -2 * n - 1, std::int64_t{-1}}) {
      for (const std::int64_t y_step : steps) {
        CAPTURE(at_end);
        CAPTURE(a_step);
        CAPTURE(y_step);
        const Items<T> a(n, a_step, at_end);
        const Items<T> b(n, a_step == n ? -n : n, at_end);
        const Items<T> y(n, y_step, at_end);
        a.fill(1);
        b.fill(4);
        std::vector<char> expected(y.memory.data(), y.memory.data() + y.memory.bytes());
        for (std::int64_t x = 0; x < kItems; ++x) {
          T sum = 0;
          for (std::int64_t i = 0; i < n; ++i) {
            const T product = a.item(x)[i] * b.item(x)[n - 1 - i];
            sum = body.chain ? sum + product : product;
            if (i < body.first) continue;
            std::memcpy(expected.data() + (reinterpret_cast<char*>(y.item(x) + i) - y.memory.data()), &sum, sizeof(T));
          }
        }
        gufunc({a.array(dtype), b.array(dtype)}, {.out = y.array(dtype)});
        CHECK(std::equal(expected.begin(), expected.end(), y.memory.data()));
      }
    }
  }
}

constexpr Body kRoots = {"T s = 0; for (index i = 0; i < n; ++i) { s += a(i) * b(n - 1 - i); y(i) = sqrt(s * s); }", true, 0};

}  // namespace

TEST_CASE("gufuncs: small strided cores touch nothing beyond their arrays, and nothing between their items") {
  if (!kiln::Device::best().is_cpu()) return;
  for (const Body& body : kBodies) {
    for (const std::int64_t n : {1, 2, 3, 4, 5, 6, 7, 8}) check<float>(DType::float32, n, body);
    for (const std::int64_t n : {1, 3, 8}) check<double>(DType::float64, n, body);
    check<std::int32_t>(DType::int32, 5, body);
    check<std::int64_t>(DType::int64, 2, body);
    check<std::int16_t>(DType::int16, 3, body);
  }
  for (const std::int64_t n : {3, 8}) check<float>(DType::float32, n, kRoots);
  for (const std::int64_t n : {1, 3, 5, 8}) check<double>(DType::float64, n, kRoots);
}

TEST_CASE("gufuncs: small cores each at the end of a page, with no page behind it") {
  if (!kiln::Device::best().is_cpu()) return;
  const std::int64_t page = sysconf(_SC_PAGESIZE);
  constexpr std::int64_t kCount = 70;
  constexpr std::int64_t kSize = 3;
  const auto bytes = static_cast<std::size_t>(2 * kCount * page);
  auto* const map = static_cast<char*>(mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  REQUIRE(map != MAP_FAILED);
  for (std::int64_t x = 0; x < kCount; ++x)
    REQUIRE(mprotect(map + 2 * x * page, static_cast<std::size_t>(page), PROT_READ | PROT_WRITE) == 0);
  char* const first = map + page - kSize * 4;
  const Array a = Array::view(first, {kCount, kSize}, DType::float32, {.strides = Strides{2 * page, 4}});
  for (std::int64_t x = 0; x < kCount; ++x) {
    for (std::int64_t i = 0; i < kSize; ++i) reinterpret_cast<float*>(first + 2 * x * page)[i] = static_cast<float>(x + i);
  }
  const Gufunc sum = kiln::guvectorize({.name = "sum",
                                        .layout = "(n)->()",
                                        .signatures = {"void(float32[:] a, float32 r)"},
                                        .body = "r = 0; for (index i = 0; i < n; ++i) r += a(i);"});
  const std::vector<double> sums = list_of(sum(a));
  for (std::int64_t x = 0; x < kCount; ++x) CHECK(sums[static_cast<std::size_t>(x)] == 3 * x + 3);
  munmap(map, bytes);
}

namespace {

/// The items of `array`, (kItems, n), `step` elements apart in an array of their own.
Array spaced(const Array& array, std::int64_t step) {
  const std::int64_t n = array.shape()[1];
  const auto bytes = static_cast<std::int64_t>(kiln::itemsize(array.dtype()));
  const std::int64_t reach = (kItems - 1) * std::abs(step) + n;
  const Array memory = Array::zeros({reach}, array.dtype());
  char* const first = static_cast<char*>(memory.data()) + (step < 0 ? (kItems - 1) * -step * bytes : 0);
  for (std::int64_t x = 0; x < kItems; ++x) {
    std::memcpy(first + x * step * bytes, static_cast<const char*>(array.data()) + x * n * bytes,
                static_cast<std::size_t>(n * bytes));
  }
  return Array::view(first, {kItems, n}, array.dtype(),
                     {.strides = Strides{step * bytes, bytes}, .owner = std::make_shared<Array>(memory)});
}

}  // namespace

TEST_CASE("gufuncs: small strided cores with two outputs, .each, complex elements and one item for all equal packed ones") {
  if (!kiln::Device::best().is_cpu()) return;
  struct Case {
    const char* body;
    const char* each;
  };
  const Case cases[] = {
      {"for (index i = 0; i < n; ++i) { y(i) = a(i) * b(n - 1 - i); z(i) = a(i) + b(i); }", ""},
      {"T s = 0; for (index i = 0; i < n; ++i) { s += a(i) * b(i); y(i) = s; z(n - 1 - i) = s - a(i); }", ""},
      {"y(i) = a(i) * b(n - 1 - i); z(i) = a(n - 1 - i) - b(i);", "i:n"},
  };
  kiln::test::Sample sample = sample_of_combinations();
  for (const Case& one : cases) {
    CAPTURE(std::string(one.body));
    for (const DType dtype : {DType::float32, DType::complex64}) {
      CAPTURE(std::string(kiln::name(dtype)));
      for (const std::int64_t n : {2, 3, 5, 7}) {
        if (!sample.takes_next()) continue;
        CAPTURE(n);
        // One for each size, as the number of kernels for known sizes is bounded.
        const Gufunc gufunc = kiln::guvectorize({.name = "pair",
                                                 .layout = "(n),(n)->(n),(n)",
                                                 .signatures = {"void(T[:] a, T[:] b, T[:] y, T[:] z)"},
                                                 .each = one.each,
                                                 .body = one.body});
        std::vector<Exact> values;
        for (std::int64_t i = 0; i < kItems * n; ++i) {
          values.emplace_back(static_cast<long double>(i * 7 % 11) - 5,
                              dtype == DType::complex64 ? static_cast<long double>(i % 3) : 0);
        }
        const Array a = make(dtype, values, kiln::Shape{kItems, n});
        const Array shared = make(dtype, std::vector<Exact>(values.begin() + 1, values.begin() + 1 + n));
        for (const std::int64_t step : {n, n + 1, 3 * n, -n, -2 * n - 1}) {
          CAPTURE(step);
          for (const bool for_all : {false, true}) {
            CAPTURE(for_all);
            const Array strided = spaced(a, step);
            const Array& b = for_all ? shared : strided;
            const Array y = spaced(Array::zeros({kItems, n}, dtype), step);
            const Array z = spaced(Array::zeros({kItems, n}, dtype), -step);
            gufunc.outputs<2>({strided, b}, {.out = {y, z}});
            // One item at a time: nothing of other items can come in.
            for (std::int64_t x = 0; x < kItems; x += x < 20 ? 1 : 13) {
              const auto [py, pz] = gufunc.outputs<2>({a[{x}].copy(), for_all ? shared : a[{x}].copy()}, {});
              CHECK(difference(read(y[{x}].copy()), read(py)) == "");
              CHECK(difference(read(z[{x}].copy()), read(pz)) == "");
            }
          }
        }
      }
    }
  }
}
