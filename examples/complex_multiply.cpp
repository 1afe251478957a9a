// The product of two complex64 arrays.
#include "example.hpp"

namespace {

using Complex = std::complex<float>;

const auto multiply = kiln::vectorize<Complex(Complex, Complex)>("a", "b", "return a * b;");

std::vector<Complex> random_complex(std::size_t n, unsigned seed) {
  const auto real = example::random_values<float>(n, -1, 1, seed);
  const auto imaginary = example::random_values<float>(n, -1, 1, seed + 1);
  std::vector<Complex> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = {real[i], imaginary[i]};
  return values;
}

bool main_job() {
  constexpr std::size_t n = 1 << 20;
  const auto a = random_complex(n, 1);
  const auto b = random_complex(n, 3);
  const auto device = kiln::Device::best();
  const kiln::Array on_a = to_device(kiln::Array::from(a), device);
  const kiln::Array on_b = to_device(kiln::Array::from(b), device);
  const kiln::Array out = multiply(on_a, on_b);

  std::vector<Complex> plain(n);
  const double loop = example::best_seconds([&] {
    // Spelled out: std::complex's own product also repairs infinities, and takes longer for it.
    for (std::size_t i = 0; i < n; ++i) {
      plain[i] = {a[i].real() * b[i].real() - a[i].imag() * b[i].imag(), a[i].real() * b[i].imag() + a[i].imag() * b[i].real()};
    }
  });
  const double kiln = example::best_seconds([&] {
    multiply({on_a, on_b}, {.out = out});
    device.synchronize();
  });
  example::print_title("complex multiply, complex64", out);
  example::print_speed(3.0 * n * sizeof(Complex), kiln, loop);
  const auto precise = [&](std::size_t i) { return std::complex<double>(a[i]) * std::complex<double>(b[i]); };
  return example::check(out.to_vector<Complex>(), precise, 1e-6, 0.1);
}

}  // namespace

int main() {
  return example::run(main_job);
}
