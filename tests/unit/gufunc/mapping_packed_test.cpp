// Which items that lie side by side (SoA) a CPU packs into a tile, and how many at once.
#include <doctest/doctest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "gufunc/mapping.hpp"
#include "kiln/gufunc.hpp"

using kiln::Array;
using kiln::DType;
using kiln::Gufunc;
using kiln::Shape;
using kiln::Strides;
using kiln::test::aos;
using kiln::test::OnCpu;
using kiln::test::soa;

namespace {

enum Axis : std::uint8_t { kOuter, kItem, kRow, kColumn };
/// How the axes follow one another in memory, the last one nearest; how many elements there are between neighbouring rows of
/// items; whether rows and columns go backwards.
struct AxisOrder {
  std::array<Axis, 4> order;
  std::int32_t gap;
  bool backwards;
};
constexpr AxisOrder kOrders[] = {{{kRow, kColumn, kOuter, kItem}, 0, false}, {{kColumn, kRow, kOuter, kItem}, 3, false},
                                 {{kOuter, kRow, kColumn, kItem}, 0, true},  {{kOuter, kColumn, kRow, kItem}, 1, true},
                                 {{kRow, kOuter, kColumn, kItem}, 0, false}, {{kRow, kOuter, kColumn, kItem}, 2, true}};

Array in_order(const Shape& shape, const AxisOrder& layout, DType dtype) {
  const auto size = static_cast<std::int64_t>(kiln::itemsize(dtype));
  Strides strides = shape;
  std::int64_t stride = 1;
  std::int64_t first = 0;
  for (std::size_t k = layout.order.size(); k-- > 0;) {
    const Axis axis = layout.order[k];
    const bool backwards = layout.backwards && (axis == kRow || axis == kColumn);
    strides[axis] = (backwards ? -stride : stride) * size;
    if (backwards) first += (shape[axis] - 1) * stride;
    stride = stride * shape[axis] + (axis == kItem ? layout.gap : 0);
  }
  const Array memory = Array::zeros({stride}, dtype);
  return Array::view(static_cast<char*>(memory.data()) + first * size, shape, dtype,
                     {.strides = strides, .owner = std::make_shared<Array>(memory)});
}

/// Its loops have more iterations than the cores have elements, for which packing pays.
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

}  // namespace

TEST_CASE("mapping: 16 items are packed at once, fewer of large ones, whichever way their cores lie") {
  constexpr const char* k16 = "an item, 16 packed into a buffer at once";
  constexpr const char* k8 = "an item, 8 packed into a buffer at once";
  constexpr const char* k4 = "an item, 4 packed into a buffer at once";
  const struct {
    DType dtype;
    std::int64_t m, n;
    std::string mapping;
  } rows[] = {
      {DType::float32, 4, 4, k16},  {DType::float32, 2, 9, k16},  {DType::float32, 4, 5, k16},   {DType::float32, 3, 8, k16},
      {DType::float32, 9, 7, k16},  {DType::float32, 33, 40, k8}, {DType::float32, 60, 60, k4},  {DType::int32, 2, 17, k16},
      {DType::int32, 16, 16, k16},  {DType::float64, 4, 5, k16},  {DType::float64, 4, 8, k16},   {DType::float64, 33, 20, k8},
      {DType::float64, 35, 50, k4}, {DType::int64, 5, 6, k16},    {DType::complex64, 7, 9, k16},
  };
  const OnCpu cpu;
  const Gufunc gufunc = leaves_some();
  for (const auto& row : rows) {
    CAPTURE(std::string(kiln::name(row.dtype)));
    CAPTURE(row.m);
    CAPTURE(row.n);
    for (std::size_t at = 0; at < std::size(kOrders); ++at) {
      CAPTURE(at);
      const Array a = in_order({2, 37, row.m, row.n}, kOrders[at], row.dtype);
      const Array rows_of_b = in_order({2, 37, 1, row.n}, kOrders[at], row.dtype)[{kiln::all, kiln::all, 0}];
      const kiln::GufuncOptions options{.out =
                                            in_order({2, 37, row.m, row.n}, kOrders[(at + 1) % std::size(kOrders)], row.dtype)};
      CHECK(cpu.mapping(gufunc, {a, rows_of_b}, options) == row.mapping);
      if (at == 0) CHECK(cpu.mapping_after(gufunc, {a, rows_of_b}, options) == row.mapping);
      CHECK(cpu.mapping(gufunc, {a, rows_of_b[{1, 2}]}, options) == row.mapping);
    }
  }
}

TEST_CASE("mapping: items of more sizes than have kernels of their own are packed") {
  const OnCpu cpu;
  const Gufunc gufunc = leaves_some();
  for (std::int64_t n = 9; n < 29; ++n) {
    CAPTURE(n);
    const kiln::GufuncOptions options{.out = soa({40, 4, n}, DType::int32, n % 2 == 0)};
    CHECK(cpu.mapping_after(gufunc, {soa({40, 4, n}, DType::int32), soa({40, n}, DType::int32)}, options) ==
          "an item, 16 packed into a buffer at once");
  }
}

TEST_CASE("mapping: packed items have vectors of indices where rows are long enough") {
  const Gufunc product =
      kiln::guvectorize({.name = "product",
                         .layout = "(m,n),(n,p)->(m,p)",
                         .signatures = {"void(T[:,:] a, T[:,:] b, T[:,:] y)"},
                         .each = "i:m, j:p",
                         .body = "T s = 0; for (index k = 0; k < n; ++k) s += a(i, k) * b(k, j); y(i, j) = s;"});
  constexpr const char* kPacked = "an item, 16 packed into a buffer at once, several j at once";
  const struct {
    DType dtype;
    std::int64_t p;
    std::string mapping;
  } rows[] = {
      {DType::float32, 14, kPacked}, {DType::float32, 17, kPacked},
      {DType::float32, 24, kPacked}, {DType::float64, 14, "an item, several at once"},  // rows of no whole vectors
      {DType::float64, 17, kPacked}, {DType::float64, 24, kPacked},
      {DType::int32, 14, kPacked},   {DType::int32, 17, kPacked},
      {DType::int32, 24, kPacked},
  };
  const OnCpu cpu;
  for (const auto& row : rows) {
    CAPTURE(std::string(kiln::name(row.dtype)));
    CAPTURE(row.p);
    for (const bool transposed : {false, true}) {
      CAPTURE(transposed);
      const std::vector<kiln::Arg> args{soa({50, 5, 6}, row.dtype, transposed), soa({50, 6, row.p}, row.dtype, transposed)};
      const kiln::GufuncOptions options{.out = soa({50, 5, row.p}, row.dtype, transposed)};
      CHECK(cpu.mapping(product, args, options) == row.mapping);
      CHECK(cpu.mapping_after(product, args, options) == row.mapping);
    }
  }
}

TEST_CASE("mapping: items of several outputs and other dtypes than the loop's are packed") {
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
  const OnCpu cpu;
  constexpr std::int64_t kThousands = 20'011;
  const kiln::GufuncOptions options{
      .out = {soa({kThousands, 20}, DType::float32), soa({kThousands, 20}, DType::int64), Array()}};
  CHECK(cpu.mapping_after(ranked, {soa({kThousands, 20}, DType::float32), soa({kThousands, 20}, DType::int32)}, options) ==
        "an item, 16 packed into a buffer at once");
}

TEST_CASE("mapping: items are not packed whose bodies read little, stop early, take addresses, are masked, small or of bytes") {
  constexpr const char* kPacked = "an item, 16 packed into a buffer at once";
  constexpr const char* kOnce = "r = 0; for (index i = 0; i < n; ++i) r = a(i) > r ? a(i) : T(r);";
  constexpr const char* kExpensive = "r = 0; for (index i = 0; i < n; ++i) r = a(i) > b(i) ? r + floor(a(i)) : r + b(i);";
  const struct {
    const char* body;
    std::int64_t n;
    DType dtype;
    bool masked;
    std::string mapping;
  } rows[] = {
      {kOnce, 50, DType::float32, false, kPacked},
      {kExpensive, 50, DType::float32, false, kPacked},
      {"r = a(n - 1) > 0 ? a(0) : b(0);", 50, DType::float32, false, "an item"},
      {"r = 0; for (index i = 0; i < n; i += 9) r = a(i) > 0 ? a(i) : b(i);", 50, DType::float32, false, "an item"},
      {"r = 0; for (index i = 0; i < n; ++i) { if (a(i) > b(i)) break; r = a(i); }", 50, DType::float32, false, "an item"},
      {"r = 0; index i = 0; while (i < n && a(i) < 1) ++i; r = i;", 50, DType::float32, false, "an item"},
      {"r = 0; for (index i = 0; i < n; ++i) r = &a(i) > &b(i) ? 1 : 0;", 50, DType::float32, false, "an item"},
      {kOnce, 50, DType::float32, true, "an item"},
      {kOnce, 50, DType::int8, false, "an item"},
      // Small cores, and elements of 8 bytes that are read once: of expensive bodies alone.
      {kOnce, 17, DType::float32, false, "an item"},
      {kExpensive, 17, DType::float32, false, kPacked},
      {kOnce, 50, DType::int64, false, "an item"},
      {kExpensive, 50, DType::float64, false, kPacked},
  };
  const OnCpu cpu;
  for (const auto& row : rows) {
    CAPTURE(std::string(row.body));
    CAPTURE(std::string(kiln::name(row.dtype)));
    CAPTURE(row.n);
    const Gufunc gufunc = kiln::guvectorize(
        {.name = "some", .layout = "(n),(n)->()", .signatures = {"void(T[:] a, T[:] b, T r)"}, .body = row.body});
    const Array a = soa({40, row.n}, row.dtype);
    kiln::GufuncOptions options;
    if (row.masked) options.where = Array::full({40}, true);
    CHECK(cpu.mapping(gufunc, {a, row.n < 33 ? aos({40, row.n}, row.dtype) : a}, options) == row.mapping);
  }
}
