// The normal density with one mean and one sigma for all elements: numbers beside an array, and a constant in a preamble.
#include <kiln/kiln.hpp>

#include <cmath>
#include <iostream>
#include <numbers>
#include <vector>

int main() {
  const auto gaussian_pdf = kiln::vectorize({
      .name = "gaussian_pdf",
      .signatures = {"float32(float32 x, float32 mean, float32 sigma)"},
      .body = R"(
        const float32 z = (x - mean) / sigma;
        return exp(-0.5f * z * z) / (sigma * kSqrtTwoPi);)",
      .compile = {.preamble = "constexpr float kSqrtTwoPi = 2.50662827463100050242f;"},
  });

  constexpr double mean = 0.25, sigma = 1.5;
  std::vector<float> x(1001);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = -3 + 0.006F * static_cast<float>(i);
  const kiln::Array density = gaussian_pdf(kiln::Array::from(x), mean, sigma);

  const std::vector<float> values = density.to_vector<float>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double z = (x[i] - mean) / sigma;
    const double expected = std::exp(-0.5 * z * z) / (sigma * std::sqrt(2 * std::numbers::pi));
    if (std::abs(values[i] - expected) <= 2e-6 * expected) continue;
    std::cerr << "element " << i << " is wrong: " << values[i] << ", not " << expected << "\n";
    return 1;
  }
  std::cout << "the normal density at 1001 places from -3 to 3 around " << mean << ", checked\n";
}
