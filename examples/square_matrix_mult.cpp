// A product of square matrices by a raw kernel, a thread for each element, with a grid and blocks of two dimensions: NumbaPro's
// example of cuda.jit. One matrix is a transposed view, which needs no copy.
#include <kiln/kiln.hpp>

#include <cstdint>
#include <iostream>
#include <vector>

int main() {
  const auto square_matrix_mult = kiln::kernel({
      .name = "square_matrix_mult",
      .signature = "void(const float32[:,:] A, const float32[:,:] B, float32[:,:] C)",
      .body = R"(
        const auto [x, y] = grid(2);
        const index n = C.shape(0);
        if (x >= n || y >= n) return;
        float32 sum = 0;
        for (index i = 0; i < n; ++i) sum += A(y, i) * B(i, x);
        C(y, x) = sum;)",
  });

  constexpr std::int64_t n = 100, threads = 16;
  std::vector<float> a(n * n), b(n * n);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(i % 7) - 3;
    b[i] = static_cast<float>(i % 5) - 2;
  }
  const auto device = kiln::Device::best();
  const kiln::Array A = to_device(kiln::Array::from(a).reshape({n, n}), device);
  const kiln::Array B = to_device(kiln::Array::from(b).reshape({n, n}), device);
  const kiln::Array C = device_array_like(A);
  constexpr std::int64_t blocks = (n + threads - 1) / threads;
  const auto multiply = square_matrix_mult.configure({blocks, blocks}, {threads, threads});
  multiply(A, B.transpose(), C);

  const std::vector<float> c = C.copy_to_host().to_vector<float>();
  for (std::size_t y = 0; y < n; ++y) {
    for (std::size_t x = 0; x < n; ++x) {
      float sum = 0;
      for (std::size_t i = 0; i < n; ++i) sum += a[y * n + i] * b[x * n + i];  // integers: exact
      if (c[y * n + x] == sum) continue;
      std::cerr << "C(" << y << ", " << x << ") is " << c[y * n + x] << ", not " << sum << '\n';
      return 1;
    }
  }
  std::cout << "a product of " << n << " x " << n << " matrices, a thread for each element, checked\n";
}
