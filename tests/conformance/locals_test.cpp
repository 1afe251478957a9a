// A body's local variables, an array that it indexes by a value or a struct, belong to one element alone, however many elements
// the kernel computes at once.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "devices.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/kernel.hpp"
#include "reductions.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Shape;

namespace {

const kiln::Slice kThird{.start = 0, .stop = 1000, .step = 3};

constexpr const char* kMix = R"(T w[16];
for (int i = 0; i < 16; ++i) w[i] = x * T(i);
for (int i = 0; i < k; ++i) w[(i * 5) & 15] += w[(i * 3) & 15];
return w[k & 15];)";
template <class T>
T mix(T x, int k) {
  T w[16];
  for (int i = 0; i < 16; ++i) w[i] = static_cast<T>(x * static_cast<T>(i));
  for (int i = 0; i < k; ++i) w[(i * 5) & 15] = static_cast<T>(w[(i * 5) & 15] + w[(i * 3) & 15]);
  return w[k & 15];
}

// Without an inner loop, so that the loop over elements becomes one over vectors.
constexpr const char* kPick = "T w[4] = {x, 2 * x, 3 * x, 4 * x};\nw[k & 1] += 1;\nreturn w[k & 3];";
template <class T>
T pick(T x, int k) {
  T w[4] = {x, static_cast<T>(2 * x), static_cast<T>(3 * x), static_cast<T>(4 * x)};
  w[k & 1] += 1;
  return w[k & 3];
}

std::vector<std::int32_t> numbers(std::int64_t size, std::int32_t below, std::uint32_t state = 1) {
  std::vector<std::int32_t> list(static_cast<std::size_t>(size));
  for (std::int32_t& x : list) {
    state = state * 1103515245U + 12345U;
    x = static_cast<std::int32_t>((state >> 16) % static_cast<std::uint32_t>(below));
  }
  return list;
}

template <class T>
void check(const Target& target, DType dtype, const char* body, T (*expected)(T, int)) {
  const kiln::Ufunc ufunc =
      kiln::vectorize({.name = "own", .signatures = {"T(T x, int32 k) where T: float32, float64, int32, int64"}, .body = body});
  CAPTURE(kiln::name(dtype));
  CAPTURE(std::string(body));
  const std::vector<std::int32_t> x = numbers(1001, 8, 1);
  const std::vector<std::int32_t> k = numbers(1001, 11, 2);
  const Array a = target.place(Array::from(x).astype(dtype));
  const Array b = target.place(Array::from(k));
  const std::vector<T> result = target.fetch(target.call(ufunc, {a, b})).to_vector<T>();
  const std::vector<T> strided = target.fetch(target.call(ufunc, {a[{kThird}], b[{kThird}]})).to_vector<T>();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const T want = expected(static_cast<T>(x[i]), k[i]);
    wrong += result[i] == want ? 0U : 1U;
    if (i % 3 == 0 && i < 1000) wrong += strided[i / 3] == want ? 0U : 1U;
  }
  CHECK(wrong == 0);
}
template <class T>
void check_both(const Target& target, DType dtype) {
  check<T>(target, dtype, kMix, mix<T>);
  check<T>(target, dtype, kPick, pick<T>);
}

/// The larger, by way of an array.
const kiln::Ufunc& larger() {
  static const kiln::Ufunc ufunc = kiln::vectorize({.name = "larger",
                                                    .signatures = {"T(T a, T b)"},
                                                    .body = "T w[4] = {a, b, b, a};\nw[2] = w[a < b];\nreturn w[2 - (a == b)];",
                                                    .reorderable = true});
  return ufunc;
}

}  // namespace

TEST_CASE("locals: an array that a ufunc's body indexes by a value") {
  on_every_device([](const Target& target) {
    check_both<float>(target, DType::float32);
    check_both<double>(target, DType::float64);
    check_both<std::int32_t>(target, DType::int32);
    check_both<std::int64_t>(target, DType::int64);
  });
}

TEST_CASE("locals: a struct that a ufunc's body chooses among two") {
  static const kiln::Ufunc ufunc = kiln::vectorize(
      {.name = "chosen",
       .signatures = {"float32(float32 x, int32 k)"},
       .body =
           "P p{x, 2 * x, 1}, q{3 * x, x, 2};\nP& r = k > 5 ? p : q;\nr.z += k;\nreturn p.x - p.y + p.z - q.x + q.y + 4 * q.z;",
       .compile = {.functions = "struct P { float x, y, z; };"}});
  on_every_device([](const Target& target) {
    const std::vector<std::int32_t> x = numbers(1001, 50, 3);
    const std::vector<std::int32_t> k = numbers(1001, 11, 4);
    const std::vector<float> result =
        target.fetch(target.call(ufunc, {target.place(Array::from(x).astype(DType::float32)), target.place(Array::from(k))}))
            .to_vector<float>();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const int expected = -3 * x[i] + 9 + (k[i] > 5 ? k[i] : 4 * k[i]);
      wrong += result[i] == static_cast<float>(expected) ? 0U : 1U;
    }
    CHECK(wrong == 0);
  });
}

TEST_CASE("locals: nodes that point to one another") {
  static const kiln::Ufunc ufunc = kiln::vectorize(
      {.name = "ring",
       .signatures = {"int32(int32 x, int32 k)"},
       .body = "Node n[4] = {{x, nullptr}, {2 * x, nullptr}, {3 * x, nullptr}, {4 * x, nullptr}};\n"
               "for (int i = 0; i < 4; ++i) n[i].next = &n[(i + k) & 3];\n"
               "Node* p = n[k & 3].next;\nfor (int i = 0; i < k; ++i) { p->v += 1; p = p->next; }\nreturn p->v;",
       .compile = {.functions = "struct Node { int32 v; Node* next; };"}});
  on_every_device([](const Target& target) {
    const std::vector<std::int32_t> x = numbers(1001, 50, 3);
    const std::vector<std::int32_t> k = numbers(1001, 11, 4);
    const std::vector<std::int32_t> result =
        target.fetch(target.call(ufunc, {target.place(Array::from(x)), target.place(Array::from(k))}))
            .to_vector<std::int32_t>();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      int v[4] = {x[i], 2 * x[i], 3 * x[i], 4 * x[i]};
      int p = (k[i] + k[i]) & 3;
      for (int step = 0; step < k[i]; ++step) {
        v[p] += 1;
        p = (p + k[i]) & 3;
      }
      wrong += result[i] == v[p] ? 0U : 1U;
    }
    CHECK(wrong == 0);
  });
}

TEST_CASE("locals: methods of a ufunc") {
  on_every_device([](const Target& target) {
    for (const DType dtype : {DType::int32, DType::float64}) {
      CAPTURE(kiln::name(dtype));
      for (const std::int64_t rows : {1, 3, 40}) {
        const std::int64_t columns = 700;
        const std::vector<std::int32_t> x = numbers(rows * columns, 100'000, static_cast<std::uint32_t>(rows));
        const Array a = target.place(Array::from(x).reshape({rows, columns}).astype(dtype));
        std::vector<std::int32_t> across(static_cast<std::size_t>(columns));
        std::vector<std::int32_t> along;
        std::vector<std::int32_t> running(x);
        for (std::int64_t r = 0; r < rows; ++r) {
          const auto begin = static_cast<std::size_t>(r * columns);
          for (std::size_t c = 0; c < across.size(); ++c) {
            across[c] = std::max(across[c], x[begin + c]);
            if (c > 0) running[begin + c] = std::max(running[begin + c], running[begin + c - 1]);
          }
          along.push_back(running[begin + across.size() - 1]);
        }
        const kiln::Stream stream = target.options().stream;
        const auto plain = [&](const Array& result) {
          return target.fetch(result).astype(DType::int32).to_vector<std::int32_t>();
        };
        CHECK(plain(larger().reduce(a, {.axis = 0, .stream = stream})) == across);
        CHECK(plain(larger().reduce(a, {.axis = 1, .stream = stream})) == along);
        CHECK(plain(larger().accumulate(a, {.axis = 1, .stream = stream})) == running);
      }
    }
  });
}

TEST_CASE("locals: accumulators of structs, under masks, of every length") {
  static const kiln::Reduction mixed = kiln::reduction({.name = "mixed",
                                                        .signatures = {"int64(int32 x, int32 k)"},
                                                        .map = "int64 w[8];\nfor (int j = 0; j < 8; ++j) w[j] = x * (j + 1);\n"
                                                               "w[k & 3] += w[(k + 5) & 7];\nreturn w[(k >> 1) & 7];",
                                                        .reduce = "return a + b;",
                                                        .identity = "0"});
  on_every_device(
      [](const Target& target) {
        for (const std::int64_t size : {1, 5, 16, 20, 127, 128, 130, 143, 144, 300, 1024, 1030, 3000}) {
          CAPTURE(size);
          const std::vector<std::int32_t> x = numbers(size, 50, static_cast<std::uint32_t>(size));
          const std::vector<std::int32_t> k = numbers(size, 16, static_cast<std::uint32_t>(size) + 7);
          std::vector<std::uint8_t> counts;
          std::int64_t sum = 0;
          std::int64_t sum_counted = 0;
          std::int64_t best = -1;
          std::int64_t best_counted = -1;
          for (std::size_t i = 0; i < x.size(); ++i) {
            counts.push_back(k[i] % 4 != 0);
            std::int64_t w[8];
            for (int j = 0; j < 8; ++j) w[j] = std::int64_t{x[i]} * (j + 1);
            w[k[i] & 3] += w[(k[i] + 5) & 7];
            const std::int64_t value = w[(k[i] >> 1) & 7];
            const auto at = static_cast<std::int64_t>(i);
            sum += value;
            if (best < 0 || x[i] > x[static_cast<std::size_t>(best)]) best = at;
            if (counts.back() == 0) continue;
            sum_counted += value;
            if (best_counted < 0 || x[i] > x[static_cast<std::size_t>(best_counted)]) best_counted = at;
          }
          const Array a = target.place(Array::from(x));
          const Array b = target.place(Array::from(k));
          const Array mask = target.place(Array::from(counts).astype(DType::bool_));
          const auto one = [&](const Array& result) { return target.fetch(result).to_vector<std::int64_t>().at(0); };
          CHECK(one(mixed({a, b}, reduction_on(target))) == sum);
          CHECK(one(mixed({a, b}, reduction_on(target, {.where = mask}))) == sum_counted);
          CHECK(one(argmax({a}, reduction_on(target))) == best);
          CHECK(one(argmax({a}, reduction_on(target, {.where = mask}))) == best_counted);
        }
      },
      {Mode::device});
}

TEST_CASE("locals: items of a generalized ufunc") {
  static const kiln::Gufunc ranks =
      kiln::guvectorize({.name = "ranks",
                         .layout = "(n)->(n)",
                         .signatures = {"void(T[:] x, T[:] y) where T: float32, int32"},
                         .body = "T h[8] = {};\nfor (index i = 0; i < n; ++i) h[int(x(i)) & 7] += T(1);\n"
                                 "for (index i = 0; i < n; ++i) y(i) = h[int(x(i)) & 7];"});
  on_every_device([](const Target& target) {
    for (const DType dtype : {DType::float32, DType::int32}) {
      for (const std::int64_t n : {5, 8, 40}) {
        CAPTURE(kiln::name(dtype));
        CAPTURE(n);
        const std::int64_t items = 333;
        const std::vector<std::int32_t> x = numbers(items * n, 8, 5);
        std::vector<std::int32_t> expected;
        for (std::int64_t item = 0; item < items; ++item) {
          const auto row = std::span(x).subspan(static_cast<std::size_t>(item * n), static_cast<std::size_t>(n));
          for (const std::int32_t value : row)
            expected.push_back(static_cast<std::int32_t>(std::count(row.begin(), row.end(), value)));
        }
        const Array a = target.place(Array::from(x).reshape({items, n}).astype(dtype));
        const Array result = ranks({a}, {.stream = target.options().stream});
        CHECK(target.fetch(result).astype(DType::int32).to_vector<std::int32_t>() == expected);
      }
    }
  });
}

TEST_CASE("locals: items of a raw kernel") {
  static const kiln::RawKernel kernel =
      kiln::kernel({.name = "mix_items",
                    .signature = "void(const int32[:] x, const int32[:] k, int32[:] y)",
                    .body = "using T = int32;\nint32 w[16];\n"
                            "for (int i = 0; i < 16; ++i) w[i] = x[item] * i;\n"
                            "for (int i = 0; i < k[item]; ++i) w[(i * 5) & 15] += w[(i * 3) & 15];\n"
                            "y[item] = w[k[item] & 15];"});
  on_every_device([](const Target& target) {
    const std::vector<std::int32_t> x = numbers(1001, 8, 1);
    const std::vector<std::int32_t> k = numbers(1001, 11, 2);
    const Array y = target.place(Array::zeros({1001}, DType::int32));
    kernel({.size = 1001, .stream = target.options().stream}, target.place(Array::from(x)), target.place(Array::from(k)), y);
    const std::vector<std::int32_t> result = target.fetch(y).to_vector<std::int32_t>();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < x.size(); ++i) wrong += result[i] == mix(x[i], k[i]) ? 0U : 1U;
    CHECK(wrong == 0);
  });
}
