#include <iostream>
#include <kiln/kiln.hpp>

int main() {
  const auto scale = kiln::vectorize("float32 scale(float32 x, float32 factor) = x * factor");
  std::cout << scale(kiln::Array::from({1.0F, 2.0F, 3.0F}), 2) << "\n";
}
