// The distance of two points given in polar coordinates: the kernel calls a device function that gives two values
// through references.
#include "example.hpp"

namespace {

const auto polar_distance =
    kiln::vectorize({.name = "polar_distance",
                     .signatures = {"float32(float32 rho1, float32 theta1, float32 rho2, float32 theta2)"},
                     .body = R"(
                       float32 x1, y1, x2, y2;
                       polar_to_cartesian(rho1, theta1, x1, y1);
                       polar_to_cartesian(rho2, theta2, x2, y2);
                       const float32 dx = x1 - x2, dy = y1 - y2;
                       return sqrt(dx * dx + dy * dy);)",
                     .functions = R"(
                       void polar_to_cartesian(float32 rho, float32 theta, float32& x, float32& y) {
                         x = rho * cos(theta);
                         y = rho * sin(theta);
                       })"});

void polar_to_cartesian(float rho, float theta, float& x, float& y) {
  x = rho * std::cos(theta);
  y = rho * std::sin(theta);
}

bool main_job() {
  constexpr std::size_t n = 1 << 19;
  const auto rho1 = example::random_values<float>(n, 0.5, 2, 1);
  const auto theta1 = example::random_values<float>(n, -3, 3, 2);
  const auto rho2 = example::random_values<float>(n, 0.5, 2, 3);
  const auto theta2 = example::random_values<float>(n, -3, 3, 4);
  const auto device = kiln::Device::best();
  const auto place = [&](const std::vector<float>& values) { return to_device(kiln::Array::from(values), device); };
  const kiln::Array on_rho1 = place(rho1);
  const kiln::Array on_theta1 = place(theta1);
  const kiln::Array on_rho2 = place(rho2);
  const kiln::Array on_theta2 = place(theta2);
  const kiln::Array out = polar_distance(on_rho1, on_theta1, on_rho2, on_theta2);

  std::vector<float> plain(n);
  const double loop = example::best_seconds(
      [&] {
        for (std::size_t i = 0; i < n; ++i) {
          float x1 = 0, y1 = 0, x2 = 0, y2 = 0;
          polar_to_cartesian(rho1[i], theta1[i], x1, y1);
          polar_to_cartesian(rho2[i], theta2[i], x2, y2);
          plain[i] = std::sqrt((x1 - x2) * (x1 - x2) + (y1 - y2) * (y1 - y2));
        }
      },
      3);
  const double kiln = example::best_seconds([&] {
    polar_distance({on_rho1, on_theta1, on_rho2, on_theta2}, {.out = out});
    device.synchronize();
  });
  example::print_title("polar_distance: a device function with two results", out);
  example::print_speed(5.0 * n * sizeof(float), kiln, loop);
  // Near points cancel: the error is relative to the coordinates, not to their difference.
  const auto precise = [&](std::size_t i) {
    return std::hypot(double{rho1[i]} * std::cos(double{theta1[i]}) - double{rho2[i]} * std::cos(double{theta2[i]}),
                      double{rho1[i]} * std::sin(double{theta1[i]}) - double{rho2[i]} * std::sin(double{theta2[i]}));
  };
  return example::check(out.to_vector<float>(), precise, 2e-6, 1);
}

}  // namespace

int main() {
  return example::run(main_job);
}
