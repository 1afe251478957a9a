// NumPy's .npz archives: .npy files in a ZIP archive, stored (numpy.savez) or deflated (numpy.savez_compressed). As hostile as
// a .npy file until they are read.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kiln/array.hpp"
#include "kiln/export.hpp"

namespace kiln {

/// The names of an archive's arrays, in its order: "x" for the member "x.npy". Other members are left out. IoError for what is
/// no ZIP archive, is cut off, is encrypted, or has two members of one name. Thread-safe, as all of these.
[[nodiscard]] KILN_API std::vector<std::string> npz_names(const std::filesystem::path& path);

/// One array of an archive, as a host array. Only that member is read. IoError says what is wrong, of which member and at which
/// of its bytes: as of load_npy(), for a name that is not there, a way of compression other than deflate, members that are cut
/// off or longer than they claim or no memory is there for, and a checksum that does not fit. Needs zlib (libz.so.1), which is
/// opened here; IoError where it is not there.
[[nodiscard]] KILN_API Array load_npz(const std::filesystem::path& path, std::string_view name);

/// All of them, by name, in the archive's order.
[[nodiscard]] KILN_API std::vector<std::pair<std::string, Array>> load_npz(const std::filesystem::path& path);

}  // namespace kiln
