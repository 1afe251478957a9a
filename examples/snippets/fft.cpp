// Snippets of docs/fft.md.
// snippet: first
#include <kiln/fft.hpp>  // or <kiln/kiln.hpp>

// end
#include <complex>
#include <iostream>
#include <kiln/kiln.hpp>

using Complex = std::complex<float>;

int main() try {
  const auto a = kiln::Array::ones({8, 4}), b = kiln::Array::ones({4, 6});
  const auto image = kiln::Array::ones({2, 2}, kiln::DType::complex64);
  // snippet: first
  const kiln::Array spectrum = kiln::fft::fft(a);  // along the last axis
  const kiln::Array padded = kiln::fft::fft(a, {.n = 256, .axis = 0, .norm = kiln::fft::Norm::ortho});
  kiln::fft::fft2(image, {.out = image});  // in place
  const kiln::Array back = kiln::fft::irfftn(kiln::fft::rfftn(b), {.s = b.shape()});
  const kiln::Array centred = kiln::fft::fftshift(spectrum);
  std::cout << centred.shape() << padded.shape() << back.shape() << "\n" << image << "\n";
  // end

  const auto values = kiln::Array::ones({2, 2}, kiln::DType::complex64),
             kernel = kiln::Array::ones({2, 2}, kiln::DType::complex64);
  // snippet: convolution
  const auto multiply = kiln::vectorize<Complex(Complex, Complex)>("a", "b", "return a * b;");
  kiln::fft::fft2(values, {.out = values});
  multiply(values, kernel, {.out = values});  // kernel: transformed before
  kiln::fft::ifft2(values, {.out = values});
  // end
} catch (const kiln::DeviceError& error) {
  std::cerr << error.what() << "\n";
  return 77;
}
