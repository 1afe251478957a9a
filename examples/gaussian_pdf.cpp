// The normal density with one mean and one sigma for all elements: numbers beside an array, and a constant in a preamble.
#include <numbers>

#include "example.hpp"

namespace {

const auto gaussian_pdf = kiln::vectorize({.name = "gaussian_pdf",
                                           .signatures = {"float32(float32 x, float32 mean, float32 sigma)"},
                                           .body = R"(
                                             const float32 z = (x - mean) / sigma;
                                             return exp(-0.5f * z * z) / (sigma * kSqrtTwoPi);)",
                                           .preamble = "constexpr float kSqrtTwoPi = 2.50662827463100050242f;"});

bool main_job() {
  constexpr std::size_t n = 1 << 20;
  constexpr float mean = 0.25F;
  constexpr float sigma = 1.5F;
  const auto x = example::random_values<float>(n, -3, 3, 1);
  const auto device = kiln::Device::best();
  const kiln::Array on_x = to_device(kiln::Array::from(x), device);
  const kiln::Array out = gaussian_pdf(on_x, mean, sigma);

  std::vector<float> plain(n);
  const float scale = sigma * std::sqrt(2 * std::numbers::pi_v<float>);
  const double loop = example::best_seconds([&] {
    for (std::size_t i = 0; i < n; ++i) {
      const float z = (x[i] - mean) / sigma;
      plain[i] = std::exp(-0.5F * z * z) / scale;
    }
  });
  const double kiln = example::best_seconds([&] {
    gaussian_pdf({on_x, mean, sigma}, {.out = out});
    device.synchronize();
  });
  example::print_title("gaussian_pdf: mean 0.25, sigma 1.5", out);
  example::print_speed(2.0 * n * sizeof(float), kiln, loop);
  const auto precise = [&](std::size_t i) {
    const double z = (double{x[i]} - double{mean}) / double{sigma};
    return std::exp(-0.5 * z * z) / (double{sigma} * std::sqrt(2 * std::numbers::pi));
  };
  return example::check(out.to_vector<float>(), precise, 2e-6);
}

}  // namespace

int main() {
  return example::run(main_job);
}
