// A sum of arrays by a raw kernel whose threads stride over the elements, so that any grid is right for any size: Numba's
// example of cuda.grid(1) and cuda.gridsize(1).
#include <kiln/kiln.hpp>

#include <cstdint>
#include <iostream>
#include <vector>

int main() {
  const auto add_kernel = kiln::kernel({
      .name = "add_kernel",
      .signature = "void(const float32[:] x, const float32[:] y, float32[:] out)",
      .body = R"(
        const index start = grid(1);
        const index stride = gridsize(1);
        for (index i = start; i < x.size(); i += stride) out[i] = x[i] + y[i];)",
  });

  constexpr std::int64_t n = 100'000;
  constexpr std::int64_t threads_per_block = 128;
  constexpr std::int64_t blocks_per_grid = 30;
  std::vector<float> numbers(n);
  for (std::size_t i = 0; i < n; ++i) numbers[i] = static_cast<float>(i);
  const auto device = kiln::Device::best();
  const kiln::Array x = to_device(kiln::Array::from(numbers), device);
  const kiln::Array y = 2.0F * x;
  const kiln::Array out = device_array_like(x);
  add_kernel.configure(blocks_per_grid, threads_per_block)(x, y, out);

  const std::vector<float> sums = out.copy_to_host().to_vector<float>();
  for (std::size_t i = 0; i < n; ++i) {
    if (sums[i] == 3 * numbers[i]) continue;
    std::cerr << "wrong at " << i << ": " << sums[i] << '\n';
    return 1;
  }
  std::cout << n << " sums by " << blocks_per_grid * threads_per_block << " threads, checked\n";
}
