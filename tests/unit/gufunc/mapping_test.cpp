// What a thread of the CPU computes of a generalized ufunc, for layouts, sizes, dtypes and bodies: the outcomes, as tables.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/have_cpu.hpp"
#include "kiln/gufunc.hpp"

#if KILN_HAVE_CPU

namespace {

using kiln::all;
using kiln::Array;
using kiln::DType;
using kiln::Gufunc;
using kiln::GufuncOptions;
using kiln::Shape;
using kiln::Slice;

const std::string kItem = "an item";
const std::string kSeveral = "an item, several at once";
const std::string kElements = "an item, several elements at once";
const std::string kPacked = "an item, 16 packed into a buffer at once";

/// On the CPU, whatever else there is.
Array numbers(const Shape& shape, DType dtype = DType::float32) {
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) size *= extent;
  std::vector<double> values;
  for (std::int64_t i = 0; i < size; ++i) values.push_back(static_cast<double>(i * 7 % 11));
  return to_device(Array::from(std::span<const double>(values), shape).astype(dtype), kiln::Device::cpu());
}

/// The same elements, the items innermost in memory and the core's axes in their order or reversed.
Array items_innermost(const Array& array, bool reversed = false) {
  const auto rank = static_cast<std::int64_t>(array.shape().size());
  kiln::Dims there;
  for (std::int64_t axis = 1; axis < rank; ++axis) there.push_back(reversed ? rank - axis : axis);
  there.push_back(0);
  kiln::Dims back{rank - 1};
  for (std::int64_t axis = 1; axis < rank; ++axis) back.push_back((reversed ? rank - axis : axis) - 1);
  return array.transpose(there).copy().transpose(back);
}

Gufunc define(std::string layout, std::string signature, std::string body, std::string each = "") {
  return kiln::guvectorize({.name = "mapped",
                            .layout = std::move(layout),
                            .signatures = {std::move(signature)},
                            .each = std::move(each),
                            .body = std::move(body)});
}

Gufunc product() {
  return define("(m,n),(n,p)->(m,p)", "void(T[:,:] A, T[:,:] B, T[:,:] C)",
                "T sum = 0; for (index k = 0; k < n; ++k) sum += A(i, k) * B(k, j); C(i, j) = sum;", "i:m, j:p");
}

Gufunc product_by_item() {
  return define("(m,n),(n,p)->(m,p)", "void(T[:,:] A, T[:,:] B, T[:,:] C)",
                "for (index i = 0; i < m; ++i) for (index j = 0; j < p; ++j) { T sum = 0; "
                "for (index k = 0; k < n; ++k) sum += A(i, k) * B(k, j); C(i, j) = sum; }");
}

}  // namespace

TEST_CASE("gufunc mapping: .each, and how cores lie") {
  const Array a = numbers({5, 2, 40});
  const kiln::GufuncResolution found = product().resolve({a, numbers({40, 3}, DType::int16)});
  CHECK(found.mapping == "an item's (i, j)");
  CHECK(found.variants ==
        std::vector<std::string>{"input 0 (A): contiguous", "input 1 (B): contiguous", "output 0 (C): contiguous"});
  CHECK(product().resolve({a.transpose({0, 2, 1}), numbers({2, 3})}).variants[0] == "input 0 (A): contiguous along m");
  CHECK(product().resolve({a, numbers({40, 0})}).mapping == "nothing");
  CHECK(product().resolve({numbers({100, 40}), numbers({40, 100})}).mapping == "an item's (i, j), several j at once");
  CHECK(product_by_item().resolve({numbers({7, 50, 60}), numbers({7, 60, 10})}).mapping == kItem);
}

TEST_CASE("gufunc mapping: small cores that are strided") {
  struct Row {
    DType dtype;
    std::int64_t n;
    // Of 2 and 37 items: packed, every second, padded by one element, in rows of 8, one for all, in reverse.
    const char* several;
  };
  constexpr Row kRows[] = {{DType::float32, 1, "yyyyyn"}, {DType::float32, 2, "yynyyn"}, {DType::float32, 3, "ynyyyn"},
                           {DType::float32, 4, "yynyyn"}, {DType::float32, 7, "ynyyyn"}, {DType::float64, 3, "ynynyn"},
                           {DType::int16, 3, "ynyyyn"}};
  for (const Row& row : kRows) {
    const Gufunc gufunc = define("(n),(n),()->(n),()", "void(T[:] a, T[:] b, T k, T[:] c, T d)",
                                 "T sum = k; for (index i = 0; i < n; ++i) { sum += a(i) * b(n - 1 - i); c(i) = sum - b(i); } "
                                 "d = sum;");
    for (const std::int64_t items : {2, 37, 200}) {
      const std::int64_t n = row.n;
      const Array packed = numbers({items, n}, row.dtype);
      const Array layouts[] = {packed,
                               numbers({2 * items, n}, row.dtype)[{Slice{.step = 2}}],
                               numbers({items, n + 1}, row.dtype)[{all, Slice{.stop = n}}],
                               numbers({items, 8}, row.dtype)[{all, Slice{.stop = n}}],
                               numbers({n}, row.dtype),
                               packed[{Slice{.step = -1}}]};
      const Array k = numbers({2 * items}, row.dtype)[{Slice{.step = 2}}];
      std::string several;
      for (const Array& a : layouts) several += gufunc.resolve({a, packed, k}).mapping == kSeveral ? 'y' : 'n';
      CAPTURE(std::string(kiln::name(row.dtype)));
      CAPTURE(n);
      CAPTURE(items);
      // Many items of 4 bytes are gathered.
      CHECK(several == (items == 200 && row.dtype == DType::float32 ? "yyyyyy" : row.several));
    }
  }
}

TEST_CASE("gufunc mapping: bodies over small cores, by the elements between items") {
  struct Row {
    const char* body;
    DType dtype;
    std::int64_t n, a, b, y;
    const std::string& mapping;
  };
  const char* const sums = "T s = 0; for (index i = 0; i < n; ++i) { s += a(i) * b(n - 1 - i); y(i) = s; }";
  const char* const roots = "T s = 0; for (index i = 0; i < n; ++i) { s += a(i) * b(n - 1 - i); y(i) = sqrt(s * s); }";
  const char* const along = "for (index i = 0; i < n; ++i) y(i) = a(i) * b(n - 1 - i);";
  const char* const some = "for (index i = 0; i < n; ++i) if (i > 0) y(i) = a(i) * b(n - 1 - i);";
  const Row rows[] = {{sums, DType::float32, 3, 3, 3, 3, kSeveral},   {sums, DType::float32, 3, 10, 5, 4, kSeveral},
                      {sums, DType::float64, 2, 2, 2, 2, kSeveral},   {sums, DType::float64, 2, 4, 2, 2, kSeveral},
                      {sums, DType::float64, 2, 3, 2, 2, kItem},      {sums, DType::float64, 2, 2, 2, 4, kItem},
                      {sums, DType::float64, 7, 7, 7, 7, kSeveral},   {sums, DType::float64, 8, 8, 8, 8, kItem},
                      {roots, DType::float64, 3, 10, 5, 4, kSeveral}, {roots, DType::float64, 8, 9, 8, 8, kSeveral},
                      {along, DType::float32, 3, 4, 3, 5, kSeveral},  {along, DType::float32, 4, 4, 4, 4, kSeveral},
                      {along, DType::float32, 4, 5, 4, 4, kElements}, {along, DType::float64, 8, 9, 8, 20, kElements},
                      {some, DType::float32, 5, 6, 5, 5, kSeveral},   {some, DType::float64, 5, 6, 5, 5, kItem}};
  for (const Row& row : rows) {
    const Gufunc gufunc = define("(n),(n)->(n)", "void(T[:] a, T[:] b, T[:] y)", row.body);
    const auto placed = [&](std::int64_t step) { return numbers({70, step}, row.dtype)[{all, Slice{.stop = row.n}}]; };
    const Array a = placed(row.a);
    const Array b = placed(row.b);
    const GufuncOptions options{.out = placed(row.y)};
    CAPTURE(std::string(row.body));
    CAPTURE(row.n);
    CAPTURE(row.a);
    CAPTURE(row.y);
    gufunc({a, b}, options);  // a kernel that does not compile would change it
    CHECK(gufunc.resolve({a, b}, options).mapping == row.mapping);
  }
  // Complex elements, where nothing is carried from one to the next.
  const Gufunc pair = define("(n),(n)->(n),(n)", "void(T[:] a, T[:] b, T[:] y, T[:] z)",
                             "for (index i = 0; i < n; ++i) { y(i) = a(i) * b(n - 1 - i); z(i) = a(i) + b(i); }");
  for (const std::int64_t n : {2, 3, 5, 7}) {
    const Array c = numbers({70, n}, DType::complex64);
    CHECK((pair.resolve({c, c}).mapping == kSeveral) == (n < 4));
  }
}

TEST_CASE("gufunc mapping: several items at once, of bodies that carry a sum along the core") {
  const Gufunc inner = define("(n),(n)->()", "void(T[:] a, T[:] b, T r)",
                              "T sum = 0; for (index i = 0; i < n; ++i) sum += a(i) * b(i); r = sum;");
  const auto mapping = [&](const Array& a, const Array& b) { return inner.resolve({a, b}).mapping; };
  const auto wide = [](const Shape& shape) { return numbers(shape, DType::float64); };
  CHECK(mapping(numbers({40, 64}), numbers({40, 64})) == kSeveral);
  // Too few items, small ones, cores not in one piece, no room, beyond the caches, another dtype, a mask.
  CHECK(mapping(numbers({15, 64}), numbers({15, 64})) == kItem);
  CHECK(mapping(numbers({40, 11}), numbers({40, 11})) == kItem);
  CHECK(mapping(numbers({40, 128})[{all, Slice{.step = 2}}], numbers({40, 64})) == kItem);
  CHECK(mapping(numbers({40, 400}), numbers({40, 400})) == kItem);
  CHECK(mapping(Array::empty({40000, 64}, DType::float32), Array::empty({40000, 64}, DType::float32)) == kItem);
  CHECK(mapping(Array::empty({40000, 64}, DType::float32), numbers({64})) == kSeveral);
  CHECK(mapping(wide({40, 64}), numbers({40, 64})) == kItem);
  CHECK(mapping(numbers({40, 64}, DType::int16), numbers({40, 64})) == kItem);
  CHECK(inner.resolve({numbers({40, 64}), numbers({40, 64})}, {.where = Array::zeros({40}, DType::bool_)}).mapping == kItem);
  // Of float64, what leaves little, or reads each element more than once.
  CHECK(mapping(wide({40, 64}), wide({40, 64})) == kSeveral);
  CHECK(mapping(wide({40, 16}), wide({40, 16})) == kItem);
  CHECK(product_by_item().resolve({numbers({40, 5, 5}), numbers({40, 5, 5})}).mapping == kSeveral);
  const Array large = Array::empty({50000, 10, 10}, DType::float32);
  CHECK(product_by_item().resolve({large, large}).mapping == kSeveral);
  // Items that are innermost are not transposed: of float64, of any size, and beyond the caches.
  const Array across = numbers({64, 40}).transpose();
  const auto wide_across = [&](std::int64_t n) { return wide({n, 40}).transpose(); };
  CHECK(mapping(across, numbers({40, 64})) == kSeveral);
  CHECK(mapping(across, across) == kSeveral);
  CHECK(mapping(wide_across(64), wide_across(64)) == kSeveral);
  CHECK(mapping(wide_across(64), wide({40, 64})) == kSeveral);
  const Array many = Array::empty({300, 40000}, DType::float32).transpose();
  CHECK(mapping(many, many) == kSeveral);
  // Results of float64 are transposed only where there are many elements, and room for them.
  const Gufunc running = define("(n),(n)->(n)", "void(T[:] a, T[:] b, T[:] y)",
                                "T sum = 0; for (index i = 0; i < n; ++i) { sum += a(i) * b(i); y(i) = sum; }");
  CHECK(running.resolve({wide_across(20), wide_across(20)}).mapping == kItem);
  CHECK(running.resolve({wide_across(64), wide_across(64)}).mapping == kSeveral);
  CHECK(running.resolve({wide_across(64), wide({40, 64})}).mapping == kItem);
  CHECK(running.resolve({wide_across(2049), wide_across(2049)}).mapping == kItem);
}

TEST_CASE("gufunc mapping: several items at once, of bodies that carry nothing") {
  const Array across = numbers({64, 40}).transpose();
  const Array out = Array::empty({64, 40}, DType::float32).transpose();
  const Gufunc inside = define("(n)->(n)", "void(T[:] x, T[:] y)", "for (index i = 1; i + 1 < n; ++i) y(i) = y(i - 1) + x(i);");
  CHECK(inside.resolve({across}, {.out = out}).mapping == kSeveral);
  CHECK(inside.resolve({numbers({40, 64})}, {.out = numbers({40, 64})}).mapping == kSeveral);
  // One number for each item, or for all, is no core.
  const Gufunc scaled = define("(n),()->(n)", "void(T[:] x, T k, T[:] y)", "for (index i = 0; i < n; ++i) y(i) = x(i) * k;");
  CHECK(scaled.resolve({across, 2.0F}, {.out = out}).mapping == kSeveral);
  CHECK(scaled.resolve({across, numbers({40})}, {.out = out}).mapping == kSeveral);
  for (const bool fast : {false, true}) {
    const Gufunc twice = kiln::guvectorize({.name = "twice",
                                            .layout = "(n)->(n)",
                                            .signatures = {"void(float32[:] x, float32[:] y)"},
                                            .body = "for (index i = 0; i < n; ++i) y(i) = x(i) * 2;",
                                            .compile = {.fast_math = fast}});
    CHECK(twice.resolve({across}, {.out = out}).mapping == kSeveral);
    if (fast) continue;
    CHECK(twice.resolve({across}, {.out = across.copy()}).mapping == kSeveral);
    CHECK(twice.resolve({across.copy()}, {.out = across.copy()}).mapping == kItem);
  }
}

TEST_CASE("gufunc mapping: items that are innermost, with .each") {
  const auto place = [](const Shape& shape) { return items_innermost(numbers(shape)); };
  const auto products = [&](const Array& a, const Array& b, const Shape& out) {
    return product().resolve({a, b}, {.out = place(out)}).mapping;
  };
  // Rows of 20 are vectors as they are, of 10 not so well.
  for (const Array& one : {numbers({10, 10}), numbers({10, 10}).transpose()}) {
    CHECK(products(place({40, 10, 10}), one, {40, 10, 10}) == kSeveral);
  }
  for (const Array& one : {numbers({20, 20}), numbers({20, 20}).transpose()}) {
    CHECK(products(place({40, 20, 20}), one, {40, 20, 20}) == kPacked + ", several j at once");
  }
  CHECK(products(place({40, 70, 70}), place({40, 70, 70}), {40, 70, 70}) == kSeveral);
  CHECK(products(place({15, 20, 20}), numbers({20, 20}), {15, 20, 20}) == "an item's (i, j), several j at once");
  const Gufunc scale =
      define("(m,n),(n),()->(m,n)", "void(T[:,:] A, T[:] b, T k, T[:,:] C)", "C(i, j) = A(i, j) * b(j) - k;", "i:m, j:n");
  CHECK(scale.resolve({place({40, 20, 20}), numbers({20}), 2.0F}, {.out = place({40, 20, 20})}).mapping == kSeveral);
  // Of float64, rows of 14 are vectors of items.
  for (const DType dtype : {DType::float32, DType::float64, DType::int32}) {
    for (const std::int64_t p : {14, 17, 24}) {
      for (const bool reversed : {false, true}) {
        const GufuncOptions options{.out = items_innermost(numbers({50, 5, p}, dtype), reversed)};
        const std::string mapping = product()
                                        .resolve({items_innermost(numbers({50, 5, 6}, dtype), reversed),
                                                  items_innermost(numbers({50, 6, p}, dtype), reversed)},
                                                 options)
                                        .mapping;
        CHECK_MESSAGE((mapping.find("packed") == std::string::npos) == (dtype == DType::float64 && p == 14), mapping);
      }
    }
  }
}

TEST_CASE("gufunc mapping: a body that does not compile with items at once may with indices, and the other way round") {
  // The first compares what differs between items; the second takes a float's bits, which differ between indices.
  const Gufunc uniform = define("(n),(m)->(n)", "void(float32[:] x, float32[:] b, float32[:] y)",
                                "float32 s = 0; for (index k = 0; k < b(0); ++k) s += x(i); y(i) = s;", "i:n");
  const Gufunc positions = define("(n)->(n)", "void(float32[:] x, float32[:] y)",
                                  "float32 at = i; for (index k = 0; k < 2; ++k) at += x(i); y(i) = at;", "i:n");
  const Array x = numbers({10, 40}).transpose();
  const Array b = numbers({3, 40}).transpose();
  const GufuncOptions options{.out = Array::zeros({10, 40}, DType::float32).transpose()};
  CHECK(uniform.resolve({x, b}, options).mapping == kSeveral);
  uniform({x, b}, options);
  CHECK(uniform.resolve({x, b}, options).mapping == "an item's (i), several i at once");
  uniform(x.copy(), b.copy());
  CHECK(uniform.resolve({x.copy(), b.copy()}).mapping == "an item's (i), several i at once");
  positions(x.copy());
  CHECK(positions.resolve({x.copy()}).mapping == "an item's (i)");
  positions({x}, options);
  CHECK(positions.resolve({x}, options).mapping == kSeveral);
}

TEST_CASE("gufunc mapping: integers are vectors of items and indices") {
  struct Row {
    const char* body;
    const char* each;
    bool several;
  };
  // Sums in the loop's type, and in a wider one; no division, no shift, no count by such a type.
  constexpr Row kRows[] = {
      {"T s = 3; for (index k = 0; k < n; ++k) s += A(i, k) * B(k, j) - T(k); C(i, j) = s;", "i:m, j:p", true},
      {"for (index i = 0; i < m; ++i) for (index j = 0; j < p; ++j) { T s = 3; for (index k = 0; k < n; ++k) s += A(i, k) * "
       "B(k, j) - k; C(i, j) = s; }",
       "", true},
      {"int64 s = 3; for (index k = 0; k < n; ++k) s += int64(A(i, k)) * B(k, j) - k; C(i, j) = T(s);", "i:m, j:p", true},
      {"T s = 3; for (int32 k = 0; k < n; ++k) s += A(i, k) * B(k, j) - T(k); C(i, j) = s;", "i:m, j:p", false},
      {"T s = 3; for (index k = 0; k < n; ++k) s += A(i, k) * B(k, j) - T(k) / T(1); C(i, j) = s;", "i:m, j:p", false}};
  for (const DType dtype : {DType::int32, DType::uint32, DType::int64, DType::uint64}) {
    for (const Row& row : kRows) {
      const Gufunc gufunc = define("(m,n),(n,p)->(m,p)", "void(T[:,:] A, T[:,:] B, T[:,:] C)", row.body, row.each);
      const Array a = numbers({35, 3, 4}, dtype);
      const Array b = numbers({35, 4, 14}, dtype);
      gufunc(a, b);
      const std::string mapping = gufunc.resolve({a, b}).mapping;
      CAPTURE(std::string(row.body));
      CHECK_MESSAGE((mapping.find("at once") != std::string::npos) == row.several, mapping);
    }
  }
}

TEST_CASE("gufunc mapping: items that are packed into a buffer") {
  struct Row {
    DType dtype;
    std::int64_t m, n;
    int at_once;
  };
  constexpr Row kRows[] = {
      {DType::float32, 4, 4, 16},  {DType::float32, 2, 9, 16},  {DType::float32, 4, 5, 16},   {DType::float32, 3, 8, 16},
      {DType::float32, 9, 7, 16},  {DType::float32, 33, 40, 8}, {DType::float32, 60, 60, 4},  {DType::int32, 2, 17, 16},
      {DType::int32, 16, 16, 16},  {DType::float64, 4, 5, 16},  {DType::float64, 4, 8, 16},   {DType::float64, 33, 20, 8},
      {DType::float64, 35, 50, 4}, {DType::int64, 5, 6, 16},    {DType::complex64, 7, 9, 16}, {DType::int32, 4, 28, 16}};
  const char* const body =
      "for (index i = 0; i < m; ++i) for (index j = 0; j < n; ++j) for (index k = 0; k < n; ++k) "
      "if (k == j && (i + j) % 3 != 1) y(i, j) = a(i, j) * b(k) - a(m - 1 - i, n - 1 - j);";
  const Gufunc gufunc = define("(m,n),(n)->(m,n)", "void(T[:,:] a, T[:] b, T[:,:] y)", body);
  for (const Row& row : kRows) {
    // In a loop of two dimensions, which the output keeps apart; the core's axes are in their order, and reversed there.
    const Array a = numbers({2, 37, row.m, row.n}, row.dtype).transpose({2, 3, 0, 1}).copy().transpose({2, 3, 0, 1});
    const Array b = numbers({2, 37, row.n}, row.dtype).transpose({2, 0, 1}).copy().transpose({1, 2, 0});
    const Array out = numbers({row.n, row.m, 2, 40}, row.dtype).transpose({2, 3, 1, 0});
    const GufuncOptions options{.out = out[{all, Slice{.stop = 37}}]};
    CAPTURE(row.m);
    CAPTURE(row.n);
    const std::string want = "an item, " + std::to_string(row.at_once) + " packed into a buffer at once";
    CHECK(gufunc.resolve({a, b}, options).mapping == want);
    CHECK(gufunc.resolve({a, numbers({row.n}, row.dtype)}, options).mapping == want);
  }
  // Several outputs, and other dtypes than the loop's.
  const Gufunc ranked =
      define("(n),(n)->(n),(n),()", "void(float64[:] a, float64[:] b, float64[:] y, int64[:] z, float64 r)", R"(
    r = 0;
    for (index i = 0; i < n; ++i) {
      y(i) = a(i) < b(i) ? b(i) : a(i);
      index before = 0;
      for (auto x : a) before += x < a(i) ? 1 : 0;
      z(i) = before;
      r = r + before * b(i);
    })");
  const auto place = [](DType dtype) { return items_innermost(numbers({20'011, 20}, dtype)); };
  CHECK(
      ranked
          .resolve({place(DType::float32), place(DType::int32)}, {.out = {place(DType::float32), place(DType::int64), Array()}})
          .mapping == kPacked);
}

TEST_CASE("gufunc mapping: not packed are items of which little is read, that stop early, are masked, small or of bytes") {
  const auto mapping = [](const char* body, DType dtype = DType::float32, bool masked = false, std::int64_t n = 50) {
    const Gufunc gufunc = define("(n),(n)->()", "void(T[:] a, T[:] b, T r)", body);
    const Array a = items_innermost(numbers({40, n}, dtype));
    GufuncOptions options;
    if (masked) options.where = Array::full({40}, true);
    return gufunc.resolve({a, n < 33 ? a.copy() : a}, options).mapping;
  };
  const char* const once = "r = 0; for (index i = 0; i < n; ++i) r = a(i) > r ? a(i) : T(r);";
  const char* const expensive = "r = 0; for (index i = 0; i < n; ++i) r = a(i) > b(i) ? r + floor(a(i)) : r + b(i);";
  CHECK(mapping(once) == kPacked);
  CHECK(mapping(expensive) == kPacked);
  CHECK(mapping("r = a(n - 1) > 0 ? a(0) : b(0);") == kItem);
  CHECK(mapping("r = 0; for (index i = 0; i < n; i += 9) r = a(i) > 0 ? a(i) : b(i);") == kItem);
  CHECK(mapping("r = 0; for (index i = 0; i < n; ++i) { if (a(i) > b(i)) break; r = a(i); }") == kItem);
  CHECK(mapping("r = 0; index i = 0; while (i < n && a(i) < 1) ++i; r = i;") == kItem);
  CHECK(mapping("r = 0; for (index i = 0; i < n; ++i) r = &a(i) > &b(i) ? 1 : 0;") == kItem);
  CHECK(mapping(once, DType::float32, true) == kItem);
  CHECK(mapping(once, DType::int8) == kItem);
  // Small cores and elements of 8 bytes, where each is read once: only of expensive bodies.
  CHECK(mapping(once, DType::float32, false, 17) == kItem);
  CHECK(mapping(expensive, DType::float32, false, 17) == kPacked);
  CHECK(mapping(once, DType::int64) == kItem);
  CHECK(mapping(expensive, DType::float64) == kPacked);
}

#endif
