// Snippets of docs/writing-kernels.md.
#include <cstdlib>
#include <iostream>
#include <kiln/kiln.hpp>

int main() {
  setenv("KILN_CPU_TARGET", "x86-64-v3", 1);
  // snippet: gaussian
  auto gaussian = kiln::vectorize({
      .name = "gaussian",
      .signatures = {"T(T x, T mean, T sigma) where T: float32, float64"},
      .body = R"(
        T z = (x - mean) / sigma;
        return exp(-z * z / 2) / (sigma * sqrt(T(2 * pi)));)",
  });
  std::cout << gaussian(kiln::Array::from({-1.0, 0.0, 1.0}), 0.0, 1.0) << "\n";
  // end

  // snippet: polar
  auto polar_distance = kiln::vectorize({
      .name = "polar_distance",
      .signatures = {"float32(float32 rho1, float32 theta1, float32 rho2, float32 theta2)"},
      .body = R"(
        point p = to_cartesian(rho1, theta1), q = to_cartesian(rho2, theta2);
        return sqrt((p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y));)",
      .compile = {.functions = R"(
        struct point { float32 x, y; };
        point to_cartesian(float32 rho, float32 theta) { return {rho * cos(theta), rho * sin(theta)}; })"},
  });
  std::cout << polar_distance(3.0F, 0.0F, kiln::Array::from({4.0F, 5.0F}), 0.0F) << "\n";
  // end

  // snippet: error
  auto discriminant = kiln::vectorize({
      .name = "discriminant",
      .signatures = {"float32(float32 a, float32 b, float32 c)"},
      .body = "\n    return sqrt(b*b - 4*a*d);",
  });
  try {
    discriminant(1.0F, 5.0F, 2.0F);
  } catch (const kiln::CompileError& error) {
    std::cout << error.what() << "\n";
  }
  // end
}
