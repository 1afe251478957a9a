// The files that results go to: none of them appears before all are written.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kiln/array.hpp"
#include "method.hpp"
#include "output_file.hpp"

namespace kiln::tool {

class ResultFiles {
 public:
  /// Checks what can be known before any work is done: IoError for what output_target() refuses; UsageError for two names of
  /// one file, for standard output twice, and for the name of a .npz archive or a CSV file.
  explicit ResultFiles(const std::vector<std::string>& names);

  /// Makes the files of arrays like these, and gives the arrays in their places, before they are computed; empty handles for
  /// streams. Of no specs there are none. IoError.
  [[nodiscard]] std::vector<Array> create(std::span<const ResultSpec> specs);

  /// Writes one array to each name, in order, as .npy: "-" is standard output, and a pipe or a device is written to
  /// rather than replaced. Files appear under their names only once all have been written whole. IoError otherwise;
  /// where some of the files are in their places then, it says which.
  /// What create() gave is in its file already.
  void write(std::span<const Array> arrays);

 private:
  std::vector<OutputTarget> targets_;
  std::vector<Array> created_;
  PendingFiles pending_;
};

}  // namespace kiln::tool
