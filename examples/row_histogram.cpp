// A histogram of each row: an output of a fixed size that no input has, which the body writes first and then counts in.
#include <kiln/kiln.hpp>

#include <iostream>
#include <vector>

int main() {
  const auto histogram = kiln::guvectorize({
      .name = "histogram",
      .layout = "(n)->(16)",
      .signatures = {"void(float32[:] x, int32[:] counts)"},
      .body = R"(
        for (auto& count : counts) count = 0;
        for (auto& value : x) {
          if (value >= 0 && value < 1) counts(index(value * 16)) += 1;
        })",
  });

  constexpr std::size_t rows = 100, n = 1000;
  std::vector<float> x(rows * n);
  std::vector<std::int32_t> expected(rows * 16);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t sixteenths = (i * i + i / n) % 19;  // those beyond 1 are not counted
    x[i] = static_cast<float>(sixteenths) / 16;
    if (sixteenths < 16) ++expected[i / n * 16 + sixteenths];
  }
  const kiln::Array counts = histogram(kiln::Array::from(x, kiln::Shape{rows, n}));
  if (counts.to_vector<std::int32_t>() != expected) {
    std::cerr << "wrong counts\n";
    return 1;
  }
  std::cout << rows << " histograms of rows of " << n << ", checked\n";
}
