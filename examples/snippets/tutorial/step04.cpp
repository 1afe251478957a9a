// Snippets of docs/tutorial/04-outputs.md.
#include <iostream>
#include <kiln/kiln.hpp>

using kiln::all;
using kiln::Array;
using kiln::DType;

int main() {
  // snippet: broadcast
  const auto escape = kiln::vectorize(R"(
    (int32 count, float64 size) escape(float64 x, float64 y) {
      float64 re = 0, im = 0;
      size = 0;
      for (count = 0; count < 100 && size <= 65536; ++count) {
        const float64 next = re * re - im * im + x;
        im = 2 * re * im + y;
        re = next;
        size = re * re + im * im;
      }
    })");
  const Array x = kiln::linspace(-2.1, 0.7, 420);
  const Array y = kiln::linspace(-1.2, 1.2, 360).reshape({360, 1});
  const auto [count, size] = escape.outputs<2>(x, y);
  std::cout << count.shape() << " " << count.dtype() << " " << size.dtype() << "\n";
  // end

  // snippet: out
  const Array narrow = Array::empty({360, 420}, DType::int16);
  static_cast<void>(escape.outputs<2>(x, y, {.out = {narrow, Array()}}));
  std::cout << narrow[{180, kiln::Slice{0, 5}}] << " " << narrow.max().item<int>() << "\n";
  // end

  // snippet: paint
  const auto paint = kiln::vectorize(R"(
    (uint8 red, uint8 green, uint8 blue) paint(int16 count) {
      const float32 level = count == 100 ? 0 : sqrt(count / 100.0f);
      red = 255 * level * level;
      green = 255 * level;
      blue = 255 * sqrt(level);
    })");
  const Array picture = Array::zeros({360, 420, 3}, DType::uint8);
  static_cast<void>(
      paint.outputs<3>(narrow, {.out = {picture[{all, all, 0}], picture[{all, all, 1}], picture[{all, all, 2}]}}));
  std::cout << picture[{180, 0}] << " " << picture[{180, 200}] << "\n";
  kiln::save_png("tutorial-outputs.png", picture);
  // end
}
