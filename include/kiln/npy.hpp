// NumPy's .npy files, versions 1 to 3, C and Fortran order. A file is treated as hostile: every length is checked before memory
// is allocated.
#pragma once

#include <filesystem>

#include "kiln/array.hpp"
#include "kiln/dtype.hpp"
#include "kiln/export.hpp"
#include "kiln/shape.hpp"

namespace kiln {

/// Reads a file into a host array. Big-endian files are swapped.
///
/// bfloat16, for which NumPy has no code, is '<V2', as numpy.save writes arrays of ml_dtypes, or 'bfloat16'. Plain bytes,
/// '|V2', are rejected.
///
/// Throws IoError with the defect and its byte offset. It rejects object, string, date and structured dtypes, more than 64 axes
/// (NumPy's limit), and more bytes than the array has. It also rejects an array that exceeds memory, which open_npy() can use.
[[nodiscard]] KILN_API Array load_npy(const std::filesystem::path& path);

/// Writes the file that numpy.save would write, byte for byte: in Fortran order if the array is Fortran- and not C-contiguous.
/// bfloat16 is written as '<V2', which NumPy reads as two raw bytes an element: `.view(ml_dtypes.bfloat16)`.
///
/// The file appears whole or not at all. It replaces an old one and takes its owner and mode as far as this process may set
/// them. A symbolic link stays; its target is replaced, or created if it is missing. Concurrent writers to one path are safe:
/// one of the files stays.
///
/// Throws IoError if writing fails, for an old file that is not writable, and for anything but a regular file. Throws
/// ShapeError for more than 64 axes.
KILN_API void save_npy(const std::filesystem::path& path, const Array& array);

/// Options of open_npy().
struct OpenNpyOptions {
  bool writable = false;  ///< true: writes to the array reach the file eventually; false: the array is read-only
};

/// Returns the array of a file, memory-mapped. Pages are read on use and may be returned to the system, so a file may be larger
/// than memory. The file stays mapped until the last handle on the array, or on a view of it, is gone. It must not become
/// shorter.
///
/// Throws IoError by the rules of load_npy(). Also throws IoError for files that can be loaded but not mapped: big-endian
/// numbers, and data that are not aligned to their dtype. Bytes of a bool file must be 0 or 1.
///
/// A call may read pages that the file no longer has, because it was made shorter or the disk failed. Such a call reads zeros,
/// writes its outputs and throws IoError. Each later call on the array throws, too; for a queued call that is the first report.
///
/// The first mapping of a process installs a handler of SIGBUS for this. The handler forwards other signals to the previous
/// one.
[[nodiscard]] KILN_API Array open_npy(const std::filesystem::path& path, const OpenNpyOptions& options = {});

/// Creates a file for an array of zeros, replacing an old one, and opens it for writing. The space on the disk is allocated at
/// once: IoError is thrown if there is too little, and no file is left. Throws IoError and ShapeError by the rules of
/// save_npy().
[[nodiscard]] KILN_API Array create_npy(const std::filesystem::path& path, const Shape& shape, DType dtype,
                                        Order order = Order::c);

/// Waits until the disk has everything that was written to an array of open_npy() or create_npy(), or to a view of it. Throws
/// IoError if the disk reports a failure, TypeError for an array that is not mapped.
KILN_API void flush_npy(const Array& array);

}  // namespace kiln
