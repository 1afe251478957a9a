// Snippets of docs/tutorial/02-types.md.
#include <complex>
#include <iostream>
#include <kiln/kiln.hpp>

using kiln::Array;
using kiln::DType;

int main() {
  // snippet: types
  const auto step = kiln::vectorize("T step(T z, T c) where T: complex64, complex128 = z*z + c");
  std::cout << step.resolve(0, Array::ones(3)).loop << "\n";
  // end

  // snippet: casts
  for (const DType dtype : {DType::complex64, DType::complex128, DType::float32, DType::float64, DType::int16, DType::int32})
    std::cout << dtype << " " << step(0, Array::ones(3, dtype)).dtype() << "\n";
  // end

  // snippet: scalars
  const Array c = Array::from<std::complex<float>>({0.25F, -1});
  std::cout << step(0.5, c).dtype() << " " << step(Array::full(1, 0.5), c).dtype() << "\n";
  // end

  // snippet: error
  const auto small = kiln::vectorize("bool small(float64 x) = x < 4");
  try {
    static_cast<void>(small(c));
  } catch (const kiln::TypeError& error) {
    std::cout << error.what() << "\n";
  }
  // end

  // snippet: zoom
  const Array y = kiln::linspace(-4.7e-6, 4.7e-6, 360).reshape({360, 1});
  const Array points = kiln::linspace(-5.5e-6, 5.5e-6, 420) - 1.9963785 + std::complex<double>(0, 1) * y;
  for (const DType dtype : {DType::complex64, DType::complex128}) {
    const Array exact = points.astype(dtype);
    Array z = Array::zeros(points.shape(), dtype);
    for (int i = 0; i < 60; ++i) z = step(z, exact);
    std::cout << sum(abs(z) < 2).item<std::int64_t>() << "\n";
  }
  // end
}
