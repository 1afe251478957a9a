// Cores of a few elements, whose loops become vectors, some with a mask: of any number of elements, at the very ends of the
// memory that may be touched, with the bits that large cores have.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

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

constexpr std::int64_t kPlanes = 2;
constexpr std::int64_t kRows = 5;

/// (kPlanes, kRows, n), one element left out behind each row and two behind each plane: two loop dimensions, which nothing
/// makes one. Nothing may be touched before the first element and behind the last.
struct Rows {
  std::int64_t n, step;
  std::size_t size;
  Fenced memory;
  Rows(std::int64_t elements, std::int64_t apart, DType dtype, bool at_end)
      : n(elements),
        step(apart),
        size(kiln::itemsize(dtype)),
        memory(static_cast<std::size_t>(plane() * (kPlanes - 1) + row() * (kRows - 1) + (n - 1) * step + 1) * size, at_end) {}
  [[nodiscard]] std::int64_t row() const { return n * step + 1; }
  [[nodiscard]] std::int64_t plane() const { return row() * kRows + 2; }
  [[nodiscard]] Array array(DType dtype) const {
    const auto bytes = static_cast<std::int64_t>(size);
    return Array::view(memory.data(), {kPlanes, kRows, n}, dtype,
                       {.strides = Strides{plane() * bytes, row() * bytes, step * bytes}});
  }
  void fill(DType dtype, const std::vector<Exact>& values) const {
    const Array from = make(dtype, values, kiln::Shape{kPlanes, kRows, n});
    for (std::int64_t k = 0; k < kPlanes; ++k) {
      for (std::int64_t r = 0; r < kRows; ++r) {
        for (std::int64_t i = 0; i < n; ++i) {
          std::memcpy(memory.data() + static_cast<std::size_t>(k * plane() + r * row() + i * step) * size,
                      static_cast<const char*>(from.data()) + static_cast<std::size_t>((k * kRows + r) * n + i) * size, size);
        }
      }
    }
  }
};

std::vector<Exact> numbers(std::int64_t n, int seed, long double unit) {
  std::vector<Exact> values;
  for (std::int64_t i = 0; i < kPlanes * kRows * n; ++i) {
    values.emplace_back(static_cast<long double>((i * 7 + seed) % 23 + 1) * unit);
  }
  return values;
}

Gufunc of(const char* body) {
  return kiln::guvectorize(
      {.name = "row", .layout = "(n),(n)->(n)", .signatures = {"void(T[:] a, T[:] b, T[:] y)"}, .body = body});
}

/// All elements as one core, which is large; its results where those of the rows would be, and what was there around them.
std::vector<char> expected_of(const char* body, DType dtype, const Rows& a, const Rows& b, const Rows& y) {
  const Gufunc gufunc = of(body);
  const std::int64_t count = kPlanes * kRows * y.n;
  constexpr std::int64_t kLarge = 512;
  const auto flat = [&](const Rows& rows) {
    const Array room = Array::full({kLarge}, 1).astype(dtype);
    const Array whole = rows.array(dtype).copy();
    std::memcpy(const_cast<void*>(static_cast<const void*>(room.data())), whole.data(),
                static_cast<std::size_t>(count) * rows.size);
    return room;
  };
  const Array result = gufunc(flat(a), flat(b));
  std::vector<char> bytes(y.memory.data(), y.memory.data() + y.memory.bytes());
  for (std::int64_t k = 0; k < kPlanes; ++k) {
    for (std::int64_t r = 0; r < kRows; ++r) {
      for (std::int64_t i = 0; i < y.n; ++i) {
        std::memcpy(bytes.data() + static_cast<std::size_t>(k * y.plane() + r * y.row() + i * y.step) * y.size,
                    static_cast<const char*>(result.data()) + static_cast<std::size_t>((k * kRows + r) * y.n + i) * y.size,
                    y.size);
      }
    }
  }
  return bytes;
}

Array of_rows(std::vector<char>& bytes, const Rows& y, DType dtype) {
  const auto size = static_cast<std::int64_t>(y.size);
  return Array::view(bytes.data(), {kPlanes, kRows, y.n}, dtype,
                     {.strides = Strides{y.plane() * size, y.row() * size, y.step * size}})
      .copy();
}

/// Whether functions have the same bits for one number and many (docs/semantics.md).
bool functions_are_exact() {
#if defined(__x86_64__)
  return std::getenv("KILN_CPU_TARGET") == nullptr && __builtin_cpu_supports("avx512dq") != 0;
#else
  return false;
#endif
}

void check(const char* body, DType dtype, std::initializer_list<std::int64_t> sizes) {
  const bool calls = std::string(body).find("exp") != std::string::npos || std::string(body).find("atan2") != std::string::npos;
  const bool same_bits = !calls || functions_are_exact();
  CAPTURE(std::string(body));
  CAPTURE(std::string(kiln::name(dtype)));
  Gufunc gufunc = of(body);
  int kernels = 0;
  static kiln::test::Sample sample = sample_of_combinations();
  for (const std::int64_t n : sizes) {
    for (const std::int64_t step : {1, 2}) {
      if (step == 2 && n % 3 != 0) continue;
      if (!sample.takes_next()) continue;
      if (++kernels % 16 == 0) gufunc = of(body);  // so many have kernels of their own
      for (const bool at_end : {false, true}) {
        CAPTURE(n);
        CAPTURE(step);
        CAPTURE(at_end);
        const Rows a(n, step, dtype, at_end);
        const Rows b(n, 1, dtype, at_end);
        const Rows y(n, step, dtype, at_end);
        a.fill(dtype, numbers(n, 2, 0.25L));
        b.fill(dtype, numbers(n, 9, 0.25L));
        std::vector<char> expected = expected_of(body, dtype, a, b, y);
        const Array one = a.array(dtype);
        const Array two = b.array(dtype);
        gufunc({one, two}, {.out = y.array(dtype)});
        if (!same_bits) {
          const Array got = y.array(dtype).copy();
          CHECK(difference(read(got), read(of_rows(expected, y, dtype)), dtype == DType::float32 ? 1e-6L : 1e-14L) == "");
          continue;
        }
        CHECK(std::equal(expected.begin(), expected.end(), y.memory.data()));
      }
    }
  }
}

}  // namespace

TEST_CASE("gufuncs: rows of a few elements have the bits of large ones, and touch nothing beyond") {
  if (!kiln::Device::best().is_cpu()) return;
  const std::initializer_list<std::int64_t> sizes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 15, 16, 17, 19, 23, 24, 27, 31, 32, 33};
  for (const DType dtype : {DType::float32, DType::float64}) {
    check("for (index i = 0; i < n; ++i) y(i) = exp(-a(i)) * b(i);", dtype, sizes);
    check("for (index i = 0; i < n; ++i) y(i) = atan2(a(i), b(i)) + sqrt(a(i));", dtype, {4, 6, 9, 12, 21, 31});
    check("for (index i = 0; i < n; ++i) y(i) = a(i) > b(i) ? a(i) / b(i) : b(i) - a(i);", dtype, sizes);
  }
  for (const DType dtype :
       {DType::int8, DType::int16, DType::int32, DType::int64, DType::float16, DType::bfloat16, DType::complex64})
    check("for (index i = 0; i < n; ++i) y(i) = a(i) * b(i) + T(1);", dtype, {4, 5, 7, 8, 12, 15, 18, 31});
}

TEST_CASE("gufuncs: rows that go backwards, read what others write, or add up are as they stand") {
  if (!kiln::Device::best().is_cpu()) return;
  struct Case {
    const char* body;
    double (*expected)(const std::vector<double>& a, std::size_t i);
  };
  const Case cases[] = {
      {"for (index i = 0; i < n; ++i) y(i) = a(n - 1 - i) * 2;",
       [](const std::vector<double>& a, std::size_t i) { return a[a.size() - 1 - i] * 2; }},
      {"for (index i = n - 1; i >= 0; --i) y(i) = a(i) - 1;",
       [](const std::vector<double>& a, std::size_t i) { return a[i] - 1; }},
      {"y(0) = a(0); for (index i = 1; i < n; ++i) y(i) = T(y(i - 1)) + a(i);",
       [](const std::vector<double>& a, std::size_t i) {
         double sum = 0;
         for (std::size_t k = 0; k <= i; ++k) sum += a[k];
         return sum;
       }},
      {"for (index i = 0; i < n; ++i) y(i) = 0; for (index i = 0; i < n; ++i) for (index j = 0; j < n; ++j) if (j <= i) y(j) = "
       "y(j) + a(i);",
       [](const std::vector<double>& a, std::size_t i) {
         double sum = 0;
         for (std::size_t k = i; k < a.size(); ++k) sum += a[k];
         return sum;
       }},
      {"T t[64]; for (index i = 0; i < n; ++i) t[i] = a(i) * a(i); for (index i = 0; i < n; ++i) y(i) = t[n - 1 - i];",
       [](const std::vector<double>& a, std::size_t i) { return a[a.size() - 1 - i] * a[a.size() - 1 - i]; }},
  };
  kiln::test::Sample sample = sample_of_combinations();
  for (const Case& one : cases) {
    CAPTURE(std::string(one.body));
    for (const DType dtype : {DType::float32, DType::int32, DType::float64, DType::int16}) {
      CAPTURE(std::string(kiln::name(dtype)));
      const Gufunc gufunc = of(one.body);
      static_cast<void>(sample.takes_next());  // other sizes for each dtype
      for (const std::int64_t n : {4, 7, 8, 12, 13, 16, 21, 32, 40}) {
        if (!sample.takes_next()) continue;
        CAPTURE(n);
        const Rows a(n, 1, dtype, true);
        const Rows y(n, 1, dtype, false);
        const std::vector<Exact> values = numbers(n, 3, 1);
        a.fill(dtype, values);
        const Array into = a.array(dtype);
        gufunc({into, into}, {.out = y.array(dtype)});
        const std::vector<double> got = list_of(y.array(dtype).copy());
        bool right = true;
        for (std::size_t r = 0; r < static_cast<std::size_t>(kPlanes * kRows); ++r) {
          std::vector<double> row;
          for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
            row.push_back(static_cast<double>(values[r * static_cast<std::size_t>(n) + i].real()));
          }
          for (std::size_t i = 0; i < row.size(); ++i) right = right && got[r * row.size() + i] == one.expected(row, i);
        }
        CHECK(right);
      }
    }
  }
}

TEST_CASE("gufuncs: rows call libm's functions beside others of the same name of the user's") {
  if (!kiln::Device::best().is_cpu()) return;
  const Gufunc gufunc =
      kiln::guvectorize({.name = "row",
                         .layout = "(n)->(n)",
                         .signatures = {"void(float32[:] a, float32[:] y)"},
                         .body = "for (index i = 0; i < n; ++i) y(i) = __builtin_powf(a(i), 2.5f) + own(a(i));",
                         .compile = {.functions = "namespace q { extern \"C\" double powf(double) noexcept; } "
                                                  "static float own(float x) { return x > 1e9f ? q::powf(x) : 1; }"}});
  CHECK(list_of(gufunc(Array::full({3, 20}, 1.0F))) == std::vector<double>(60, 2));
}
