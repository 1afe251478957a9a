// Snippets of docs/fuse.md.
// snippet: fuse
#include <kiln/kiln.hpp>
// end
#include <iostream>

// snippet: fuse
namespace math = kiln::math;
using kiln::Expr;

// end
int main() {
  const auto a = kiln::Array::from({1.0, 1.0}), b = kiln::Array::from({3.0, 5.0}), c = kiln::Array::from({2.0, 2.0});
  const auto x = kiln::Array::from({3.0}), y = kiln::Array::from({4.0});
  // snippet: fuse
  auto disc = kiln::fuse("disc", [](Expr a, Expr b, Expr c) { return math::sqrt(b * b - 4 * a * c); });
  const kiln::Array d = disc(a, b, c);

  auto polar = kiln::fuse({.name = "polar", .parameters = {"x", "y"}},
                          [](Expr x, Expr y) { return std::array{math::hypot(x, y), math::arctan2(y, x)}; });
  auto [r, phi] = polar.outputs<2>(x, y);
  std::cout << d << " " << r << " " << phi << "\n";
  // end

  // snippet: error
  auto bits = kiln::fuse("bits", [](Expr a, Expr b) { return a & b; });
  try {
    bits(kiln::Array::from({1, 2}), kiln::Array::from({1.5F, 2.5F}));
  } catch (const kiln::TypeError& error) {
    std::cout << error.what() << "\n";
  }
  // end
}
