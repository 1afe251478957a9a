// The files that results go to: all of them appear, or none.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "kiln/array.hpp"

namespace kiln::tool {

class ResultFiles {
 public:
  /// Checks what can be known before any work is done: IoError for a folder that is not there, or a name that is a
  /// folder; UsageError for a name given twice.
  explicit ResultFiles(const std::vector<std::string>& names);

  /// Writes one array to each name, in order, as .npy: "-" is standard output, and a pipe or a device is written to
  /// rather than replaced. Files appear under their names only once all have been written whole. IoError otherwise.
  void write(std::span<const Array> arrays) const;

 private:
  std::vector<std::filesystem::path> targets_;
};

}  // namespace kiln::tool
