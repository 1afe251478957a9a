// NumPy's .npy files, versions 1 to 3, C and Fortran order. A file is hostile until it is read: every length is checked
// before anything is allocated.
#pragma once

#include <filesystem>

#include "kiln/array.hpp"
#include "kiln/export.hpp"

namespace kiln {

/// Reads a host array; IoError says what is wrong with the file and at which byte. Big-endian files are swapped. Object,
/// string, date and structured dtypes are refused, and so are more than 64 axes (NumPy's limit) and a file with more bytes than
/// its array. bfloat16, for which NumPy has no code, is '<V2', as numpy.save writes ml_dtypes' arrays ('|V2', plain bytes, is
/// refused), or 'bfloat16'.
[[nodiscard]] KILN_API Array load_npy(const std::filesystem::path& path);

/// Writes what numpy.save would, byte for byte: in Fortran order where the array is Fortran- and not C-contiguous; bfloat16 as
/// '<V2', which NumPy reads as two raw bytes an element:
/// `.view(ml_dtypes.bfloat16)`. The file appears whole or not at all, replacing an old one, whose owner and mode it has as far
/// as this process may give them; through symbolic links what they lead to is replaced, or made where it is not there. IoError
/// otherwise, also for an old file that may not be written to, and for what is no regular file; ShapeError for more than 64
/// axes. Concurrent writers to one path are safe: one of the files stays.
KILN_API void save_npy(const std::filesystem::path& path, const Array& array);

}  // namespace kiln
