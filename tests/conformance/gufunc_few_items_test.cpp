// Generalized ufuncs of any number of items, from one to a few more than lanes take at once twice: results of plain loops over
// each item, bit for bit the same however many items there are, and nothing touched but items.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "devices.hpp"
#include "fenced.hpp"
#include "kiln/gufunc.hpp"
#include "support/sample.hpp"
#include "values.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Gufunc;
using kiln::Shape;
using kiln::Strides;

namespace {

constexpr std::int64_t kMostItems = 67;

/// How the cores of an operand lie. Steps are elements; those of items side by side depend on how many there are.
enum class CoreWay { packed, gaps, reversed, beside, spread, same };

/// PlacedCores of n elements, or of one, at the very end of memory that may be touched or at its beginning.
template <class T>
class PlacedCores {
 public:
  PlacedCores(CoreWay way, std::int64_t items, std::int64_t n, bool at_end)
      : items_(items),
        n_(n),
        element_(way == CoreWay::beside   ? items
                 : way == CoreWay::spread ? 2
                                          : 1),
        item_(way == CoreWay::same     ? 0
              : way == CoreWay::beside ? 1
              : way == CoreWay::gaps   ? n + 3
              : way == CoreWay::spread ? 2 * n
                                       : n),
        origin_(way == CoreWay::reversed ? (items - 1) * n : 0),
        memory_(static_cast<std::size_t>((items - 1) * item_ + (n - 1) * element_ + 1) * sizeof(T), at_end) {
    if (way == CoreWay::reversed) item_ = -item_;
  }
  [[nodiscard]] T* at(std::int64_t item, std::int64_t i) const {
    return reinterpret_cast<T*>(memory_.data()) + origin_ + item * item_ + i * element_;
  }
  [[nodiscard]] Array array(bool scalar) const {
    constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
    Shape shape{items_};
    Strides strides{item_ * kSize};
    if (!scalar) {
      shape.push_back(n_);
      strides.push_back(element_ * kSize);
    }
    return Array::view(at(0, 0), shape, kiln::dtype_of<T>, {.strides = strides});
  }
  /// Whole numbers from 0 to 12.
  void fill(std::int64_t seed) const {
    for (std::int64_t k = 0; k < items_; ++k) {
      for (std::int64_t i = 0; i < n_; ++i) *at(k, i) = static_cast<T>((i * 7 + k * 5 + i * i * k + seed) % 13);
    }
  }
  [[nodiscard]] std::vector<char> bytes() const { return {memory_.data(), memory_.data() + memory_.bytes()}; }
  [[nodiscard]] std::int64_t offset(std::int64_t item, std::int64_t i) const {
    return reinterpret_cast<char*>(at(item, i)) - memory_.data();
  }

 private:
  std::int64_t items_, n_, element_, item_, origin_;
  Fenced memory_;
};

template <class T>
struct BodyOfItem {
  const char* text;
  bool sums;  ///< one element of each item
  std::vector<T> (*item)(const std::vector<T>& x);
};

template <class T>
const std::vector<BodyOfItem<T>>& bodies_of_item() {
  static const std::vector<BodyOfItem<T>> all = {
      {"T t = 0; for (index i = 0; i < n; ++i) t = t > 50 ? t - x(i) : t + x(i); y = t;", true,
       [](const std::vector<T>& x) {
         T t = 0;
         for (const T each : x) t = t > 50 ? t - each : t + each;
         return std::vector<T>{t};
       }},
      {"T t = 0; for (index i = 0; i < n; ++i) { t += x(i); y(i) = t; }", false,
       [](const std::vector<T>& x) {
         std::vector<T> y;
         T t = 0;
         for (const T each : x) y.push_back(t += each);
         return y;
       }},
      // Loops along cores between loops that lanes compute, and iterations that differ between items.
      {"T g = x(0), s = 0; for (index i = 1; i < n; ++i) g = x(i) > g ? x(i) : g; for (index i = 0; i < n; ++i) { y(i) = g - "
       "x(i); "
       "s = s > 40 ? s - y(i) : s + y(i); } for (T k = x(0); k > 0; --k) s += 2; for (index i = 0; i < n; ++i) y(i) = y(i) + "
       "s;",
       false,
       [](const std::vector<T>& x) {
         const T g = *std::max_element(x.begin(), x.end());
         T s = 0;
         for (const T each : x) s = s > 40 ? s - (g - each) : s + (g - each);
         for (T k = x[0]; k > 0; --k) s += 2;
         std::vector<T> y;
         for (const T each : x) y.push_back(g - each + s);
         return y;
       }},
      {"for (index i = 0; i < n; ++i) { T t = 0; for (index k = 0; k < n; ++k) t += x(k) > x(i) ? T(1) : T(0); y(i) = t; }",
       false,
       [](const std::vector<T>& x) {
         std::vector<T> y;
         for (const T each : x) y.push_back(static_cast<T>(std::count_if(x.begin(), x.end(), [&](T a) { return a > each; })));
         return y;
       }},
  };
  return all;
}

template <class T>
Gufunc gufunc_of_item(const BodyOfItem<T>& body) {
  return kiln::guvectorize({.name = "few",
                            .layout = body.sums ? "(n)->()" : "(n)->(n)",
                            .signatures = {body.sums ? "void(T[:] x, T y)" : "void(T[:] x, T[:] y)"},
                            .body = body.text});
}

struct WaysOfTwo {
  CoreWay x, y;
};
constexpr WaysOfTwo kWaysOfTwo[] = {
    {CoreWay::packed, CoreWay::packed}, {CoreWay::gaps, CoreWay::packed},   {CoreWay::packed, CoreWay::gaps},
    {CoreWay::reversed, CoreWay::gaps}, {CoreWay::beside, CoreWay::beside}, {CoreWay::packed, CoreWay::beside},
    {CoreWay::beside, CoreWay::packed}, {CoreWay::spread, CoreWay::packed}, {CoreWay::packed, CoreWay::spread},
    {CoreWay::same, CoreWay::packed},   {CoreWay::gaps, CoreWay::reversed}};

/// The call's results are in `y`, whose other bytes are what they were.
template <class T>
void check_items(const Gufunc& gufunc, const BodyOfItem<T>& body, WaysOfTwo ways, std::int64_t items, std::int64_t n) {
  CAPTURE(items);
  const bool at_end = items % 2 == 0;
  const PlacedCores<T> x(ways.x, items, n, at_end);
  const PlacedCores<T> y(ways.y, items, body.sums ? 1 : n, at_end);
  x.fill(items);
  std::vector<char> expected = y.bytes();
  for (std::int64_t k = 0; k < items; ++k) {
    std::vector<T> core;
    for (std::int64_t i = 0; i < n; ++i) core.push_back(*x.at(k, i));
    const std::vector<T> result = body.item(core);
    for (std::size_t i = 0; i < result.size(); ++i) {
      std::memcpy(expected.data() + y.offset(k, static_cast<std::int64_t>(i)), &result[i], sizeof(T));
    }
  }
  gufunc({x.array(false)}, {.out = y.array(body.sums)});
  CHECK(y.bytes() == expected);
}

template <class T>
void check_ways(kiln::test::Sample& sample) {
  for (const BodyOfItem<T>& body : bodies_of_item<T>()) {
    CAPTURE(std::string(body.text));
    for (const std::int64_t n : {3, 16, 37, 64, 133}) {
      CAPTURE(n);
      for (const WaysOfTwo& ways : kWaysOfTwo) {
        if (!sample.takes_next()) continue;
        CAPTURE(static_cast<int>(ways.x));
        CAPTURE(static_cast<int>(ways.y));
        const Gufunc gufunc = gufunc_of_item(body);
        for (std::int64_t items = 1; items <= kMostItems; ++items) check_items(gufunc, body, ways, items, n);
      }
    }
  }
}

/// x and y in one memory, y as many items behind x.
template <class T>
void check_in_place(const BodyOfItem<T>& body, std::int64_t behind, std::int64_t n) {
  CAPTURE(std::string(body.text));
  CAPTURE(behind);
  CAPTURE(n);
  const Gufunc gufunc = gufunc_of_item(body);
  for (std::int64_t items = 1; items <= kMostItems; ++items) {
    CAPTURE(items);
    const PlacedCores<T> memory(CoreWay::packed, items + behind, n, true);
    memory.fill(3);
    std::vector<char> expected = memory.bytes();
    for (std::int64_t k = 0; k < items; ++k) {
      const std::vector<T> result = body.item(std::vector<T>(memory.at(k, 0), memory.at(k, 0) + n));
      std::memcpy(expected.data() + memory.offset(k + behind, 0), result.data(), result.size() * sizeof(T));
    }
    const Array all = memory.array(false);
    gufunc({all[{kiln::Slice{.stop = items}}]}, {.out = all[{kiln::Slice{.start = behind}}]});
    CHECK(memory.bytes() == expected);
  }
}

}  // namespace

TEST_CASE("gufuncs: any number of items gives what each item gives, and touches nothing else") {
  if (!kiln::Device::best().is_cpu()) return;
  kiln::test::Sample sample(9);
  check_ways<float>(sample);
  check_ways<double>(sample);
  check_ways<std::int32_t>(sample);
  check_ways<std::int64_t>(sample);
}

TEST_CASE("gufuncs: any number of items in place, and into the item behind") {
  if (!kiln::Device::best().is_cpu()) return;
  for (const std::int64_t behind : {0, 1}) {
    check_in_place(bodies_of_item<float>()[1], behind, 37);
    check_in_place(bodies_of_item<double>()[2], behind, 133);
    check_in_place(bodies_of_item<std::int32_t>()[2], behind, 16);
  }
}

TEST_CASE("gufuncs: floating results have the same bits however many items there are, and in however many threads") {
  if (!kiln::Device::best().is_cpu()) return;
  // Of operations that round as IEEE 754 says: libmvec's exp is another one than libm's.
  const Gufunc shares = kiln::guvectorize(
      {.name = "shares",
       .layout = "(n)->(n)",
       .signatures = {"void(T[:] x, T[:] y)"},
       .body =
           "T m = x(0); for (index i = 1; i < n; ++i) m = x(i) > m ? x(i) : m; T s = 0; for (index i = 0; i < n; ++i) { y(i) = "
           "sqrt(m - x(i)) / (m - x(i) + 1); s += y(i); } for (index i = 0; i < n; ++i) y(i) /= s + 1;"});
  for (const DType dtype : {DType::float32, DType::float64}) {
    for (const std::int64_t n : {7, 64, 300}) {
      std::vector<Exact> values;
      for (std::int64_t i = 0; i < kMostItems * n; ++i) values.emplace_back(static_cast<long double>(i * 37 % 199 - 99) / 16);
      const Array x = make(dtype, values, Shape{kMostItems, n});
      const std::vector<double> all = list_of(shares({x}));
      for (const int threads : {1, 2}) {
        const Array there = to_device(x, kiln::Device::cpu({.threads = threads}));
        for (std::int64_t items = 1; items <= kMostItems; ++items) {
          CAPTURE(n);
          CAPTURE(items);
          const std::vector<double> some = list_of(shares({there[{kiln::Slice{.stop = items}}]}));
          CHECK(std::equal(some.begin(), some.end(), all.begin()));
        }
      }
    }
  }
}
