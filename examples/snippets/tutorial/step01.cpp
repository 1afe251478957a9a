// Snippets of docs/tutorial/01-formula.md.
// snippet: formula
#include <complex>
#include <iostream>
#include <kiln/kiln.hpp>

using kiln::Array;
using Complex = std::complex<double>;

int main() {
  const auto step = kiln::vectorize("complex128 step(complex128 z, complex128 c) = z*z + c");
  Array c = Array::from<Complex>({0.25, -1, Complex(0.3, 0.5), 1});
  Array z = step(0, c);
  std::cout << z << "\n";
  z = step(z, c);
  std::cout << z << "\n";
  // end

  // snippet: text
  const auto small = kiln::vectorize("bool small(complex128 z) = norm(z) < 4");
  const Array y = kiln::linspace(-1.2, 1.2, 21).reshape({21, 1});
  c = kiln::linspace(-2.1, 0.7, 57) + Complex(0, 1) * y;
  z = Array::zeros(c.shape(), kiln::DType::complex128);
  for (int i = 0; i < 12; ++i) z = step(z, c);
  const Array rows = small(z);
  for (int i = 0; i < 21; ++i) {
    for (const bool inside : rows[i].to_vector<bool>()) std::cout << (inside ? '#' : '.');
    std::cout << "\n";
  }
  // end

  // snippet: picture
  c = kiln::linspace(-2.1, 0.7, 420) + Complex(0, 1) * kiln::linspace(-1.2, 1.2, 360).reshape({360, 1});
  z = Array::zeros(c.shape(), kiln::DType::complex128);
  for (int i = 0; i < 100; ++i) z = step(z, c);
  kiln::save_png("tutorial-formula.png", small(z), {.colormap = "gray_r"});
  // end
}
