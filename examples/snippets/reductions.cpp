// Snippets of docs/reductions.md.
#include <iostream>
#include <kiln/kiln.hpp>

using kiln::Array;

int main() {
  {
    const Array x = kiln::arange(24.0).reshape({2, 3, 4}), mask = x > 2, y = Array::zeros({}), indices = Array::from({0, 2});
    // snippet: methods
    auto add = kiln::vectorize({.name = "add", .signatures = {"T(T a, T b)"}, .body = "return a + b;", .identity = "0"});
    const Array s = add.reduce(x);                                          // along axis 0
    const Array kept = add.reduce(x, {.axis = {0, -1}, .keepdims = true});  // of shape (1, 3, 1)
    kiln::math::maximum.reduce(x, {.axis = kiln::all_axes, .initial = 0, .where = mask, .out = y});
    const Array segments = kiln::math::add.reduceat(x, indices, {.axis = 1});
    std::cout << s.shape() << " " << kept.ravel() << " " << y << " " << segments.shape() << "\n";
    // end
  }
  {
    const Array x = Array::from<float>({{1, 2, 3}, {4, 6, 8}}), mask = x < 8, weights = Array::from<float>({1, 10, 100});
    // snippet: own
    auto mean_var = kiln::reduction({
        .name = "mean_var",
        .signatures = {"(float64 mean, float64 var)(float32 x)"},
        .accumulator = "float64 n, mean, m2;",  // members of a struct
        .map = "return {1, x, 0};",             // an element to an accumulator
        .reduce = "const float64 n = a.n + b.n, d = b.mean - a.mean, part = b.n / n;"
                  "return {n, a.mean + d * part, a.m2 + b.m2 + d * d * a.n * part};",  // two to one
        .post = "mean = a.mean; var = a.m2 / a.n;",                                    // an accumulator to the outputs
        .identity = "{0, 0, 0}",                                                       // what nothing gives
    });
    auto [mean, var] = mean_var.outputs<2>({x}, {.axis = 1});

    auto argmax = kiln::reduction({
        .name = "argmax",
        .signatures = {"int64(T x)"},
        .accumulator = "T best; int64 at;",
        .map = "return {x, i};",  // i: the element's number
        .reduce = "return b.best > a.best || (b.best == a.best && b.at < a.at) ? b : a;",
        .post = "return a.at;",
        .reorderable = true,
    });
    const Array place = argmax(x);  // along all axes

    auto dot = kiln::reduction(
        {.name = "dot", .signatures = {"T(T x, T y)"}, .map = "return x * y;", .reduce = "return a + b;", .identity = "0"});
    const Array sums = dot({x, weights}, {.axis = -1, .keepdims = true, .where = mask});
    std::cout << mean << " " << var << " " << place << " " << sums.ravel() << "\n";
    // end
  }
  {
    const std::int64_t n = 6, half = 3;
    const Array whole = kiln::arange(6.0), x = whole[kiln::Slice{.stop = half}], rest = whole[kiln::Slice{.start = half}];
    // snippet: parts
    const auto left = kiln::partial(kiln::math::add, x, {.global_offset = 0, .global_size = n});  // x: elements 0, 1, 2
    const auto right = kiln::partial(kiln::math::add, rest, {.global_offset = half, .global_size = n});
    const kiln::Partial all = left.combine(right);  // of neighbouring parts
    std::cout << all.finish() << "\n";              // when no element is missing
    // end
  }
}
