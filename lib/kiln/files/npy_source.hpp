// The bytes of a .npy file from the first to the last, wherever they lie, and the array that they are.
#pragma once

#include <cstddef>

#include "files/npy_header.hpp"
#include "kiln/array.hpp"

namespace kiln::detail {

class NpySource {
 public:
  virtual ~NpySource() = default;
  /// All bytes: no more are read.
  [[nodiscard]] virtual std::size_t size() const noexcept = 0;
  /// The next ones. NpyError where they are not to be had.
  virtual void read(char* to, std::size_t bytes) = 0;
};

/// What a file holds, and where.
struct NpyContents {
  NpyHeader header;
  std::size_t offset = 0;  // of the data
  std::size_t bytes = 0;   // of the data
};

/// Reads up to the data. NpyError for what is no .npy file, and for one of more or fewer bytes than its header says.
[[nodiscard]] NpyContents read_npy_header(NpySource& source);

/// A host array of the whole. NpyError.
[[nodiscard]] Array read_npy(NpySource& source);

}  // namespace kiln::detail
