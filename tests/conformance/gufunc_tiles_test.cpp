// Items whose loops wait for the iteration before, several at once: cores of any length, number and distance, at the very ends
// of the memory that may be touched. Values are whole numbers, by loops of C++ over each item.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>
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
using kiln::Strides;

namespace {

using Elements = std::vector<double>;

struct ItemBody {
  const char* text;
  void (*item)(const Elements& x, Elements& y);  ///< y holds what it held
};

const ItemBody kFilter = {"T s = 0; for (index i = 0; i < n; ++i) { s = x(i) > s ? x(i) - s : s + 1; y(i) = s; }",
                          [](const Elements& x, Elements& y) {
                            double s = 0;
                            for (std::size_t i = 0; i < x.size(); ++i) y[i] = s = x[i] > s ? x[i] - s : s + 1;
                          }};
const ItemBody kSomeWritten = {"T s = 0; for (index i = 0; i < n; ++i) { s += x(i) > 3 ? x(i) : T(-2); if (s > 5) y(i) = s; }",
                               [](const Elements& x, Elements& y) {
                                 double s = 0;
                                 for (std::size_t i = 0; i < x.size(); ++i) {
                                   s += x[i] > 3 ? x[i] : -2;
                                   if (s > 5) y[i] = s;
                                 }
                               }};
const ItemBody kSorted = {
    "for (index i = 0; i < n; ++i) { const T a = x(i); index k = i; for (; k > 0 && y(k - 1) > a; --k) y(k) = y(k - 1); y(k) = "
    "a; }",
    [](const Elements& x, Elements& y) {
      y = x;
      std::sort(y.begin(), y.end());
    }};
const ItemBody kUpToFirst = {"for (index i = 0; i < n; ++i) { if (x(i) > 11) break; y(i) = x(i) * 2; }",
                             [](const Elements& x, Elements& y) {
                               for (std::size_t i = 0; i < x.size() && x[i] <= 11; ++i) y[i] = x[i] * 2;
                             }};
const ItemBody kRunning = {"T s = 0; for (index i = 0; i < n; ++i) { s += x(i); y(i) = s; }",
                           [](const Elements& x, Elements& y) {
                             double s = 0;
                             for (std::size_t i = 0; i < x.size(); ++i) y[i] = s += x[i];
                           }};
const ItemBody kTwice = {
    "T s = 0; for (index i = 0; i < n; ++i) y(i) = x(i) + 1; for (index i = n; i-- > 0;) s += y(i); "
    "for (index i = 0; i < n; ++i) { s = s > 30 ? s - y(i) : s + 1; y(i) = y(i) + s; }",
    [](const Elements& x, Elements& y) {
      double s = 0;
      for (const double each : x) s += each + 1;
      for (std::size_t i = 0; i < x.size(); ++i) {
        s = s > 30 ? s - (x[i] + 1) : s + 1;
        y[i] = x[i] + 1 + s;
      }
    }};
const ItemBody kMirrored = {"for (index i = 0; i < n; ++i) y(i) = x(n - 1 - i) * 2 + x(i);",
                            [](const Elements& x, Elements& y) {
                              for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[x.size() - 1 - i] * 2 + x[i];
                            }};
const ItemBody kBackwards = {"T s = 0; for (index i = n; i-- > 0;) { s = s > 20 ? x(i) : s + x(i); y(n - 1 - i) = s; }",
                             [](const Elements& x, Elements& y) {
                               double s = 0;
                               for (std::size_t i = x.size(); i-- > 0;) {
                                 s = s > 20 ? x[i] : s + x[i];
                                 y[x.size() - 1 - i] = s;
                               }
                             }};

// Loops along cores between loops that lanes compute.
const ItemBody kCentred = {
    "T g = x(0), s = 0; for (index i = 1; i < n; ++i) g = max(g, x(i)); for (index i = 0; i < n; ++i) y(i) = x(i) - g; "
    "for (index i = 0; i < n; ++i) s = s < -30 ? s - y(i) : s + y(i); for (index i = 0; i < n; ++i) y(i) = y(i) + s;",
    [](const Elements& x, Elements& y) {
      const double greatest = *std::max_element(x.begin(), x.end());
      double s = 0;
      for (const double each : x) s = s < -30 ? s - (each - greatest) : s + (each - greatest);
      for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] - greatest + s;
    }};
const ItemBody kHalves = {
    "T s = 0; for (index i = 0; i < n / 2; ++i) { s = s > 9 ? s - x(i) : s + 2; y(i) = s; } "
    "for (index i = n / 2; i < n; ++i) y(i) = x(i) * 2 + 1; "
    "for (index i = n; i-- > 0;) { s = s > 20 ? s - y(i) : s + y(i); y(i) = s; } for (index i = 1; i < n; ++i) y(i) = y(i) + "
    "x(i - 1);",
    [](const Elements& x, Elements& y) {
      const std::size_t half = x.size() / 2;
      double s = 0;
      for (std::size_t i = 0; i < half; ++i) y[i] = s = s > 9 ? s - x[i] : s + 2;
      for (std::size_t i = half; i < x.size(); ++i) y[i] = x[i] * 2 + 1;
      for (std::size_t i = x.size(); i-- > 0;) y[i] = s = s > 20 ? s - y[i] : s + y[i];
      for (std::size_t i = 1; i < x.size(); ++i) y[i] += x[i - 1];
    }};
const ItemBody kSomeAlong = {
    "T s = 0; for (index i = 0; i < n; ++i) s = s > 11 ? s - x(i) : s + x(i); "
    "if (s > 5) { for (index i = 0; i < n; ++i) y(i) = x(i) > 4 ? x(i) * 2 + s : T(-1); } "
    "for (index i = 0; i < n; ++i) { s = s > 14 ? s - 9 : s + y(i); y(i) = s; }",
    [](const Elements& x, Elements& y) {
      double s = 0;
      for (const double each : x) s = s > 11 ? s - each : s + each;
      if (s > 5) {
        const double more = s;
        for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] > 4 ? x[i] * 2 + more : -1;
      }
      for (double& each : y) each = s = s > 14 ? s - 9 : s + each;
    }};

// Loops that compute elements and add them up.
const ItemBody kAddedUp = {
    "T s = 0, last = 3; for (index i = 0; i < n; ++i) { const T e = abs(x(i) - T(6)); s = s > 30 ? last - s : s + e * 2 - "
    "x(i); "
    "y(i) = e; last = e; } for (index i = 0; i < n; ++i) y(i) = y(i) + s + last;",
    [](const Elements& x, Elements& y) {
      double s = 0;
      double last = 3;
      for (const double each : x) {
        const double e = std::abs(each - 6);
        s = s > 30 ? last - s : s + e * 2 - each;
        last = e;
      }
      for (std::size_t i = 0; i < x.size(); ++i) y[i] = std::abs(x[i] - 6) + s + last;
    }};
const ItemBody kAddedUpBackwards = {
    "T s = 1; for (index i = n; i-- > 0;) { y(i) = abs(x(i) - T(4)); s = s > 20 ? s - y(i) * y(i) : s + y(i); } y(n / 2) = s;",
    [](const Elements& x, Elements& y) {
      double s = 1;
      for (std::size_t i = x.size(); i-- > 0;) {
        y[i] = std::abs(x[i] - 4);
        s = s > 20 ? s - y[i] * y[i] : s + y[i];
      }
      y[x.size() / 2] = s;
    }};

// Values of the last iteration, whose elements the loop overwrites.
const ItemBody kReadAndOverwritten = {
    "T s = 0, t = 0; for (index i = 0; i < n; ++i) { t = y(i); y(i) = x(i) * 2; s = s > 30 ? s - x(i) : s + x(i); } y(n / 2) = "
    "s + t;",
    [](const Elements& x, Elements& y) {
      double s = 0;
      double t = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        t = y[i];
        y[i] = x[i] * 2;
        s = s > 30 ? s - x[i] : s + x[i];
      }
      y[x.size() / 2] = s + t;
    }};
const ItemBody kChangedInPlace = {
    "T s = 0, t = 0; for (index i = 0; i < n; ++i) { t = abs(y(i) - T(98)) * 2 - x(i); y(i) = t; s = s > 30 ? s - x(i) : s + "
    "x(i); } "
    "y(n / 2) = s + t * 2;",
    [](const Elements& x, Elements& y) {
      double s = 0;
      double t = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        y[i] = t = std::abs(y[i] - 98) * 2 - x[i];
        s = s > 30 ? s - x[i] : s + x[i];
      }
      y[x.size() / 2] = s + t * 2;
    }};

/// `items` cores of n elements with `gap` between them, of which nothing may be touched.
struct SpacedCores {
  std::int64_t items, n, gap;
  DType dtype;
  Fenced memory;
  SpacedCores(std::int64_t how_many, std::int64_t elements, std::int64_t apart, DType type, bool at_end)
      : items(how_many),
        n(elements),
        gap(apart),
        dtype(type),
        memory(static_cast<std::size_t>((items - 1) * (n + gap) + n) * kiln::itemsize(type), at_end) {}
  [[nodiscard]] Array array() const {
    const auto size = static_cast<std::int64_t>(kiln::itemsize(dtype));
    return Array::view(memory.data(), {items, n}, dtype, {.strides = Strides{(n + gap) * size, size}});
  }
  void fill(const std::vector<Exact>& values) const {
    const Array from = make(dtype, values, kiln::Shape{items, n});
    const auto bytes = static_cast<std::size_t>(n) * kiln::itemsize(dtype);
    for (std::int64_t k = 0; k < items; ++k) {
      std::memcpy(memory.data() + static_cast<std::size_t>(k * (n + gap)) * kiln::itemsize(dtype),
                  static_cast<const char*>(from.data()) + static_cast<std::size_t>(k) * bytes, bytes);
    }
  }
};

std::vector<Exact> exact(const std::vector<double>& values) {
  std::vector<Exact> all;
  for (const double value : values) all.emplace_back(static_cast<long double>(value));
  return all;
}

void check(const Gufunc& gufunc, const ItemBody& body, DType dtype, std::int64_t items, std::int64_t n, std::int64_t gap,
           bool at_end, bool masked) {
  CAPTURE(masked);
  CAPTURE(std::string(body.text));
  CAPTURE(std::string(kiln::name(dtype)));
  CAPTURE(items);
  CAPTURE(n);
  CAPTURE(gap);
  CAPTURE(at_end);
  const SpacedCores x(items, n, gap, dtype, at_end);
  const SpacedCores y(items, n, gap, dtype, at_end);
  std::vector<double> inputs;
  std::vector<double> outputs;
  std::vector<double> expected;
  for (std::int64_t k = 0; k < items; ++k) {
    Elements in;
    for (std::int64_t i = 0; i < n; ++i) in.push_back(static_cast<double>((i * 7 + k * 5 + i * i * k) % 13));
    Elements out(in.size(), static_cast<double>(100 + k % 3));
    inputs.insert(inputs.end(), in.begin(), in.end());
    outputs.insert(outputs.end(), out.begin(), out.end());
    if (!masked || k % 3 != 1) body.item(in, out);
    expected.insert(expected.end(), out.begin(), out.end());
  }
  x.fill(exact(inputs));
  y.fill(exact(outputs));
  const SpacedCores after(items, n, gap, dtype, at_end);
  after.fill(exact(expected));
  std::vector<double> where;
  for (std::int64_t k = 0; k < items; ++k) where.push_back(k % 3 != 1 ? 1 : 0);
  kiln::GufuncOptions options{.out = y.array()};
  if (masked) options.where = make(DType::bool_, exact(where), kiln::Shape{items});
  gufunc({x.array()}, options);
  CHECK(std::equal(after.memory.data(), after.memory.data() + after.memory.bytes(), y.memory.data()));
  const bool writes_all = &body != &kSomeWritten && &body != &kUpToFirst && &body != &kSomeAlong &&
                          &body != &kReadAndOverwritten && &body != &kChangedInPlace;
  if (!masked && writes_all) CHECK(list_of(gufunc({x.array()})) == expected);
}

Gufunc of(const ItemBody& body) {
  return kiln::guvectorize({.name = "tiled", .layout = "(n)->(n)", .signatures = {"void(T[:] x, T[:] y)"}, .body = body.text});
}

}  // namespace

TEST_CASE("gufuncs: items that wait for the iteration before, many at once, are those of one, and touch nothing beyond") {
  if (!kiln::Device::best().is_cpu()) return;
  constexpr std::pair<std::int64_t, std::int64_t> kShapes[] = {
      {40, 1},  {33, 2},  {66, 3},   {48, 4},  {16, 5},  {37, 7},  {67, 8},  {35, 16}, {50, 20},   {34, 24},  {17, 40},
      {31, 64}, {33, 65}, {48, 128}, {32, 33}, {33, 36}, {50, 63}, {64, 41}, {97, 9},  {130, 100}, {20, 1100}};
  kiln::test::Sample sample(3);
  for (const ItemBody* const each :
       {&kFilter, &kSomeWritten, &kSorted, &kUpToFirst, &kRunning, &kTwice, &kMirrored, &kBackwards, &kCentred, &kHalves,
        &kSomeAlong, &kAddedUp, &kAddedUpBackwards, &kReadAndOverwritten, &kChangedInPlace}) {
    const ItemBody& body = *each;
    const Gufunc gufunc = of(body);
    for (const DType dtype : {DType::float32, DType::float64, DType::int32, DType::int64, DType::int16}) {
      static_cast<void>(sample.takes_next());  // other sizes for each dtype
      for (const auto& [items, n] : kShapes) {
        if (n < 32 && (dtype == DType::int64 || dtype == DType::int16)) continue;  // each size is a kernel
        if (!sample.takes_next()) continue;
        for (const bool at_end : {false, true}) {
          check(gufunc, body, dtype, items, n, items % 3, at_end, false);
          if (n < 10 || n == 64) check(gufunc, body, dtype, items, n, items % 3, at_end, true);
        }
      }
    }
  }
}

TEST_CASE("gufuncs: items of several core dimensions that wait for the iteration before") {
  on_every_device(
      [](const Target& target) {
        const Gufunc gufunc = kiln::guvectorize(
            {.name = "rows",
             .layout = "(m,n),(n)->(m),()",
             .signatures = {"void(float32[:,:] A, float32[:] b, float32[:] r, int64 count)"},
             .body = "count = 0; for (index i = 0; i < m; ++i) { float32 s = 0; for (index j = 0; j < n; ++j) { s = s > 50 ? "
                     "A(i, j) : s + A(i, j) * b(j); if (s > 40) ++count; } r(i) = s; }"});
        constexpr std::int64_t kItems = 75;
        constexpr std::int64_t kM = 5;
        constexpr std::int64_t kN = 37;
        std::vector<double> a;
        std::vector<double> b;
        for (std::int64_t e = 0; e < kItems * kM * kN; ++e) a.push_back(static_cast<double>(e * 7 % 11));
        for (std::int64_t j = 0; j < kN; ++j) b.push_back(static_cast<double>(j % 4));
        std::vector<double> sums;
        std::vector<double> counts;
        for (std::int64_t k = 0; k < kItems; ++k) {
          double count = 0;
          for (std::int64_t i = 0; i < kM; ++i) {
            double s = 0;
            for (std::int64_t j = 0; j < kN; ++j) {
              const double element = a[static_cast<std::size_t>((k * kM + i) * kN + j)];
              s = s > 50 ? element : s + element * b[static_cast<std::size_t>(j)];
              if (s > 40) ++count;
            }
            sums.push_back(s);
          }
          counts.push_back(count);
        }
        const auto results = gufunc.outputs<2>({target.place(make(DType::float32, exact(a), kiln::Shape{kItems, kM, kN})),
                                                target.place(make(DType::float32, exact(b), kiln::Shape{kN}))},
                                               {.stream = target.options().stream});
        CHECK(list_of(target.fetch(results[0])) == sums);
        CHECK(list_of(target.fetch(results[1])) == counts);
      },
      {Mode::device});
}

TEST_CASE("gufuncs: a core that only some items read is in place for those") {
  if (!kiln::Device::best().is_cpu()) return;
  constexpr std::int64_t kN = 40;
  for (const DType dtype : {DType::float32, DType::float64, DType::int32}) {
    const Gufunc gufunc = kiln::guvectorize(
        {.name = "some",
         .layout = "(n),(n),()->()",
         .signatures = {"void(T[:] x, T[:] w, T k, T r)"},
         .body = "T s = 0; if (k > 0) s = w(0) + w(1); for (index i = 0; i < n; ++i) s = s > 9 ? s - x(i) : s; r = s;"});
    for (const std::int64_t items : {16, 33, 50, 100}) {
      std::vector<double> w;
      std::vector<double> k;
      std::vector<double> expected;
      for (std::int64_t e = 0; e < items * kN; ++e) w.push_back(static_cast<double>(e % 997));
      for (std::int64_t item = 0; item < items; ++item) {
        k.push_back(static_cast<double>(item * item % 3));
        const auto at = static_cast<std::size_t>(item * kN);
        double s = k.back() > 0 ? w[at] + w[at + 1] : 0;
        for (std::int64_t i = 0; i < kN; ++i) s = s > 9 ? s - 1 : s;
        expected.push_back(s);
      }
      const Array ones = Array::full({items, kN}, 1).astype(dtype);
      const Array result =
          gufunc({ones, make(dtype, exact(w), kiln::Shape{items, kN}), make(dtype, exact(k), kiln::Shape{items})});
      CHECK(list_of(result) == expected);
    }
  }
}

TEST_CASE("gufuncs: bodies that access few elements of long cores") {
  constexpr std::int64_t kN = 1000;
  on_every_device(
      [](const Target& target) {
        for (const DType dtype : {DType::float32, DType::float64}) {
          const Gufunc gufunc = kiln::guvectorize(
              {.name = "few",
               .layout = "(n),()->(),(),(n)",
               .signatures = {"void(T[:] x, int32 k, T r, T s, T[:] y)"},
               .body = "r = x(k); s = 0; for (index i = 0; i < 12; ++i) s += x(k + i) * x(i); y(k) = r; y(n - 1) = k;"});
          for (const std::int64_t items : {1, 15, 70}) {
            CAPTURE(items);
            Elements x, k, r, s, y;
            for (std::int64_t e = 0; e < items * kN; ++e) x.push_back(static_cast<double>(e * 7 % 31));
            for (std::int64_t item = 0; item < items; ++item) {
              k.push_back(static_cast<double>(item * 13 % 900));
              const auto at = static_cast<std::size_t>(item * kN), from = at + static_cast<std::size_t>(k.back());
              r.push_back(x[from]);
              s.push_back(0);
              for (std::size_t i = 0; i < 12; ++i) s.back() += x[from + i] * x[at + i];
              y.resize(at + kN, -1);
              y[from] = r.back();
              y.back() = k.back();
            }
            const Array out = target.place(Array::full({items, kN}, -1).astype(dtype));
            const auto results = gufunc.outputs<3>({target.place(make(dtype, exact(x), kiln::Shape{items, kN})),
                                                    target.place(make(DType::int32, exact(k), kiln::Shape{items}))},
                                                   {.out = {Array(), Array(), out}, .stream = target.options().stream});
            CHECK(list_of(target.fetch(results[0])) == r);
            CHECK(list_of(target.fetch(results[1])) == s);
            CHECK(list_of(target.fetch(out)) == y);
          }
        }
      },
      {Mode::device});
}
