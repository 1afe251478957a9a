// Eigenvalues of many symmetric 3x3 matrices, in closed form: a core of fixed size, and device functions in .functions.
#include "example.hpp"

namespace {

// O. K. Smith, "Eigenvalues of a symmetric 3 x 3 matrix", Communications of the ACM 4 (1961), p. 168.
const auto eigenvalues = kiln::guvectorize({.name = "eigenvalues",
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
                                              const float64 half = determinant(A(0, 0) - mean, A(1, 1) - mean, A(2, 2) - mean, A(0, 1),
                                                                               A(0, 2), A(1, 2)) / (2 * size * size * size);
                                              const float64 angle = acos(max(-1.0, min(1.0, half))) / 3;
                                              e(2) = mean + 2 * size * cos(angle);
                                              e(0) = mean + 2 * size * cos(angle + 2 * pi / 3);
                                              e(1) = 3 * mean - e(0) - e(2);)",
                                            .functions = R"(
                                              float64 determinant(float64 a, float64 b, float64 c, float64 ab, float64 ac, float64 bc) {
                                                return a * (b * c - bc * bc) - ab * (ab * c - bc * ac) + ac * (ab * bc - b * ac);
                                              })"});

/// By rotating off-diagonal elements away.
void jacobi(const double* matrix, double* e) {
  double a[3][3];
  for (int i = 0; i < 9; ++i) a[i / 3][i % 3] = matrix[i];
  for (int sweep = 0; sweep < 20; ++sweep) {
    for (int p = 0; p < 2; ++p) {
      for (int q = p + 1; q < 3; ++q) {
        if (a[p][q] == 0) continue;
        const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const double t = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::hypot(theta, 1));
        const double c = 1 / std::hypot(t, 1), s = t * c;
        const int r = 3 - p - q;
        const double app = a[p][p] - t * a[p][q], aqq = a[q][q] + t * a[p][q];
        const double arp = c * a[r][p] - s * a[r][q], arq = s * a[r][p] + c * a[r][q];
        a[p][p] = app;
        a[q][q] = aqq;
        a[p][q] = a[q][p] = 0;
        a[r][p] = a[p][r] = arp;
        a[r][q] = a[q][r] = arq;
      }
    }
  }
  for (int i = 0; i < 3; ++i) e[i] = a[i][i];
  std::sort(e, e + 3);
}

bool main_job() {
  constexpr std::size_t count = 20000;
  auto matrices = example::random_values<double>(count * 9, -1, 1, 1);
  for (double* a = matrices.data(); a != matrices.data() + matrices.size(); a += 9) {
    a[3] = a[1];
    a[6] = a[2];
    a[7] = a[5];
  }
  std::fill_n(matrices.begin(), 9, 0.0);  // all eigenvalues 0
  const auto device = kiln::Device::best();
  const kiln::Array a = to_device(kiln::Array::from(matrices, kiln::Shape{count, 3, 3}), device);
  const kiln::Array e = eigenvalues(a);

  std::vector<double> plain(count * 3);
  const double loop = example::best_seconds(
      [&] {
        for (std::size_t i = 0; i < count; ++i) jacobi(&matrices[i * 9], &plain[i * 3]);
      },
      3);
  const double kiln = example::best_seconds([&] {
    eigenvalues({a}, {.out = e});
    device.synchronize();
  });
  example::print_title("eigenvalues of 20000 symmetric 3x3 matrices (plain loop: Jacobi's method)", e);
  example::print_speed(static_cast<double>((matrices.size() + plain.size()) * sizeof(double)), kiln, loop);
  return example::check(e.to_vector<double>(), [&](std::size_t i) { return plain[i]; }, 1e-7, 1);
}

}  // namespace

int main() {
  return example::run(main_job);
}
