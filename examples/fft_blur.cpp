// Blurs and sharpens a picture by convolution in the frequency domain: fft2 in place, an in-place complex64 ufunc, ifft2 in
// place. usage: fft_blur [PICTURE.png [BLURRED.png SHARPENED.png]]      a picture is made where none is given
#include <png.h>
#include <kiln/kiln.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

using Complex = std::complex<float>;
using kiln::Array;

namespace {

constexpr std::int64_t kColours = 3;
constexpr std::int64_t kRadius = 8;  // of the Gaussian, which is cut off there

/// Rows of red, green and blue bytes.
struct Picture {
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::vector<unsigned char> bytes = {};

  [[nodiscard]] std::size_t at(std::int64_t colour, std::int64_t y, std::int64_t x) const {
    return static_cast<std::size_t>((y * width + x) * kColours + colour);
  }
};

/// Discs of several colours on stripes that become finer to the right.
Picture made_picture() {
  Picture picture{180, 240, std::vector<unsigned char>(180 * 240 * kColours)};
  for (std::int64_t y = 0; y < picture.height; ++y) {
    for (std::int64_t x = 0; x < picture.width; ++x) {
      const bool stripe = static_cast<int>(static_cast<double>(x * x) / 1500) % 2 == 0;
      const auto dx = static_cast<double>(x % 60 - 30);
      const auto dy = static_cast<double>(y % 60 - 30);
      const bool disc = dx * dx + dy * dy < 400;
      for (std::int64_t colour = 0; colour < kColours; ++colour) {
        const bool bright = disc ? (x / 60 + y / 60 + colour) % kColours == 0 : stripe;
        picture.bytes[picture.at(colour, y, x)] = bright ? 230 : 40;
      }
    }
  }
  return picture;
}

[[noreturn]] void fail(const std::string& what) {
  std::cerr << what << "\n";
  std::exit(1);
}

Picture read_png(const std::string& path) {
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&image, path.c_str()) == 0) fail(path + ": " + image.message);
  image.format = PNG_FORMAT_RGB;
  Picture picture{image.height, image.width, std::vector<unsigned char>(PNG_IMAGE_SIZE(image))};
  if (png_image_finish_read(&image, nullptr, picture.bytes.data(), 0, nullptr) == 0) fail(path + ": " + image.message);
  return picture;
}

void write_png(const std::string& path, const Picture& picture) {
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  image.format = PNG_FORMAT_RGB;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  if (png_image_write_to_file(&image, path.c_str(), 0, picture.bytes.data(), 0, nullptr) == 0)
    fail(path + ": " + image.message);
}

/// Weights of the pixels around one, (2·kRadius + 1)² of them, whose sum is 1.
std::vector<float> gaussian(double sigma) {
  std::vector<float> weights;
  double sum = 0;
  for (std::int64_t y = -kRadius; y <= kRadius; ++y) {
    for (std::int64_t x = -kRadius; x <= kRadius; ++x) {
      weights.push_back(static_cast<float>(std::exp(-static_cast<double>(x * x + y * y) / (2 * sigma * sigma))));
      sum += static_cast<double>(weights.back());
    }
  }
  for (float& weight : weights) weight = static_cast<float>(static_cast<double>(weight) / sum);
  return weights;
}

/// The picture as (colours, rows, columns) of complex64, with room for what the kernel takes from beyond its edges: the edge's
/// own pixels.
Array padded(const Picture& picture) {
  const std::int64_t rows = picture.height + 2 * kRadius;
  const std::int64_t columns = picture.width + 2 * kRadius;
  Array values = Array::empty({kColours, rows, columns}, kiln::DType::complex64);
  auto* next = values.as<Complex>();
  for (std::int64_t colour = 0; colour < kColours; ++colour) {
    for (std::int64_t y = 0; y < rows; ++y) {
      for (std::int64_t x = 0; x < columns; ++x) {
        const std::int64_t from_y = std::clamp<std::int64_t>(y - kRadius, 0, picture.height - 1);
        const std::int64_t from_x = std::clamp<std::int64_t>(x - kRadius, 0, picture.width - 1);
        *next++ = static_cast<float>(picture.bytes[picture.at(colour, from_y, from_x)]);
      }
    }
  }
  return values;
}

/// The weights around element (0, 0) of an array of zeros, as it goes on beyond its ends.
Array around_origin(const std::vector<float>& weights, std::int64_t rows, std::int64_t columns) {
  Array values = Array::zeros({rows, columns}, kiln::DType::complex64);
  auto* const elements = values.as<Complex>();
  auto weight = weights.begin();
  for (std::int64_t y = -kRadius; y <= kRadius; ++y) {
    for (std::int64_t x = -kRadius; x <= kRadius; ++x) {
      elements[(y + rows) % rows * columns + (x + columns) % columns] = *weight++;
    }
  }
  return values;
}

unsigned char pixel(float value) {
  return static_cast<unsigned char>(std::clamp(std::lround(value), 0L, 255L));
}

/// The picture convolved with the weights; returns the largest difference from a convolution pixel by pixel.
float convolve(const Picture& picture, const std::vector<float>& weights, Picture& result) {
  static const auto multiply = kiln::vectorize<Complex(Complex, Complex)>("a", "b", "return a * b;");
  const Array values = padded(picture);
  const Array original = values.copy();
  const std::int64_t rows = values.shape()[1];
  const std::int64_t columns = values.shape()[2];
  const Array kernel = around_origin(weights, rows, columns);

  kiln::fft::fft2(kernel, {.out = kernel});
  kiln::fft::fft2(values, {.out = values});  // all colours at once
  multiply(values, kernel, {.out = values});
  kiln::fft::ifft2(values, {.out = values});

  result = picture;
  float worst = 0;
  const auto* const computed = values.as<const Complex>();
  const auto* const pixels = original.as<const Complex>();
  for (std::int64_t colour = 0; colour < kColours; ++colour) {
    for (std::int64_t y = 0; y < picture.height; ++y) {
      for (std::int64_t x = 0; x < picture.width; ++x) {
        const std::int64_t at = (colour * rows + y + kRadius) * columns + x + kRadius;
        result.bytes[picture.at(colour, y, x)] = pixel(computed[at].real());
        float direct = 0;
        auto weight = weights.begin();
        for (std::int64_t dy = -kRadius; dy <= kRadius; ++dy) {
          for (std::int64_t dx = -kRadius; dx <= kRadius; ++dx) direct += *weight++ * pixels[at - dy * columns - dx].real();
        }
        worst = std::max(worst, std::abs(computed[at] - direct));
      }
    }
  }
  return worst;
}

}  // namespace

int run(int argc, char** argv) {
  const Picture picture = argc > 1 ? read_png(argv[1]) : made_picture();
  if (argc <= 1) write_png("picture.png", picture);
  const std::string blurred_path = argc > 2 ? argv[2] : "blurred.png";
  const std::string sharpened_path = argc > 3 ? argv[3] : "sharpened.png";

  // Sharper is the picture and what the blur took from it.
  const std::vector<float> blur = gaussian(2.5);
  std::vector<float> sharpen = blur;
  for (float& weight : sharpen) weight = -weight;
  sharpen[sharpen.size() / 2] += 2;

  for (const auto& [path, weights] : {std::pair(blurred_path, blur), std::pair(sharpened_path, sharpen)}) {
    Picture result;
    const float worst = convolve(picture, weights, result);
    write_png(path, result);
    if (!(worst < 0.01F)) fail(path + " is wrong");
    if (read_png(path).bytes != result.bytes) fail(path + " does not hold what was written");
    std::cout << path << ": " << picture.width << " x " << picture.height << ", " << worst
              << " of 255 from the convolution pixel by pixel, checked\n";
  }
  return 0;
}

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const kiln::DeviceError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 77;  // without FFTW, which is opened at run time
  }
}
