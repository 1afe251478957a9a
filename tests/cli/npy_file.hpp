// Reads the .npy files that the command wrote, with no code of kiln's, to compare them with NumPy's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cli {

struct NpyFile {
  std::string descr;  ///< "<f4"
  std::string shape;  ///< "2, 3"
  bool fortran = false;
  std::string payload;  ///< the elements' bytes

  friend bool operator==(const NpyFile&, const NpyFile&) = default;
};

/// std::runtime_error where the file is no well-formed .npy file of version 1.
NpyFile parse_npy(const std::string& bytes);
NpyFile read_npy(const std::string& path);

}  // namespace cli
