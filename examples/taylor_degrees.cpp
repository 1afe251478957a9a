// A Taylor polynomial whose degree is a constant of the kernel: each degree is compiled for itself, with its loop unrolled.
#include <kiln/kiln.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <vector>

int main() {
  const auto exponential = kiln::vectorize({
      .name = "exponential",
      .signatures = {"float64(float64 x, constant int32 degree)"},
      .body = R"(
        float64 sum = 1;
        for (int32 k = degree; k > 0; --k) sum = 1 + sum * x / k;
        return sum;)",
  });

  std::vector<double> points;
  for (int i = -1000; i <= 1000; ++i) points.push_back(i / 1000.0);
  const kiln::Array x = kiln::Array::from(points);
  for (const int degree : {2, 6, 12}) {
    const std::vector<double> sums = exponential(x, degree).to_vector<double>();
    double error = 0;
    for (std::size_t i = 0; i < points.size(); ++i) error = std::max(error, std::abs(sums[i] - std::exp(points[i])));
    std::cout << exponential.resolve(x, degree).loop << ": off by " << error << " at most\n";
    // What Taylor's theorem leaves, and rounding.
    const double bound = std::exp(1.0) / std::tgamma(degree + 2.0) + 1e-15;
    if (error <= bound) continue;
    std::cerr << "the polynomial of degree " << degree << " is wrong: more than " << bound << "\n";
    return 1;
  }
  // The value of an array is not known when the kernel is compiled.
  try {
    exponential(x, kiln::Array::scalar(3));
  } catch (const kiln::TypeError& error) {
    std::cout << error.what() << "\n";
    return 0;
  }
  std::cerr << "an array was taken for a constant\n";
  return 1;
}
