// Each element of a picture becomes the weighted mean of itself and its eight neighbours. A thread goes down a column and keeps
// three rows in registers, so that an element costs three reads and not nine.
#include <kiln/kiln.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <vector>

int main() {
  const auto smooth = kiln::kernel({
      .name = "smooth",
      .signature = "void(const float32[:,:] x, float32[:,:] y, int32 most)",
      .body = R"(
        const index first = grid(2).y * most + 1, j = grid(2).x + 1;
        const index end = min(first + most, x.shape(0) - 1);
        if (first >= end || j + 1 >= x.shape(1)) return;
        float32 above[3], here[3], below[3];
        for (int32 k = 0; k < 3; ++k) above[k] = x(first - 1, j - 1 + k);
        for (int32 k = 0; k < 3; ++k) here[k] = x(first, j - 1 + k);
        for (index i = first; i < end; ++i) {
          for (int32 k = 0; k < 3; ++k) below[k] = x(i + 1, j - 1 + k);
          y(i, j) = (above[0] + above[2] + below[0] + below[2] + 2 * (above[1] + here[0] + here[2] + below[1]) + 4 * here[1]) / 16;
          for (int32 k = 0; k < 3; ++k) above[k] = here[k];
          for (int32 k = 0; k < 3; ++k) here[k] = below[k];
        })",
  });

  constexpr std::int64_t rows = 300, columns = 500, most = 16;
  std::vector<float> x(rows * columns);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * i % 251);
  const auto device = kiln::Device::best();
  const kiln::Array from = to_device(kiln::Array::from(x, kiln::Shape{rows, columns}), device);
  const kiln::Array to = to_device(kiln::Array::zeros({rows, columns}, kiln::DType::float32), device);
  smooth({.grid = {(columns - 2 + 127) / 128, (rows - 2 + most - 1) / most}, .block = {128}}, from, to, most);

  const std::vector<float> y = to.to_vector<float>();
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      float expected = 0;
      for (const std::int64_t k : {i - 1, i, i + 1}) {
        for (const std::int64_t l : {j - 1, j, j + 1}) {
          const bool inside = 0 < i && i + 1 < rows && 0 < j && j + 1 < columns;
          const auto weight = static_cast<float>((k == i ? 2 : 1) * (l == j ? 2 : 1));
          if (inside) expected += weight * x[static_cast<std::size_t>(k * columns + l)] / 16;
        }
      }
      if (std::abs(y[static_cast<std::size_t>(i * columns + j)] - expected) > 1e-4F) {
        std::cerr << "wrong at " << i << ", " << j << "\n";
        return 1;
      }
    }
  }
  std::cout << rows << " x " << columns << " elements smoothed, three reads for each, checked\n";
}
