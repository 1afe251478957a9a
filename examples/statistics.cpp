// Mean and variance of each row in one pass, and the place of its largest element: reductions with a map, an accumulator of
// one's own and a last step.
#include <kiln/kiln.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <vector>

int main() {
  const auto mean_var = kiln::reduction({
      .name = "mean_var",
      .signatures = {"(float64 mean, float64 var)(float32 x)"},
      .accumulator = "float64 n, mean, m2;",
      .map = "return {1, x, 0};",
      // Two parts to one: no difference of large sums, so the variance is right where the mean is far from zero.
      .reduce = R"(
        const float64 n = a.n + b.n, d = b.mean - a.mean, part = b.n / n;
        return {n, a.mean + d * part, a.m2 + b.m2 + d * d * a.n * part};)",
      .post = "mean = a.mean; var = a.m2 / a.n;",
      .identity = "{0, 0, 0}",
  });
  const auto argmax = kiln::reduction({
      .name = "argmax",
      .signatures = {"int64(T x)"},
      .accumulator = "T best; int64 at;",
      .map = "return {x, i};",
      .reduce = "return b.best > a.best || (b.best == a.best && b.at < a.at) ? b : a;",
      .post = "return a.at;",
      .reorderable = true,
  });

  constexpr std::size_t rows = 100, columns = 1000;
  std::vector<float> table(rows * columns);
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = 1000 + std::sin(static_cast<float>(i));
  const kiln::Array x = kiln::Array::from(table, kiln::Shape{rows, columns});
  const auto [mean, var] = mean_var.outputs<2>({x}, {.axis = 1});
  const kiln::Array largest = argmax({x}, {.axis = 1});

  const auto means = mean.to_vector<double>(), variances = var.to_vector<double>();
  const auto places = largest.to_vector<std::int64_t>();
  for (std::size_t row = 0; row < rows; ++row) {
    const float *const first = &table[row * columns], *const last = first + columns;
    double sum = 0, squares = 0;
    for (const float* at = first; at != last; ++at) sum += *at;
    for (const float* at = first; at != last; ++at) squares += std::pow(*at - sum / columns, 2);
    if (std::abs(means[row] - sum / columns) <= 1e-9 && std::abs(variances[row] - squares / columns) <= 1e-9 &&
        places[row] == std::max_element(first, last) - first) {
      continue;
    }
    std::cerr << "row " << row << " is wrong\n";
    return 1;
  }
  std::cout << "mean, variance and place of the largest of " << rows << " rows of " << columns << ", checked\n";
}
