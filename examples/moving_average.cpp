// A centred moving average whose width is an operand without core dimensions: one number for all rows, or one for each.
#include <kiln/kiln.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numeric>
#include <vector>

int main() {
  const auto moving_average = kiln::guvectorize({
      .name = "moving_average",
      .layout = "(n),()->(n)",
      .signatures = {"void(float64[:] x, int64 width, float64[:] y)"},
      .body = R"(
        const index half = width / 2;
        for (index i = 0; i < n; ++i) {
          const index first = max(index(0), i - half), last = min(n, i + half + 1);
          float64 sum = 0;
          for (index k = first; k < last; ++k) sum += x(k);
          y(i) = sum / (last - first);
        })",
  });

  constexpr std::int64_t rows = 30, n = 200;
  std::vector<double> table;
  std::vector<std::int64_t> widths;
  for (std::int64_t i = 0; i < rows * n; ++i) table.push_back(std::sin(static_cast<double>(i)));
  for (std::int64_t row = 0; row < rows; ++row) widths.push_back(2 * (row % 10) + 1);
  const kiln::Array x = kiln::Array::from(table, kiln::Shape{rows, n});
  const kiln::Array averages = moving_average(x, kiln::Array::from(widths));

  const std::vector<double> values = averages.to_vector<double>();
  for (std::int64_t at = 0; at < rows * n; ++at) {
    const std::int64_t row = at / n * n, half = widths[static_cast<std::size_t>(at / n)] / 2;
    const auto first = table.begin() + std::max(row, at - half), last = table.begin() + std::min(row + n, at + half + 1);
    const double expected = std::accumulate(first, last, 0.0) / static_cast<double>(last - first);
    if (std::abs(values[static_cast<std::size_t>(at)] - expected) <= 1e-14) continue;
    std::cerr << "element " << at << " is wrong: not " << expected << "\n";
    return 1;
  }
  // One width for all rows; that of one changes nothing.
  if (!(moving_average(x, 1).to_vector<double>() == table)) {
    std::cerr << "a width of one changes the rows\n";
    return 1;
  }
  std::cout << "a moving average with a width for each of " << rows << " rows, checked\n";
}
