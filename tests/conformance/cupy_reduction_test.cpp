// Reductions in CuPy's notation: the texts of cupy.ReductionKernel.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "devices.hpp"
#include "kiln/cupy_reduction.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Reduction;
using kiln::cupy::reduction;

TEST_CASE("cupy reductions: norms, logarithms of sums, and several inputs") {
  const Reduction norm = reduction({.in_params = "T x",
                                    .out_params = "T y",
                                    .map_expr = "x * x",
                                    .reduce_expr = "a + b",
                                    .post_map_expr = "y = sqrt(a)",
                                    .identity = "0",
                                    .name = "l2norm"});
  const Reduction product = reduction({.in_params = "S x, T y",
                                       .out_params = "U out",
                                       .map_expr = "static_cast<U>(x) * static_cast<U>(y)",
                                       .reduce_expr = "a + b",
                                       .post_map_expr = "out = a",
                                       .identity = "0",
                                       .reduce_type = "U"});
  const Reduction exists = reduction({.in_params = "T x",
                                      .out_params = "bool y",
                                      .map_expr = "isnan(x)",
                                      .reduce_expr = "a || b",
                                      .post_map_expr = "y = a",
                                      .identity = "false"});
  on_every_device([&](const Target& target) {
    const Array x = target.place(Array::from({3.F, 4.F, 6.F, 8.F}).reshape({2, 2}));
    CHECK(values_of<float>(target, norm(x, reduction_on(target, {.axis = 1}))) == std::vector<float>{5, 10});
    CHECK(values_of<float>(target, norm(x, reduction_on(target))) == std::vector<float>{std::sqrt(125.F)});
    const Array out = target.place(Array::zeros({}, DType::float64));
    product(x, x, reduction_on(target, {.out = out}));
    CHECK(values_of<double>(target, out) == std::vector<double>{125});
    CHECK(values_of<bool>(target, exists(x, reduction_on(target))) == std::vector<bool>{false});
    const Array nan = target.place(Array::from({1.F, NAN}));
    CHECK(values_of<bool>(target, exists(nan, reduction_on(target))) == std::vector<bool>{true});
  });
}

TEST_CASE("cupy reductions: an element's number, CUDA's min, and functions of the preamble") {
  const Reduction first = reduction({.in_params = "T data, int64 len",
                                     .out_params = "int64 y",
                                     .map_expr = "data == T(0) ? len : _j",
                                     .reduce_expr = "min(a, b)",
                                     .post_map_expr = "y = a",
                                     .identity = "1000"});
  const Reduction least = reduction({.in_params = "T x",
                                     .out_params = "T y",
                                     .map_expr = "twice(x)",
                                     .reduce_expr = "min(a, b)",
                                     .post_map_expr = "y = a",
                                     .identity = "INFINITY",
                                     .preamble = "template <typename U> __device__ U twice(U x) { return x * 2; }"});
  on_every_device([&](const Target& target) {
    const Array data = target.place(Array::from({0, 0, 5, 0, 7}));
    CHECK(values_of<std::int64_t>(target, first(data, 99, reduction_on(target))) == std::vector<std::int64_t>{2});
    const Array x = target.place(Array::from({3.F, NAN, 2.F}));
    CHECK(values_of<float>(target, least(x, reduction_on(target))) == std::vector<float>{4});
  });
}

namespace {

/// The sum of `map` over inputs, and what `post` makes of it.
Reduction sum_of(const char* map, const char* post = "y = a", const char* in = "T x", const char* out = "T y") {
  return reduction(
      {.in_params = in, .out_params = out, .map_expr = map, .reduce_expr = "a + b", .post_map_expr = post, .identity = "0"});
}

/// The elements of each output of a reduction, by their numbers in C order.
std::vector<std::vector<std::size_t>> elements_of_outputs(const kiln::Shape& shape, const std::vector<bool>& reduced) {
  std::size_t outputs = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) outputs *= reduced[d] ? 1 : static_cast<std::size_t>(shape[d]);
  std::vector<std::vector<std::size_t>> all(outputs);
  std::size_t size = 1;
  for (const std::int64_t extent : shape) size *= static_cast<std::size_t>(extent);
  for (std::size_t k = 0; k < size; ++k) {
    std::size_t output = 0;
    std::size_t below = size;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      below /= static_cast<std::size_t>(shape[d]);
      const std::size_t at = k / below % static_cast<std::size_t>(shape[d]);
      if (!reduced[d]) output = output * static_cast<std::size_t>(shape[d]) + at;
    }
    all[output].push_back(k);
  }
  return all;
}

struct ReducedCase {
  kiln::Shape shape;
  kiln::Axes axes;
  std::vector<bool> reduced;
};

/// A block, warps, threads and columns of GPUs, and the ways in which a CPU takes rows.
std::vector<ReducedCase> reduced_cases() {
  return {{{5000}, {0}, {true}},
          {{6, 50}, {0}, {true, false}},
          {{6, 50}, {1}, {false, true}},
          {{700, 3}, {0}, {true, false}},
          {{3, 5, 40}, {0, 2}, {true, false, true}},
          {{3, 40, 5}, {1}, {false, true, false}}};
}

std::vector<float> some_values(const kiln::Shape& shape) {
  std::size_t size = 1;
  for (const std::int64_t extent : shape) size *= static_cast<std::size_t>(extent);
  std::vector<float> values(size);
  for (std::size_t k = 0; k < size; ++k) values[k] = static_cast<float>(k * 37 % 101) - 20;
  return values;
}

/// The array in C order, with its axes in memory the other way round, and with gaps.
std::vector<Array> layouts_of(const Target& target, const std::vector<float>& values, const kiln::Shape& shape) {
  const Array plain = Array::from(values).reshape(shape);
  std::vector<float> apart(2 * values.size(), 1000);
  for (std::size_t k = 0; k < values.size(); ++k) apart[2 * k] = values[k];
  return {target.place(plain), target.place(plain.transpose().copy()).transpose(),
          target.place(Array::from(apart))[{kiln::Slice{.step = 2}}].reshape(shape)};
}

/// Calls check(x, case, elements of outputs, values) for every case and layout.
template <class Check>
void on_reduced_cases(const Target& target, const Check& check) {
  for (const ReducedCase& each : reduced_cases()) {
    const std::vector<float> values = some_values(each.shape);
    const auto outputs = elements_of_outputs(each.shape, each.reduced);
    for (const Array& x : layouts_of(target, values, each.shape)) {
      CAPTURE(to_string(x.shape()));
      CAPTURE(to_string(x.strides()));
      check(x, each, outputs, values);
    }
  }
}

}  // namespace

TEST_CASE("cupy reductions: the places of elements and outputs") {
  const Reduction of_map = sum_of("x * (_j % 7) + _i % 5 + _J % 3");
  const Reduction of_reduced = sum_of("_J % 2 ? x : 0");
  const Reduction of_axes = sum_of("x * _in_ind.get()[_in_ind.ndim - 1] + _out_ind.get()[0]",
                                   "y = a + 3 * _i + _out_ind.get()[0] + _in_ind.size() / _out_ind.size()");
  on_every_device([&](const Target& target) {
    on_reduced_cases(target, [&](const Array& x, const ReducedCase& each, const auto& outputs, const auto& values) {
      std::vector<float> places, odd, axes;
      // CuPy's axes: those that are reduced, then those of the outputs.
      const bool kept = std::ranges::count(each.reduced, false) > 0;
      std::size_t last = 0;
      std::size_t first = 0;
      for (std::size_t d = 0; d < each.shape.size(); ++d) {
        if (each.reduced[d] != kept) last = d;
        if (!each.reduced[each.shape.size() - 1 - d]) first = each.shape.size() - 1 - d;
      }
      std::vector<std::size_t> below(each.shape.size(), 1);
      for (std::size_t d = each.shape.size() - 1; d-- > 0;)
        below[d] = below[d + 1] * static_cast<std::size_t>(each.shape[d + 1]);
      const auto index = [&](std::size_t k, std::size_t d) { return k / below[d] % static_cast<std::size_t>(each.shape[d]); };
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        double place = 0;
        double of_odd = 0;
        double axis = 0;
        for (std::size_t j = 0; j < outputs[i].size(); ++j) {
          const std::size_t k = outputs[i][j];
          const double value = values[k];
          place += value * static_cast<double>((j * outputs.size() + i) % 7) + static_cast<double>(i % 5 + j % 3);
          of_odd += j % 2 == 1 ? value : 0;
          axis += value * static_cast<double>(index(k, last)) + static_cast<double>(kept ? index(k, first) : 0);
        }
        places.push_back(static_cast<float>(place));
        odd.push_back(static_cast<float>(of_odd));
        const std::size_t at = kept ? index(outputs[i][0], first) : 0;
        axes.push_back(static_cast<float>(axis + static_cast<double>(3 * i + at + outputs[i].size())));
      }
      CHECK(values_of<float>(target, of_map(x, reduction_on(target, {.axis = each.axes}))) == places);
      CHECK(values_of<float>(target, of_reduced(x, reduction_on(target, {.axis = each.axes}))) == odd);
      CHECK(values_of<float>(target, of_axes(x, reduction_on(target, {.axis = each.axes}))) == axes);
    });
  });
}

TEST_CASE("cupy reductions: accumulators of a type of the preamble") {
  const Reduction argmax = reduction({.in_params = "T x",
                                      .out_params = "int64 y",
                                      .map_expr = "best<T>(x, _J)",
                                      .reduce_expr = "better(a, b)",
                                      .post_map_expr = "y = a.index",
                                      .identity = "",
                                      .reduce_type = "best<T>",
                                      .preamble = R"(
template <typename T> struct best {
  T value;
  int index;
  __device__ best() : index(-1) {}
  __device__ best(T v, int i) : value(v), index(i) {}
};
template <typename T> __device__ best<T> better(const best<T>& a, const best<T>& b) {
  if (a.index == -1) return b;
  if (b.index == -1) return a;
  if (a.value == b.value) return best<T>(a.value, min(a.index, b.index));
  return a.value > b.value ? a : b;
})"});
  const Reduction mean = reduction({.in_params = "T x",
                                    .out_params = "T y",
                                    .map_expr = "x",
                                    .reduce_expr = "a + b",
                                    .post_map_expr = "y = a / _type_reduce(_in_ind.size() / _out_ind.size())",
                                    .identity = "0",
                                    .reduce_type = "double"});
  on_every_device([&](const Target& target) {
    on_reduced_cases(target, [&](const Array& x, const ReducedCase& each, const auto& outputs, const auto& values) {
      std::vector<std::int64_t> places;
      std::vector<float> means;
      for (const std::vector<std::size_t>& elements : outputs) {
        std::size_t at = 0;
        double sum = 0;
        for (std::size_t j = 0; j < elements.size(); ++j) {
          if (values[elements[j]] > values[elements[at]]) at = j;
          sum += values[elements[j]];
        }
        places.push_back(static_cast<std::int64_t>(at));
        means.push_back(static_cast<float>(sum / static_cast<double>(elements.size())));
      }
      CHECK(values_of<std::int64_t>(target, argmax(x, reduction_on(target, {.axis = each.axes}))) == places);
      CHECK(values_of<float>(target, mean(x, reduction_on(target, {.axis = each.axes}))) == means);
    });
    const Array none = target.place(Array::zeros({0}, DType::float32));
    CHECK(message_of([&] { (void)argmax(none, reduction_on(target)); }).find("nothing to reduce in inputs of shape (0,)") !=
          std::string::npos);
  });
}

TEST_CASE("cupy reductions: raw arrays, numbers behind the map, and identities of parameters") {
  const Reduction weighted =
      sum_of("x > 0 ? x * table[_J % table.size()] : 0", "y = a * factor + table[1]", "T x, raw float32 table, float32 factor");
  const Reduction first = reduction({.in_params = "T x, int64 len",
                                     .out_params = "int64 y",
                                     .map_expr = "x < 70 ? len : _J",
                                     .reduce_expr = "min(a, b)",
                                     .post_map_expr = "y = a",
                                     .identity = "len + 0 * len"});
  on_every_device([&](const Target& target) {
    const Array table = target.place(Array::from({1.F, 2.F, 3.F}));
    const Array apart = target.place(Array::from({1.F, 9.F, 2.F, 9.F, 3.F}))[{kiln::Slice{.step = 2}}];
    const Array one = target.place(Array::from({2.F}));
    on_reduced_cases(target, [&](const Array& x, const ReducedCase& each, const auto& outputs, const auto& values) {
      std::vector<float> sums;
      std::vector<std::int64_t> places;
      for (const std::vector<std::size_t>& elements : outputs) {
        double sum = 0;
        std::int64_t at = 99999;
        for (std::size_t j = 0; j < elements.size(); ++j) {
          const double value = values[elements[j]];
          sum += value > 0 ? value * static_cast<double>(j % 3 + 1) : 0;
          if (value >= 70 && at == 99999) at = static_cast<std::int64_t>(j);
        }
        sums.push_back(static_cast<float>(2 * sum + 2));
        places.push_back(at);
      }
      CHECK(values_of<float>(target, weighted({x, table, 2.0F}, reduction_on(target, {.axis = each.axes}))) == sums);
      CHECK(values_of<float>(target, weighted({x, apart, one}, reduction_on(target, {.axis = each.axes}))) == sums);
      CHECK(values_of<std::int64_t>(target, first({x, 99999}, reduction_on(target, {.axis = each.axes}))) == places);
      const Array none = target.place(Array::full(each.shape, false));
      CHECK(values_of<std::int64_t>(target, first({x, 99999}, reduction_on(target, {.axis = each.axes, .where = none}))) ==
            std::vector<std::int64_t>(outputs.size(), 99999));
    });
    const Array none = target.place(Array::zeros({0}, DType::float32));
    CHECK(values_of<std::int64_t>(target, first({none, 7}, reduction_on(target))) == std::vector<std::int64_t>{7});
  });
}

TEST_CASE("cupy reductions: outputs that are read, and an identity that is combined") {
  const Reduction more = sum_of("x", "y += a; z = y * 2", "T x", "T y, U z");
  const Reduction above = reduction({.in_params = "T x",
                                     .out_params = "T y",
                                     .map_expr = "-abs(x) - 1",
                                     .reduce_expr = "max(a, b)",
                                     .post_map_expr = "y = a",
                                     .identity = "0"});
  on_every_device([&](const Target& target) {
    on_reduced_cases(target, [&](const Array& x, const ReducedCase& each, const auto& outputs, const auto& values) {
      std::vector<float> sums;
      std::vector<double> twice;
      for (const std::vector<std::size_t>& elements : outputs) {
        double sum = 10;
        for (const std::size_t k : elements) sum += values[k];
        sums.push_back(static_cast<float>(sum));
        twice.push_back(2 * sum);
      }
      kiln::Shape shape;
      for (std::size_t d = 0; d < each.shape.size(); ++d) {
        if (!each.reduced[d]) shape.push_back(each.shape[d]);
      }
      const Array z = target.place(Array::zeros(shape, DType::float64));
      const Array y = target.place(Array::full(shape, 10.F));
      const Array apart = target.place(Array::full(kiln::Shape{3 * static_cast<std::int64_t>(outputs.size())}, 10.F));
      (void)more.outputs<2>({x}, reduction_on(target, {.axis = each.axes, .out = {y, z}}));
      CHECK(values_of<float>(target, y) == sums);
      CHECK(values_of<double>(target, z) == twice);
      const Array strided = apart[{kiln::Slice{.step = 3}}].reshape(shape);
      (void)more.outputs<2>({x}, reduction_on(target, {.axis = each.axes, .out = {strided, z}}));
      CHECK(values_of<float>(target, strided) == sums);
      CHECK(values_of<float>(target, above(x, reduction_on(target, {.axis = each.axes}))) ==
            std::vector<float>(outputs.size(), 0));
    });
    // One that is fresh begins as 0.
    const Array x = target.place(Array::from({1.F, 2.F}));
    const Array z = target.place(Array::zeros({}, DType::float32));
    CHECK(values_of<float>(target, more.outputs<2>({x}, reduction_on(target, {.out = {{}, z}}))[0]) == std::vector<float>{3});
  });
}

TEST_CASE("cupy reductions: complex numbers") {
  using Complex = std::complex<float>;
  const Reduction variance = sum_of("norm(x - mean)", "y = alpha * a", "S x, S mean, float32 alpha", "float32 y");
  const Reduction wide = reduction({.in_params = "T x",
                                    .out_params = "T y",
                                    .map_expr = "x * conj(x) + T(0, 1)",
                                    .reduce_expr = "a + b",
                                    .post_map_expr = "y = T(a)",
                                    .identity = "0",
                                    .reduce_type = "complex<double>"});
  on_every_device([&](const Target& target) {
    const Array x = target.place(Array::from(std::vector<Complex>{{1, 2}, {3, -4}, {0, 1}, {2, 2}}).reshape({2, 2}));
    CHECK(values_of<float>(target, variance({x, Complex(0, 1), 2.0F}, reduction_on(target, {.axis = 0}))) ==
          std::vector<float>{2 * (2 + 0), 2 * (34 + 5)});
    CHECK(values_of<Complex>(target, wide(x, reduction_on(target, {.axis = 0}))) == std::vector<Complex>{{6, 2}, {33, 2}});
  });
}

TEST_CASE("cupy reductions: what is wrong is said with its place") {
  const auto message = [](kiln::cupy::ReductionDefinition definition) {
    if (definition.in_params.empty()) definition.in_params = "T x, T z";
    if (definition.map_expr.empty()) definition.map_expr = "x";
    if (definition.reduce_expr.empty()) definition.reduce_expr = "a + b";
    if (definition.post_map_expr.empty()) definition.post_map_expr = "y = a";
    if (definition.out_params.empty()) definition.out_params = "T y";
    return message_of([&] { (void)reduction(definition); });
  };
  CHECK(message({.reduce_expr = "a + b * z"}) ==
        "reduce_kernel: reduce_expr reads the input \"z\"; it combines `a` and `b` alone, and map_expr or post_map_expr may "
        "read it\na + b * z\n        ^");
  CHECK(message({.reduce_expr = "a + b * _j"}) ==
        "reduce_kernel: reduce_expr reads the place \"_j\"; it combines `a` and `b` alone, and map_expr or post_map_expr may "
        "read it\na + b * _j\n        ^");
  CHECK(message({.post_map_expr = "y = a * _J"}) ==
        "reduce_kernel: post_map_expr reads \"_J\", the place of an element; the number of the output is _i\ny = a * _J\n"
        "        ^");
  CHECK(message({.identity = "_i"}) ==
        "reduce_kernel: identity reads \"_i\", the place of an element; it is one value for all\n_i\n^");
  CHECK(message({.out_params = "raw T y"}) ==
        "reduce_kernel: an output of a reduction has one element for each result; leave \"raw\" out, or write a kernel of "
        "elements\nraw T y\n^");
  CHECK(message({.in_params = "raw T x, raw T z"}) ==
        "reduce_kernel: no input has elements that are reduced: each of them is raw, and seen whole; leave \"raw\" out of "
        "one\nraw T x, raw T z\n^");
  CHECK(message({.in_params = "T _j"}) ==
        "reduce_kernel: \"_j\" cannot be a parameter's name: bodies have it of their own\nT _j\n  ^");
  CHECK(message({.in_params = " "}) == "reduce_kernel: there is no input\n \n^");
  CHECK(message({.in_params = "T y"}) == "reduce_kernel: the name \"y\" is used twice\nT y\n  ^");
  if (kiln::Device::best().is_cpu()) {
    const Reduction assembly = reduction({.in_params = "T x",
                                          .out_params = "T y",
                                          .map_expr = "f(x)",
                                          .reduce_expr = "a + b",
                                          .post_map_expr = "y = a",
                                          .identity = "0",
                                          .preamble = "__device__ float f(float x) {\n  asm(\"\"); return x; }"});
    CHECK(message_of([&] {
            (void)assembly(Array::zeros({2}, DType::float32));
          }).starts_with("reduce_kernel.preamble:2:3: error: PTX in asm() is for NVIDIA's GPUs, and this is compiled for"));
  }
  CHECK(message({.map_expr = "x; z"}).starts_with("reduce_kernel.map_expr:1:2: error: "));
  const Reduction scaled = sum_of("x", "y = a * k * t[0]", "T x, T k, raw T t");
  const Array x = Array::zeros({2, 2}, DType::float32);
  CHECK(message_of([&] { (void)scaled({x, x, x}); }) ==
        "reduce_kernel: input 1 (k) of shape (2, 2) has an element for each element that is reduced, and the post map reads it "
        "where there is none; give a number, an array of one element, or declare it raw");
  CHECK(message_of([&] { (void)scaled({x, 2.0F, 3.0F}); }) == "reduce_kernel: input 2 (t) is raw; give an array");
  const Reduction unknown = sum_of("x +\n  nothing");
  CHECK(message_of([&] { (void)unknown(x); }).starts_with("reduce_kernel.map_expr:2:3: error: "));
}
