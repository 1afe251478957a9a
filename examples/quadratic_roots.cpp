// A fused function is a ufunc as any other: it can be part of another one. Integers, a number and float64 together: each ufunc
// within the kernel chooses its loop by NumPy's rules.
#include <kiln/kiln.hpp>

#include <array>
#include <iostream>
#include <vector>

int main() {
  using kiln::Expr;
  const auto discriminant =
      kiln::fuse("discriminant", [](Expr a, Expr b, Expr c) { return kiln::math::sqrt(b * b - 4 * a * c); });
  const auto roots = kiln::fuse("roots", [&](Expr a, Expr b, Expr c) {
    const Expr root = discriminant(a, b, c);
    return std::array{(-b - root) / (2 * a), (-b + root) / (2 * a)};
  });

  const auto [low, high] = roots.outputs<2>(1, kiln::Array::from({-3, -5, -10}), kiln::Array::from({2.0, 6.0, 21.0}));
  if (low.to_vector<double>() != std::vector<double>{1, 2, 3} || high.to_vector<double>() != std::vector<double>{2, 3, 7}) {
    std::cerr << "wrong roots\n";
    return 1;
  }
  std::cout << "x*x - 3x + 2, x*x - 5x + 6 and x*x - 10x + 21 are 0 at " << low << " and " << high << ", checked\n";
}
