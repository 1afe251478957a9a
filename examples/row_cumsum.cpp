// Running sums along any axis: the layout has one core dimension, so that .axis says where it stands in both operands.
#include "example.hpp"

namespace {

const auto cumsum = kiln::guvectorize({.name = "cumsum",
                                       .layout = "(n)->(n)",
                                       .signatures = {"void(T[:] x, T[:] y) where T: int64, float32, float64"},
                                       .body = R"(
                                         T sum = 0;
                                         for (index i = 0; i < n; ++i) {
                                           sum += x(i);
                                           y(i) = sum;
                                         })"});

bool main_job() {
  constexpr std::size_t rows = 2000, n = 500;
  std::vector<std::int64_t> values(rows * n);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(i * 2654435761U % 1000);
  const auto device = kiln::Device::best();
  const kiln::Array x = to_device(kiln::Array::from(values, kiln::Shape{rows, n}), device);
  const kiln::Array along_rows = cumsum(x);
  const kiln::Array along_columns = cumsum({x}, {.axis = 0});

  std::vector<std::int64_t> plain(values.size());
  const double loop = example::best_seconds([&] {
    for (std::size_t r = 0; r < rows; ++r) {
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < n; ++i) plain[r * n + i] = sum += values[r * n + i];
    }
  });
  const double kiln = example::best_seconds([&] {
    cumsum({x}, {.out = along_rows});
    device.synchronize();
  });
  example::print_title("running sums of the rows of (2000, 500)", along_rows);
  example::print_speed(static_cast<double>(2 * values.size() * sizeof(std::int64_t)), kiln, loop);
  const auto columns = along_columns.to_vector<std::int64_t>();
  bool right = along_rows.to_vector<std::int64_t>() == plain;
  for (std::size_t i = 0; i < n; ++i) {
    std::int64_t sum = 0;
    for (std::size_t r = 0; r < rows; ++r) right &= columns[r * n + i] == (sum += values[r * n + i]);
  }
  std::printf("  checked    %zu values along each axis: %s\n", values.size(), right ? "all equal" : "MISMATCH");
  return right;
}

}  // namespace

int main() {
  return example::run(main_job);
}
