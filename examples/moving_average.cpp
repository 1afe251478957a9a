// A centred moving average whose width is an operand without core dimensions: one number for all rows, or one for each.
#include "example.hpp"

namespace {

const auto moving_average = kiln::guvectorize({.name = "moving_average",
                                               .layout = "(n),()->(n)",
                                               .signatures = {"void(float64[:] x, int64 width, float64[:] y)"},
                                               .body = R"(
                                                 const index half = width / 2;
                                                 for (index i = 0; i < n; ++i) {
                                                   const index first = max(index(0), i - half), last = min(n, i + half + 1);
                                                   float64 sum = 0;
                                                   for (index k = first; k < last; ++k) sum += x(k);
                                                   y(i) = sum / (last - first);
                                                 })"});

bool main_job() {
  constexpr std::size_t rows = 300, n = 1000;
  const auto values = example::random_values<double>(rows * n, 0, 1, 1);
  std::vector<std::int64_t> widths(rows);
  for (std::size_t r = 0; r < rows; ++r) widths[r] = static_cast<std::int64_t>(2 * (r % 10) + 1);
  const auto device = kiln::Device::best();
  const kiln::Array x = to_device(kiln::Array::from(values, kiln::Shape{rows, n}), device);
  const kiln::Array w = to_device(kiln::Array::from(widths), device);
  const kiln::Array y = moving_average(x, w);
  const kiln::Array narrow = moving_average(x, 1);  // changes nothing

  const auto average = [&](std::size_t at) {
    const std::size_t row = at / n, i = at % n, half = static_cast<std::size_t>(widths[row]) / 2;
    const std::size_t first = i < half ? 0 : i - half, last = std::min(n, i + half + 1);
    double sum = 0;
    for (std::size_t k = first; k < last; ++k) sum += values[row * n + k];
    return sum / static_cast<double>(last - first);
  };
  std::vector<double> plain(values.size());
  const double loop = example::best_seconds([&] {
    for (std::size_t i = 0; i < plain.size(); ++i) plain[i] = average(i);
  });
  const double kiln = example::best_seconds([&] {
    moving_average({x, w}, {.out = y});
    device.synchronize();
  });
  example::print_title("moving averages of (300, 1000), a width for each row", y);
  example::print_speed(static_cast<double>(2 * values.size() * sizeof(double)), kiln, loop);
  return narrow.to_vector<double>() == values && example::check(y.to_vector<double>(), average, 1e-13);
}

}  // namespace

int main() {
  return example::run(main_job);
}
