// sqrt(b*b - 4*a*c) of three numbers, and their sum, with the results checked.
#include <kiln/kiln.hpp>

#include <cmath>
#include <cstdio>

int main() {
  const auto disc = kiln::vectorize("float64 disc(float64 a, float64 b, float64 c) = sqrt(b*b - 4*a*c)");
  const kiln::Array b = kiln::Array::from({3.0, 5.0, 7.0});
  const std::vector<double> roots = disc(1.0, b, 2.0).to_vector<double>();
  const double sum = kiln::math::add.reduce(b).item<double>();
  std::printf("kiln %s: %.17g %.17g %.17g, sum %g\n", KILN_VERSION, roots[0], roots[1], roots[2], sum);
  return roots[0] == 1 && roots[1] == std::sqrt(17.0) && roots[2] == std::sqrt(41.0) && sum == 15 ? 0 : 1;
}
