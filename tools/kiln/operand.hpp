// One operand of `kiln eval`: a number, or an array from a .npy file, a .npz archive or standard input.
#pragma once

#include <string>
#include <variant>

#include "kiln/array.hpp"
#include "scalar_text.hpp"

namespace kiln::tool {

using Operand = std::variant<Scalar, Array>;

/// Whether the text names standard input.
inline bool is_standard_stream(const std::string& text) {
  return text == "-";
}

/// A number where the text reads as one, else the array of that file ("./3" is a file); "-" is standard input. Of a .npz
/// archive it is the only array, or that of "data.npz:name". IoError where there is no such file or array, where an archive has
/// several, and for other files (of CSV text it says how it becomes one). `in_place`: of a file that can be, the array is the
/// mapped file.
Operand read_operand(const std::string& text, bool in_place = false);

}  // namespace kiln::tool
