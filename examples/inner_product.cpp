// Inner products of rows: the result has no core dimensions, so that the body assigns it like a variable.
#include "example.hpp"

namespace {

const auto inner = kiln::guvectorize("(n),(n)->()", "void(float64[:] a, float64[:] b, float64 r)",
                                     "float64 sum = 0; for (index i = 0; i < n; ++i) sum += a(i) * b(i); r = sum;");

bool main_job() {
  constexpr std::size_t rows = 100000, n = 64;
  const auto left = example::random_values<double>(rows * n, -1, 1, 1);
  const auto right = example::random_values<double>(n, -1, 1, 2);
  const auto device = kiln::Device::best();
  const kiln::Array a = to_device(kiln::Array::from(left, kiln::Shape{rows, n}), device);
  const kiln::Array b = to_device(kiln::Array::from(right), device);  // one row for all
  const kiln::Array r = inner(a, b);

  std::vector<double> plain(rows);
  const auto row = [&](std::size_t i) {
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += left[i * n + k] * right[k];
    return sum;
  };
  const double loop = example::best_seconds([&] {
    for (std::size_t i = 0; i < rows; ++i) plain[i] = row(i);
  });
  const double kiln = example::best_seconds([&] {
    inner({a, b}, {.out = r});
    device.synchronize();
  });
  example::print_title("inner product: (100000, 64) and (64,)", r);
  example::print_speed(static_cast<double>(left.size() * sizeof(double)), kiln, loop);
  return r.shape() == kiln::Shape{rows} && example::check(r.to_vector<double>(), row, 1e-12, 1);
}

}  // namespace

int main() {
  return example::run(main_job);
}
