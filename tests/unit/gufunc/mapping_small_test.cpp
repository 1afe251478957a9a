// Cores of a few elements: how many items a CPU computes at once, in every layout.
#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "gufunc/mapping.hpp"
#include "kiln/gufunc.hpp"

using kiln::Array;
using kiln::DType;
using kiln::Gufunc;
using kiln::Slice;
using kiln::test::aos;
using kiln::test::OnCpu;
using kiln::test::strided;

namespace {

/// i: "an item", s: "an item, several at once", e: "an item, several elements at once".
char letter_of(const std::string& mapping) {
  if (mapping == "an item") return 'i';
  if (mapping == "an item, several at once") return 's';
  if (mapping == "an item, several elements at once") return 'e';
  FAIL_CHECK(mapping);
  return '?';
}

/// What a body is mapped to, of each dtype and size.
struct OfSizes {
  DType dtype;
  std::vector<std::int64_t> sizes;
  std::string letters;
};

constexpr const char* kSeveral = "sssss sssss sssss sssss sssss sssss";
constexpr const char* kElements = "eeeee eeeee eeeee eeeee eeeee eeeee";
constexpr const char* kOneByOne = "iiiii iiiii iiiii iiiii iiiii iiiii";
/// Vectors are shuffled together: of items n + 1 elements apart, where that is 2, 4 or 8, into items one behind the other.
constexpr const char* kShuffled = "iiiii siiii iiiii iiiii iiiii iiiii";

/// A group for each stride of `a` from one item to the next, n, n + 1, 3n, -n, -2n - 1 and -1 elements, in it a letter for each
/// of the output, the first five of these.
std::string letters_of(const Gufunc& gufunc, DType dtype, std::int64_t n) {
  constexpr std::int64_t kItems = 203;
  const OnCpu cpu;
  const Array first = strided(kItems, n, n, dtype);
  static_cast<void>(cpu.mapping_after(gufunc, {first, strided(kItems, n, -n, dtype)}, {.out = first.copy()}));
  std::string letters;
  for (const std::int64_t a : {n, n + 1, 3 * n, -n, -2 * n - 1, std::int64_t{-1}}) {
    if (!letters.empty()) letters += ' ';
    const std::int64_t b = a == n ? -n : n;
    for (const std::int64_t y : {n, n + 1, 3 * n, -n, -2 * n - 1}) {
      letters += letter_of(cpu.mapping(gufunc, {strided(kItems, n, a, dtype), strided(kItems, n, b, dtype)},
                                       {.out = strided(kItems, n, y, dtype)}));
    }
  }
  return letters;
}

void check_strided(const char* body, std::initializer_list<OfSizes> rows) {
  const Gufunc gufunc = kiln::guvectorize(
      {.name = "strided", .layout = "(n),(n)->(n)", .signatures = {"void(T[:] a, T[:] b, T[:] y)"}, .body = body});
  CAPTURE(std::string(body));
  for (const OfSizes& row : rows) {
    for (const std::int64_t n : row.sizes) {
      CAPTURE(std::string(kiln::name(row.dtype)));
      CAPTURE(n);
      CHECK(letters_of(gufunc, row.dtype, n) == row.letters);
    }
  }
}

}  // namespace

TEST_CASE("mapping: small strided cores of a sum in order, and of a condition") {
  for (const char* body : {"T s = 0; for (index i = 0; i < n; ++i) { s += a(i) * b(n - 1 - i); y(i) = s; }",
                           "for (index i = 0; i < n; ++i) if (i > 0) y(i) = a(i) * b(n - 1 - i);"}) {
    check_strided(body, {{DType::float32, {1, 2, 3, 4, 5, 6, 7, 8}, kSeveral},
                         {DType::float64, {1, 3}, kShuffled},
                         {DType::float64, {8}, kOneByOne},
                         {DType::int32, {5}, kSeveral},
                         {DType::int64, {2}, kOneByOne},
                         {DType::int16, {3}, kShuffled}});
  }
}

TEST_CASE("mapping: small strided cores of bodies that take addresses") {
  check_strided("for (index i = 0; i < n; ++i) y(i) = a.data()[i] * (&b(0))[n - 1 - i];",
                {{DType::float32, {1, 3, 7}, kShuffled},
                 {DType::float32, {2, 4, 5, 6, 8}, kOneByOne},
                 {DType::float64, {1, 3}, kShuffled},
                 {DType::float64, {8}, kOneByOne},
                 {DType::int32, {5}, kOneByOne},
                 {DType::int64, {2}, kOneByOne},
                 {DType::int16, {3}, kShuffled}});
}

TEST_CASE("mapping: small strided cores whose loops are vectors along them") {
  for (const char* body : {"for (index i = 0; i < n; ++i) y(i) = a(i) * b(n - 1 - i);",
                           "for (index i = 1; i < n; ++i) y(i) = a(i) * b(n - 1 - i);"}) {
    check_strided(body, {{DType::float32, {1, 2, 3}, kSeveral},
                         {DType::float32, {4, 5, 6, 7, 8}, kElements},
                         {DType::float64, {1, 3}, kShuffled},
                         {DType::float64, {8}, kElements},
                         {DType::int32, {5}, kElements},
                         {DType::int64, {2}, kOneByOne},
                         {DType::int16, {3}, kShuffled}});
  }
}

TEST_CASE("mapping: small strided cores of bodies that call functions") {
  check_strided("T s = 0; for (index i = 0; i < n; ++i) { s += a(i) * b(n - 1 - i); y(i) = sqrt(s * s); }",
                {{DType::float32, {3, 8}, kSeveral}, {DType::float64, {1, 3, 5, 8}, kSeveral}});
}

TEST_CASE("mapping: small strided cores with two outputs, .each, complex elements and one item for all") {
  constexpr std::int64_t kItems = 203;
  constexpr const char* kEach = "for (index i = 0; i < n; ++i) { y(i) = a(i) * b(n - 1 - i); z(i) = a(i) + b(i); }";
  constexpr const char* kSums =
      "T s = 0; for (index i = 0; i < n; ++i) { s += a(i) * b(i); y(i) = s; z(n - 1 - i) = s - a(i); }";
  constexpr const char* kIndices = "y(i) = a(i) * b(n - 1 - i); z(i) = a(n - 1 - i) - b(i);";
  const struct {
    const char* body;
    const char* each;
    DType dtype;
    std::vector<std::int64_t> sizes;
    std::string mapping;
  } rows[] = {
      {kEach, "", DType::float32, {2, 3}, "an item, several at once"},
      {kEach, "", DType::float32, {5, 7}, "an item, several elements at once"},
      {kEach, "", DType::complex64, {2, 3}, "an item, several at once"},
      {kEach, "", DType::complex64, {5, 7}, "an item"},
      {kSums, "", DType::float32, {2, 3, 5, 7}, "an item, several at once"},
      {kSums, "", DType::complex64, {2, 3, 5, 7}, "an item, several at once"},
      {kIndices, "i:n", DType::float32, {2, 3, 5, 7}, "an item, several at once"},
      {kIndices, "i:n", DType::complex64, {2, 3, 5, 7}, "an item, several at once"},
  };
  const OnCpu cpu;
  for (const auto& row : rows) {
    for (const std::int64_t n : row.sizes) {
      const Gufunc gufunc = kiln::guvectorize({.name = "pair",
                                               .layout = "(n),(n)->(n),(n)",
                                               .signatures = {"void(T[:] a, T[:] b, T[:] y, T[:] z)"},
                                               .each = row.each,
                                               .body = row.body});
      for (const std::int64_t step : {n, n + 1, 3 * n, -n, -2 * n - 1}) {
        CAPTURE(std::string(row.body));
        CAPTURE(std::string(kiln::name(row.dtype)));
        CAPTURE(n);
        CAPTURE(step);
        const Array a = strided(kItems, n, step, row.dtype);
        const kiln::GufuncOptions options{.out = {strided(kItems, n, step, row.dtype), strided(kItems, n, -step, row.dtype)}};
        for (const Array& b : {a, aos({n}, row.dtype)}) {
          CHECK(cpu.mapping(gufunc, {a, b}, options) == row.mapping);
          if (step == n) CHECK(cpu.mapping_after(gufunc, {a, b}, options) == row.mapping);
        }
      }
    }
  }
}

TEST_CASE("mapping: small cores of two and three operands, most in one piece") {
  const Gufunc mixed = kiln::guvectorize({.name = "mixed",
                                          .layout = "(n),(n),()->(n),()",
                                          .signatures = {"void(T[:] a, T[:] b, T k, T[:] c, T d)"},
                                          .body = "T sum = k; for (index i = 0; i < n; ++i) { sum += a(i) * b(n - 1 - i); "
                                                  "c(i) = sum - b(i); } d = sum;"});
  // Of `a` packed, every second item, with an element between items, of 8, one for all, and reversed; few items and many.
  const struct {
    DType dtype;
    std::int64_t n;
    std::string few;
    std::string many;
  } rows[] = {
      {DType::float32, 1, "sssssi", "ssssss"}, {DType::float32, 2, "ssissi", "ssssss"}, {DType::float32, 3, "sisssi", "ssssss"},
      {DType::float32, 4, "ssissi", "ssssss"}, {DType::float32, 7, "sisssi", "ssssss"}, {DType::float64, 3, "sisisi", "sisisi"},
      {DType::int16, 3, "sisssi", "sisssi"},
  };
  const OnCpu cpu;
  for (const auto& row : rows) {
    const std::int64_t n = row.n;
    for (const std::int64_t items : {2, 37, 200}) {
      CAPTURE(std::string(kiln::name(row.dtype)));
      CAPTURE(n);
      CAPTURE(items);
      const Array packed = aos({items, n}, row.dtype);
      const Array one = aos({n}, row.dtype);
      const Array k = aos({2 * items}, row.dtype)[{Slice{.step = 2}}];
      const Array layouts[] = {packed,
                               aos({2 * items, n}, row.dtype)[{Slice{.step = 2}}],
                               aos({items, n + 1}, row.dtype)[{kiln::all, Slice{.stop = n}}],
                               aos({items, 8}, row.dtype)[{kiln::all, Slice{.stop = n}}],
                               one,
                               packed[{Slice{.step = -1}}]};
      for (const Array& b : {packed, one}) {
        std::string letters;
        for (const Array& a : layouts) letters += letter_of(cpu.mapping(mixed, {a, b, k}));
        CHECK(letters == (items == 200 ? row.many : row.few));
      }
    }
  }
}
