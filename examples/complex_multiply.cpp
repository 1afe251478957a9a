// The product of two complex64 arrays, by a ufunc whose signature is a C++ type.
#include <kiln/kiln.hpp>

#include <complex>
#include <iostream>
#include <vector>

using Complex = std::complex<float>;

int main() {
  const auto multiply = kiln::vectorize<Complex(Complex, Complex)>("a", "b", "return a * b;");

  std::vector<Complex> a(1000), b(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = std::polar(1.0F, 0.01F * static_cast<float>(i));
    b[i] = {static_cast<float>(i) / 1000, -1};
  }
  const kiln::Array products = multiply(kiln::Array::from(a), kiln::Array::from(b));

  const std::vector<Complex> values = products.to_vector<Complex>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::complex<double> expected = std::complex<double>(a[i]) * std::complex<double>(b[i]);
    if (std::abs(std::complex<double>(values[i]) - expected) <= 1e-6) continue;
    std::cerr << "element " << i << " is wrong: " << values[i] << ", not " << expected << "\n";
    return 1;
  }
  std::cout << "1000 products of " << name(products.dtype()) << ", checked\n";
}
