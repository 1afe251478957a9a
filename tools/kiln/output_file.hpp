// Files that appear under their names only once they are written whole.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kiln::tool {

/// What is to be written to, not replaced: standard output, a pipe, a terminal, /dev/null.
[[nodiscard]] bool is_stream(const std::filesystem::path& target);

/// The file that a name means: what a symbolic link points to, since renaming onto the link would replace it.
[[nodiscard]] std::filesystem::path target_of(const std::string& name);

/// Files that are written but not yet in place; those left over are removed.
class PendingFiles {
 public:
  PendingFiles() = default;
  PendingFiles(const PendingFiles&) = delete;
  PendingFiles& operator=(const PendingFiles&) = delete;
  ~PendingFiles();
  /// Where to write what is meant for the target.
  [[nodiscard]] const std::filesystem::path& add(const std::filesystem::path& target);
  /// Puts them in place. IoError where one cannot be.
  void publish();

 private:
  std::vector<std::pair<std::filesystem::path, std::filesystem::path>> files_;
};

/// Writes a file whole or not at all, or to a stream. IoError.
void write_text_file(const std::string& name, std::string_view text);

}  // namespace kiln::tool
