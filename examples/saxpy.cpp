// a * x + y in float32: the shortest useful ufunc. `a` is a C++ number and travels as a kernel argument. Arrays that are placed
// on a device stay there from call to call; host arrays would be brought there and back by every call.
#include <kiln/kiln.hpp>

#include <cmath>
#include <iostream>
#include <vector>

int main() {
  const auto saxpy = kiln::vectorize({
      .name = "saxpy",
      .signatures = {"float32(float32 a, float32 x, float32 y)"},
      .body = "return a * x + y;",
  });

  constexpr float a = 2.5F;
  std::vector<float> x(1'000'000), y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i % 1000) / 1000;
    y[i] = 1 - x[i] / 3;
  }
  const auto device = kiln::Device::best();
  const kiln::Array on_x = to_device(kiln::Array::from(x), device);
  const kiln::Array on_y = to_device(kiln::Array::from(y), device);
  const kiln::Array out = saxpy(a, on_x, on_y);
  saxpy({2 * a, on_x, on_y}, {.out = out});  // into memory that is there already

  const std::vector<float> values = out.to_vector<float>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::abs(values[i] - (2.0 * a * x[i] + y[i])) <= 1e-6) continue;
    std::cerr << "element " << i << " is wrong: " << values[i] << "\n";
    return 1;
  }
  std::cout << "2 * a * x + y for " << x.size() << " elements on " << device.info().name << ", checked\n";
}
