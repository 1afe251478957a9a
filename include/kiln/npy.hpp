// NumPy's .npy files, versions 1 to 3, C and Fortran order. A file is hostile until it is read: every length is checked
// before anything is allocated.
#pragma once

#include <filesystem>

#include "kiln/array.hpp"
#include "kiln/dtype.hpp"
#include "kiln/export.hpp"
#include "kiln/shape.hpp"

namespace kiln {

/// Reads a host array; IoError says what is wrong with the file and at which byte. Big-endian files are swapped. Object,
/// string, date and structured dtypes are refused, and so are more than 64 axes (NumPy's limit) and a file with more bytes than
/// its array, and one that no memory is there for, which open_npy() can use. bfloat16, for which NumPy has no code, is '<V2',
/// as numpy.save writes ml_dtypes' arrays ('|V2', plain bytes, is refused), or 'bfloat16'.
[[nodiscard]] KILN_API Array load_npy(const std::filesystem::path& path);

/// Writes what numpy.save would, byte for byte: in Fortran order where the array is Fortran- and not C-contiguous; bfloat16 as
/// '<V2', which NumPy reads as two raw bytes an element:
/// `.view(ml_dtypes.bfloat16)`. The file appears whole or not at all, replacing an old one, whose owner and mode it has as far
/// as this process may give them; through symbolic links what they lead to is replaced, or made where it is not there. IoError
/// otherwise, also for an old file that may not be written to, and for what is no regular file; ShapeError for more than 64
/// axes. Concurrent writers to one path are safe: one of the files stays.
KILN_API void save_npy(const std::filesystem::path& path, const Array& array);

/// Options of open_npy().
struct OpenNpyOptions {
  bool writable = false;  ///< what is written to the array is written to the file, by and by; else the array is read-only
};

/// The array of a file in its place: pages are read when they are used, and may be given back to the system, so that a file may
/// be larger than memory. The file is mapped until the last handle on the array, or on a view of it, is gone; it must not
/// become shorter. IoError as of load_npy(), and for what cannot be mapped but can be loaded: big-endian numbers, and data that
/// are not aligned to their dtype. Bytes of a bool file must be 0 or 1.
///
/// A call that reads what the file has no longer (it was made shorter, the disk failed) takes zeros for it and throws IoError,
/// with its outputs written; so does each later call on the array, which for a call that was queued on a stream is the first to
/// tell. For that, the first mapping of a process installs a handler of SIGBUS, which passes on to the one before what is not
/// kiln's.
[[nodiscard]] KILN_API Array open_npy(const std::filesystem::path& path, const OpenNpyOptions& options = {});

/// Makes a file with room for an array of zeros, in the place of an old one, and opens it for writing. The disk's room is taken
/// at once: IoError where there is too little, and nothing is left then. IoError and ShapeError as of save_npy().
[[nodiscard]] KILN_API Array create_npy(const std::filesystem::path& path, const Shape& shape, DType dtype,
                                        Order order = Order::c);

/// Waits until the disk has all that was written to an array of open_npy() or create_npy(), or to a view of it. IoError where
/// it has not taken it; TypeError for an array that is in no file.
KILN_API void flush_npy(const Array& array);

}  // namespace kiln
