// Generalized ufuncs whose cores a GPU's blocks copy to shared memory, beside index arithmetic: sizes, counts, dtypes and ways
// to lie in memory at which they do, and those at which they must not. Values are small whole numbers: sums are exact.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "devices.hpp"
#include "kiln/gufunc.hpp"
#include "values.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Gufunc;
using kiln::Shape;
using kiln::Slice;

namespace {

constexpr const char* kStaged = ", its cores in shared memory";

/// How the items of an operand follow each other.
enum class ItemLayout : std::uint8_t { packed, apart, backwards, transposed, one };

std::int64_t elements_of(const Shape& shape) {
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) size *= extent;
  return size;
}

Exact small_value(std::int64_t i, std::int64_t seed) {
  return static_cast<long double>((i * 5 + i / 3 + seed) % 7 - 3);
}

/// A placed array with small numbers and a view of the shape into it, whose first axis counts items.
struct Placed {
  Array base;
  Array view;
};
Placed placed(const Target& target, DType dtype, Shape shape, ItemLayout way, std::int64_t seed) {
  const std::int64_t items = shape[0];
  if (way == ItemLayout::one) shape[0] = 1;
  if (way == ItemLayout::apart) shape[0] = 2 * items;
  if (way == ItemLayout::transposed) std::reverse(shape.begin() + 1, shape.end());
  std::vector<Exact> values;
  for (std::int64_t i = 0; i < elements_of(shape); ++i) values.push_back(small_value(i, seed));
  const Array base = target.place(make(dtype, values, shape));
  switch (way) {
    case ItemLayout::apart:
      return {base, base[{Slice{.start = 1, .step = 2}}]};
    case ItemLayout::backwards:
      return {base, base[{Slice{.step = -1}}]};
    case ItemLayout::transposed: {
      kiln::Dims order{0};
      for (std::size_t axis = shape.size(); --axis > 0;) order.push_back(static_cast<std::int64_t>(axis));
      return {base, base.transpose(order)};
    }
    default:
      return {base, base};
  }
}

std::vector<Exact> elements(const Target& target, const Array& array, const Shape& shape) {
  return read(target.fetch(array).broadcast_to(shape).copy());
}

kiln::GufuncOptions on(const Target& target, kiln::GufuncOptions options = {}) {
  options.stream = target.options().stream;
  return options;
}

/// Whether the call copies cores to shared memory on a GPU. Arrays of the host come packed.
void check_mapping(const Target& target, const Gufunc& gufunc, std::initializer_list<kiln::Arg> args,
                   const kiln::GufuncOptions& options, bool staged) {
  if (target.device().is_cpu()) return;
  const std::string mapping = gufunc.resolve(args, options).variant;
  CAPTURE(mapping);
  CHECK(mapping.ends_with(kStaged) == staged);
}

/// y(i) = the sum of a(k) * b(n - 1 - k) up to i, r all of it; z has every third element of b.
Gufunc sums() {
  return kiln::guvectorize({.name = "sums",
                            .layout = "(n),(n)->(n),(n),()",
                            .signatures = {"void(T[:] a, T[:] b, T[:] y, T[:] z, T r)"},
                            .body = "T s = T(0); for (index i = 0; i < n; ++i) { s = T(s + a(i) * b(n - 1 - i)); y(i) = s; "
                                    "if (i % 3 == 0) z(i) = b(i); } r = s;"});
}

struct SumsCase {
  DType dtype;
  std::int64_t items, n;
  ItemLayout a, b, out;
};

void check_sums(const Target& target, const Gufunc& gufunc, const SumsCase& c) {
  INFO(std::string(kiln::name(c.dtype)), ", ", c.items, " items of ", c.n, ", ways ", static_cast<int>(c.a), " ",
       static_cast<int>(c.b), " ", static_cast<int>(c.out));
  const Shape shape{c.items, c.n};
  const Placed a = placed(target, c.dtype, shape, c.a, 1);
  const Placed b = placed(target, c.dtype, shape, c.b, 4);
  const Placed y = placed(target, c.dtype, shape, c.out, 2);
  const Placed z = placed(target, c.dtype, shape, c.out, 3);
  const Placed r = placed(target, c.dtype, {c.items}, ItemLayout::packed, 5);
  const std::vector<Exact> va = elements(target, a.view, shape);
  const std::vector<Exact> vb = elements(target, b.view, shape);
  std::vector<Exact> want_y;
  std::vector<Exact> want_z = elements(target, z.view, shape);
  std::vector<Exact> want_r;
  for (std::int64_t x = 0; x < c.items; ++x) {
    Exact sum = 0;
    for (std::int64_t i = 0; i < c.n; ++i) {
      const auto at = static_cast<std::size_t>(x * c.n + i);
      sum = rounded(c.dtype, sum + va[at] * vb[static_cast<std::size_t>(x * c.n + c.n - 1 - i)]);
      want_y.push_back(sum);
      if (i % 3 == 0) want_z[at] = vb[at];
    }
    want_r.push_back(sum);
  }
  kiln::GufuncOptions options = on(target);
  options.out = {y.view, z.view, r.view};
  const auto bytes = static_cast<std::int64_t>(kiln::itemsize(c.dtype)) * c.n;
  const bool far = bytes >= 32 || c.a == ItemLayout::apart || c.b == ItemLayout::apart;
  // Cores of which 32 have no room are copied of fewer items.
  constexpr std::int64_t kLong = 1536;
  if (target.mode() != Mode::host && bytes % 32 == 0) {
    check_mapping(target, gufunc, {a.view, b.view}, options, far && (c.items >= 32 || (c.items > 1 && bytes > kLong)));
  }
  gufunc.outputs<3>({a.view, b.view}, options);
  CHECK(difference(elements(target, y.view, shape), want_y) == "");
  CHECK(difference(elements(target, z.view, shape), want_z) == "");
  CHECK(difference(elements(target, r.view, {c.items}), want_r) == "");
  // Between the items of an output nothing changes.
  if (c.out != ItemLayout::apart) return;
  const Array before = placed(target, c.dtype, shape, c.out, 2).base;
  const Shape gaps{2 * c.items, c.n};
  const std::vector<Exact> now = elements(target, y.base, gaps);
  const std::vector<Exact> then = elements(target, before, gaps);
  for (std::int64_t x = 0; x < 2 * c.items; x += 2) {
    for (std::int64_t i = 0; i < c.n; ++i)
      CHECK(now[static_cast<std::size_t>(x * c.n + i)] == then[static_cast<std::size_t>(x * c.n + i)]);
  }
}

constexpr const char* kProduct = "T s = T(0); for (index k = 0; k < n; ++k) s = T(s + A(i, k) * B(k, j)); C(i, j) = s;";

Gufunc product(const char* each, const std::string& body) {
  return kiln::guvectorize({.name = "product",
                            .layout = "(m,n),(n,p)->(m,p)",
                            .signatures = {"void(T[:,:] A, T[:,:] B, T[:,:] C)"},
                            .each = each,
                            .body = body});
}

struct ProductCase {
  DType dtype;
  std::int64_t items, m, n, p;
  ItemLayout a, b, c;
  bool staged;
};

void check_product(const Target& target, const Gufunc& gufunc, const ProductCase& c) {
  INFO(std::string(kiln::name(c.dtype)), ", ", c.items, " items of ", c.m, " x ", c.n, " x ", c.p, ", ways ",
       static_cast<int>(c.a), " ", static_cast<int>(c.b), " ", static_cast<int>(c.c));
  const Placed a = placed(target, c.dtype, {c.items, c.m, c.n}, c.a, 1);
  const Placed b = placed(target, c.dtype, {c.items, c.n, c.p}, c.b, 4);
  const Placed out = placed(target, c.dtype, {c.items, c.m, c.p}, c.c, 2);
  const std::vector<Exact> va = elements(target, a.view, {c.items, c.m, c.n});
  const std::vector<Exact> vb = elements(target, b.view, {c.items, c.n, c.p});
  std::vector<Exact> want;
  for (std::int64_t x = 0; x < c.items; ++x) {
    for (std::int64_t i = 0; i < c.m; ++i) {
      for (std::int64_t j = 0; j < c.p; ++j) {
        Exact sum = 0;
        for (std::int64_t k = 0; k < c.n; ++k) {
          sum += va[static_cast<std::size_t>((x * c.m + i) * c.n + k)] * vb[static_cast<std::size_t>((x * c.n + k) * c.p + j)];
        }
        want.push_back(rounded(c.dtype, sum));
      }
    }
  }
  kiln::GufuncOptions options = on(target);
  options.out = out.view;
  if (target.mode() != Mode::host) check_mapping(target, gufunc, {a.view, b.view}, options, c.staged);
  gufunc({a.view, b.view}, options);
  CHECK(difference(elements(target, out.view, {c.items, c.m, c.p}), want) == "");
}

}  // namespace

TEST_CASE("staged: rows of any length, items of any number, every size of elements") {
  on_every_device(
      [&](const Target& target) {
        for (const DType dtype : {DType::float32, DType::int8, DType::float16, DType::float64, DType::complex128}) {
          const Gufunc gufunc = sums();
          for (const std::int64_t n : {1, 3, 7, 8, 17, 32, 33, 40}) {
            for (const std::int64_t items : {1, 31, 32, 33, 70, 200}) {
              if ((n + items) % 2 != 0 && n != 33) continue;
              check_sums(target, gufunc, {dtype, items, n, ItemLayout::packed, ItemLayout::packed, ItemLayout::packed});
            }
          }
        }
      },
      {Mode::device});
}

TEST_CASE("staged: items apart from each other, backwards, and one for all") {
  on_every_device([&](const Target& target) {
    for (const DType dtype : {DType::float32, DType::int16}) {
      const Gufunc gufunc = sums();
      for (const std::int64_t n : {16, 33}) {
        for (const ItemLayout a : {ItemLayout::packed, ItemLayout::apart, ItemLayout::backwards, ItemLayout::one}) {
          for (const ItemLayout b : {ItemLayout::packed, ItemLayout::backwards, ItemLayout::one}) {
            if (a == ItemLayout::one && b == ItemLayout::one) continue;
            const ItemLayout out = b == ItemLayout::packed      ? ItemLayout::apart
                                   : b == ItemLayout::backwards ? ItemLayout::backwards
                                                                : ItemLayout::packed;
            check_sums(target, gufunc, {dtype, 77, n, a, b, out});
          }
        }
      }
    }
  });
}

TEST_CASE("staged: long rows, of which a block has few") {
  on_every_device(
      [&](const Target& target) {
        const Gufunc gufunc = sums();
        using enum ItemLayout;
        for (const std::int64_t items : {1, 3, 70}) {
          check_sums(target, gufunc, {DType::float32, items, 1024, packed, packed, packed});
        }
        check_sums(target, gufunc, {DType::float32, 40, 301, packed, one, packed});
        check_sums(target, gufunc, {DType::int8, 33, 3007, packed, packed, packed});
        check_sums(target, gufunc, {DType::float16, 9, 1023, apart, backwards, packed});
        check_sums(target, gufunc, {DType::float64, 33, 777, backwards, packed, apart});
        check_sums(target, gufunc, {DType::complex128, 7, 130, packed, apart, backwards});
        check_sums(target, gufunc, {DType::float32, 2, 6000, packed, packed, packed});
      },
      {Mode::device});
}

TEST_CASE("staged: fresh results, casts, masks and loops of several dimensions") {
  on_every_device([&](const Target& target) {
    const Gufunc running =
        kiln::guvectorize({.name = "running",
                           .layout = "(n),()->(n)",
                           .signatures = {"void(float32[:] x, float32 w, float32[:] y)"},
                           .body = "y(0) = x(0) * w; for (index i = 1; i < n; ++i) y(i) = y(i - 1) + x(i) * w;"});
    constexpr std::int64_t kRows = 3;
    constexpr std::int64_t kColumns = 45;
    constexpr std::int64_t kSize = 19;
    const Shape shape{kRows, kColumns, kSize};
    for (const DType dtype : {DType::float32, DType::int16, DType::int8}) {
      INFO(std::string(kiln::name(dtype)));
      const Placed x = placed(target, dtype, shape, ItemLayout::packed, 3);
      // Broadcast along the rows: the loop keeps two dimensions.
      const Placed w = placed(target, DType::float32, {kColumns}, ItemLayout::packed, 6);
      const std::vector<Exact> vx = elements(target, x.view, shape);
      const std::vector<Exact> vw = elements(target, w.view, {kColumns});
      std::vector<Exact> mask;
      for (std::int64_t c = 0; c < kColumns; ++c) mask.emplace_back(c % 3 != 1 ? 1 : 0);
      const Array where = target.place(make(DType::bool_, mask, Shape{kColumns}));
      std::vector<Exact> all;
      std::vector<Exact> some;
      for (std::int64_t at = 0; at < elements_of(shape); at += kSize) {
        Exact sum = 0;
        const auto column = static_cast<std::size_t>(at / kSize % kColumns);
        for (std::int64_t i = 0; i < kSize; ++i) {
          sum += vx[static_cast<std::size_t>(at + i)];
          all.push_back(sum * vw[column]);
          some.push_back(mask[column] == Exact(0) ? Exact(0) : all.back());
        }
      }
      if (target.mode() != Mode::host) check_mapping(target, running, {x.view, w.view}, on(target), true);
      CHECK(difference(read(target.fetch(running({x.view, w.view}, on(target)))), all) == "");
      kiln::GufuncOptions masked = on(target);
      masked.where = where;
      CHECK(difference(read(target.fetch(running({x.view, w.view}, masked))), some) == "");
    }
  });
}

TEST_CASE("staged: what a body leaves of a fresh result is zero, and no other item's") {
  on_every_device(
      [&](const Target& target) {
        if (target.device().is_cpu()) return;
        const Gufunc odd = kiln::guvectorize("(n)->(n)", "void(float32[:] x, float32[:] y)",
                                             "for (index i = 1; i < n; i += 2) y(i) = x(i) + 10;");
        constexpr std::int64_t kItems = 4000;
        for (const std::int64_t n : {17, 64}) {
          CAPTURE(n);
          const Shape shape{kItems, n};
          const Placed x = placed(target, DType::float32, shape, ItemLayout::packed, 3);
          std::vector<Exact> want = elements(target, x.view, shape);
          for (std::size_t at = 0; at < want.size(); ++at) {
            want[at] = at % static_cast<std::size_t>(n) % 2 == 1 ? want[at] + Exact(10) : Exact(0);
          }
          check_mapping(target, odd, {x.view}, on(target), true);
          CHECK(difference(read(target.fetch(odd({x.view}, on(target)))), want) == "");
        }
      },
      {Mode::device});
}

TEST_CASE("staged: whole matrices, transposed ones, in place") {
  on_every_device(
      [&](const Target& target) {
        const Gufunc whole =
            product("", std::string("for (index i = 0; i < m; ++i) for (index j = 0; j < p; ++j) { ") + kProduct + " }");
        for (const ItemLayout a : {ItemLayout::packed, ItemLayout::transposed, ItemLayout::apart}) {
          for (const ItemLayout b : {ItemLayout::packed, ItemLayout::transposed, ItemLayout::one}) {
            const ItemLayout c = b == ItemLayout::transposed ? ItemLayout::transposed : ItemLayout::packed;
            check_product(target, whole, {DType::float32, 50, 4, 3, 5, a, b, c, true});
            check_product(target, whole, {DType::float64, 64, 3, 8, 2, a, b, c, true});
          }
        }
        // Long ones, and more than a block has room for.
        check_product(target, whole,
                      {DType::float32, 40, 2, 200, 5, ItemLayout::packed, ItemLayout::packed, ItemLayout::packed, true});
        check_product(target, whole,
                      {DType::float32, 3, 9, 1000, 4, ItemLayout::packed, ItemLayout::packed, ItemLayout::packed, false});
        // Into its own input.
        const Gufunc reversed =
            kiln::guvectorize("(n)->(n)", "void(T[:] x, T[:] y)", "for (index i = 0; i < n; ++i) y(i) = x(n - 1 - i);");
        const Placed x = placed(target, DType::int32, {60, 9}, ItemLayout::packed, 2);
        std::vector<Exact> want = elements(target, x.view, {60, 9});
        for (std::size_t item = 0; item < 60; ++item)
          std::reverse(want.begin() + static_cast<std::ptrdiff_t>(item * 9),
                       want.begin() + static_cast<std::ptrdiff_t>(item * 9 + 9));
        kiln::GufuncOptions options = on(target);
        options.out = x.view;
        reversed({x.view}, options);
        CHECK(difference(elements(target, x.view, {60, 9}), want) == "");
      },
      {Mode::device});
}

TEST_CASE("staged: cores that indices of .each share") {
  on_every_device(
      [&](const Target& target) {
        const Gufunc by_index = product("i:m, j:p", kProduct);
        check_product(target, by_index,
                      {DType::float32, 130, 17, 17, 17, ItemLayout::packed, ItemLayout::packed, ItemLayout::packed, true});
        check_product(target, by_index,
                      {DType::float32, 130, 5, 40, 64, ItemLayout::packed, ItemLayout::packed, ItemLayout::packed, true});
        check_product(
            target, by_index,
            {DType::float32, 129, 16, 16, 12, ItemLayout::transposed, ItemLayout::packed, ItemLayout::transposed, true});
        check_product(target, by_index,
                      {DType::float32, 129, 8, 33, 12, ItemLayout::packed, ItemLayout::one, ItemLayout::apart, true});
        check_product(target, by_index,
                      {DType::float64, 128, 9, 20, 11, ItemLayout::backwards, ItemLayout::apart, ItemLayout::packed, true});
        check_product(target, by_index,
                      {DType::int8, 300, 9, 25, 33, ItemLayout::packed, ItemLayout::packed, ItemLayout::packed, true});
        check_product(target, by_index,
                      {DType::float16, 128, 8, 33, 17, ItemLayout::packed, ItemLayout::packed, ItemLayout::packed, true});
        check_product(target, by_index,
                      {DType::complex128, 128, 6, 7, 8, ItemLayout::packed, ItemLayout::packed, ItemLayout::packed, true});
        // Few items, small cores, and sizes that are no constants.
        check_product(target, by_index,
                      {DType::float32, 20, 17, 17, 17, ItemLayout::packed, ItemLayout::packed, ItemLayout::packed, false});
        check_product(target, by_index,
                      {DType::float32, 130, 8, 8, 8, ItemLayout::packed, ItemLayout::packed, ItemLayout::packed, false});
        check_product(target, by_index,
                      {DType::float32, 128, 3, 70, 5, ItemLayout::packed, ItemLayout::packed, ItemLayout::packed, false});
        const Gufunc by_row = product("i:m", std::string("for (index j = 0; j < p; ++j) { ") + kProduct + " }");
        check_product(target, by_row,
                      {DType::float32, 130, 17, 17, 17, ItemLayout::packed, ItemLayout::packed, ItemLayout::packed, true});
      },
      {Mode::device});
}

TEST_CASE("staged: bodies that may have addresses read global memory") {
  on_every_device(
      [&](const Target& target) {
        const Placed x = placed(target, DType::float32, {64, 12}, ItemLayout::packed, 1);
        const auto mapping = [&](const std::string& body, const std::string& functions = "") {
          const Gufunc gufunc = kiln::guvectorize({.name = "sum",
                                                   .layout = "(n)->()",
                                                   .signatures = {"void(float32[:] x, float32 r)"},
                                                   .body = body,
                                                   .compile = {.functions = functions}});
          return gufunc.resolve({x.view}, on(target)).variant;
        };
        const bool gpu = !target.device().is_cpu();
        const std::string plain = "an item";
        const std::string staged = plain + (gpu ? kStaged : "");
        CHECK(mapping("r = 0; for (auto& v : x) r += v;") == staged);
        CHECK(mapping("r = 0; for (index i = 0; i < n; ++i) r += i > 0 && x(i) > 0 ? x(i) : 0;") == staged);
        CHECK(mapping("r = x.data()[n - 1];") == plain);
        CHECK(mapping("r = *(&x(1) - 1);") == plain);
        CHECK(mapping("r = first(x);", "template <class V> float32 first(const V& v) { return *v.data(); }") == plain);
      },
      {Mode::device});
}
