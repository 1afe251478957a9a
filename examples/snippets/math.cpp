// Snippets of docs/math.md.
// snippet: first
#include <kiln/math.hpp>  // or <kiln/kiln.hpp>

// end
#include <iostream>
#include <kiln/kiln.hpp>

int main() {
  const auto a = kiln::Array::from({3.0, 5.0}), b = kiln::Array::from({4.0, 12.0}), c = kiln::Array::zeros(2);
  // snippet: first
  const kiln::Array length = kiln::math::hypot(a, b);
  kiln::math::add({a, b}, {.out = c});
  auto [q, r] = kiln::math::divmod.outputs<2>(b, a);
  const kiln::Ufunc& f = kiln::math::sin;              // a ufunc like any other
  const kiln::Ufunc* g = kiln::math::find("arctan2");  // by name
  std::cout << length << c << q << r << f(0.0) << (*g)(0.0, 1.0) << "\n";
  // end

  // snippet: same_bits
  const kiln::Ufunc same =
      kiln::vectorize({.signatures = {"float64(float64 x)"}, .expression = "exp(sin(x))", .compile = {.same_bits = true}});
  std::cout << std::hexfloat << same(0.5).item<double>() << "\n";
  // end
}
