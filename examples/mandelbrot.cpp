// The Mandelbrot set: a row of x and a column of y broadcast to a picture, two outputs for each pixel. Writes
// mandelbrot.png, or the path given.
#include <array>
#include <numbers>

#include "example.hpp"
#include "png.hpp"

namespace {

constexpr std::int64_t kWidth = 960;
constexpr std::int64_t kHeight = 640;
constexpr std::int32_t kLimit = 200;

// `size` is |z|^2 where the orbit left the circle: it makes the colours smooth between the counts.
const auto mandelbrot = kiln::vectorize(
    {.name = "mandelbrot", .signatures = {"(int32 count, float64 size)(float64 x, float64 y, int32 limit)"}, .body = R"(
                                           float64 re = 0, im = 0;
                                           count = 0;
                                           size = 0;
                                           while (count < limit && size <= 256) {
                                             const float64 next = re * re - im * im + x;
                                             im = 2 * re * im + y;
                                             re = next;
                                             size = re * re + im * im;
                                             count += 1;
                                           })"});

std::vector<double> evenly_spaced(double first, double last, std::int64_t count) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(first + (last - first) * static_cast<double>(i) / static_cast<double>(count - 1));
  }
  return values;
}

std::int32_t plain_count(double x, double y) {
  double re = 0;
  double im = 0;
  double size = 0;
  std::int32_t count = 0;
  while (count < kLimit && size <= 256) {
    const double next = re * re - im * im + x;
    im = 2 * re * im + y;
    re = next;
    size = re * re + im * im;
    ++count;
  }
  return count;
}

/// Black inside; outside a cosine palette, blue through white and amber, evenly spaced on a logarithmic scale.
example::Rgb colour(std::int32_t count, double size) {
  if (count >= kLimit && size <= 256) return {0, 0, 0};
  const double smooth = static_cast<double>(count) + 1 - std::log2(std::log2(size) / 2);
  const double phase = 0.55 * std::log(std::max(smooth, 1.0)) + 0.45;
  constexpr std::array kShift{0.0, 0.10, 0.20};
  std::array<std::uint8_t, 3> channel{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double level = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * (phase + kShift[i]));
    channel[i] = static_cast<std::uint8_t>(std::lround(255 * level));
  }
  return {channel[0], channel[1], channel[2]};
}

bool main_job(const std::string& path) {
  const auto x = evenly_spaced(-2.4, 1.0, kWidth);
  const auto y = evenly_spaced(1.1333, -1.1333, kHeight);
  const auto device = kiln::Device::best();
  const kiln::Array on_x = to_device(kiln::Array::from(x), device);
  const kiln::Array on_y = to_device(kiln::Array::from(y, kiln::Shape{kHeight, 1}), device);
  const auto [counts, sizes] = mandelbrot.outputs<2>(on_x, on_y, kLimit);

  std::vector<std::int32_t> plain(static_cast<std::size_t>(kWidth * kHeight));
  const double loop = example::best_seconds(
      [&] {
        std::size_t i = 0;
        for (const double row : y) {
          for (const double column : x) plain[i++] = plain_count(column, row);
        }
      },
      1);
  const double kiln = example::best_seconds(
      [&] {
        static_cast<void>(mandelbrot.outputs<2>({on_x, on_y, kLimit}, {.out = {counts, sizes}}));
        device.synchronize();
      },
      2);
  example::print_title("mandelbrot: x (960,) with y (640, 1)", counts);
  const auto count_values = counts.to_vector<std::int32_t>();
  const auto size_values = sizes.to_vector<double>();
  std::int64_t iterations = 0;
  for (const std::int32_t count : count_values) iterations += count;
  const auto rate = [&](double seconds) { return static_cast<double>(iterations) / seconds / 1e6; };
  std::printf("  kiln       %8.3f ms  %6.0f million iterations a second\n", kiln * 1e3, rate(kiln));
  std::printf("  plain loop %8.3f ms  %6.0f million iterations a second  (one thread)\n", loop * 1e3, rate(loop));

  const auto wrong = std::mismatch(count_values.begin(), count_values.end(), plain.begin(), plain.end());
  if (wrong.first != count_values.end()) {
    std::printf("  MISMATCH at pixel %td: %d iterations, %d in the plain loop\n", wrong.first - count_values.begin(),
                *wrong.first, *wrong.second);
    return false;
  }
  std::printf("  checked    %zu pixels, all equal\n", count_values.size());

  std::vector<example::Rgb> pixels;
  for (std::size_t i = 0; i < count_values.size(); ++i) pixels.push_back(colour(count_values[i], size_values[i]));
  if (!example::write_png(path, pixels, kWidth, kHeight)) {
    std::printf("  cannot write %s\n", path.c_str());
    return false;
  }
  std::printf("  written    %s\n", path.c_str());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  return example::run([&] { return main_job(argc > 1 ? argv[1] : "mandelbrot.png"); });
}
