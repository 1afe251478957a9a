// sqrt(b*b - 4*a*c) from ufuncs of the standard library: as one kernel by kiln::fuse, and call by call. Both give the same
// bits; the fused one moves a third of the bytes.
#include <kiln/kiln.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <vector>

namespace math = kiln::math;

int main() {
  const auto fused = kiln::fuse({.name = "discriminant", .parameters = {"a", "b", "c"}},
                                [](kiln::Expr a, kiln::Expr b, kiln::Expr c) { return math::sqrt(b * b - 4 * a * c); });
  const auto call_by_call = [](const kiln::Array& a, const kiln::Array& b, const kiln::Array& c) {
    return math::sqrt(math::subtract(math::multiply(b, b), math::multiply(math::multiply(4, a), c)));
  };
  std::vector<float> a, b, c;
  for (std::size_t i = 0; i < 1'000'000; ++i) {
    a.push_back(1 + static_cast<float>(i) * 1e-6F);
    b.push_back(5 + static_cast<float>(i % 1000) * 1e-3F);
    c.push_back(2 - static_cast<float>(i) * 1e-6F);
  }
  const auto device = kiln::Device::best();
  const kiln::Array on_a = to_device(kiln::Array::from(a), device);
  const kiln::Array on_b = to_device(kiln::Array::from(b), device);
  const kiln::Array on_c = to_device(kiln::Array::from(c), device);

  // The shortest of several runs; the first ones compile.
  const auto measure = [&](const char* what, const auto& function) {
    kiln::Array result;
    double seconds = 1e30;
    for (int run = 0; run < 10; ++run) {
      const auto start = std::chrono::steady_clock::now();
      result = function(on_a, on_b, on_c);
      device.synchronize();
      seconds = std::min(seconds, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::cout << what << ": " << seconds * 1e3 << " ms, " << 16e-3 / seconds << " GB/s of arguments and results\n";
    return result.to_vector<float>();
  };
  const std::vector<float> values = measure("one kernel", fused);
  if (measure("five calls", call_by_call) != values) {
    std::cerr << "the fused kernel and the calls differ\n";
    return 1;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double expected = std::sqrt(double{b[i]} * b[i] - 4.0 * a[i] * c[i]);
    if (std::abs(values[i] - expected) <= 1e-6 * expected) continue;
    std::cerr << "element " << i << " is wrong: " << values[i] << ", not " << expected << "\n";
    return 1;
  }
  std::cout << values.size() << " discriminants, the same bits both ways, checked\n";
}
