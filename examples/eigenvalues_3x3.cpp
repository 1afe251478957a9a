// Eigenvalues of many symmetric 3x3 matrices, in closed form: a core of fixed size, and device functions in .functions.
#include <kiln/kiln.hpp>

#include <cmath>
#include <iostream>
#include <vector>

int main() {
  // O. K. Smith, "Eigenvalues of a symmetric 3 x 3 matrix", Communications of the ACM 4 (1961), p. 168.
  const auto eigenvalues = kiln::guvectorize({
      .name = "eigenvalues",
      .layout = "(3,3)->(3)",
      .signatures = {"void(float64[:,:] A, float64[:] e)"},
      .body = R"(
        const float64 mean = (A(0, 0) + A(1, 1) + A(2, 2)) / 3;
        float64 sum = 0;
        for (index i = 0; i < 3; ++i) {
          for (index j = 0; j < 3; ++j) sum += square(A(i, j) - (i == j ? mean : 0));
        }
        const float64 size = sqrt(sum / 6);
        if (size == 0) {
          for (auto& x : e) x = mean;
          return;
        }
        const float64 half = determinant(A(0, 0) - mean, A(1, 1) - mean, A(2, 2) - mean, A(0, 1), A(0, 2), A(1, 2)) /
                             (2 * size * size * size);
        const float64 angle = acos(clamp(half, -1.0, 1.0)) / 3;
        e(2) = mean + 2 * size * cos(angle);
        e(0) = mean + 2 * size * cos(angle + 2 * pi / 3);
        e(1) = 3 * mean - e(0) - e(2);)",
      .compile = {.functions = R"(
        float64 determinant(float64 a, float64 b, float64 c, float64 ab, float64 ac, float64 bc) {
          return a * (b * c - bc * bc) - ab * (ab * c - bc * ac) + ac * (ab * bc - b * ac);
        })"},
  });

  // Of known eigenvalues -1, 2 and k, the first two along axes that are turned by an angle.
  std::vector<double> matrices(9);  // the first has zeros alone
  for (int k = 3; k < 1000; ++k) {
    const double c = std::cos(k), s = std::sin(k);
    for (const double element : {2 * s * s - c * c, -3 * s * c, 0.0, -3 * s * c, 2 * c * c - s * s, 0.0, 0.0, 0.0, double(k)}) {
      matrices.push_back(element);
    }
  }
  const auto count = static_cast<std::int64_t>(matrices.size() / 9);
  const kiln::Array e = eigenvalues(kiln::Array::from(matrices, kiln::Shape{count, 3, 3}));

  const std::vector<double> values = e.to_vector<double>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t matrix = i / 3;
    const double k = static_cast<double>(matrix) + 2, expected = i < 3 ? 0 : i % 3 == 0 ? -1 : i % 3 == 1 ? 2 : k;
    if (std::abs(values[i] - expected) <= 1e-12 * k) continue;
    std::cerr << "eigenvalue " << i << " is wrong: " << values[i] << ", not " << expected << "\n";
    return 1;
  }
  std::cout << "eigenvalues of " << count << " matrices of 3x3, checked\n";
}
