// Products of many small matrices: a core of two matrices, and loop dimensions that broadcast. One matrix on the left serves a
// whole batch on the right, and nothing is copied for it.
#include "example.hpp"

namespace {

const auto matmul = kiln::guvectorize({.name = "matmul",
                                       .layout = "(m,n),(n,p)->(m,p)",
                                       .signatures = {"void(float32[:,:] A, float32[:,:] B, float32[:,:] C)"},
                                       .body = R"(
                                         for (index i = 0; i < m; ++i) {
                                           for (index j = 0; j < p; ++j) {
                                             float32 sum = 0;
                                             for (index k = 0; k < n; ++k) sum += A(i, k) * B(k, j);
                                             C(i, j) = sum;
                                           }
                                         })"});

bool main_job() {
  constexpr std::size_t batch = 10000, m = 8, n = 8, p = 8;
  const auto left = example::random_values<float>(m * n, -1, 1, 1);
  const auto right = example::random_values<float>(batch * n * p, -1, 1, 2);
  const auto device = kiln::Device::best();
  const kiln::Array a = to_device(kiln::Array::from(left, kiln::Shape{m, n}), device);
  const kiln::Array b = to_device(kiln::Array::from(right, kiln::Shape{batch, n, p}), device);
  const kiln::Array c = matmul(a, b);

  std::vector<float> plain(batch * m * p);
  const double loop = example::best_seconds([&] {
    for (std::size_t item = 0; item < batch; ++item) {
      for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < p; ++j) {
          float sum = 0;
          for (std::size_t k = 0; k < n; ++k) sum += left[i * n + k] * right[(item * n + k) * p + j];
          plain[(item * m + i) * p + j] = sum;
        }
      }
    }
  });
  const double kiln = example::best_seconds([&] {
    matmul({a, b}, {.out = c});
    device.synchronize();
  });
  example::print_title("matmul: (8, 8) times (10000, 8, 8)", c);
  example::print_speed(static_cast<double>((right.size() + plain.size()) * sizeof(float)), kiln, loop);
  return c.shape() == kiln::Shape{batch, m, p} &&
         example::check(c.to_vector<float>(), [&](std::size_t i) { return double{plain[i]}; }, 1e-5, 1);
}

}  // namespace

int main() {
  return example::run(main_job);
}
