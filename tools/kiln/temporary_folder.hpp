// A private folder that is gone, with what is in it, when its owner is.
#pragma once

#include <filesystem>

namespace kiln::tool {

class TemporaryFolder {
 public:
  /// Below TMPDIR; IoError where none can be made.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace kiln::tool
