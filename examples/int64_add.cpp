// A column added to every column of a matrix: (rows, columns) + (rows, 1) broadcasts, and nothing is copied for it.
#include <kiln/kiln.hpp>

#include <iostream>
#include <vector>

int main() {
  const auto add = kiln::vectorize("int64(int64 a, int64 b)", "return a + b;");

  constexpr std::int64_t rows = 1024, columns = 1536;
  std::vector<std::int64_t> matrix, column;
  // Beyond 2^53, where a detour through float64 would show.
  for (std::int64_t i = 0; i < rows * columns; ++i) matrix.push_back((std::int64_t{1} << 60) + i);
  for (std::int64_t i = 0; i < rows; ++i) column.push_back(3 - 7 * i);
  const kiln::Array sums =
      add(kiln::Array::from(matrix, kiln::Shape{rows, columns}), kiln::Array::from(column, kiln::Shape{rows, 1}));

  const std::vector<std::int64_t> values = sums.to_vector<std::int64_t>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == matrix[i] + column[i / columns]) continue;
    std::cerr << "element " << i << " is wrong: " << values[i] << "\n";
    return 1;
  }
  if (sums.shape() != kiln::Shape{rows, columns}) {
    std::cerr << "the shape is wrong\n";
    return 1;
  }
  std::cout << "a column added to " << to_string(sums.shape()) << ", checked\n";
}
