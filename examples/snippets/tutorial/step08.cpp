// Snippets of docs/tutorial/08-fusion.md.
#include <array>
#include <iostream>
#include <kiln/kiln.hpp>

using kiln::all;
using kiln::Array;
using kiln::Expr;

int main() {
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
  const Array x = kiln::linspace(-2.1, 0.7, 322);
  const Array y = kiln::linspace(-1.2, 1.2, 276).reshape({276, 1});
  const auto [count, size] = escape.outputs<2>(x, y);

  // snippet: smooth
  const auto smooth =
      kiln::fuse("smooth", [](Expr steps, Expr last) { return steps + 1 - log2(log2(kiln::math::maximum(last, 4)) / 2); });
  const Array level = smooth(count, size);
  std::cout << level.dtype() << " " << level[{138, kiln::Slice{0, 3}}] << "\n";
  // end

  // snippet: same
  const Array separate = count + 1 - log2(log2(kiln::math::maximum(size, 4)) / 2);
  std::cout << std::boolalpha << (abs(level - separate).max().item<double>() < 1e-13) << "\n";
  // end

  // snippet: colours
  const auto inside = kiln::vectorize("bool inside(float64 size) = size <= 65536");
  const auto colours = kiln::fuse("colours", [&](Expr steps, Expr last) {
    const Expr lit = 1 - inside(last), shade = smooth(steps, last);
    const auto wave = [&](double phase) { return lit * (128 + 127 * sin(0.25 * shade + phase)); };
    return std::array{wave(5.2), wave(5.8), wave(0.2)};
  });
  const Array picture = Array::empty({276, 322, 3}, kiln::DType::uint8);
  static_cast<void>(colours.outputs<3>(
      count, size,
      {.out = {picture[{all, all, 0}], picture[{all, all, 1}], picture[{all, all, 2}]}, .casting = kiln::Casting::unsafe}));
  std::cout << picture[{138, 0}] << " " << picture[{138, 160}] << "\n";
  kiln::save_png("tutorial-fusion.png", picture);
  // end
}
