// The files that results go to: none of them appears before all are written.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "kiln/array.hpp"
#include "kiln/png.hpp"
#include "method.hpp"
#include "output_file.hpp"

namespace kiln::tool {

class ResultFiles {
 public:
  /// Checks what can be known before any work is done: IoError for what output_target() refuses; UsageError for two names of
  /// one file, for standard output twice, for the name of a .npz archive or a CSV file, and for colours without a picture.
  ResultFiles(const std::vector<std::string>& names, PngOptions colours);

  /// Makes the files of arrays like these, and gives the arrays in their places, before they are computed; empty handles for
  /// streams. Of no specs there are none. IoError. UsageError for a picture, which has no place for an array.
  [[nodiscard]] std::vector<Array> create(std::span<const ResultSpec> specs);

  /// Writes one array to each name, in order, as .npy, or as a picture for a name that ends in .png: "-" is standard output,
  /// and a pipe or a device is written to rather than replaced. Files appear under their names only once all have been written
  /// whole. IoError otherwise; where some of the files are in their places then, it says which. What create() gave is in its
  /// file already.
  void write(std::span<const Array> arrays);

 private:
  void save(const std::filesystem::path& path, const Array& array, const OutputTarget& target) const;

  PngOptions colours_;
  std::vector<OutputTarget> targets_;
  std::vector<Array> created_;
  PendingFiles pending_;
};

}  // namespace kiln::tool
