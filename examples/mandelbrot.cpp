// The Mandelbrot set, timed beside a plain loop: a row of x and a column of y broadcast to a picture, with two outputs for each
// pixel: how many steps its orbit stays small, and a colour. Writes mandelbrot.bmp.
#include <kiln/kiln.hpp>

#include <chrono>
#include <fstream>
#include <iostream>
#include <vector>

int main() {
  const auto mandelbrot = kiln::vectorize({
      .name = "mandelbrot",
      .signatures = {"(int32 count, uint32 pixel)(float64 x, float64 y)"},
      .body = R"(
        float64 re = 0, im = 0;
        for (count = 0; count < 200 && re * re + im * im <= 256; ++count) {
          const float64 next = re * re - im * im + x;
          im = 2 * re * im + y;
          re = next;
        }
        const float32 level = sqrt(count / 200.0f);  // from blue to white; black inside
        pixel = count == 200 ? 0 : uint32(255 * level) << 16 | uint32(255 * level * level) << 8 | uint32(255 * sqrt(level));)",
  });
  constexpr int width = 960, height = 640;
  std::vector<double> x, y;
  for (int i = 0; i < width; ++i) x.push_back(-2.4 + 3.4 * i / (width - 1));
  for (int i = 0; i < height; ++i) y.push_back(-1.1333 + 2.2666 * i / (height - 1));
  const kiln::Array row = kiln::Array::from(x), column = kiln::Array::from(y, kiln::Shape{height, 1});
  static_cast<void>(mandelbrot.outputs<2>(row, column));  // compiles
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const auto [counts, pixels] = mandelbrot.outputs<2>(row, column);
  const auto values = counts.to_vector<std::int32_t>();
  const auto between = Clock::now();
  int differ = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    int count = 0;
    for (double re = 0, im = 0; count < 200 && re * re + im * im <= 256; ++count) {
      const double next = re * re - im * im + x[i % width];
      im = 2 * re * im + y[i / width];
      re = next;
    }
    if (count != values[i]) ++differ;
  }
  const std::chrono::duration<double, std::milli> kiln_time = between - begin, loop_time = Clock::now() - between;

  // A bitmap: 54 bytes of header, then rows from the bottom.
  const std::uint32_t header[] = {54 + 4 * width * height, 0, 54, 40, width, height, 1 | 32 << 16, 0, 0, 0, 0, 0, 0};
  std::ofstream file("mandelbrot.bmp", std::ios::binary);
  file.write("BM", 2).write(reinterpret_cast<const char*>(header), sizeof header);
  file.write(reinterpret_cast<const char*>(pixels.as<const std::uint32_t>()), 4 * width * height);
  if (!file || differ > width * height / 1000) {  // compilers may round the plain loop otherwise
    std::cerr << differ << " of " << values.size() << " pixels differ, or mandelbrot.bmp cannot be written\n";
    return 1;
  }
  std::cout << "mandelbrot.bmp: " << kiln_time.count() << " ms, by a plain loop in one thread " << loop_time.count() << " ms; "
            << values.size() << " pixels checked\n";
}
