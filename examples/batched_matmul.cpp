// Products of many small matrices: a core of two matrices, and loop dimensions that broadcast. One matrix on the left serves a
// whole batch on the right, and nothing is copied for it.
#include <kiln/kiln.hpp>

#include <cmath>
#include <iostream>
#include <vector>

int main() {
  const auto matmul = kiln::guvectorize({
      .name = "matmul",
      .layout = "(m,n),(n,p)->(m,p)",
      .signatures = {"void(float32[:,:] A, float32[:,:] B, float32[:,:] C)"},
      .body = R"(
        for (index i = 0; i < m; ++i) {
          for (index j = 0; j < p; ++j) {
            float32 sum = 0;
            for (index k = 0; k < n; ++k) sum += A(i, k) * B(k, j);
            C(i, j) = sum;
          }
        })",
  });

  constexpr std::size_t batch = 1000, m = 8, n = 6, p = 4;
  std::vector<float> left(m * n), right(batch * n * p);
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = static_cast<float>(i) / 10;
  for (std::size_t i = 0; i < right.size(); ++i) right[i] = std::sin(static_cast<float>(i));
  const kiln::Array a = kiln::Array::from(left, kiln::Shape{m, n});
  const kiln::Array b = kiln::Array::from(right, kiln::Shape{batch, n, p});
  const kiln::Array c = matmul(a, b);

  const std::vector<float> values = c.to_vector<float>();
  for (std::size_t at = 0; at < values.size(); ++at) {
    const std::size_t item = at / (m * p), i = at / p % m, j = at % p;
    double expected = 0;
    for (std::size_t k = 0; k < n; ++k) expected += double{left[i * n + k]} * right[(item * n + k) * p + j];
    if (std::abs(values[at] - expected) <= 1e-5) continue;
    std::cerr << "element " << at << " is wrong: " << values[at] << ", not " << expected << "\n";
    return 1;
  }
  if (c.shape() != kiln::Shape{batch, m, p}) {
    std::cerr << "the shape is wrong\n";
    return 1;
  }
  std::cout << to_string(a.shape()) << " times " << to_string(b.shape()) << " is " << to_string(c.shape()) << ", checked\n";
}
