// A function that was compiled before, linked into a kernel: `.compile.link` takes what nvcc, clang and kiln compile. Here kiln
// compiles the function, for the device that the kernel runs on, and inlines it.
#include <kiln/kiln.hpp>

#include <cmath>
#include <iostream>
#include <vector>

int main() {
  const auto gauss =
      kiln::vectorize({.name = "gauss", .signatures = {"float32(float32 x)"}, .body = "return exp(-x * x / 2);"});
  const kiln::Device device = kiln::Device::best();
  const kiln::DeviceCode code = gauss.device_code(device.info().target);

  const auto mixture = kiln::vectorize({
      .name = "mixture",
      .signatures = {"float32(float32 x)"},
      .body = "return (gauss(x - 1) + gauss(x + 1)) / 2;",
      .compile = {.functions = kiln::declare_device("gauss", "float32(float32 x)"),
                  .link = {kiln::LinkFile::of_bytes("gauss", code.bytes)}},
  });

  std::vector<float> x(1000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) / 100 - 5;
  const std::vector<float> values = mixture(kiln::Array::from(x)).to_vector<float>();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double left = x[i] - 1.0;
    const double right = x[i] + 1.0;
    if (std::abs(values[i] - (std::exp(-left * left / 2) + std::exp(-right * right / 2)) / 2) <= 1e-6) continue;
    std::cerr << "element " << i << " is wrong: " << values[i] << "\n";
    return 1;
  }
  std::cout << code.bytes.size() << " bytes of compiled code linked into a kernel for " << code.target
            << ", 1000 elements checked\n";
}
