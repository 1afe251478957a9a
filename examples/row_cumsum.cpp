// Running sums along any axis: the layout has one core dimension, so that .axis says where it stands in both operands.
#include <kiln/kiln.hpp>

#include <iostream>
#include <vector>

int main() {
  const auto cumsum = kiln::guvectorize({
      .name = "cumsum",
      .layout = "(n)->(n)",
      .signatures = {"void(T[:] x, T[:] y) where T: int64, float32, float64"},
      .body = R"(
        T sum = 0;
        for (index i = 0; i < n; ++i) {
          sum += x(i);
          y(i) = sum;
        })",
  });

  constexpr std::size_t rows = 200, columns = 50;
  std::vector<std::int64_t> table(rows * columns);
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<std::int64_t>(i * 7 % 100);
  const kiln::Array x = kiln::Array::from(table, kiln::Shape{rows, columns});
  const kiln::Array along_rows = cumsum(x);
  const kiln::Array along_columns = cumsum({x}, {.axis = 0});

  const auto right = along_rows.to_vector<std::int64_t>(), down = along_columns.to_vector<std::int64_t>();
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::int64_t before = i % columns == 0 ? 0 : right[i - 1];
    const std::int64_t above = i < columns ? 0 : down[i - columns];
    if (right[i] == before + table[i] && down[i] == above + table[i]) continue;
    std::cerr << "element " << i << " is wrong: " << right[i] << " and " << down[i] << "\n";
    return 1;
  }
  std::cout << "running sums along rows and along columns of " << to_string(x.shape()) << ", checked\n";
}
