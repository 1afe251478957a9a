// a * x + y in float32: the shortest useful ufunc. `a` is a C++ number: it travels as a kernel argument.
#include "example.hpp"

namespace {

const auto saxpy =
    kiln::vectorize({.name = "saxpy", .signatures = {"float32(float32 a, float32 x, float32 y)"}, .body = "return a * x + y;"});

bool main_job() {
  constexpr std::size_t n = 1 << 22;
  constexpr float a = 2.5F;
  const auto x = example::random_values<float>(n, -1, 1, 1);
  const auto y = example::random_values<float>(n, 1, 2, 2);

  // Placed on a device, arrays stay there from call to call; `out` saves the allocation.
  const auto device = kiln::Device::best();
  const kiln::Array on_x = to_device(kiln::Array::from(x), device);
  const kiln::Array on_y = to_device(kiln::Array::from(y), device);
  const kiln::Array out = saxpy(a, on_x, on_y);

  std::vector<float> plain(n);
  const double loop = example::best_seconds([&] {
    for (std::size_t i = 0; i < n; ++i) plain[i] = a * x[i] + y[i];
  });
  const double kiln = example::best_seconds([&] {
    saxpy({a, on_x, on_y}, {.out = out});
    device.synchronize();
  });
  example::print_title("saxpy: a * x + y", out);
  example::print_speed(3.0 * n * sizeof(float), kiln, loop);
  return example::check(
             out.to_vector<float>(), [&](std::size_t i) { return plain[i]; }, 0) &&
         example::check(
             out.to_vector<float>(), [&](std::size_t i) { return double{a} * double{x[i]} + double{y[i]}; }, 1e-6, 1);
}

}  // namespace

int main() {
  return example::run(main_job);
}
