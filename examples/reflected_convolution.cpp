// A convolution of rows whose borders are reflected, a thread for each element of the result.
#include "example.hpp"

namespace {

const auto convolve = kiln::guvectorize({.name = "convolve",
                                         .layout = "(n),(w)->(n)",
                                         .signatures = {"void(float32[:] x, float32[:] weights, float32[:] y)"},
                                         .each = "i:n",
                                         .body = R"(
                                           float32 sum = 0;
                                           for (index k = 0; k < w; ++k) sum += weights(k) * x(reflect(i + k - w / 2, n));
                                           y(i) = sum;)",
                                         .functions = R"(
                                           // ... 2 1 0 | 0 1 2 ... n-1 | n-1 n-2 ...
                                           index reflect(index i, index n) {
                                             if (i < 0) i = -i - 1;
                                             return i < n ? i : 2 * n - 1 - i;
                                           })"});

bool main_job() {
  constexpr std::size_t rows = 100, n = 4000, w = 9;
  const auto values = example::random_values<float>(rows * n, -1, 1, 1);
  const auto weights = example::random_values<float>(w, 0, 0.2, 2);
  const auto device = kiln::Device::best();
  const kiln::Array x = to_device(kiln::Array::from(values, kiln::Shape{rows, n}), device);
  const kiln::Array on_weights = to_device(kiln::Array::from(weights), device);
  const kiln::Array y = convolve(x, on_weights);

  const auto element = [&](std::size_t at, auto zero) {
    auto sum = zero;
    for (std::size_t k = 0; k < w; ++k) {
      auto i = static_cast<std::ptrdiff_t>(at % n + k) - static_cast<std::ptrdiff_t>(w / 2);
      if (i < 0) i = -i - 1;
      if (i >= static_cast<std::ptrdiff_t>(n)) i = 2 * static_cast<std::ptrdiff_t>(n) - 1 - i;
      sum += decltype(zero){weights[k]} * values[at / n * n + static_cast<std::size_t>(i)];
    }
    return sum;
  };
  std::vector<float> plain(values.size());
  const double loop = example::best_seconds(
      [&] {
        for (std::size_t i = 0; i < plain.size(); ++i) plain[i] = element(i, 0.0F);
      },
      3);
  const double kiln = example::best_seconds([&] {
    convolve({x, on_weights}, {.out = y});
    device.synchronize();
  });
  example::print_title("convolution of (100, 4000) with 9 weights, reflected at both ends", y);
  example::print_speed(static_cast<double>(2 * values.size() * sizeof(float)), kiln, loop);
  return example::check(y.to_vector<float>(), [&](std::size_t i) { return element(i, 0.0); }, 1e-6, 1);
}

}  // namespace

int main() {
  return example::run(main_job);
}
