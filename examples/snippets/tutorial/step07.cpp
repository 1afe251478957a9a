// Snippets of docs/tutorial/07-gufuncs.md.
#include <iostream>
#include <kiln/kiln.hpp>

using kiln::Array;
using kiln::DType;

int main() {
  // snippet: mean
  const auto mean = kiln::guvectorize("(n)->()", R"(void mean(float64[:] x, float64 result) {
      float64 sum = 0;
      for (index i = 0; i < n; ++i) sum += x(i);
      result = sum / n;
    })");
  std::cout << mean(Array::from<double>({{1, 2, 3}, {4, 5, 9}})) << "\n";
  // end

  // snippet: axis
  std::cout << mean(Array::from<double>({{1, 2, 3}, {4, 5, 9}}), {.axis = 0}) << "\n";
  // end

  const auto escape = kiln::vectorize(R"(
    (int32 count) escape(float64 x, float64 y) {
      float64 re = 0, im = 0;
      for (count = 0; count < 100 && re * re + im * im <= 4; ++count) {
        const float64 next = re * re - im * im + x;
        im = 2 * re * im + y;
        re = next;
      }
    })");
  // snippet: blocks
  const auto block_mean = kiln::guvectorize("(m,n)->()", R"(void block_mean(uint8[:,:] block, uint8 result) {
      int32 sum = 0;
      for (auto row : block)
        for (auto pixel : row) sum += pixel;
      result = (sum + m * n / 2) / (m * n);
    })");
  const Array x = kiln::linspace(-2.1, 0.7, 3 * 420);
  const Array y = kiln::linspace(-1.2, 1.2, 3 * 360).reshape({-1, 1});
  const auto grey = kiln::vectorize("uint8 grey(int32 count) = 255 - 255 * sqrt(count / 100.0f)");
  const Array fine = grey(escape(x, y));
  const Array blocks = fine.reshape({360, 3, 420, 3});
  const Array soft = block_mean(blocks, {.axes = {{1, 3}, {}}});
  std::cout << fine.shape() << " " << soft.shape() << " " << soft[{kiln::Slice{42, 49}, 295}] << "\n";
  kiln::save_png("tutorial-gufuncs.png", soft);
  // end

  // snippet: sizes
  const auto halve = kiln::guvectorize({.name = "halve",
                                        .layout = "(n)->(h)",
                                        .signatures = {"void(float64[:] x, float64[:] y)"},
                                        .sizes = "h = n / 2",
                                        .body = "for (index i = 0; i < h; ++i) y(i) = (x(2 * i) + x(2 * i + 1)) / 2;"});
  std::cout << halve(kiln::arange(7.0)) << "\n";
  // end

  // snippet: error
  try {
    static_cast<void>(block_mean(Array::zeros(3, DType::uint8)));
  } catch (const kiln::ShapeError& error) {
    std::cout << error.what() << "\n";
  }
  // end
}
