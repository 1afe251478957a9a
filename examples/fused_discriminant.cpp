// sqrt(b*b - 4*a*c) from ufuncs of the standard library: as one kernel by kiln::fuse, and call by call. Both give the same
// bits; the fused one moves a third of the bytes.
#include <cstring>

#include "example.hpp"

namespace {

namespace math = kiln::math;

const auto discriminant = kiln::fuse({.name = "discriminant", .parameters = {"a", "b", "c"}},
                                     [](kiln::Expr a, kiln::Expr b, kiln::Expr c) { return math::sqrt(b * b - 4 * a * c); });

// A fused function is a ufunc as any other, so it can be part of another one.
const auto roots = kiln::fuse("roots", [](kiln::Expr a, kiln::Expr b, kiln::Expr c) {
  const kiln::Expr root = discriminant(a, b, c);
  return std::array{(-b - root) / (2 * a), (-b + root) / (2 * a)};
});

kiln::Array call_by_call(const kiln::Array& a, const kiln::Array& b, const kiln::Array& c) {
  return math::sqrt(math::subtract(math::multiply(b, b), math::multiply(math::multiply(4, a), c)));
}

bool main_job() {
  constexpr std::size_t n = 1 << 20;
  const auto device = kiln::Device::best();
  const auto a = example::random_values<float>(n, 1, 2, 1);
  const auto b = example::random_values<float>(n, 5, 10, 2);
  const auto c = example::random_values<float>(n, 0, 2, 3);
  const kiln::Array on_a = to_device(kiln::Array::from(a), device);
  const kiln::Array on_b = to_device(kiln::Array::from(b), device);
  const kiln::Array on_c = to_device(kiln::Array::from(c), device);

  const kiln::Array out = discriminant(on_a, on_b, on_c);
  const double fused = example::best_seconds([&] {
    discriminant({on_a, on_b, on_c}, {.out = out});
    device.synchronize();
  });
  kiln::Array composed;
  const double calls = example::best_seconds([&] {
    composed = call_by_call(on_a, on_b, on_c);
    device.synchronize();
  });
  example::print_title("fused discriminant, float32", out);
  std::printf("  one kernel %8.3f ms\n  five calls %8.3f ms\n", fused * 1e3, calls * 1e3);
  const std::vector<float> values = out.to_vector<float>();
  const std::vector<float> other = composed.to_vector<float>();
  if (std::memcmp(values.data(), other.data(), n * sizeof(float)) != 0) {
    std::printf("  MISMATCH: the fused kernel and the calls differ\n");
    return false;
  }
  const auto precise = [&](std::size_t i) {
    const double wide_b = b[i];
    return std::sqrt(wide_b * wide_b - 4.0 * a[i] * c[i]);
  };
  if (!example::check(values, precise, 1e-6)) return false;

  // Integers, a scalar and float64 together: each ufunc chooses its loop by NumPy's rules, inside the kernel.
  const auto [low, high] = roots.outputs<2>(1, kiln::Array::from({-3, -5, -7}), 2.0);
  std::printf("roots of x*x + b*x + 2 for b = -3, -5, -7: %s and %s\n", to_string(low).c_str(), to_string(high).c_str());
  return low.dtype() == kiln::DType::float64 && low.to_vector<double>()[0] == 1 && high.to_vector<double>()[0] == 2;
}

}  // namespace

int main() {
  return example::run(main_job);
}
