// A system of equations that Eigen solves, in the memory of kiln's arrays: kiln fills the matrix and checks the residual.
#include <kiln/kiln.hpp>

#include <Eigen/Dense>
#include <iostream>

int main() {
  using kiln::Array;
  // A Cauchy matrix, 1 / (x_i + y_j), and a right side of ones.
  const Array x = kiln::arange(1, 7).astype<double>();
  const Array y = kiln::linspace(0.5, 5.5, 6);
  const Array matrix = 1 / (expand_dims(x, 1) + y);
  const Array right = Array::ones(6);
  const Array solution = Array::empty(6);

  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const RowMajor> a(matrix.as<const double>(), matrix.shape()[0], matrix.shape()[1]);
  const Eigen::Map<const Eigen::VectorXd> b(right.as<const double>(), right.size());
  Eigen::Map<Eigen::VectorXd>(solution.as<double>(), solution.size()) = a.partialPivLu().solve(b);

  std::cout << "solution of " << matrix.shape() << ' ' << matrix.dtype() << ": " << solution << '\n';
  const double residual = abs(sum(matrix * solution, 1) - right).max().item<double>();
  std::cout << "largest residual: " << residual << '\n';
  return residual < 1e-8 ? 0 : 1;
}
