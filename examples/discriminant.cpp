// sqrt(b*b - 4*a*c) as one ufunc with a float32 and a float64 loop: the arguments' dtypes choose.
#include "example.hpp"

namespace {

const auto discriminant = kiln::vectorize({.name = "discriminant",
                                           .signatures = {"float32(float32 a, float32 b, float32 c)",  //
                                                          "float64(float64, float64, float64)"},
                                           .body = "return sqrt(b * b - 4 * a * c);"});

template <class T>
bool run_loop(const char* title, double tolerance) {
  constexpr std::size_t n = 1 << 20;
  const auto a = example::random_values<T>(n, 1, 2, 1);
  const auto b = example::random_values<T>(n, 5, 10, 2);
  const auto c = example::random_values<T>(n, 0, 2, 3);
  const auto device = kiln::Device::best();
  const kiln::Array on_a = to_device(kiln::Array::from(a), device);
  const kiln::Array on_b = to_device(kiln::Array::from(b), device);
  const kiln::Array on_c = to_device(kiln::Array::from(c), device);
  const kiln::Array out = discriminant(on_a, on_b, on_c);

  std::vector<T> plain(n);
  const double loop = example::best_seconds([&] {
    for (std::size_t i = 0; i < n; ++i) plain[i] = std::sqrt(b[i] * b[i] - 4 * a[i] * c[i]);
  });
  const double kiln = example::best_seconds([&] {
    discriminant({on_a, on_b, on_c}, {.out = out});
    device.synchronize();
  });
  example::print_title(title, out);
  example::print_speed(4.0 * n * sizeof(T), kiln, loop);
  const auto precise = [&](std::size_t i) {
    const long double wide_b = b[i];
    return std::sqrt(wide_b * wide_b - 4 * static_cast<long double>(a[i]) * c[i]);
  };
  return out.dtype() == kiln::dtype_of<T> && example::check(out.to_vector<T>(), precise, tolerance);
}

bool main_job() {
  return run_loop<float>("discriminant, float32 loop", 1e-6) && run_loop<double>("discriminant, float64 loop", 2e-15);
}

}  // namespace

int main() {
  return example::run(main_job);
}
