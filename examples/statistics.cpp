// Mean and variance in one pass, the place of the largest element, and a dot product: reductions with a map, an accumulator of
// one's own and a last step.
#include "example.hpp"

namespace {

const auto mean_var =
    kiln::reduction({.name = "mean_var",
                     .signatures = {"(float64 mean, float64 var)(float32 x)"},
                     .accumulator = "float64 n, mean, m2;",
                     .map = "return {1, x, 0};",
                     // Two parts to one: no difference of large sums, so the variance is right where the mean is far from zero.
                     .reduce = "const float64 n = a.n + b.n, d = b.mean - a.mean, part = b.n / n;\n"
                               "return {n, a.mean + d * part, a.m2 + b.m2 + d * d * a.n * part};",
                     .post = "mean = a.mean; var = a.m2 / a.n;",
                     .identity = "{0, 0, 0}"});

const auto argmax = kiln::reduction({.name = "argmax",
                                     .signatures = {"int64(T x)"},
                                     .accumulator = "T best; int64 at;",
                                     .map = "return {x, i};",
                                     .reduce = "return b.best > a.best || (b.best == a.best && b.at < a.at) ? b : a;",
                                     .post = "return a.at;",
                                     .reorderable = true});

const auto dot = kiln::reduction(
    {.name = "dot", .signatures = {"T(T x, T y)"}, .map = "return x * y;", .reduce = "return a + b;", .identity = "0"});

bool near(double value, double expected) {
  return std::abs(value - expected) <= 1e-10 * std::abs(expected);
}

bool main_job() {
  constexpr std::int64_t rows = 1000;
  constexpr std::int64_t columns = 1024;
  const auto values = example::random_values<float>(rows * columns, 1000, 1001, 1);
  const kiln::Array x = to_device(kiln::Array::from(values, kiln::Shape{rows, columns}), kiln::Device::best());

  const auto [mean, var] = mean_var.outputs<2>({x}, {.axis = 1});
  const kiln::Array places = argmax({x}, {.axis = 1});
  example::print_title("mean, variance and place of the largest of each row, float32", mean);
  const std::vector<double> means = mean.to_vector<double>();
  const std::vector<double> variances = var.to_vector<double>();
  const std::vector<std::int64_t> largest = places.to_vector<std::int64_t>();
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* const begin = values.data() + row * columns;
    double sum = 0;
    for (std::int64_t i = 0; i < columns; ++i) sum += static_cast<double>(begin[i]);
    const double expected = sum / columns;
    double squares = 0;
    for (std::int64_t i = 0; i < columns; ++i) squares += std::pow(static_cast<double>(begin[i]) - expected, 2);
    const auto at = static_cast<std::size_t>(row);
    if (near(means[at], expected) && near(variances[at], squares / columns) &&
        largest[at] == std::max_element(begin, begin + columns) - begin) {
      continue;
    }
    std::printf("  MISMATCH in row %d\n", static_cast<int>(row));
    return false;
  }
  std::printf("  checked    %d rows\n", static_cast<int>(rows));

  // Inputs broadcast together, and the dtypes decide the loop: the weighted sum of each row.
  const kiln::Array weights = kiln::Array::from({1.0, 2.0, 3.0});
  const kiln::Array table = kiln::Array::from({1, 2, 3, 4, 5, 6}).reshape({2, 3});
  const kiln::Array sums = dot({table, weights}, {.axis = 1});
  std::printf("weighted sums: %s\n", to_string(sums).c_str());
  return sums.to_vector<double>() == std::vector<double>{14, 32};
}

}  // namespace

int main() {
  return example::run(main_job);
}
