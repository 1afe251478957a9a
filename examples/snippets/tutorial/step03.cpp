// Snippets of docs/tutorial/03-loop.md.
#include <algorithm>
#include <complex>
#include <iostream>
#include <kiln/kiln.hpp>

using kiln::Array;
using Complex = std::complex<double>;

int main() {
  // snippet: body
  const auto escape = kiln::vectorize(R"(
    (int32 count) escape(T c) where T: complex64, complex128 {
      T z = 0;
      for (count = 0; count < 100 && norm(z) <= 4; ++count) z = z*z + c;
    })");
  std::cout << escape(Array::from<Complex>({0.25, -1, Complex(0.3, 0.6), 1})) << "\n";
  // end

  // snippet: text
  const Array y = kiln::linspace(-1.2, 1.2, 21).reshape({21, 1});
  const Array c = kiln::linspace(-2.1, 0.7, 57) + Complex(0, 1) * y;
  const Array counts = escape(c);
  for (int i = 0; i < 21; ++i) {
    for (const int count : counts[i].to_vector<int>()) std::cout << " .:-=+*%@#"[std::min(count, 18) / 2];
    std::cout << "\n";
  }
  // end

  // snippet: error
  try {
    const auto wrong = kiln::vectorize(R"((int32 count) wrong(complex128 c) {
      for (count = 0; count < 100 && nrm(c) <= 4; ++count) c = c*c;
    })");
    static_cast<void>(wrong(c));
  } catch (const kiln::CompileError& error) {
    const auto& first = error.diagnostics().front();
    std::cout << first.line << ":" << first.column << ": " << first.text << "\n";
  }
  // end

  // snippet: picture
  const Array grid = kiln::linspace(-2.1, 0.7, 420) + Complex(0, 1) * kiln::linspace(-1.2, 1.2, 360).reshape({360, 1});
  kiln::save_png("tutorial-loop.png", sqrt(escape(grid)), {.colormap = "gray_r"});
  // end
}
