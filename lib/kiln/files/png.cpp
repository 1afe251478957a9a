// PNG files (W3C "Portable Network Graphics", third edition): one image of 8 bits a channel, not interlaced.
#include "kiln/png.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "array/access.hpp"
#include "array/rep.hpp"
#include "files/colormap.hpp"
#include "files/new_file.hpp"
#include "files/zlib.hpp"
#include "kiln/error.hpp"

namespace kiln {
namespace {

constexpr std::int64_t kMostPixels = std::numeric_limits<std::int32_t>::max();  // of a row, and of a column

/// Rows of pixels of `channels` bytes.
struct Image {
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::size_t channels = 0;  ///< 1: gray, 2: gray and opacity, 3: colours, 4: colours and opacity
  std::vector<std::uint8_t> bytes = {};

  [[nodiscard]] std::size_t row_bytes() const noexcept { return static_cast<std::size_t>(width) * channels; }
};

struct Limits {
  double low = 0;
  double high = 1;

  /// 0 to 255; a NaN is 0.
  [[nodiscard]] std::uint8_t level(double number) const noexcept {
    if (!(number > low)) return 0;
    if (number >= high) return 255;
    // Halves first: the difference of two numbers may be more than the greatest.
    return static_cast<std::uint8_t>(std::lround((number / 2 - low / 2) / (high / 2 - low / 2) * 255));
  }
};

std::string shown(const Shape& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

void check_shape(const Shape& shape) {
  const bool colours = shape.size() == 3 && (shape[2] == 3 || shape[2] == 4);
  if (shape.size() != 2 && !colours) {
    throw ShapeError("a picture has the shape (rows, columns), (rows, columns, 3) or (rows, columns, 4), and the array has " +
                     shown(shape));
  }
  if (shape[0] == 0 || shape[1] == 0)
    throw ShapeError("a picture has at least one pixel, and the array has the shape " + shown(shape));
  if (shape[0] > kMostPixels || shape[1] > kMostPixels) {
    throw ShapeError("a PNG has at most " + std::to_string(kMostPixels) + " rows and columns, and the array has the shape " +
                     shown(shape));
  }
}

Limits limits_of(const PngOptions& options, double low, double high) {
  const Limits limits{options.low.value_or(low), options.high.value_or(high)};
  if (!std::isfinite(limits.low) || !std::isfinite(limits.high))
    throw TypeError("the limits of a picture's numbers are finite");
  if (options.low && options.high && !(limits.low < limits.high)) {
    throw TypeError(
        fmt::format("a picture's low limit is below its high one, and {} is not below {}", limits.low, limits.high));
  }
  return limits;
}

Limits range_of(const double* numbers, std::size_t count, const PngOptions& options) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(numbers[i])) continue;
    low = std::min(low, numbers[i]);
    high = std::max(high, numbers[i]);
  }
  return low > high ? limits_of(options, 0, 1) : limits_of(options, low, high);
}

Image by_colormap(const double* numbers, const Shape& shape, bool boolean, const PngOptions& options) {
  const auto count = static_cast<std::size_t>(shape[0] * shape[1]);
  const detail::Colormap map = detail::colormap_of(options.colormap);
  const Limits limits = boolean ? limits_of(options, 0, 1) : range_of(numbers, count, options);
  const bool gray = options.colormap.empty() || options.colormap.starts_with("gray");
  const bool holes = std::any_of(numbers, numbers + count, [](double number) { return std::isnan(number); });
  const std::size_t colours = gray ? 1 : 3;
  Image image{shape[0], shape[1], colours + (holes ? 1 : 0)};
  image.bytes.resize(count * image.channels);
  std::uint8_t* to = image.bytes.data();
  for (std::size_t i = 0; i < count; ++i, to += image.channels) {
    std::copy_n(map[limits.level(numbers[i])].data(), colours, to);
    if (holes) to[colours] = std::isnan(numbers[i]) ? 0 : 255;
  }
  return image;
}

Image of_colours(const double* numbers, const Shape& shape, bool floating, const PngOptions& options) {
  if (!options.colormap.empty()) {
    throw TypeError("a colormap is for an array of shape (rows, columns): this one has colours, " + shown(shape));
  }
  const Limits limits = limits_of(options, 0, floating ? 1 : 255);
  Image image{shape[0], shape[1], static_cast<std::size_t>(shape[2])};
  image.bytes.resize(static_cast<std::size_t>(shape[0]) * image.row_bytes());
  std::transform(numbers, numbers + image.bytes.size(), image.bytes.begin(),
                 [&](double number) { return limits.level(number); });
  return image;
}

Image image_of(const Array& array, const PngOptions& options) {
  const Shape& shape = array.shape();
  const DType dtype = array.dtype();
  if (kind(dtype) == Kind::complex)
    throw TypeError("a picture has real numbers, and the array is " + std::string(name(dtype)) + ": take abs() or arg()");
  const bool colours = shape.size() == 3;
  if (dtype == DType::uint8 && !options.low && !options.high && options.colormap.empty()) {
    const auto* const bytes = array.as<const std::uint8_t>();
    Image image{shape[0], shape[1], colours ? static_cast<std::size_t>(shape[2]) : 1};
    image.bytes.assign(bytes, bytes + array.size());
    return image;
  }
  const Array numbers = array.astype(DType::float64);
  const auto* const values = numbers.as<const double>();
  const bool floating = kind(dtype) == Kind::floating || dtype == DType::bool_;
  return colours ? of_colours(values, shape, floating, options) : by_colormap(values, shape, dtype == DType::bool_, options);
}

/// A row less the bytes that are `back` before it, from the byte `first` on: rows of even colours pack to nothing.
std::size_t filter(const std::uint8_t* row, std::size_t bytes, std::size_t first, std::size_t back, std::uint8_t* to) {
  std::copy_n(row, first, to);
  for (std::size_t i = first; i < bytes; ++i) to[i] = static_cast<std::uint8_t>(row[i] - *(row + i - back));
  std::size_t sum = 0;
  for (std::size_t i = 0; i < bytes; ++i) sum += static_cast<std::size_t>(std::abs(static_cast<std::int8_t>(to[i])));
  return sum;
}

/// Each row begins with the number of its filter: the one of none, left and above that leaves the smallest numbers.
std::vector<std::uint8_t> filtered(const Image& image) {
  const std::size_t bytes = image.row_bytes();
  std::vector<std::uint8_t> all((bytes + 1) * static_cast<std::size_t>(image.height)), trial(bytes);
  for (std::int64_t y = 0; y < image.height; ++y) {
    const std::uint8_t* const row = image.bytes.data() + static_cast<std::size_t>(y) * bytes;
    std::uint8_t* const to = all.data() + static_cast<std::size_t>(y) * (bytes + 1);
    std::size_t least = std::numeric_limits<std::size_t>::max();
    const auto take = [&](std::uint8_t number, std::size_t first, std::size_t back) {
      const std::size_t sum = filter(row, bytes, first, back, trial.data());
      if (sum >= least) return;
      least = sum;
      to[0] = number;
      std::copy(trial.begin(), trial.end(), to + 1);
    };
    take(0, bytes, 0);
    take(1, image.channels, image.channels);
    if (y > 0) take(2, 0, bytes);
  }
  return all;
}

void put_number(std::uint8_t* to, std::uint32_t number) {
  for (int i = 0; i < 4; ++i) to[i] = static_cast<std::uint8_t>(number >> (24 - 8 * i));
}

void write_chunk(detail::NewFile& file, const char* type, const std::uint8_t* data, std::size_t bytes) {
  std::uint8_t head[8], tail[4];
  put_number(head, static_cast<std::uint32_t>(bytes));
  std::copy_n(type, 4, head + 4);
  unsigned long crc = detail::zlib().crc(0, head + 4, 4);
  if (bytes > 0) crc = detail::zlib().crc(crc, data, bytes);  // without data it would be 0
  put_number(tail, static_cast<std::uint32_t>(crc));
  file.write(reinterpret_cast<const char*>(head), sizeof head);
  file.write(reinterpret_cast<const char*>(data), bytes);
  file.write(reinterpret_cast<const char*>(tail), sizeof tail);
}

}  // namespace

std::vector<std::string_view> colormap_names() {
  return detail::names_of_colormaps();
}

void save_png(const std::filesystem::path& path, const Array& array, const PngOptions& options) {
  check_shape(array.shape());
  const Array host = detail::fetch(array);
  const Image image = image_of(detail::rep_of(host).c_contiguous ? host : host.copy(), options);
  const detail::Zlib& zlib = detail::zlib();
  const std::string begin = "failed to write \"" + path.string() + "\": ";
  if (!zlib.missing.empty()) throw IoError(begin + "zlib could not be opened: " + zlib.missing + "; install zlib1g");
  const std::vector<std::uint8_t> rows = filtered(image);
  std::vector<std::uint8_t> packed(zlib.bound(rows.size()));
  uLongf bytes = packed.size();
  constexpr int kLevel = 6;
  if (zlib.compress(packed.data(), &bytes, rows.data(), rows.size(), kLevel) != Z_OK)
    throw IoError(begin + "zlib has no memory to pack it");

  constexpr std::array<char, 8> kSignature = {'\x89', 'P', 'N', 'G', '\r', '\n', '\x1a', '\n'};
  constexpr std::uint8_t kColourTypes[] = {0, 4, 2, 6};
  std::uint8_t header[13] = {};
  put_number(header, static_cast<std::uint32_t>(image.width));
  put_number(header + 4, static_cast<std::uint32_t>(image.height));
  header[8] = 8;
  header[9] = kColourTypes[image.channels - 1];
  detail::NewFile file(path);
  file.write(kSignature.data(), kSignature.size());
  write_chunk(file, "IHDR", header, sizeof header);
  constexpr std::size_t kMostOfChunk = std::size_t{1} << 30;
  for (std::size_t at = 0; at < bytes; at += kMostOfChunk) {
    write_chunk(file, "IDAT", packed.data() + at, std::min<std::size_t>(kMostOfChunk, bytes - at));
  }
  write_chunk(file, "IEND", nullptr, 0);
  file.publish();
}

}  // namespace kiln
