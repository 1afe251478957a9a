// The distance of two points given in polar coordinates: the kernel calls a device function that gives two values through
// references.
#include <kiln/kiln.hpp>

#include <cmath>
#include <iostream>
#include <vector>

int main() {
  const auto polar_distance = kiln::vectorize({
      .name = "polar_distance",
      .signatures = {"float32(float32 rho1, float32 theta1, float32 rho2, float32 theta2)"},
      .body = R"(
        float32 x1, y1, x2, y2;
        polar_to_cartesian(rho1, theta1, x1, y1);
        polar_to_cartesian(rho2, theta2, x2, y2);
        return hypot(x1 - x2, y1 - y2);)",
      .compile = {.functions = R"(
        void polar_to_cartesian(float32 rho, float32 theta, float32& x, float32& y) {
          x = rho * cos(theta);
          y = rho * sin(theta);
        })"},
  });

  // From every point to the one at radius 1 and angle 0.
  std::vector<float> rho(10'000), theta(rho.size());
  for (std::size_t i = 0; i < rho.size(); ++i) {
    rho[i] = 0.5F + static_cast<float>(i % 10) / 10;
    theta[i] = -3 + static_cast<float>(i) * 0.0006F;
  }
  const kiln::Array distances = polar_distance(kiln::Array::from(rho), kiln::Array::from(theta), 1, 0);

  const std::vector<float> values = distances.to_vector<float>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    // By the law of cosines. Near points cancel: the error is relative to the coordinates, not to their difference.
    const double r = rho[i], expected = std::sqrt(r * r + 1 - 2 * r * std::cos(double{theta[i]}));
    if (std::abs(values[i] - expected) <= 2e-6) continue;
    std::cerr << "element " << i << " is wrong: " << values[i] << ", not " << expected << "\n";
    return 1;
  }
  std::cout << rho.size() << " distances of points in polar coordinates, checked\n";
}
