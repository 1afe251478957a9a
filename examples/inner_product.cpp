// Inner products of rows: the result has no core dimensions, so that the body assigns it like a variable.
#include <kiln/kiln.hpp>

#include <cmath>
#include <iostream>
#include <vector>

int main() {
  const auto inner = kiln::guvectorize("(n),(n)->()", "void(float64[:] a, float64[:] b, float64 r)", R"(
      float64 sum = 0;
      for (index i = 0; i < n; ++i) sum += a(i) * b(i);
      r = sum;)");

  constexpr std::size_t rows = 10'000, n = 64;
  std::vector<double> left(rows * n), right(n);
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = std::sin(static_cast<double>(i));
  for (std::size_t i = 0; i < right.size(); ++i) right[i] = 1 - static_cast<double>(i) / n;
  // One row on the right for all on the left.
  const kiln::Array products = inner(kiln::Array::from(left, kiln::Shape{rows, n}), kiln::Array::from(right));

  const std::vector<double> values = products.to_vector<double>();
  for (std::size_t row = 0; row < rows; ++row) {
    double expected = 0;
    for (std::size_t i = 0; i < n; ++i) expected += left[row * n + i] * right[i];
    if (std::abs(values[row] - expected) <= 1e-12) continue;
    std::cerr << "row " << row << " is wrong: " << values[row] << ", not " << expected << "\n";
    return 1;
  }
  if (products.shape() != kiln::Shape{rows}) {
    std::cerr << "the shape is wrong\n";
    return 1;
  }
  std::cout << rows << " inner products of rows of " << n << ", checked\n";
}
