// The program of a user who has kiln as a package: one ufunc, its result checked. It sees nothing but the installed headers.
#include <kiln/kiln.hpp>

#include <iostream>
#include <vector>

int main() {
  const auto saxpy = kiln::vectorize("float32(float32 a, float32 x, float32 y)", "return a * x + y;");
  if (kiln::Device::all().empty()) {
    std::cout << "kiln " << KILN_VERSION << " parses, and has no device to run on\n";
    return saxpy.nin() == 3 ? 0 : 1;
  }
  const kiln::Array x = kiln::Array::from({1.0F, 2.0F, 3.0F});
  const kiln::Array y = kiln::Array::from({10.0F, 20.0F, 30.0F});
  const kiln::Array result = saxpy(2.0F, x, y);
  std::cout << "kiln " << KILN_VERSION << " on " << kiln::Device::best().info().name << ": " << result << "\n";
  return result.to_vector<float>() == std::vector<float>{12.0F, 24.0F, 36.0F} ? 0 : 1;
}
