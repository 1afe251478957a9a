// Files that appear under their names only once they are written whole.
#pragma once

#include <deque>
#include <filesystem>
#include <string>
#include <string_view>

#include "temporary_folder.hpp"

namespace kiln::tool {

/// What the name of an output means.
struct OutputTarget {
  std::string name;            ///< as it was given, for messages
  std::filesystem::path path;  ///< the file that will be there: what symbolic links lead to
  bool stream = false;         ///< to be written to, not replaced: standard output, a pipe, a terminal, /dev/null

  /// "standard output", or the name in quotes.
  [[nodiscard]] std::string shown() const;
};

/// IoError where nothing can be written under that name: a folder, no folder, what may not be written to, a circle of links.
[[nodiscard]] OutputTarget output_target(const std::string& name);

/// Files that are written but not yet in place; those left over are removed.
class PendingFiles {
 public:
  /// Where to write what is meant for the target, which is no stream. IoError.
  [[nodiscard]] const std::filesystem::path& add(const OutputTarget& target);
  /// Puts them in place, where they have owner and mode of the files that they replace. IoError where one cannot be put, which
  /// names those that are in place.
  void publish();

 private:
  struct File {
    explicit File(OutputTarget of);
    OutputTarget target;
    TemporaryFolder folder;  // beside the target, since a file is renamed within a file system only
    std::filesystem::path path;
  };
  std::deque<File> files_;  // which do not move
};

/// Writes a file whole or not at all, or to a stream. IoError.
void write_text_file(const std::string& name, std::string_view text);

}  // namespace kiln::tool
