// A convolution of rows whose borders are reflected, a thread for each element of the result.
#include <kiln/kiln.hpp>

#include <cmath>
#include <iostream>
#include <vector>

int main() {
  const auto convolve = kiln::guvectorize({
      .name = "convolve",
      .layout = "(n),(w)->(n)",
      .signatures = {"void(float32[:] x, float32[:] weights, float32[:] y)"},
      .each = "i:n",
      .body = R"(
        float32 sum = 0;
        for (index k = 0; k < w; ++k) sum += weights(k) * x(reflect(i + k - w / 2, n));
        y(i) = sum;)",
      .compile = {.functions = R"(
        // ... 2 1 0 | 0 1 2 ... n-1 | n-1 n-2 ...
        index reflect(index i, index n) {
          if (i < 0) i = -i - 1;
          return i < n ? i : 2 * n - 1 - i;
        })"},
  });

  constexpr std::size_t rows = 10, n = 400;
  const std::vector<float> weights{0.1F, 0.2F, 0.4F, 0.2F, 0.1F};
  std::vector<float> x(rows * n);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i));
  const kiln::Array y = convolve(kiln::Array::from(x, kiln::Shape{rows, n}), kiln::Array::from(weights));

  const std::vector<float> values = y.to_vector<float>();
  for (std::size_t row = 0; row < rows; ++row) {
    // The row with two elements more at each end.
    std::vector<double> wide(&x[row * n], &x[row * n] + n);
    wide.insert(wide.begin(), {wide[1], wide[0]});
    wide.insert(wide.end(), {wide[n + 1], wide[n]});
    for (std::size_t i = 0; i < n; ++i) {
      double expected = 0;
      for (std::size_t k = 0; k < weights.size(); ++k) expected += weights[k] * wide[i + k];
      if (std::abs(values[row * n + i] - expected) <= 1e-6) continue;
      std::cerr << "element " << i << " of row " << row << " is wrong: not " << expected << "\n";
      return 1;
    }
  }
  std::cout << rows << " rows of " << n << " convolved, their borders reflected, checked\n";
}
