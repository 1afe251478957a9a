// a x + y by a raw kernel, as Numba's cuda.jit has it: each thread finds its element by grid(1), and checks that there is one.
// vectorize() is shorter (saxpy.cpp); this is where one begins who needs more than elements.
#include <kiln/kiln.hpp>

#include <cstdint>
#include <iostream>
#include <vector>

int main() {
  const auto saxpy = kiln::kernel({
      .name = "saxpy",
      .signature = "void(float32 a, const float32[:] x, const float32[:] y, float32[:] out)",
      .body = R"(
        // Short for thread.x + block.x * block_size.x
        const index i = grid(1);
        // Map i to array elements
        if (i >= out.size()) return;
        // Do actual work
        out[i] = a * x[i] + y[i];)",
  });

  constexpr std::int64_t n = 10'000, threads = 256;
  std::vector<float> numbers(n);
  for (std::size_t i = 0; i < n; ++i) numbers[i] = static_cast<float>(i);
  const auto device = kiln::Device::best();
  const kiln::Array x = to_device(kiln::Array::from(numbers), device);
  const kiln::Array out = device_array_like(x);
  saxpy.configure((n + threads - 1) / threads, threads)(2, x, x, out);

  // forall() chooses the grid, and runs the body once for each item: the check finds nothing to do. x backwards is a view.
  const kiln::Array mirrored = device_array_like(x);
  saxpy.forall(n)(2, x[{kiln::Slice{.step = -1}}], x, mirrored);

  const std::vector<float> sums = out.copy_to_host().to_vector<float>();
  const std::vector<float> others = mirrored.copy_to_host().to_vector<float>();
  for (std::size_t i = 0; i < n; ++i) {
    if (sums[i] == 3 * numbers[i] && others[i] == 2 * numbers[n - 1 - i] + numbers[i]) continue;
    std::cerr << "wrong at " << i << ": " << sums[i] << " and " << others[i] << '\n';
    return 1;
  }
  std::cout << n << " elements by a grid of threads, and by forall(), checked\n";
}
