// A transpose by raw kernels: with each thread reading and writing single elements, and by tiles in memory that the threads of
// a block share, so that they read and write neighbours. Numba's example, after Mark Harris's "An Efficient Matrix Transpose in
// CUDA C/C++". The threads of the second wait for each other.
#include <kiln/kiln.hpp>

#include <cstdint>
#include <iostream>
#include <vector>

namespace {

const kiln::CompileOptions tiles{.defines = {"TILE_DIM=32", "BLOCK_ROWS=8"}};

const auto transpose = kiln::kernel({
    .name = "transpose",
    .signature = "void(const int32[:,:] a_in, int32[:,:] a_out)",
    .body = R"(
      const index x = block.x * TILE_DIM + thread.x;
      const index y = block.y * TILE_DIM + thread.y;
      for (index j = 0; j < TILE_DIM; j += BLOCK_ROWS) a_out(x, y + j) = a_in(y + j, x);)",
    .compile = tiles,
});

// For blocks of TILE_DIM x BLOCK_ROWS threads, and arrays that are whole tiles.
const auto tile_transpose = kiln::kernel({
    .name = "tile_transpose",
    .signature = "void(const int32[:,:] a_in, int32[:,:] a_out)",
    .body = R"(
      KILN_SHARED int32 tile[TILE_DIM][TILE_DIM + 1];  // the last column lets columns begin in different banks
      index x = block.x * TILE_DIM + thread.x;
      index y = block.y * TILE_DIM + thread.y;
      for (index j = 0; j < TILE_DIM; j += BLOCK_ROWS) tile[thread.y + j][thread.x] = a_in(y + j, x);
      barrier();  // all threads of the block have written to the tile
      x = block.y * TILE_DIM + thread.x;
      y = block.x * TILE_DIM + thread.y;
      for (index j = 0; j < TILE_DIM; j += BLOCK_ROWS) a_out(y + j, x) = tile[thread.x][thread.y + j];)",
    .compile = tiles,
});

}  // namespace

int main() {
  constexpr std::int64_t rows = 128, columns = 256, tile = 32, block_rows = 8;
  std::vector<std::int32_t> numbers(rows * columns);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int32_t>(i);
  const kiln::Array matrix = kiln::Array::from(numbers).reshape({rows, columns});
  const std::vector<std::int32_t> expected = matrix.transpose().to_vector<std::int32_t>();

  const auto device = kiln::Device::best();
  const kiln::Array a_in = to_device(matrix, device);
  const auto is_right = [&](const kiln::RawKernel& kernel) {
    const kiln::Array a_out = kiln::device_array({columns, rows}, kiln::DType::int32, device);
    kernel.configure({columns / tile, rows / tile}, {tile, block_rows})(a_in, a_out);
    return a_out.copy_to_host().to_vector<std::int32_t>() == expected;
  };
  if (!is_right(transpose) || !is_right(tile_transpose)) {
    std::cerr << "wrong\n";
    return 1;
  }
  std::cout << rows << " x " << columns << " transposed by single elements and by tiles, checked\n";
}
