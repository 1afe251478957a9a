// Snippets of docs/interop.md.
#include <algorithm>
#include <iostream>
#include <kiln/kiln.hpp>
#if __has_include(<Eigen/Dense>)
#include <Eigen/Dense>
#endif

int main() {
  {
    const auto a = kiln::Array::from({3.0F, 1.0F, 2.0F});
    // snippet: sort
    float* const first = a.as<float>();
    std::sort(first, first + a.size());
    std::cout << a << "\n";
    // end
  }
#if __has_include(<Eigen/Dense>)
  {
    const auto a = kiln::Array::from({{2.0, 0.0}, {0.0, 4.0}}), x = kiln::Array::zeros(2);
    const Eigen::VectorXd right = Eigen::Vector2d(2, 12);
    // snippet: eigen
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::Map<RowMajor> matrix(a.as<double>(), a.shape()[0], a.shape()[1]);
    Eigen::Map<Eigen::VectorXd> solution(x.as<double>(), x.size());
    solution = matrix.partialPivLu().solve(right);  // written into x
    // end
    if (x.to_vector<double>() != std::vector{1.0, 3.0}) return 1;
  }
#endif
}
