// The header of a .npy file as a value, from and to its text. Pure: no files here.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include "kiln/dtype.hpp"
#include "kiln/shape.hpp"

namespace kiln::detail {

struct NpyHeader {
  DType dtype = DType::float64;
  bool swapped = false;  ///< the data are big-endian
  bool fortran = false;
  Shape shape;
};

/// What is wrong with a file, and at which of its bytes.
struct NpyError {
  std::string what;
  std::size_t offset = 0;
};

/// Magic, version and length field: 10 bytes for version 1, 12 for later ones.
inline constexpr std::size_t kNpyPreludeMax = 12;
/// Longer headers are refused: no array of numbers needs one.
inline constexpr std::size_t kNpyHeaderMax = std::size_t{1} << 20;

/// NumPy's arrays have no more.
inline constexpr std::size_t kNpyMostAxes = 64;

struct NpyPrelude {
  std::size_t header_offset = 0;
  std::size_t header_length = 0;
};

/// Reads the first bytes of a file (as many as there are, kNpyPreludeMax at most). Throws NpyError.
NpyPrelude parse_npy_prelude(std::string_view bytes);

/// Reads the dictionary, whose first byte is at `offset` of the file. Throws NpyError.
NpyHeader parse_npy_header(std::string_view text, std::size_t offset);

/// Everything before the data, byte for byte as numpy.save writes it; of kNpyMostAxes axes at most.
std::string format_npy_header(DType dtype, bool fortran, const Shape& shape);

}  // namespace kiln::detail
