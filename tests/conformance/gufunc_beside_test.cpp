// Items side by side (SoA), which a CPU computes as lanes: every way that their cores may lie, at the very ends of the
// memory that may be touched.
#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <vector>

#include "devices.hpp"
#include "fenced.hpp"
#include "kiln/gufunc.hpp"
#include "values.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Gufunc;
using kiln::Shape;
using kiln::Strides;

namespace {

enum Axis : std::uint8_t { kOuter, kItem, kRow, kColumn };
/// How the axes follow one another in memory, the last one nearest, which is that of the items; how many elements there are
/// between neighbouring rows of them; whether rows and columns go backwards.
struct Way {
  std::array<Axis, 4> order;
  std::int32_t gap;
  bool backwards;
};
constexpr std::int64_t kLoops = 2;
constexpr std::int64_t kMany = 37;
constexpr Way kWays[] = {{{kRow, kColumn, kOuter, kItem}, 0, false}, {{kColumn, kRow, kOuter, kItem}, 3, false},
                         {{kOuter, kRow, kColumn, kItem}, 0, true},  {{kOuter, kColumn, kRow, kItem}, 1, true},
                         {{kRow, kOuter, kColumn, kItem}, 0, false}, {{kRow, kOuter, kColumn, kItem}, 2, true}};

/// (outer, items, m, n) that way, with nothing before the first element and behind the last.
template <class T>
class Cores {
 public:
  Cores(std::array<std::int64_t, 4> extents, const Way& way, bool at_end)
      : extents_(extents), memory_(lay_out(way) * sizeof(T), at_end) {}
  [[nodiscard]] T* at(std::int64_t outer, std::int64_t item, std::int64_t i, std::int64_t j) const {
    return reinterpret_cast<T*>(memory_.data()) + origin_ + outer * strides_[kOuter] + item * strides_[kItem] +
           i * strides_[kRow] + j * strides_[kColumn];
  }
  /// Of those extents; without rows where there are none.
  [[nodiscard]] Array array(DType dtype) const {
    Shape shape;
    Strides strides;
    for (const Axis axis : {kOuter, kItem, kRow, kColumn}) {
      if (axis == kRow && extents_[kRow] == 1) continue;
      shape.push_back(extents_[axis]);
      strides.push_back(strides_[axis] * static_cast<std::int64_t>(sizeof(T)));
    }
    return Array::view(at(0, 0, 0, 0), shape, dtype, {.strides = strides});
  }
  void fill(int seed) const {
    int count = seed;
    each([&](T* element) { *element = static_cast<T>(static_cast<float>(count++ * 5 % 7)); });
  }
  [[nodiscard]] const Fenced& memory() const { return memory_; }

 private:
  template <class Visit>
  void each(const Visit& visit) const {
    for (std::int64_t o = 0; o < extents_[kOuter]; ++o) {
      for (std::int64_t x = 0; x < extents_[kItem]; ++x) {
        for (std::int64_t i = 0; i < extents_[kRow]; ++i) {
          for (std::int64_t j = 0; j < extents_[kColumn]; ++j) visit(at(o, x, i, j));
        }
      }
    }
  }
  std::size_t lay_out(const Way& way) {
    std::int64_t stride = 1;
    std::int64_t last = 0;
    for (std::size_t k = way.order.size(); k-- > 0;) {
      const Axis axis = way.order[k];
      const bool backwards = way.backwards && (axis == kRow || axis == kColumn);
      strides_[axis] = backwards ? -stride : stride;
      if (backwards) origin_ += (extents_[axis] - 1) * stride;
      last += (extents_[axis] - 1) * stride;
      stride = stride * extents_[axis] + (axis == kItem ? way.gap : 0);
    }
    return static_cast<std::size_t>(last + 1);
  }

  std::array<std::int64_t, 4> extents_;
  std::array<std::int64_t, 4> strides_{};
  std::int64_t origin_ = 0;
  Fenced memory_;
};

struct Sizes {
  std::int64_t m, n;
};

/// y(i, j) = a(i, j) * b(j) - a(m - 1 - i, n - 1 - j), but for every third of them, which stay.
template <class T>
void check(const Gufunc& gufunc, DType dtype, Sizes size, bool rows_of_b) {
  CAPTURE(std::string(kiln::name(dtype)));
  CAPTURE(size.m);
  CAPTURE(size.n);
  CAPTURE(rows_of_b);
  for (std::size_t w = 0; w < std::size(kWays); ++w) {
    CAPTURE(w);
    const Way& way = kWays[w];
    for (const bool at_end : {false, true}) {
      CAPTURE(at_end);
      const Cores<T> a({kLoops, kMany, size.m, size.n}, way, at_end);
      const Cores<T> y({kLoops, kMany, size.m, size.n}, kWays[(w + 1) % std::size(kWays)], at_end);
      const Cores<T> b({kLoops, kMany, 1, size.n}, way, at_end);
      a.fill(1);
      b.fill(4);
      const Array whole = a.array(dtype);
      const Array other = rows_of_b ? b.array(dtype) : b.array(dtype)[{1, 2}];
      std::vector<char> expected(y.memory().data(), y.memory().data() + y.memory().bytes());
      for (std::int64_t o = 0; o < kLoops; ++o) {
        for (std::int64_t x = 0; x < kMany; ++x) {
          for (std::int64_t i = 0; i < size.m; ++i) {
            for (std::int64_t j = 0; j < size.n; ++j) {
              if ((i + j) % 3 == 1) continue;
              const T factor = rows_of_b ? *b.at(o, x, 0, j) : *b.at(1, 2, 0, j);
              const T value = *a.at(o, x, i, j) * factor - *a.at(o, x, size.m - 1 - i, size.n - 1 - j);
              std::memcpy(expected.data() + (reinterpret_cast<char*>(y.at(o, x, i, j)) - y.memory().data()), &value, sizeof(T));
            }
          }
        }
      }
      const kiln::GufuncOptions options{.out = y.array(dtype)};
      gufunc({whole, other}, options);
      CHECK(std::equal(expected.begin(), expected.end(), y.memory().data()));
    }
  }
}

Gufunc leaves_some() {
  return kiln::guvectorize(
      {.name = "leaves_some", .layout = "(m,n),(n)->(m,n)", .signatures = {"void(T[:,:] a, T[:] b, T[:,:] y)"}, .body = R"(
    for (index i = 0; i < m; ++i) {
      for (index j = 0; j < n; ++j) {
        for (index k = 0; k < n; ++k) {
          if (k == j && (i + j) % 3 != 1) y(i, j) = a(i, j) * b(k) - a(m - 1 - i, n - 1 - j);
        }
      }
    })"});
}

template <class T>
void check_sizes(DType dtype, std::initializer_list<Sizes> sizes) {
  const Gufunc gufunc = leaves_some();
  for (const Sizes& size : sizes) {
    for (const bool rows_of_b : {true, false}) check<T>(gufunc, dtype, size, rows_of_b);
  }
}

/// The same elements, items side by side and the core's axes in their order or transposed.
Array soa(const Array& array, bool transposed) {
  const auto rank = static_cast<std::int64_t>(array.shape().size());
  kiln::Dims there;
  for (std::int64_t axis = 1; axis < rank; ++axis) there.push_back(transposed ? rank - axis : axis);
  there.push_back(0);
  kiln::Dims back{rank - 1};
  for (std::int64_t axis = 1; axis < rank; ++axis) back.push_back((transposed ? rank - axis : axis) - 1);
  return array.transpose(there).copy().transpose(back);
}

Array counted(const Shape& shape, DType dtype, int seed) {
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) size *= extent;
  std::vector<Exact> values;
  for (std::int64_t i = 0; i < size; ++i) values.emplace_back(static_cast<long double>((i * 7 + seed) % 97) / 16 - 2);
  return make(dtype, values, shape);
}

}  // namespace

TEST_CASE("gufuncs: items side by side touch nothing beyond their arrays, and leave what the body leaves") {
  if (!kiln::Device::best().is_cpu()) return;
  // Around 4 and 8 elements, the widths of vectors; of a row or two, and of many.
  check_sizes<float>(DType::float32, {{4, 4}, {2, 9}, {4, 5}, {3, 8}, {9, 7}, {33, 40}, {60, 60}});
  check_sizes<std::int32_t>(DType::int32, {{2, 17}, {16, 16}});
  check_sizes<double>(DType::float64, {{4, 5}, {4, 8}, {33, 20}, {35, 50}});
  check_sizes<std::int64_t>(DType::int64, {{5, 6}});
  check_sizes<std::complex<float>>(DType::complex64, {{7, 9}});
}

TEST_CASE("gufuncs: items side by side, of more sizes than have kernels of their own") {
  if (!kiln::Device::best().is_cpu()) return;
  const Gufunc gufunc = leaves_some();
  for (std::int64_t n = 9; n < 29; ++n) {  // 16 sizes have kernels of their own
    const Array a = counted({40, 4, n}, DType::int32, 3);
    const Array b = counted({40, n}, DType::int32, 8);
    const Array y = soa(counted({40, 4, n}, DType::int32, 1), n % 2 == 0);
    const Array expected = y.copy();
    gufunc({a.copy(), b.copy()}, {.out = expected});
    const kiln::GufuncOptions options{.out = y};
    gufunc({soa(a, false), soa(b, false)}, options);
    CHECK(list_of(y.copy()) == list_of(expected));
  }
}

TEST_CASE("gufuncs: items side by side with .each are those one behind the other, to the last bit") {
  if (!kiln::Device::best().is_cpu()) return;
  const Gufunc product =
      kiln::guvectorize({.name = "product",
                         .layout = "(m,n),(n,p)->(m,p)",
                         .signatures = {"void(T[:,:] a, T[:,:] b, T[:,:] y)"},
                         .each = "i:m, j:p",
                         .body = "T s = 0; for (index k = 0; k < n; ++k) s += a(i, k) * b(k, j); y(i, j) = s;"});
  for (const DType dtype : {DType::float32, DType::float64, DType::int32}) {
    for (const std::int64_t p : {14, 17, 24}) {
      const Array a = counted({50, 5, 6}, dtype, 2);
      const Array b = counted({50, 6, p}, dtype, 9);
      const std::vector<double> expected = list_of(product(a, b));
      for (const bool transposed : {false, true}) {
        CAPTURE(std::string(kiln::name(dtype)));
        CAPTURE(p);
        CAPTURE(transposed);
        const Array y = soa(Array::zeros({50, 5, p}, dtype), transposed);
        CHECK(list_of(product({soa(a, transposed), soa(b, transposed)}, {.out = y})) == expected);
        CHECK(list_of(product(soa(a, transposed), b)) == expected);
        CHECK(list_of(product({a, b[{0}]}, {.out = y}).copy()) == list_of(product(a, b[{0}])));
      }
    }
  }
}

TEST_CASE("gufuncs: items side by side, of several outputs and other dtypes than the loop's, shared among threads") {
  if (!kiln::Device::best().is_cpu()) return;
  const Gufunc ranked =
      kiln::guvectorize({.name = "ranked",
                         .layout = "(n),(n)->(n),(n),()",
                         .signatures = {"void(float64[:] a, float64[:] b, float64[:] y, int64[:] z, float64 r)"},
                         .body = R"(
    r = 0;
    for (index i = 0; i < n; ++i) {
      y(i) = a(i) < b(i) ? b(i) : a(i);
      index before = 0;
      for (auto x : a) before += x < a(i) ? 1 : 0;
      z(i) = before;
      r = r + before * b(i);
    })"});
  constexpr std::int64_t kThousands = 20'011;
  const Array a = counted({kThousands, 20}, DType::float32, 5);
  const Array b = counted({kThousands, 20}, DType::int32, 6);
  const auto expected = ranked.outputs<3>(a, b);
  const Array y = soa(Array::zeros({kThousands, 20}, DType::float32), false);
  const Array z = soa(Array::zeros({kThousands, 20}, DType::int64), false);
  const Array one = soa(a, false);
  const Array two = soa(b, false);
  const kiln::GufuncOptions options{.out = {y, z, Array()}};
  const auto got = ranked.outputs<3>({one, two}, options);
  CHECK(list_of(y.copy()) == list_of(expected[0]));
  CHECK(list_of(z.copy()) == list_of(expected[1]));
  CHECK(list_of(got[2]) == list_of(expected[2]));
}
