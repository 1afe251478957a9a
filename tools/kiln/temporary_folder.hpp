// A private folder that is gone, with what is in it, when its owner is, or a signal ends the process.
#pragma once

#include <filesystem>
#include <optional>

#include "leftovers.hpp"

namespace kiln::tool {

class TemporaryFolder {
 public:
  /// Below TMPDIR; IoError where none can be made.
  TemporaryFolder();
  /// In that folder; std::filesystem::filesystem_error where none can be made.
  explicit TemporaryFolder(const std::filesystem::path& parent);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
  std::optional<Leftover> leftover_;
};

}  // namespace kiln::tool
