#include <iostream>
#include <kiln/kiln.hpp>

int main() {
  const auto disc = kiln::vectorize(
      "T disc(T a, T b, T c) where T: float32, float64"
      "  = sqrt(b*b - 4*a*c)");
  const auto b = kiln::Array::from({3.0, 5.0, 7.0});
  std::cout << disc(1.0, b, 2.0) << "\n";
}
