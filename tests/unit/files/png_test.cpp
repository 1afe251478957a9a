// PNG files, as libpng reads them.
#include "kiln/png.hpp"

#include <doctest/doctest.h>
#include <png.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "../base/temporary_directory.hpp"
#include "kiln/array.hpp"
#include "kiln/error.hpp"
#include "support/message.hpp"

namespace {

using namespace kiln;
using test::message_of;
using test::TemporaryDirectory;

/// Each pixel as red, green, blue and opacity.
struct Decoded {
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint8_t> pixels = {};
  bool colours = false, opacity = false;

  [[nodiscard]] std::vector<int> at(std::size_t x, std::size_t y) const {
    const auto* const pixel = pixels.data() + 4 * (y * width + x);
    return {pixel[0], pixel[1], pixel[2], pixel[3]};
  }
};

Decoded decode(const std::string& path) {
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  REQUIRE_MESSAGE(png_image_begin_read_from_file(&image, path.c_str()) != 0, image.message);
  Decoded decoded{image.width, image.height};
  decoded.colours = (image.format & PNG_FORMAT_FLAG_COLOR) != 0;
  decoded.opacity = (image.format & PNG_FORMAT_FLAG_ALPHA) != 0;
  image.format = PNG_FORMAT_RGBA;
  decoded.pixels.resize(PNG_IMAGE_SIZE(image));
  REQUIRE_MESSAGE(png_image_finish_read(&image, nullptr, decoded.pixels.data(), 0, nullptr) != 0, image.message);
  return decoded;
}

Decoded saved(const Array& array, const PngOptions& options = {}) {
  const TemporaryDirectory folder;
  const std::string path = folder.path() + "/picture.png";
  save_png(path, array, options);
  return decode(path);
}

std::string fault_of(const Array& array, const PngOptions& options = {}) {
  const TemporaryDirectory folder;
  const std::string path = folder.path() + "/picture.png";
  const std::string message = message_of([&] { save_png(path, array, options); });
  CHECK_FALSE(std::filesystem::exists(path));
  return message;
}

using Pixel = std::vector<int>;

}  // namespace

TEST_CASE("bytes are a gray picture as they are") {
  std::vector<std::uint8_t> bytes(256 * 3);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
  const Decoded picture = saved(Array::from(bytes, {3, 256}));
  CHECK(picture.width == 256);
  CHECK(picture.height == 3);
  CHECK_FALSE(picture.colours);
  CHECK_FALSE(picture.opacity);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    CHECK(picture.at(i % 256, i / 256) == Pixel{bytes[i], bytes[i], bytes[i], 255});
}

TEST_CASE("numbers are spread from their least to their greatest, or between limits") {
  const Array numbers = Array::from(std::vector<float>{-1, 0, 1, 3}, {2, 2});
  const Decoded own = saved(numbers);
  CHECK(own.at(0, 0)[0] == 0);
  CHECK(own.at(1, 0)[0] == 64);  // 255 / 4 = 63.75
  CHECK(own.at(0, 1)[0] == 128);
  CHECK(own.at(1, 1)[0] == 255);
  const Decoded between = saved(numbers, {.low = 0, .high = 2});
  CHECK(between.at(0, 0)[0] == 0);
  CHECK(between.at(1, 0)[0] == 0);
  CHECK(between.at(0, 1)[0] == 128);
  CHECK(between.at(1, 1)[0] == 255);
  const double most = std::numeric_limits<double>::max();
  const Decoded far = saved(Array::from(std::vector<double>{-most, 0, most}, {1, 3}));
  CHECK(far.at(0, 0)[0] == 0);
  CHECK(far.at(1, 0)[0] == 128);
  CHECK(far.at(2, 0)[0] == 255);
}

TEST_CASE("infinite numbers are at the ends, and a NaN is transparent") {
  const double infinity = std::numeric_limits<double>::infinity();
  const Decoded picture = saved(Array::from(std::vector<double>{-infinity, 1, 2, infinity, std::nan("")}, {1, 5}));
  CHECK(picture.opacity);
  CHECK(picture.at(0, 0) == Pixel{0, 0, 0, 255});
  CHECK(picture.at(1, 0) == Pixel{0, 0, 0, 255});
  CHECK(picture.at(2, 0) == Pixel{255, 255, 255, 255});
  CHECK(picture.at(3, 0) == Pixel{255, 255, 255, 255});
  CHECK(picture.at(4, 0)[3] == 0);
}

TEST_CASE("bools are black and white, equal numbers the begin of the colormap") {
  CHECK(saved(Array::from(std::vector<std::uint8_t>{1, 1}, {1, 2}).astype(DType::bool_)).at(1, 0)[0] == 255);
  CHECK(saved(Array::from(std::vector<float>(4, 7.0F), {2, 2})).at(0, 0)[0] == 0);
  CHECK(saved(Array::from(std::vector<std::int16_t>{-5, 5}, {2, 1})).at(0, 1)[0] == 255);
}

// The colours of matplotlib 3.11 at 0, 64, 128, 192 and 255 of 255.
TEST_CASE("colormaps are matplotlib's") {
  const struct {
    const char* name;
    Pixel at[5];
  } maps[] = {
      {"coolwarm", {{59, 76, 192}, {141, 176, 254}, {221, 220, 220}, {244, 152, 122}, {180, 4, 38}}},
      {"magma", {{0, 0, 4}, {81, 18, 124}, {183, 55, 121}, {252, 137, 97}, {252, 253, 191}}},
      {"turbo", {{48, 18, 59}, {40, 188, 235}, {164, 252, 60}, {251, 126, 33}, {122, 4, 3}}},
      {"twilight", {{226, 217, 226}, {98, 117, 186}, {48, 20, 55}, {179, 89, 83}, {226, 217, 226}}},
      {"viridis", {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}}},
  };
  const Array numbers = Array::from(std::vector<float>{0, 64, 128, 192, 255}, {1, 5});
  for (const auto& [name, colours] : maps) {
    CAPTURE(name);
    const Decoded picture = saved(numbers, {.colormap = name});
    const Decoded reverse = saved(numbers, {.colormap = std::string(name) + "_r", .low = 0, .high = 255});
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::size_t channel = 0; channel < 3; ++channel)
        CHECK(std::abs(picture.at(i, 0)[channel] - colours[i][channel]) <= 3);
    }
    CHECK(reverse.at(0, 0) == picture.at(4, 0));
    CHECK(reverse.at(4, 0) == picture.at(0, 0));
  }
  CHECK(colormap_names().size() == std::size(maps) + 1);
  CHECK(saved(Array::from(std::vector<float>{0, 1}, {1, 2}), {.colormap = "gray_r"}).at(0, 0)[0] == 255);
}

TEST_CASE("arrays of colours, with and without opacity") {
  const Decoded bytes = saved(Array::from(std::vector<std::uint8_t>{1, 2, 3, 250, 251, 252}, {2, 1, 3}));
  CHECK(bytes.colours);
  CHECK(bytes.at(0, 0) == Pixel{1, 2, 3, 255});
  CHECK(bytes.at(0, 1) == Pixel{250, 251, 252, 255});
  const Decoded floats = saved(Array::from(std::vector<float>{0, 0.5F, 1, 0.25F, -3, 7, std::nanf(""), 1}, {1, 2, 4}));
  CHECK(floats.at(0, 0) == Pixel{0, 128, 255, 64});
  CHECK(floats.at(1, 0) == Pixel{0, 255, 0, 255});
  const Decoded integers = saved(Array::from(std::vector<std::int32_t>{-1, 128, 300}, {1, 1, 3}));
  CHECK(integers.at(0, 0) == Pixel{0, 128, 255, 255});
  // A view whose rows are apart.
  const Array wide = Array::from(std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6}, {2, 3});
  CHECK(saved(wide.transpose()).at(1, 0)[0] == 4);
}

TEST_CASE("a large picture packs, and all its bytes come back") {
  const std::size_t width = 1023, height = 517;
  std::vector<std::uint8_t> bytes(width * height * 3);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i / 3 % width / 4 + i % 3 * 20);
  const TemporaryDirectory folder;
  const std::string path = folder.path() + "/ramp.png";
  save_png(path, Array::from(bytes, {static_cast<std::int64_t>(height), static_cast<std::int64_t>(width), 3}));
  const Decoded picture = decode(path);
  bool same = true;
  for (std::size_t i = 0; i < bytes.size(); ++i) same = same && picture.pixels[i / 3 * 4 + i % 3] == bytes[i];
  CHECK(same);
  CHECK(std::filesystem::file_size(path) < bytes.size() / 100);
}

TEST_CASE("what is no picture") {
  CHECK(fault_of(Array::zeros({4})) ==
        "a picture has the shape (rows, columns), (rows, columns, 3) or (rows, columns, 4), and the array has (4,)");
  CHECK(fault_of(Array::zeros({4, 4, 2})) ==
        "a picture has the shape (rows, columns), (rows, columns, 3) or (rows, columns, 4), and the array has (4, 4, 2)");
  CHECK(fault_of(Array::zeros({0, 4})) == "a picture has at least one pixel, and the array has the shape (0, 4)");
  CHECK(fault_of(Array::from(std::vector<std::complex<float>>(4), {2, 2})) ==
        "a picture has real numbers, and the array is complex64: take abs() or arg()");
  CHECK(fault_of(Array::zeros({2, 2}), {.colormap = "virids"}) == "unknown colormap \"virids\": did you mean \"viridis\"?");
  CHECK(fault_of(Array::zeros({2, 2}), {.colormap = "hot"}) ==
        "unknown colormap \"hot\": the colormaps are coolwarm, gray, magma, turbo, twilight, viridis, and each with \"_r\" for "
        "its reverse");
  CHECK(fault_of(Array::zeros({2, 2, 3}), {.colormap = "viridis"}) ==
        "a colormap is for an array of shape (rows, columns): this one has colours, (2, 2, 3)");
  CHECK(fault_of(Array::zeros({2, 2}), {.low = 2, .high = 1}) ==
        "a picture's low limit is below its high one, and 2 is not below 1");
  CHECK(fault_of(Array::zeros({2, 2}), {.low = std::nan("")}) == "the limits of a picture's numbers are finite");
  CHECK(message_of([] {
          save_png("/nowhere/picture.png", Array::zeros({2, 2}));
        }).starts_with("failed to write \"/nowhere/picture.png\": "));
}
