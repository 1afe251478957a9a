// NumPy's .npz archives: .npy files in a ZIP archive, stored (numpy.savez) or deflated (numpy.savez_compressed). An archive is
// treated as hostile, like a .npy file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kiln/array.hpp"
#include "kiln/export.hpp"

namespace kiln {

/// Returns the names of an archive's arrays, in its order: "x" for the member "x.npy". Other members are omitted. Throws
/// IoError if the file is not a ZIP archive, is truncated, is encrypted, or has two members of one name. All functions here are
/// thread-safe.
[[nodiscard]] KILN_API std::vector<std::string> npz_names(const std::filesystem::path& path);

/// Reads one array of an archive into a host array. No other member is read. Needs zlib (libz.so.1), which is opened here.
///
/// Throws IoError with the defect, the member and the offset in it. The rules of load_npy() apply. Further defects are an
/// unknown name, compression other than deflate, and a wrong checksum. So are members that are truncated, longer than they
/// claim, or larger than memory. Throws IoError if zlib is missing.
[[nodiscard]] KILN_API Array load_npz(const std::filesystem::path& path, std::string_view name);

/// Reads all arrays of an archive, with their names, in its order.
[[nodiscard]] KILN_API std::vector<std::pair<std::string, Array>> load_npz(const std::filesystem::path& path);

}  // namespace kiln
