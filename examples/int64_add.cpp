// A column added to every column of a matrix: (rows, columns) + (rows, 1) broadcasts, and nothing is copied for it.
#include "example.hpp"

namespace {

const auto add = kiln::vectorize("int64(int64 a, int64 b)", "return a + b;");

bool main_job() {
  constexpr std::int64_t rows = 1024;
  constexpr std::int64_t columns = 1536;
  std::vector<std::int64_t> matrix(static_cast<std::size_t>(rows * columns));
  std::vector<std::int64_t> column(static_cast<std::size_t>(rows));
  // Beyond 2^53, where a detour through float64 would show.
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = (std::int64_t{1} << 60) + static_cast<std::int64_t>(i);
  for (std::size_t i = 0; i < column.size(); ++i) column[i] = -7 * static_cast<std::int64_t>(i) + 3;

  const auto device = kiln::Device::best();
  const kiln::Array on_matrix = to_device(kiln::Array::from(matrix, kiln::Shape{rows, columns}), device);
  const kiln::Array on_column = to_device(kiln::Array::from(column, kiln::Shape{rows, 1}), device);
  const kiln::Array out = add(on_matrix, on_column);

  std::vector<std::int64_t> plain(matrix.size());
  const double loop = example::best_seconds([&] {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) plain[r * columns + c] = matrix[r * columns + c] + column[r];
    }
  });
  const double kiln = example::best_seconds([&] {
    add({on_matrix, on_column}, {.out = out});
    device.synchronize();
  });
  example::print_title("int64 add: (1024, 1536) + (1024, 1)", out);
  example::print_speed(2.0 * rows * columns * sizeof(std::int64_t), kiln, loop);
  const auto sums = out.to_vector<std::int64_t>();
  const auto wrong = std::mismatch(sums.begin(), sums.end(), plain.begin(), plain.end());
  if (wrong.first != sums.end()) {
    std::printf("  MISMATCH at element %td\n", wrong.first - sums.begin());
    return false;
  }
  std::printf("  checked    %zu values, all equal\n", sums.size());
  return out.shape() == kiln::Shape{rows, columns};
}

}  // namespace

int main() {
  return example::run(main_job);
}
