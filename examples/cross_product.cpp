// Cross products: a fixed core of three, so that its size is checked at the call and is a constant of the kernel.
#include <kiln/kiln.hpp>

#include <cmath>
#include <iostream>
#include <vector>

int main() {
  const auto cross = kiln::guvectorize({
      .name = "cross",
      .layout = "(3),(3)->(3)",
      .signatures = {"void(float32[:] a, float32[:] b, float32[:] c)"},
      .body = R"(
        c(0) = a(1) * b(2) - a(2) * b(1);
        c(1) = a(2) * b(0) - a(0) * b(2);
        c(2) = a(0) * b(1) - a(1) * b(0);)",
  });

  std::vector<float> a(3000), b(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = std::sin(static_cast<float>(i));
    b[i] = static_cast<float>(i % 7);
  }
  const kiln::Shape shape{1000, 3};
  const kiln::Array products = cross(kiln::Array::from(a, shape), kiln::Array::from(b, shape));

  const std::vector<float> values = products.to_vector<float>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t row = i / 3 * 3, j = row + (i + 1) % 3, k = row + (i + 2) % 3;
    const double expected = double{a[j]} * b[k] - double{a[k]} * b[j];
    if (std::abs(values[i] - expected) <= 1e-5) continue;
    std::cerr << "element " << i << " is wrong: " << values[i] << ", not " << expected << "\n";
    return 1;
  }

  try {
    const kiln::Array two = cross(kiln::Array::from({1.0F, 2.0F}), kiln::Array::from({3.0F, 4.0F}));
    std::cerr << "vectors of two were taken: " << two << "\n";
    return 1;
  } catch (const kiln::ShapeError& error) {
    std::cout << "1000 cross products, checked; vectors of two are refused: " << error.what() << "\n";
  }
}
