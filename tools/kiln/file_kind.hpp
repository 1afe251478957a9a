// Files that are arrays, but not .npy: what they are, and the line that converts them.
#pragma once

#include <string>

namespace kiln::tool {

/// Whether a file is a .npz archive by its first bytes, or by its name where they are no .npy file's.
[[nodiscard]] bool is_archive(const std::string& path);

/// What to say of a file that is CSV text by its first line, or by its name; empty for any other, which is for the library to
/// read. `shown` is how messages name it.
[[nodiscard]] std::string explain_input(const std::string& path, const std::string& shown);

/// Whether an output of this name is a PNG file.
[[nodiscard]] bool is_picture(const std::string& name);

/// What to say of the name of an output that ends in .npz or .csv, or in that of another picture; empty for any other.
[[nodiscard]] std::string explain_output(const std::string& name);

}  // namespace kiln::tool
