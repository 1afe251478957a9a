// Snippets of docs/tutorial/09-raw.md.
#include <cstdint>
#include <iostream>
#include <kiln/kiln.hpp>

using kiln::all;
using kiln::Array;
using kiln::DType;

int main() {
  const auto escape = kiln::vectorize(R"(
    (int32 count) escape(float64 x, float64 y, constant int32 limit) {
      float64 re = 0, im = 0;
      for (count = 0; count < limit && re * re + im * im <= 4; ++count) {
        const float64 next = re * re - im * im + x;
        im = 2 * re * im + y;
        re = next;
      }
    })");
  const Array x = kiln::linspace(-0.7512, -0.7432, 240);
  const Array y = kiln::linspace(0.1060, 0.1130, 208).reshape({208, 1});
  const Array count = escape(x, y, 1000);
  // snippet: histogram
  const auto tally = kiln::vectorize("(raw int32 counts) tally(int32 count) { atomic_add(&counts[count], 1); }");
  const Array counts = Array::zeros(1001, DType::int32);
  tally(count, {.out = counts});
  std::cout << counts[{kiln::Slice{60, 66}}] << " " << sum(counts).item<std::int64_t>() << "\n";
  // end

  // snippet: lookup
  const Array below = kiln::math::add.accumulate(counts) / sum(counts);
  const auto paint = kiln::vectorize(R"(
    (uint8 red, uint8 green, uint8 blue) paint(int32 count, raw float64 below) {
      const float32 rank = count == below.size() - 1 ? 0 : below[count];
      red = 255 * rank * rank;
      green = 255 * rank * rank * rank;
      blue = 255 * rank * (1.6f - 0.6f * rank) * 0.99f;
    })");
  const Array picture = Array::empty({208, 240, 3}, DType::uint8);
  static_cast<void>(
      paint.outputs<3>(count, below, {.out = {picture[{all, all, 0}], picture[{all, all, 1}], picture[{all, all, 2}]}}));
  std::cout << picture[{0, 0}] << " " << picture[{104, 120}] << "\n";
  // end

  // snippet: kernel
  const auto blur = kiln::kernel({
      .name = "blur",
      .signature = "void(uint8[:,:] in, uint8[:,:] out)",
      .body = R"(
        const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
        if (row >= in.shape(0) || column >= in.shape(1)) return;
        int sum = 0, count = 0;
        for (int i = max(row - 1, 0); i < min(row + 2, int(in.shape(0))); ++i)
          for (int j = max(column - 1, 0); j < min(column + 2, int(in.shape(1))); ++j, ++count) sum += in(i, j);
        out(row, column) = sum / count;)",
  });
  const Array soft = Array::empty(picture.shape(), DType::uint8);
  for (int channel = 0; channel < 3; ++channel)
    blur.configure({15, 13}, {16, 16})(picture[{all, all, channel}], soft[{all, all, channel}]);
  std::cout << picture[{104, 120}] << " " << soft[{104, 120}] << "\n";
  kiln::save_png("tutorial-raw.png", soft);
  // end
}
