// Generalized ufuncs: what bodies see of their operands, casts, layouts in memory, masks, overlaps, and errors. Values come
// from loops over the elements; golden/gufuncs.txt has NumPy's.
#include <algorithm>
#include <cmath>

#include "devices.hpp"
#include "kiln/error.hpp"
#include "kiln/gufunc.hpp"
#include "values.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Gufunc;
using kiln::Shape;
using kiln::ShapeError;
using kiln::SignatureError;
using kiln::Slice;
using kiln::TypeError;

namespace {

const Gufunc& matmul() {
  static const Gufunc gufunc =
      kiln::guvectorize({.name = "matmul",
                         .layout = "(m,n),(n,p)->(m,p)",
                         .signatures = {"void(float32[:,:] A, float32[:,:] B, float32[:,:] C)"},
                         .each = "i:m, j:p",
                         .body = "float32 acc = 0; for (index k = 0; k < n; ++k) acc += A(i, k) * B(k, j); C(i, j) = acc;"});
  return gufunc;
}
const Gufunc& matmul_by_item() {
  static const Gufunc gufunc = kiln::guvectorize({.name = "matmul",
                                                  .layout = "(m,n),(n,p)->(m,p)",
                                                  .signatures = {"void(T[:,:] A, T[:,:] B, T[:,:] C)"},
                                                  .body = R"(for (index i = 0; i < m; ++i)
                                      for (index j = 0; j < p; ++j) {
                                        T acc = 0;
                                        for (index k = 0; k < n; ++k) acc += A(i, k) * B(k, j);
                                        C(i, j) = acc;
                                      })"});
  return gufunc;
}
const Gufunc& running_sum() {
  static const Gufunc gufunc =
      kiln::guvectorize({.name = "running_sum",
                         .layout = "(n)->(n)",
                         .signatures = {"void(T[:] x, T[:] y)"},
                         .body = "T sum = 0; for (index i = 0; i < n; ++i) { sum += x(i); y(i) = sum; }"});
  return gufunc;
}

Array run(const Target& target, const Gufunc& gufunc, std::vector<Array> arrays, kiln::GufuncOptions options = {}) {
  const kiln::CallOptions with_stream = target.options();
  options.stream = with_stream.stream;
  for (Array& array : arrays) array = target.place(array);
  const std::vector<kiln::Arg> args(arrays.begin(), arrays.end());
  return target.fetch(gufunc(std::span(args), options));
}

/// Whole numbers, so that sums are exact in any order.
Array counting(const Shape& shape, DType dtype = DType::float32, std::int64_t first = -3) {
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) size *= extent;
  std::vector<double> values;
  for (std::int64_t i = 0; i < size; ++i) values.push_back(static_cast<double>((first + i * 7) % 11));
  return Array::from(std::span<const double>(values), shape).astype(dtype);
}

/// The product of items, from flat lists in C order.
std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b, std::size_t items, std::size_t m,
                            std::size_t n, std::size_t p) {
  std::vector<double> c(items * m * p, 0);
  for (std::size_t x = 0; x < items; ++x)
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t j = 0; j < p; ++j) c[(x * m + i) * p + j] += a[(x * m + i) * n + k] * b[(x * n + k) * p + j];
  return c;
}

}  // namespace

TEST_CASE("gufuncs: an operand may be called assert") {
  const kiln::Gufunc doubled = kiln::guvectorize({.layout = "(n)->(n)",
                                                  .signatures = {"void(float32[:] assert, float32[:] print)"},
                                                  .body = "for (index i = 0; i < n; ++i) print(i) = 2 * assert(i);"});
  on_every_device([&](const Target& target) {
    const Array ones = target.place(Array::full({3, 5}, 1.0F));
    CHECK(target.fetch(doubled({ones}, {.stream = target.options().stream})).to_vector<float>() ==
          std::vector<float>(15, 2.0F));
  });
}

TEST_CASE("gufuncs: matrix products of every size, by item and by element") {
  on_every_device([&](const Target& target) {
    for (const auto& [items, m, n, p] :
         {std::array{1, 1, 1, 1}, {3, 2, 3, 4}, {5, 8, 8, 8}, {2, 33, 5, 70}, {1, 65, 40, 129}, {2, 3, 0, 2}, {70, 4, 4, 4}}) {
      const Array a = counting({items, m, n});
      const Array b = counting({items, n, p}, DType::float32, 2);
      const auto size = [](int x) { return static_cast<std::size_t>(x); };
      const std::vector<double> want = product(list_of(a), list_of(b), size(items), size(m), size(n), size(p));
      CHECK(list_of(run(target, matmul(), {a, b})) == want);
      CHECK(list_of(run(target, matmul_by_item(), {a, b})) == want);
    }
  });
}

TEST_CASE("gufuncs: operands that lie in other ways give the same") {
  on_every_device([&](const Target& target) {
    const Array a = counting({6, 5, 4});
    const Array b = counting({6, 4, 7}, DType::float32, 1);
    const std::vector<double> want = list_of(run(target, matmul(), {a, b}));
    for (const Gufunc* gufunc : {&matmul(), &matmul_by_item()}) {
      // Columns side by side, every second element, backwards, axes in another order.
      const Array columns = b.copy(kiln::Order::fortran);
      Array spread = Array::zeros({6, 10, 8}, DType::float32);
      Array view = spread[{kiln::all, Slice{.step = 2}, Slice{.start = 6, .stop = {}, .step = -2}}];
      CHECK(view.shape() == Shape{6, 5, 4});
      for (int i = 0; i < 6 * 5 * 4; ++i) {
        char* at = static_cast<char*>(view.data());
        at += i / 20 * view.strides()[0] + i / 4 % 5 * view.strides()[1] + i % 4 * view.strides()[2];
        *reinterpret_cast<float*>(at) = a.as<float>()[i];
      }
      CHECK(list_of(run(target, *gufunc, {view, columns})) == want);
      const Array moved = a.transpose({1, 2, 0}).copy().transpose({2, 0, 1});
      CHECK(list_of(run(target, *gufunc, {moved, b})) == want);
      CHECK(list_of(run(target, *gufunc, {a.transpose({1, 2, 0}), b}, {.axes = {{0, 1}, {1, 2}, {1, 2}}})) == want);
      // One matrix for all items.
      const Array one = counting({5, 4});
      const std::vector<double> shared = list_of(run(target, *gufunc, {one, b}));
      const std::vector<double> repeated = list_of(run(target, *gufunc, {one.broadcast_to({6, 5, 4}).copy(), b}));
      CHECK(shared == repeated);
    }
  });
}

TEST_CASE("gufuncs: loops of many dimensions, broadcast from both sides") {
  on_every_device([&](const Target& target) {
    const Array a = counting({3, 1, 2, 1, 2, 5});
    const Array b = counting({4, 1, 3, 1, 5}, DType::float32, 1);
    static const Gufunc dot = kiln::guvectorize({.name = "dot",
                                                 .layout = "(n),(n)->()",
                                                 .signatures = {"void(T[:] a, T[:] b, T r)"},
                                                 .body = "T s = 0; for (index i = 0; i < n; ++i) s += a(i) * b[i]; r = s;"});
    const Array got = run(target, dot, {a, b});
    CHECK(got.shape() == Shape{3, 4, 2, 3, 2});
    const std::vector<double> x = list_of(a.broadcast_to({3, 4, 2, 3, 2, 5}).copy());
    const std::vector<double> y = list_of(b.broadcast_to({3, 4, 2, 3, 2, 5}).copy());
    std::vector<double> want(x.size() / 5, 0);
    for (std::size_t i = 0; i < x.size(); ++i) want[i / 5] += x[i] * y[i];
    CHECK(list_of(got) == want);
    // More dimensions than a kernel takes, none of which merge.
    Shape ten(10, 2);
    ten.push_back(5);
    const Array deep = counting(ten).transpose({9, 7, 5, 3, 1, 8, 6, 4, 2, 0, 10});
    const std::vector<double> flat = list_of(deep.copy());
    std::vector<double> squares(flat.size() / 5, 0);
    for (std::size_t i = 0; i < flat.size(); ++i) squares[i / 5] += flat[i] * flat[i];
    CHECK(list_of(run(target, dot, {deep, deep.copy()})) == squares);
  });
}

TEST_CASE("gufuncs: operands are converted where they are read and written") {
  on_every_device([&](const Target& target) {
    const Array small = counting({4, 6}, DType::int16);
    const std::vector<double> sums = list_of(run(target, running_sum(), {small.astype(DType::float64)}));
    const Array out = target.place(Array::zeros({4, 6}, DType::float64));
    const Array got = run(target, running_sum(), {small}, {.out = out});
    CHECK(list_of(target.fetch(out)) == sums);
    CHECK(list_of(got) == sums);
    // Halves are computed in single precision, bools are stored as bytes.
    const Array half = run(target, running_sum(), {counting({3, 5}, DType::float16)});
    CHECK(half.dtype() == DType::float16);
    CHECK(list_of(half) == list_of(run(target, running_sum(), {counting({3, 5})})));
    static const Gufunc any = kiln::guvectorize(
        {.name = "any", .layout = "(n)->()", .signatures = {"void(bool[:] x, bool r)"}, .body = "for (auto& v : x) r |= v;"});
    CHECK(list_of(run(target, any, {Array::from<bool>({false, false, true, false}, Shape{2, 2})})) ==
          std::vector<double>{0, 1});
    CHECK(list_of(run(target, any, {counting({2, 2}, DType::uint8)},
                      {.casting = kiln::Casting::unsafe, .dtype = DType::bool_})) == std::vector<double>{1, 1});
    // An output of another dtype, element by element, with every kind of assignment.
    static const Gufunc marks = kiln::guvectorize({.name = "marks",
                                                   .layout = "(n)->(n)",
                                                   .signatures = {"void(int32[:] x, int32[:] y)"},
                                                   .body = R"(for (index i = 0; i < n; ++i) {
                                                                y(i) = x(i);
                                                                y(i) += 2;
                                                                y(i) *= 3;
                                                                ++y(i);
                                                              }
                                                              for (auto& v : y) v -= 1;)"});
    const Array wide = target.place(Array::zeros({5}, DType::float64));
    run(target, marks, {Array::from<std::int32_t>({0, 1, 2, 3, 4})}, {.out = wide});
    CHECK(list_of(target.fetch(wide)) == std::vector<double>{6, 9, 12, 15, 18});
  });
}

TEST_CASE("gufuncs: what a view offers") {
  on_every_device([&](const Target& target) {
    static const Gufunc gufunc =
        kiln::guvectorize({.name = "shapes",
                           .layout = "(m,n),(n)->(8),(m)",
                           .signatures = {"void(float64[:,:] A, float64[:] x, float64[:] f, float64[:] s)"},
                           .body = R"(
      f(0) = A.shape(0);
      f(1) = A.shape(1);
      f(2) = A.size();
      f(3) = x.size();
      f(4) = A.row(1)(2);
      f(5) = A[1][0];
      f(6) = x.contiguous() ? x.data()[1] : -1;
      f(7) = 0;
      for (auto& row : A) for (auto v : row) f(7) += v;
      index i = 0;
      for (auto& value : s) { value = A.row(i).size() + x[i]; ++i; })"});
    const Array a = target.place(counting({2, 3}, DType::float64));
    const Array x = target.place(counting({3}, DType::float64));
    const std::vector<double> va = list_of(counting({2, 3}, DType::float64));
    const std::vector<double> vx = list_of(counting({3}, DType::float64));
    const kiln::CallOptions with_stream = target.options();
    const auto [f, s] = gufunc.outputs<2>({a, x}, {.stream = with_stream.stream});
    double total = 0;
    for (const double v : va) total += v;
    CHECK(list_of(target.fetch(f)) == std::vector<double>{2, 3, 6, 3, va[5], va[3], vx[1], total});
    CHECK(list_of(target.fetch(s)) == std::vector<double>{3 + vx[0], 3 + vx[1]});
  });
}

TEST_CASE("gufuncs: an output that is stored otherwise is read back as it is at that moment") {
  // Its elements are converted on the way: float16, and a float32 loop that writes float64.
  static const Gufunc turned = kiln::guvectorize("(n)->(n)", "void(T[:] x, T[:] y)", R"(
      for (index i = 0; i < n; ++i) y(i) = x(i);
      for (index i = 0; i < n / 2; ++i) { float32 t = y(i); y(i) = y(n - 1 - i); y(n - 1 - i) = t; }
      for (auto& e : y) { e = e * 2; e += 1; }
      for (const auto& e : y) y(0) += e - y(n - 1);)");
  static const Gufunc named =
      kiln::guvectorize("(n)->(n)", "void(T[:] x, T[:] y)", "y(0) = x(0); auto t = y(0); y(0) = x(1); y(1) = t;");
  const Array numbers = Array::empty({4}, DType::float32);
  for (int i = 0; i < 4; ++i) numbers.as<float>()[i] = static_cast<float>(i);
  on_every_device([&](const Target& target) {
    for (const DType dtype : {DType::float16, DType::float32}) {
      CAPTURE(kiln::name(dtype));
      const Array x = numbers.astype(dtype);  // 0 1 2 3, turned: 7 5 3 1; the first takes 6 4 2 0 of the others in turn
      Array out = target.place(Array::zeros({4}, DType::float64));
      const Array fresh = run(target, turned, {x});
      run(target, turned, {x}, {.out = out, .casting = kiln::Casting::same_kind});
      for (const Array& y : {fresh.astype(DType::float64), target.fetch(out)}) {
        const std::vector<double> got(y.as<double>(), y.as<double>() + 4);
        CHECK(got == std::vector<double>{7 + 6 + 4 + 2 + 0, 5, 3, 1});
      }
      // Where the body's name would be the element itself, it is an error and no wrong result.
      CHECK_THROWS_AS(run(target, named, {x}, {.out = out, .casting = kiln::Casting::same_kind}), kiln::CompileError);
    }
    CHECK_THROWS_AS(run(target, named, {numbers.astype(DType::float16)}), kiln::CompileError);
    const Array plain = run(target, named, {numbers});
    CHECK(plain.as<float>()[1] == 0);
  });
}

TEST_CASE("gufuncs: scalars, as Numba writes them") {
  on_every_device([&](const Target& target) {
    static const Gufunc scaled =
        kiln::guvectorize({.name = "scaled",
                           .layout = "(n),()->(n),()",
                           .signatures = {"void(float32[:] x, float32 w, float32[:] y, float32[:] last)"},
                           .body = R"(for (index i = 0; i < n; ++i) y[i] = x[i] * w;
                                                               last[0] = y[n - 1];)"});
    const Array x = target.place(counting({2, 3}));
    const kiln::CallOptions with_stream = target.options();
    const auto [y, last] = scaled.outputs<2>({x, 2}, {.stream = with_stream.stream});
    std::vector<double> want = list_of(counting({2, 3}));
    for (double& v : want) v *= 2;
    CHECK(list_of(target.fetch(y)) == want);
    CHECK(list_of(target.fetch(last)) == std::vector<double>{want[2], want[5]});
    const auto per_item = scaled.outputs<2>({x, target.place(Array::from<float>({1, 10}))}, {.stream = with_stream.stream});
    CHECK(target.fetch(per_item[0]).to_vector<float>()[4] == 10 * counting({2, 3}).to_vector<float>()[4]);
    CHECK(message_of<TypeError>([&] { scaled.outputs<2>({x}); }) ==
          "scaled takes 2 arguments, 1 given; its layout is (n),()->(n),()");
  });
}

TEST_CASE("gufuncs: a scalar input may be a view of one element, as Numba writes it") {
  static const Gufunc scaled = kiln::guvectorize("(n),()->(n)", "void(T[:] x, T[:] w, T[:] y)",
                                                 "for (index i = 0; i < x.shape(0); ++i) y(i) = x(i) * w[0] + (w.size() - 1);");
  static const Gufunc alone = kiln::guvectorize("(),()->()", "void(T[:] a, T[:] b, T[:] r)", "r[0] = a(0) - *b.data();");
  static const Gufunc spread = kiln::guvectorize({.layout = "(n),()->(n)",
                                                  .signatures = {"void(float32[:] x, float32[:] w, float32[:] y)"},
                                                  .each = "i:n",
                                                  .body = "y(i) = x(i) + w(0);"});
  on_every_device([&](const Target& target) {
    const kiln::GufuncOptions options{.stream = target.options().stream};
    for (const std::int64_t items : {1, 5, 70}) {
      INFO(items << " items");
      const Array x = counting({items, 3});
      const Array w = counting({items, 2}, DType::float32, 5)[{kiln::all, 1}];
      std::vector<double> by_number;
      std::vector<double> by_item;
      for (std::int64_t k = 0; k < 3 * items; ++k) {
        const double value = list_of(x)[static_cast<std::size_t>(k)];
        by_number.push_back(value * 2);
        by_item.push_back(value * list_of(w)[static_cast<std::size_t>(k / 3)]);
      }
      CHECK(list_of(target.fetch(scaled({target.place(x), 2}, options))) == by_number);
      CHECK(list_of(run(target, scaled, {x, w})) == by_item);
      for (double& value : by_number) value = value / 2 + 7;
      CHECK(list_of(target.fetch(spread({target.place(x), 7}, options))) == by_number);
      std::vector<double> differences;
      for (const double value : list_of(w)) differences.push_back(value - 4);
      CHECK(list_of(target.fetch(alone({target.place(w), 4.0F}, options))) == differences);
    }
    // Stored as another dtype than the loop's.
    CHECK(list_of(run(target, scaled, {counting({2}), Array::full<std::int16_t>({}, 3)})) == std::vector<double>{-9, 12});
  });
}

TEST_CASE("gufuncs: an extent of 1 broadcasts along a core dimension where its operand has the mark") {
  static const Gufunc sum =
      kiln::guvectorize("(i|1,j|1),(i|1,j)->(i,j)", "void(T[:,:] a, T[:,:] b, T[:,:] r)",
                        "for (index k = 0; k < i; ++k) for (index l = 0; l < j; ++l) r(k, l) = a(k, l) + b(k, l);");
  static const kiln::Ufunc add = kiln::vectorize("T(T a, T b)", "return a + b;");
  on_every_device([&](const Target& target) {
    for (const auto& [a, b] : std::vector<std::pair<Shape, Shape>>{{{2, 1}, {2, 3}},
                                                                   {{1, 1}, {2, 1}},
                                                                   {{2, 3}, {1, 3}},
                                                                   {{1, 1}, {1, 1}},
                                                                   {{40, 1, 1}, {40, 2, 3}},
                                                                   {{7, 1, 3}, {2, 3}}}) {
      INFO("of " << kiln::to_string(a) << " and " << kiln::to_string(b));
      const Array x = counting(a);
      const Array y = counting(b, DType::float32, 2);
      const Array result = run(target, sum, {x, y});
      const Array want = add({x, y});
      CHECK(result.shape() == want.shape());
      CHECK(list_of(result) == list_of(want));
    }
    CHECK(message_of<ShapeError>([&] {
            run(target, sum, {counting({2, 3}), counting({2, 1})});
          }).find("only where the layout has \"j|1\" does 1 broadcast, and input 1 (b) has it not") != std::string::npos);
  });
}

TEST_CASE("gufuncs: a number stands for dimensions that may be left out") {
  const kiln::Gufunc scaled =
      kiln::guvectorize({.layout = "(n?),(m,p)->(m,p)",
                         .signatures = {"void(float32[:] a, float32[:,:] x, float32[:,:] y)"},
                         .body = "for (index i = 0; i < m; ++i) for (index j = 0; j < p; ++j) y(i, j) = a(0) * x(i, j);"});
  on_every_device([&](const Target& target) {
    std::vector<Exact> numbers;
    for (int i = 1; i <= 16; ++i) numbers.emplace_back(i);
    const Array all = target.place(make(DType::float32, numbers, kiln::Shape{4, 4}));
    const Array x = all[{Slice{.step = 2}, Slice{.step = 2}}];
    const Array out = target.place(Array::zeros({2, 4}, DType::float32));
    const kiln::GufuncOptions options{.stream = target.options().stream};
    CHECK(difference(read(target.fetch(scaled({2.0F, x}, options))), {2, 6, 18, 22}) == "");
    scaled({2, x}, {.out = {out[{kiln::all, Slice{.step = 2}}]}, .stream = target.options().stream});
    CHECK(difference(read(target.fetch(out)), {2, 0, 6, 0, 18, 0, 22, 0}) == "");
  });
}

TEST_CASE("gufuncs: a dimension of fixed size is not left out, as the body would leave its arrays") {
  const kiln::Gufunc copy =
      kiln::guvectorize("(3?)->(3?)", "void(float64[:] a, float64[:] r)", "for (index i = 0; i < 3; ++i) r(i) = a(i);");
  const kiln::Gufunc dot = kiln::guvectorize("(3?),(3?)->()", "void(float64[:] a, float64[:] b, float64 r)",
                                             "r = a(0) * b(0) + a(1) * b(1) + a(2) * b(2);");
  on_every_device([&](const Target& target) {
    const Array memory = target.place(Array::full<double>({5}, 7));
    const Array scalar = memory[{2}];
    const Array vector = memory[{Slice{0, 3}}];
    const kiln::GufuncOptions options{.out = scalar, .stream = target.options().stream};
    CHECK_THROWS_AS(copy({scalar}, options), ShapeError);
    CHECK_THROWS_AS(dot({scalar, vector}, options), ShapeError);
    CHECK_THROWS_AS(dot({1.0, vector}, options), ShapeError);
    CHECK(list_of(target.fetch(memory)) == std::vector<double>(5, 7));
    CHECK(list_of(run(target, dot, {vector, vector})) == std::vector<double>{147});
  });
}

TEST_CASE("gufuncs: a mask decides for whole items") {
  on_every_device([&](const Target& target) {
    const Array x = counting({4, 3});
    const std::vector<double> all = list_of(run(target, running_sum(), {x}));
    const Array mask = target.place(Array::from<bool>({true, false, false, true}));
    const std::vector<double> got = list_of(run(target, running_sum(), {x}, {.where = mask}));
    const Array out = target.place(Array::full<float>({4, 3}, 9));
    run(target, running_sum(), {x}, {.out = out, .where = mask});
    const std::vector<double> kept = list_of(target.fetch(out));
    for (std::size_t i = 0; i < 12; ++i) {
      const bool computed = i / 3 == 0 || i / 3 == 3;
      CHECK(got[i] == (computed ? all[i] : 0));
      CHECK(kept[i] == (computed ? all[i] : 9));
    }
    CHECK(message_of<TypeError>([&] { run(target, running_sum(), {x}, {.where = target.place(counting({4}))}); }) ==
          "running_sum: cannot cast .where from float32 to bool; give a bool array, such as the result of a comparison");
  });
}

TEST_CASE("gufuncs: outputs may overlap inputs, which are then read from a copy") {
  on_every_device(
      [&](const Target& target) {
        static const Gufunc reversed = kiln::guvectorize({.name = "reversed",
                                                          .layout = "(n)->(n)",
                                                          .signatures = {"void(T[:] x, T[:] y)"},
                                                          .body = "for (index i = 0; i < n; ++i) y(i) = x(n - 1 - i) + x(0);"});
        const Array memory = counting({40});
        for (const auto& [from, to] : {std::pair{0, 0}, {0, 3}, {5, 1}}) {
          Array copy = target.place(memory.copy());
          const Array x = copy[{Slice{from, from + 24}}].reshape({4, 6});
          const Array y = copy[{Slice{to, to + 24}}].reshape({4, 6});
          const std::vector<double> want = list_of(target.fetch(reversed(target.place(target.fetch(x)))));
          kiln::GufuncOptions options{.out = y, .stream = target.options().stream};
          reversed({x}, options);
          CHECK(list_of(target.fetch(y)) == want);
          CHECK(reversed.resolve({x}, options).copies ==
                std::vector<std::string>{"input 0 (x) overlaps output 0 (y) and is copied first"});
        }
      },
      {Mode::device, Mode::stream});
}

TEST_CASE("gufuncs: wrong calls change nothing") {
  on_every_device([&](const Target& target) {
    const Array out = target.place(Array::full<float>({2, 2}, 7));
    const Array a = target.place(counting({2, 3}));
    const auto fails = [&](const std::string& message, const Array& b, const kiln::GufuncOptions& options) {
      CHECK(message_of<kiln::Error>([&] { matmul()({a, b}, options); }) == message);
      CHECK(list_of(target.fetch(out)) == std::vector<double>(4, 7));
    };
    const Array b = target.place(counting({3, 2}));
    fails("matmul: output 0 (C) is read-only; give a writable array as .out", b, {.out = out.as_read_only()});
    fails("matmul has 1 output, .out names 2 arrays", b, {.out = {out, out}});
    fails(
        "matmul: cannot cast output 0 (C) from float32 to the out array's int32 under casting \"same_kind\" for the loop "
        "void(float32[:,:] A, float32[:,:] B, float32[:,:] C); give one of float32",
        b, {.out = target.place(Array::zeros({2, 2}, DType::int32))});
    CHECK(message_of<TypeError>([&] { matmul().outputs<2>(a, b); }) == "matmul has 1 output, not 2");
    CHECK_THROWS_AS(matmul()(a, a), ShapeError);
  });
}

TEST_CASE("gufuncs: a body may not write what it reads") {
  on_every_device(
      [&](const Target& target) {
        const Array x = target.place(counting({3}));
        for (const char* signature : {"void(float32[:] x, float32[:] y)", "void(float16[:] x, float32[:] y)"}) {
          kiln::GufuncDefinition definition{
              .name = "bad", .layout = "(n)->(n)", .signatures = {signature}, .body = "y(0) = 1;\nx(0) = 2;"};
          const auto message = [&] {
            const Gufunc bad = kiln::guvectorize(definition);
            return message_of<kiln::CompileError>(
                [&] { bad({x}, {.casting = kiln::Casting::unsafe, .dtype = DType::float32}); });
          };
          CHECK(message().find(
                    "bad:2:1: error: x is an input and cannot be written; write to an output, or to a copy: auto copy = "
                    "x(i)\n  x(0) = 2;\n  ^") == 0);
          definition.compile.defines = {"STORE=x(0) = 2"};
          definition.body = "y(0) = 1;\nSTORE;";
          CHECK(message().find("bad:2:") == 0);
        }
      },
      {Mode::device});
}

TEST_CASE("gufuncs: definitions that cannot be") {
  const auto message = [](kiln::GufuncDefinition definition) {
    if (definition.layout.empty()) definition.layout = "(m,n)->(m)";
    if (definition.signatures.empty()) definition.signatures = {"void(float32[:,:] A, float32[:] y)"};
    if (definition.body.empty()) definition.body = "y(0) = A(0, 0);";
    definition.name = "bad";
    return message_of<SignatureError>([&] { static_cast<void>(kiln::guvectorize(definition)); });
  };
  CHECK(message({.each = "i:k"}).find("\"k\" is no core dimension of the layout (m,n)->(m)") == 0);
  CHECK(message({.each = "i"}).find("expected ':' between an index and its core dimension, found the end of the text") == 0);
  CHECK(message({.each = "i:m,"}).find("expected the name of an index, as in \"i:m\", found the end of the text") == 0);
  CHECK(message({.each = "i:m, j:m"}).find("the core dimension \"m\" has 2 indices, and no output has it as often") == 0);
  CHECK(message({.layout = "(m)->(m,m)", .signatures = {"void(float32[:] A, float32[:,:] y)"}, .each = "i:m, j:m, k:m"})
            .find("the core dimension \"m\" has 3 indices, and no output has it as often") == 0);
  CHECK(message({.each = "i:m, i:n"}).find("the index \"i\" is named twice") == 0);
  CHECK(message({.each = "for:m"}).find("\"for\" cannot be an index's name: it is a C++ keyword") == 0);
  CHECK(message({.each = "A:m"}).find("bad: the index \"A\" has the name of an operand or a type; rename one") == 0);
  CHECK(message({.each = "n:m"}).find("bad: the index \"n\" has the name of a core dimension; rename one") == 0);
  CHECK(
      message({.signatures = {"void(float32[:,:] m_, float32[:] y)"}, .each = "m_y:m, y:n"}).ends_with("m_y:m, y:n\n       ^"));
  CHECK(message({.each = "NAN:m"}).find("\"NAN\" cannot be an index's name: it is a macro of C's <math.h>") == 0);
  CHECK(message({.each = "i:m;"}).find("expected ',' or the end of .each, found ';'") == 0);
  CHECK(message({.layout = "(m,n)->()", .signatures = {"void(float32[:,:] A, float32 y)"}, .each = "i:m"})
            .find("bad: output 0 (y) is one value, which every index of .each would assign") == 0);
  CHECK(message({.each = "i:m", .group = "block"}).find("bad: .each gives threads an index, .group gives them an item") == 0);
  CHECK(message({.shared = "float32[n]"}).find("bad: .shared is the memory of a team; give .group, or leave .shared out") == 0);
  CHECK(message({.group = "32", .shared = "float32[n], particle[n]"}) ==
        "\"particle\" is no dtype, type variable or \"index\"; share uint8 for others\nfloat32[n], particle[n]\n            ^");
  CHECK(message({.group = "32", .shared = "T[n]"}).find("\"T\" is no dtype, type variable or \"index\"") == 0);
  CHECK(message({.group = "32", .shared = "float32[q]"}).find("\"q\" is no core dimension of (m,n)->(m); it has m, n, lanes") ==
        0);
  CHECK(message({.layout = "(A,n)->(A)"}).find("the name \"A\" is used twice: as a core dimension and as a parameter") == 0);
  CHECK(message({.signatures = {"void(float32[:,:] A, float32[:] y)", "void(float64[:,:] B, float64[:] y)"}})
            .find("bad: names come from the first signature") == 0);
}

TEST_CASE("gufuncs: a loop is named the same however its signature is spaced") {
  for (const char* signature : {"void(T[:] x, T y)", "\n  void(T[:] x, T y)"}) {
    const Gufunc gufunc = kiln::guvectorize("(n)->()", signature, "y = x(0);");
    CHECK(gufunc.resolve({counting({3}, DType::float32)}).loop == "void(float32[:] x, float32 y)");
  }
}

TEST_CASE("gufuncs: resolve says what a call would do") {
  const Array a = counting({5, 2, 40});
  const kiln::GufuncResolution found = matmul().resolve({a, counting({40, 3}, DType::int16)});
  CHECK(found.loop == "void(float32[:,:] A, float32[:,:] B, float32[:,:] C)");
  CHECK(found.shape == Shape{5});
  CHECK(found.outputs == std::vector<Shape>{Shape{5, 2, 3}});
  CHECK(found.sizes == std::vector<std::pair<std::string, std::int64_t>>{{"m", 2}, {"n", 40}, {"p", 3}});
  CHECK(found.casts == std::vector<std::string>{"input 1 (B) from int16 to float32"});
  const Shape shapes[] = {{1000, 1000}, {7, 1000, 10}};
  const kiln::GufuncResolution large = matmul_by_item().resolve(shapes);
  CHECK(large.outputs == std::vector<Shape>{Shape{7, 1000, 10}});
  CHECK(matmul_by_item().resolve(shapes[0], shapes[1]).outputs == large.outputs);
  CHECK(matmul().resolve(a, counting({40, 3})).outputs == found.outputs);
  CHECK(matmul().resolve({a, counting({40, 0})}).outputs == std::vector<Shape>{Shape{5, 2, 0}});
  CHECK(matmul().resolve({a.transpose({0, 2, 1}), counting({2, 3})}).outputs == std::vector<Shape>{Shape{5, 40, 3}});
}

TEST_CASE("gufuncs: many indices give what one gives") {
  // Pairs of points, far enough for every number of lanes and what is left over.
  static const Gufunc distances = kiln::guvectorize({.name = "distances",
                                                     .layout = "(m,d),(p,d)->(m,p)",
                                                     .signatures = {"void(T[:,:] X, T[:,:] Y, T[:,:] D)"},
                                                     .each = "i:m, j:p",
                                                     .body = R"(
      T sum = 0;
      for (index k = 0; k < d; ++k) { const T by = X(i, k) - Y(j, k); sum += by * by; }
      D(i, j) = sqrt(sum);)"});
  // Texts that look as if lanes would do, and do not compile so.
  static const Gufunc positions =
      kiln::guvectorize({.name = "positions",
                         .layout = "(n)->(n)",
                         .signatures = {"void(float32[:] x, float32[:] y)"},
                         .each = "i:n",
                         .body = "float32 at = i; for (index k = 0; k < 2; ++k) at += x(i); y(i) = at;"});
  on_every_device([&](const Target& target) {
    for (const int count : {15, 16, 64, 100, 129}) {
      const Array x = counting({2, 3, 5}, DType::float64);
      const Array y = counting({count, 5}, DType::float64, 4);
      const std::vector<double> vx = list_of(x);
      const std::vector<double> vy = list_of(y);
      std::vector<double> want;
      for (std::size_t row = 0; row < 6; ++row) {
        for (std::size_t j = 0; j < static_cast<std::size_t>(count); ++j) {
          double sum = 0;
          for (std::size_t k = 0; k < 5; ++k) sum += (vx[row * 5 + k] - vy[j * 5 + k]) * (vx[row * 5 + k] - vy[j * 5 + k]);
          want.push_back(std::sqrt(sum));
        }
      }
      CHECK(list_of(run(target, distances, {x, y})) == want);
      // Columns side by side, a cast, a result that is turned around.
      CHECK(list_of(run(target, distances, {x, y.copy(kiln::Order::fortran)})) == want);
      CHECK(list_of(run(target, distances, {x, y.astype(DType::int16)})) == want);
      Array turned = target.place(Array::zeros({2, count, 3}, DType::float64));
      run(target, distances, {x, y}, {.out = turned.transpose({0, 2, 1})});
      CHECK(list_of(target.fetch(turned.transpose({0, 2, 1}))) == want);

      const std::vector<double> values = list_of(counting({count}));
      std::vector<double> sums;
      for (std::size_t i = 0; i < values.size(); ++i) sums.push_back(static_cast<double>(i) + 2 * values[i]);
      CHECK(list_of(run(target, positions, {counting({count})})) == sums);
    }
    const Array large = counting({100, 40});
    const Array right = counting({40, 100}, DType::float32, 1);
    const auto b = list_of(right);
    const std::vector<double> want = product(list_of(large), b, 1, 100, 40, 100);
    CHECK(list_of(run(target, matmul(), {large, right})) == want);
    CHECK(list_of(run(target, matmul(), {large, right.copy(kiln::Order::fortran)})) == want);
  });
}

TEST_CASE("gufuncs: two indices of one dimension") {
  const Gufunc apart = kiln::guvectorize({.name = "apart",
                                          .layout = "(n,d)->(n,n)",
                                          .signatures = {"void(T[:,:] x, T[:,:] y)"},
                                          .each = "i:n, j:n",
                                          .body = "T sum = 0; for (index k = 0; k < d; ++k) sum += (x(i, k) - 2 * x(j, k)) * "
                                                  "(x(i, k) + 1); y(i, j) = sum;"});
  on_every_device([&](const Target& target) {
    for (const std::int64_t n : {1, 3, 20, 70}) {
      CAPTURE(n);
      constexpr std::int64_t kDepth = 3;
      const Array x = counting({2, n, kDepth});
      const std::vector<double> from = list_of(x);
      std::vector<double> expected;
      for (std::int64_t item = 0; item < 2; ++item) {
        const auto at = [&](std::int64_t i, std::int64_t k) {
          return from[static_cast<std::size_t>((item * n + i) * kDepth + k)];
        };
        for (std::int64_t i = 0; i < n; ++i) {
          for (std::int64_t j = 0; j < n; ++j) {
            double sum = 0;
            for (std::int64_t k = 0; k < kDepth; ++k) sum += (at(i, k) - 2 * at(j, k)) * (at(i, k) + 1);
            expected.push_back(sum);
          }
        }
      }
      CHECK(list_of(run(target, apart, {x})) == expected);
      // Rows of the result lie across: the other index moves fastest.
      const Array out = target.place(Array::zeros({n, n, 2}, DType::float32)).transpose({2, 1, 0});
      apart({target.place(x)}, {.out = out, .stream = target.options().stream});
      CHECK(list_of(target.fetch(out)) == expected);
    }
  });
}

TEST_CASE("gufuncs: small cores with three indices") {
  const Gufunc doubled = kiln::guvectorize({.name = "doubled",
                                            .layout = "(a,b,c),()->(a,b,c)",
                                            .signatures = {"void(float32[:,:,:] x, float32 w, float32[:,:,:] y)"},
                                            .each = "i:a, j:b, k:c",
                                            .body = "y(i, j, k) = x(i, j, k) * 2;"});
  on_every_device([&](const Target& target) {
    const Array x = target.place(counting({3000, 2, 2, 2}));
    const Array room = target.place(Array::full({6000, 2, 2, 2}, -1.0F));
    const Array out = room[{Slice{.stop = 3000}}];
    doubled({x, 1.0F}, {.out = out, .stream = target.options().stream});
    const std::vector<double> from = list_of(target.fetch(x));
    const std::vector<double> got = list_of(target.fetch(room));
    bool right = got.size() == 2 * from.size();
    for (std::size_t i = 0; i < got.size(); ++i) right = right && got[i] == (i < from.size() ? 2 * from[i] : -1);
    CHECK(right);
  });
}

TEST_CASE("gufuncs: small cores that do not lie one behind the other") {
  const auto check = [](const Target& target, DType dtype, std::int64_t n) {
    // A definition of its own: few sizes of one become constants.
    const Gufunc mixed = kiln::guvectorize({.name = "mixed",
                                            .layout = "(n),(n),()->(n),()",
                                            .signatures = {"void(T[:] a, T[:] b, T k, T[:] c, T d)"},
                                            .body = "T sum = k; for (index i = 0; i < n; ++i) { sum += a(i) * b(n - 1 - i); "
                                                    "c(i) = sum - b(i); } d = sum;"});
    const auto call = [&](const std::vector<Array>& arrays) {
      std::vector<Array> placed;
      for (const Array& array : arrays) placed.push_back(target.place(array));
      const std::vector<kiln::Arg> args(placed.begin(), placed.end());
      const std::vector<Array> results = mixed.outputs(args, {.stream = target.options().stream});
      return std::pair{list_of(target.fetch(results[0])), list_of(target.fetch(results[1]))};
    };
    for (const std::int64_t items : {2, 37, 200}) {
      const Array packed = counting({items, n}, dtype);
      const Array every_second = counting({2 * items, n}, dtype)[{Slice{.step = 2}}];
      const Array padded = counting({items, n + 1}, dtype, 5)[{kiln::all, Slice{.stop = n}}];
      const Array wide = counting({items, 8}, dtype, -1)[{kiln::all, Slice{.stop = n}}];
      const Array one = counting({n}, dtype, 2);
      const Array k = counting({2 * items}, dtype)[{Slice{.step = 2}}];
      for (const Array& a : {packed, every_second, padded, wide, one, packed[{Slice{.step = -1}}]}) {
        for (const Array& b : {packed, one}) {
          CAPTURE(std::string(kiln::name(dtype)));
          CAPTURE(n);
          CAPTURE(items);
          CAPTURE(a.strides());
          const Shape full{items, n};
          CHECK(call({a, b, k}) == call({a.broadcast_to(full).copy(), b.broadcast_to(full).copy(), k.copy()}));
        }
      }
      // Side by side, the elements of each apart; into such an output, too, of which nothing else is touched.
      const Array across = counting({n, 2 * items}, dtype)[{kiln::all, Slice{.stop = items}}].transpose();
      const Array mirrored = across[{kiln::all, Slice{.step = -1}}];
      for (const Array& a : {across, mirrored, packed}) {
        for (const Array& b : {across, one}) {
          CAPTURE(std::string(kiln::name(dtype)));
          CAPTURE(n);
          CAPTURE(items);
          const auto expected = call({a.copy(), b.broadcast_to({items, n}).copy(), k.copy()});
          CHECK(call({a, b, k}) == expected);
          const Array room = Array::full({n + 2, items + 5}, -7.0).astype(dtype);
          const Array out = room[{Slice{.start = 1, .stop = n + 1}, Slice{.start = 3, .stop = items + 3}}].transpose();
          const Array sums = Array::zeros({items}, dtype);
          mixed.outputs(std::vector<kiln::Arg>{a, b, k}, {.out = {out, sums}, .stream = target.options().stream});
          CHECK(list_of(out.copy()) == expected.first);
          CHECK(list_of(sums) == expected.second);
          const std::vector<double> all = list_of(room);
          CHECK(std::count(all.begin(), all.end(), -7.0) - std::count(expected.first.begin(), expected.first.end(), -7.0) ==
                10 + 5 * n + 2 * items);
        }
      }
    }
  };
  on_every_device(
      [&](const Target& target) {
        for (const std::int64_t n : {1, 2, 3, 4, 7, 8}) check(target, DType::float32, n);
        for (const DType dtype : {DType::float64, DType::int16}) check(target, dtype, 3);
      },
      {Mode::host});
}

TEST_CASE("gufuncs: many items give what one gives, to the last bit") {
  // Sums that differ with every other order, in a chain along the core.
  const auto define = [](std::string layout, std::string signature, std::string body) {
    return kiln::guvectorize(
        {.name = "chain", .layout = std::move(layout), .signatures = {std::move(signature)}, .body = std::move(body)});
  };
  static const Gufunc inner = define("(n),(n)->()", "void(T[:] a, T[:] b, T r)",
                                     "T sum = 0; for (index i = 0; i < n; ++i) sum += a(i) * b(i); r = sum;");
  static const Gufunc decay =
      define("(n),()->(n),()", "void(T[:] x, T weight, T[:] y, T last)",
             "T now = 0; for (index i = 0; i < n; ++i) { now = now * weight + x(i); y(i) = now; } last = now;");
  static const Gufunc inside =
      define("(n)->(n)", "void(T[:] x, T[:] y)", "for (index i = 1; i + 1 < n; ++i) y(i) = y(i - 1) + x(i);");
  on_every_device([&](const Target& target) {
    const auto check = [&]<class T>(T) {
      constexpr DType dtype = std::is_same_v<T, float> ? DType::float32 : DType::float64;
      const auto fractions = [&](const Shape& shape, int seed) {
        const Array array = Array::empty(shape, dtype);
        for (std::int64_t i = 0; i < array.size(); ++i) array.as<T>()[i] = T(1) / static_cast<T>(1 + (i * 7 + seed) % 101);
        return array;
      };
      for (const std::int64_t n : {1, 3, 4, 9, 31, 33, 64, 67, 300}) {
        for (const std::int64_t items : {1, 7, 8, 16, 37, 200}) {
          CAPTURE(n);
          CAPTURE(items);
          const auto size = static_cast<std::size_t>(n);
          const Array a = fractions({items, n}, 1);
          const Array b = fractions({items, n}, 50);
          const Array weight = fractions({items}, 3);
          std::vector<T> sums;
          std::vector<T> decayed;
          std::vector<T> last;
          for (std::int64_t x = 0; x < items; ++x) {
            T sum = 0;
            T now = 0;
            for (std::int64_t i = 0; i < n; ++i) {
              const T product = a.as<T>()[x * n + i] * b.as<T>()[x * n + i];
              sum += product;
              const T scaled = now * weight.as<T>()[x];
              now = scaled + a.as<T>()[x * n + i];
              decayed.push_back(now);
            }
            sums.push_back(sum);
            last.push_back(now);
          }
          const auto values = [](const Array& array) {
            const Array packed = array.copy();
            return std::vector<T>(packed.as<T>(), packed.as<T>() + packed.size());
          };
          CHECK(values(run(target, inner, {a, b})) == sums);
          // Every second item, backwards, one for all, and a core that is not in one piece.
          const Array wide = fractions({2 * items, n}, 1);
          const Array second = Array::empty({2 * items, n}, dtype);
          for (std::int64_t i = 0; i < second.size(); ++i) second.as<T>()[i] = a.as<T>()[i / n / 2 * n + i % n];
          CHECK(values(run(target, inner, {second[{Slice{.step = 2}}], b})) == sums);
          const Array one = b[{Slice{.start = 0, .stop = 1}}];
          std::vector<T> with_one;
          for (std::int64_t x = 0; x < items; ++x) {
            T sum = 0;
            for (std::int64_t i = 0; i < n; ++i) {
              const T product = a.as<T>()[x * n + i] * b.as<T>()[i];
              sum += product;
            }
            with_one.push_back(sum);
          }
          CHECK(values(run(target, inner, {a, one})) == with_one);
          // Items side by side: one operand, both, and in a loop of two dimensions.
          const auto across = [](const Array& array) { return array.transpose().copy().transpose(); };
          CHECK(values(run(target, inner, {across(a), b})) == sums);
          CHECK(values(run(target, inner, {across(a), across(b)})) == sums);
          const auto two_loops = [&](const Array& array) { return across(array).broadcast_to({2, items, n}); };
          std::vector<T> twice = sums;
          twice.insert(twice.end(), sums.begin(), sums.end());
          CHECK(values(run(target, inner, {two_loops(a), across(b)})) == twice);
          std::vector<T> reversed(sums.rbegin(), sums.rend());
          CHECK(values(run(target, inner, {a[{Slice{.step = -1}}], b[{Slice{.step = -1}}]})) == reversed);
          const Array from = target.place(a);
          const Array by = target.place(weight);
          const std::vector<kiln::Arg> args{from, by};
          const std::vector<Array> both = decay.outputs(args, {.stream = target.options().stream});
          CHECK(values(target.fetch(both[0])) == decayed);
          CHECK(values(target.fetch(both[1])) == last);
          // What the body leaves of .out stays.
          Array out = target.place(wide[{Slice{.stop = items}}].copy());
          std::vector<T> kept = values(wide[{Slice{.stop = items}}]);
          for (std::int64_t x = 0; x < items; ++x) {
            for (std::size_t i = 1; i + 1 < size; ++i) {
              const std::size_t at = static_cast<std::size_t>(x) * size + i;
              kept[at] = kept[at - 1] + a.as<T>()[at];
            }
          }
          run(target, inside, {a}, {.out = out});
          CHECK(values(target.fetch(out)) == kept);
          out = target.place(across(wide[{Slice{.stop = items}}]));
          run(target, inside, {across(a)}, {.out = out});
          CHECK(values(target.fetch(out)) == kept);
        }
      }
    };
    check(0.0F);
    check(0.0);
  });
}

TEST_CASE("gufuncs: items side by side, with indices, and operands that all items share") {
  const Gufunc scale = kiln::guvectorize({.name = "scale",
                                          .layout = "(m,n),(n),()->(m,n)",
                                          .signatures = {"void(T[:,:] A, T[:] b, T k, T[:,:] C)"},
                                          .each = "i:m, j:n",
                                          .body = "C(i, j) = A(i, j) * b(j) - k;"});
  const Gufunc lower =
      kiln::guvectorize({.name = "lower",
                         .layout = "(m,n),(n,p)->(m,p)",
                         .signatures = {"void(float32[:,:] A, float32[:,:] B, float32[:,:] C)"},
                         .body = "for (index i = 1; i < m; ++i) { for (index j = 0; j < i; ++j) { float32 sum = 0; "
                                 "for (index k = 0; k < n; ++k) sum += A(i, k) * B(k, j); C(i, j) = sum; } }"});
  const auto beside = [](const Shape& shape, DType dtype = DType::float32) {
    // Axis 0 last in memory.
    Shape turned;
    for (std::size_t d = 1; d < shape.size(); ++d) turned.push_back(shape[d]);
    turned.push_back(shape[0]);
    kiln::Dims axes{static_cast<std::int64_t>(shape.size()) - 1};
    for (std::size_t d = 0; d + 1 < shape.size(); ++d) axes.push_back(static_cast<std::int64_t>(d));
    return counting(turned, dtype).transpose(axes);
  };
  on_every_device([&](const Target& target) {
    for (const std::int64_t n : {3, 9, 20}) {
      for (const std::int64_t items : {15, 16, 37}) {
        CAPTURE(n);
        CAPTURE(items);
        const auto size = static_cast<std::size_t>(n);
        const auto count = static_cast<std::size_t>(items);
        const Shape full{items, n, n};
        const Array a = beside(full);
        const Array b = beside(full);
        const Array packed = counting(full, DType::float32, 2);
        const Array shared = counting({n, n}, DType::float32, 1);
        for (const Array& left : {a, packed, shared, shared.transpose(), a[{Slice{.step = -1}}]}) {
          for (const Array& right : {b, packed, shared.transpose()}) {
            if (left.ndim() == 2 && right.ndim() == 2) continue;
            const auto expected = product(list_of(left.broadcast_to(full).copy()), list_of(right.broadcast_to(full).copy()),
                                          count, size, size, size);
            for (const Gufunc& gufunc : {matmul(), matmul_by_item()}) {
              CHECK(list_of(run(target, gufunc, {left, right})) == expected);
              const Array out = target.place(beside(full));
              run(target, gufunc, {left, right}, {.out = out});
              CHECK(list_of(target.fetch(out)) == expected);
            }
          }
        }
        // What the body leaves of .out stays, also where that has a buffer.
        const Array room = beside(full);
        const std::vector<double> before = list_of(room.copy());
        const Array placed = target.place(room);
        run(target, lower, {a, packed}, {.out = placed});
        const auto products = product(list_of(a.copy()), list_of(packed), count, size, size, size);
        std::vector<double> kept = before;
        for (std::size_t x = 0; x < kept.size(); ++x) {
          if (x / size % size > x % size) kept[x] = products[x];
        }
        CHECK(list_of(target.fetch(placed)) == kept);
        for (const DType dtype : {DType::float32, DType::float64}) {
          const Array row = counting({n}, dtype, 4);
          const Array k = counting({items}, dtype, 5);
          const Array whole = a.astype(dtype).transpose({1, 2, 0}).copy().transpose({2, 0, 1});
          const std::vector<double> from = list_of(whole.copy());
          const std::vector<double> factors = list_of(row);
          const std::vector<double> less = list_of(k);
          for (const bool one : {false, true}) {
            std::vector<double> expected;
            for (std::size_t x = 0; x < from.size(); ++x) {
              expected.push_back(from[x] * factors[x % size] - (one ? less[0] : less[x / size / size]));
            }
            const Array number = one ? k[{0}] : k;
            CHECK(list_of(run(target, scale, {whole, row, number})) == expected);
            const Array out = target.place(beside(full, dtype));
            run(target, scale, {whole, row, number}, {.out = out});
            CHECK(list_of(target.fetch(out)) == expected);
          }
        }
      }
    }
  });
}

TEST_CASE("gufuncs: bodies that compare what differs between items, or count their indices, in two layouts") {
  if (!kiln::Device::best().is_cpu()) return;
  // The first compares what differs between items; the second takes a float's bits, which differ between indices.
  const Gufunc uniform = kiln::guvectorize({.name = "uniform",
                                            .layout = "(n),(m)->(n)",
                                            .signatures = {"void(float32[:] x, float32[:] b, float32[:] y)"},
                                            .each = "i:n",
                                            .body = "float32 s = 0; for (index k = 0; k < b(0); ++k) s += x(i); y(i) = s;"});
  const Gufunc positions = kiln::guvectorize({.name = "positions",
                                              .layout = "(n)->(n)",
                                              .signatures = {"void(float32[:] x, float32[:] y)"},
                                              .each = "i:n",
                                              .body = "float32 at = i; for (index k = 0; k < 2; ++k) at += x(i); y(i) = at;"});
  const Array x = counting({10, 40}).transpose();
  const Array b = Array::full({3, 40}, 2.0F).transpose();
  const Array out = Array::zeros({10, 40}, DType::float32).transpose();
  const std::vector<double> from = list_of(x.copy());
  const auto expect = [&](const Array& got, bool placed) {
    const std::vector<double> values = list_of(got.copy());
    bool right = values.size() == from.size();
    for (std::size_t i = 0; i < from.size(); ++i) right = right && values[i] == 2 * from[i] + (placed ? double(i % 10) : 0);
    CHECK(right);
  };
  uniform({x, b}, {.out = out});
  expect(out, false);
  uniform({x, b}, {.out = out});
  expect(out, false);
  expect(uniform(x.copy(), b.copy()), false);

  expect(positions(x.copy()), true);
  positions({x}, {.out = out});
  expect(out, true);
}

TEST_CASE("gufuncs: all items give what a few give, whichever way a body reads them") {
  // Turned while one loop reads them in order, or before: a loop that stops short, goes back, skips or comes again, an operand
  // read twice, two loops, one inside the other, a value looked up. Fewer items than are computed at once go one by one.
  const char* const bodies[] = {
      "for (index i = 0; i < n; ++i) sum += a(i) * b(i) + c(i);",
      "for (index i = 0; i < n; ++i) { sum += a(i) * b(i); sum = sum * a(i) + b(i); }",
      "for (index i = 0; i + 1 < n; ++i) sum = sum * 0.5f + a(i) - b(i);",
      "for (index i = 0; i + 1 < n; ++i) sum = sum * 0.5f + a(i) - a(i + 1) * b(i);",
      "for (index i = n - 1; i >= 0; --i) sum = sum * 0.5f + a(i) * b(i);",
      "for (index i = 0; i < n; i += 2) sum = sum * 0.5f + a(i) * b(i);",
      "for (index i = 0; i < n; ++i) sum = sum * 0.5f + a(i) * b(n - 1 - i);",
      "for (index i = 0; i < n; ++i) sum += a(i); for (index i = 0; i < n; ++i) sum = sum * 0.5f + a(i) * b(i);",
      "for (index i = 0; i < n; ++i) for (index j = 0; j <= i; ++j) sum = sum * 0.5f + a(i) * b(j);",
      "for (index k = 0; k < 3; ++k) for (index i = 0; i < n; ++i) sum = sum * 0.5f + a(i) * b(i);",
      "for (index i = 0; i < n; ++i) { if (i % 3 == 1) sum += b(i); sum = sum * 0.5f + a(i); }",
      "for (index i = 0; i < n; ++i) { if (i == 20) break; sum = sum * 0.5f + a(i) * b(i); }",
      "for (index i = 0; i < n; ++i) sum = sum * 0.5f + a(i); sum += b(0) + b(n - 1);",
      "if (n > 10) for (index i = 0; i < n; ++i) sum = sum * 0.5f + a(i) * b(i);",
  };
  for (const char* const text : bodies) {
    CAPTURE(text);
    const Gufunc gufunc = kiln::guvectorize({.name = "ways",
                                             .layout = "(n),(n),(n)->()",
                                             .signatures = {"void(float32[:] a, float32[:] b, float32[:] c, float32 r)"},
                                             .body = "float32 sum = 0; " + std::string(text) + " r = sum;"});
    on_every_device([&](const Target& target) {
      if (!target.device().is_cpu()) return;
      for (const std::int64_t n : {16, 45}) {
        CAPTURE(n);
        std::vector<Array> operands;
        for (const int seed : {1, 50, 77}) {
          const Array array = Array::empty({40, n}, DType::float32);
          for (std::int64_t i = 0; i < array.size(); ++i)
            array.as<float>()[i] = 1 / static_cast<float>(1 + (i * 7 + seed) % 101);
          operands.push_back(array);
        }
        const Array all = run(target, gufunc, {operands[0], operands[1], operands[2]});
        for (std::int64_t first = 0; first < 40; first += 10) {
          const Slice part{.start = first, .stop = first + 10};
          const Array some = run(target, gufunc, {operands[0][{part}], operands[1][{part}], operands[2][{part}]});
          CHECK(std::equal(some.as<float>(), some.as<float>() + 10, all.as<float>() + first));
        }
      }
    });
  }
}

TEST_CASE("gufuncs: a team shares an item") {
  const auto define = [](const std::string& group) {
    return kiln::guvectorize({.name = "normalized",
                              .layout = "(n)->(n),(),()",
                              .signatures = {"void(T[:] x, T[:] y, T total, T largest)"},
                              .group = group,
                              .shared = "T[n], index[2 * lanes + 1]",
                              .body = R"(
      T* copy = shared<T>(n);
      index* counts = shared<index>(2 * lanes + 1);
      T sum = 0;
      T most = x(0);
      for (index i = lane; i < n; i += lanes) {
        copy[i] = x(i);
        sum += x(i);
        most = x(i) > most ? x(i) : most;
      }
      counts[lane] = lane;
      sync();
      total = team_sum(sum);
      largest = team_max(most);
      // What other lanes wrote.
      for (index i = lane; i < n; i += lanes) y(i) = copy[n - 1 - i] * total + counts[(lane + 1) % lanes] - (lane + 1) % lanes;)"});
  };
  on_every_device([&](const Target& target) {
    for (const char* group : {"block", "32", "96", "256"}) {
      const Gufunc gufunc = define(group);
      for (const int n : {1, 7, 33, 300, 1000}) {
        const Array x = counting({5, n});
        const kiln::GufuncOptions options{.stream = target.options().stream};
        const auto results = gufunc.outputs<3>({target.place(x)}, options);
        const std::vector<double> values = list_of(x);
        std::vector<double> y, totals, most;
        const auto size = static_cast<std::size_t>(n);
        for (std::size_t item = 0; item < 5; ++item) {
          double total = 0;
          double largest = values[item * size];
          for (std::size_t i = 0; i < size; ++i) {
            total += values[item * size + i];
            largest = std::max(largest, values[item * size + i]);
          }
          for (std::size_t i = 0; i < size; ++i) y.push_back(values[item * size + size - 1 - i] * total);
          totals.push_back(total);
          most.push_back(largest);
        }
        CHECK(list_of(target.fetch(results[0])) == y);
        CHECK(list_of(target.fetch(results[1])) == totals);
        CHECK(list_of(target.fetch(results[2])) == most);
      }
    }
    // Masked items, and more shared memory than there is.
    const Gufunc gufunc = define("64");
    const Array mask = target.place(Array::from<bool>({false, true}));
    const kiln::GufuncOptions options{.where = mask, .stream = target.options().stream};
    const auto results = gufunc.outputs<3>({target.place(counting({2, 40}))}, options);
    CHECK(list_of(target.fetch(results[1]))[0] == 0);
    CHECK(list_of(target.fetch(results[1]))[1] != 0);
    const std::string message = message_of<ShapeError>([&] { gufunc.outputs<3>(target.place(counting({100000}))); });
    CHECK(message ==
          "normalized: its .shared comes to 401040 bytes, a team has 48896; share less, or work through smaller parts");
    const Gufunc less = kiln::guvectorize({.name = "less",
                                           .layout = "(n)->()",
                                           .signatures = {"void(float32[:] x, float32[:] y)"},
                                           .group = "32",
                                           .shared = "float32[n - 12]",
                                           .body = "auto* own = shared<float>(n - 12); own[0] = x(0); y(0) = own[0];"});
    CHECK(list_of(target.fetch(less.outputs<1>({target.place(counting({13}))})[0])) ==
          std::vector<double>{list_of(counting({13}))[0]});
    CHECK(message_of<ShapeError>([&] { less.outputs<1>({target.place(counting({5}))}); }) ==
          "less: the shared array \"float32[n - 12]\" gives -7 with n = 5; a size is 0 or more");
  });
  const auto refused = [&](const std::string& group) { return message_of<SignatureError>([&] { define(group); }); };
  for (const char* group : {"0", "31", "33", "512", "warp", "32 "}) {
    CHECK(refused(group).find("a group is \"block\" or a multiple of 32 up to 256, the number of threads that share an item") ==
          0);
  }
}
