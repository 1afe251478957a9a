// Distances between all pairs of points: a size rule says how many there are.
#include <kiln/kiln.hpp>

#include <cmath>
#include <iostream>
#include <vector>

int main() {
  const auto pairwise_distance = kiln::guvectorize({
      .name = "pairwise_distance",
      .layout = "(n,d)->(p)",
      .signatures = {"void(float64[:,:] x, float64[:] r)"},
      .sizes = "p = n * (n - 1) / 2",
      .body = R"(
        index at = 0;
        for (index i = 0; i < n; ++i) {
          for (index j = i + 1; j < n; ++j) {
            float64 sum = 0;
            for (index k = 0; k < d; ++k) sum += square(x(i, k) - x(j, k));
            r(at++) = sqrt(sum);
          }
        })",
  });

  constexpr std::size_t sets = 100, n = 20, pairs = n * (n - 1) / 2;
  std::vector<double> points(sets * n * 3);
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = std::sin(static_cast<double>(i));
  const kiln::Array distances = pairwise_distance(kiln::Array::from(points, kiln::Shape{sets, n, 3}));

  const std::vector<double> values = distances.to_vector<double>();
  std::size_t at = 0;
  for (const double* set = points.data(); set != points.data() + points.size(); set += n * 3) {
    for (const double* a = set; a != set + n * 3; a += 3) {
      for (const double* b = a + 3; b != set + n * 3; b += 3, ++at) {
        const double expected = std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
        if (std::abs(values[at] - expected) <= 1e-14) continue;
        std::cerr << "distance " << at << " is wrong: " << values[at] << ", not " << expected << "\n";
        return 1;
      }
    }
  }
  if (distances.shape() != kiln::Shape{sets, pairs}) {
    std::cerr << "the shape is wrong\n";
    return 1;
  }
  std::cout << sets << " sets of " << n << " points, " << pairs << " distances each, checked\n";
}
