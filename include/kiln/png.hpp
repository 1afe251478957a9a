// Arrays as pictures: PNG files, with colormaps.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/array.hpp"
#include "kiln/export.hpp"

namespace kiln {

/// Options of save_png().
struct PngOptions {
  /// The name of a colormap, for arrays of two axes; empty: gray. "viridis_r" is "viridis" from its end.
  std::string colormap = {};
  /// The number at the colormap's begin; smaller ones have its colour. Not set: the least finite number of the array.
  std::optional<double> low = {};
  /// The number at the colormap's end; greater ones have its colour. Not set: the greatest finite number of the array.
  std::optional<double> high = {};

  friend bool operator==(const PngOptions&, const PngOptions&) = default;
};

/// Returns the names of the colormaps. Each has a reverse, whose name ends with "_r".
[[nodiscard]] KILN_API std::vector<std::string_view> colormap_names();

/// Writes an array as a PNG file of 8 bits a channel.
///
/// An array of shape (rows, columns) is a picture by the colormap. The picture of uint8 in gray, without limits, has the
/// array's numbers. A NaN is transparent. If all numbers are equal, they have the colour of the colormap's begin.
///
/// An array of shape (rows, columns, 3) holds red, green and blue; with a fourth channel it holds opacity, too. Integers count
/// from 0 to 255, floating-point numbers from 0 to 1; `low` and `high` replace these limits. Numbers beyond are clipped, and a
/// NaN is 0.
///
/// The file appears whole or not at all, by the rules of save_npy(). Needs zlib (libz.so.1), which is opened here. Thread-safe.
///
/// Throws ShapeError for other shapes, and for a picture without pixels. Throws TypeError for complex numbers, an unknown
/// colormap, a colormap of an array of colours, and limits that are not finite or in no order. Throws IoError if writing fails,
/// or zlib is missing.
KILN_API void save_png(const std::filesystem::path& path, const Array& array, const PngOptions& options = {});

}  // namespace kiln
