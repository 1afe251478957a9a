// Reductions in CuPy's notation: the texts of cupy.ReductionKernel.
#include <cmath>
#include <cstdint>
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

TEST_CASE("cupy reductions: what is not there is said") {
  const auto message = [](kiln::cupy::ReductionDefinition definition) {
    if (definition.in_params.empty()) definition.in_params = "T x, T z";
    if (definition.map_expr.empty()) definition.map_expr = "x";
    if (definition.post_map_expr.empty()) definition.post_map_expr = "y = a";
    definition.out_params = "T y";
    definition.reduce_expr = "a + b";
    const std::string text = message_of([&] { (void)reduction(definition); });
    return text.substr(0, text.find('\n'));
  };
  const std::string end = "; kiln::reduction() may say it in other words";
  CHECK(message({.post_map_expr = "y = a / _in_ind.size()"}) == "reduce_kernel: \"_in_ind\" is not there" + end);
  CHECK(message({.in_params = "T x, raw T z"}) == "reduce_kernel: raw parameters are for kiln::cupy::elementwise()" + end);
  CHECK(message({.post_map_expr = "y = a * z"}) ==
        "reduce_kernel: the post map reads the input \"z\"; it knows `a` and the outputs alone" + end);
  CHECK(message({.post_map_expr = "y += a"}) ==
        "reduce_kernel: the post map reads the output \"y\" before it has a value" + end);
  CHECK(message({.reduce_type = "int"}) ==
        "reduce_kernel: the reduce_type \"int\" is not the type of the first output, \"T\"" + end);
}
