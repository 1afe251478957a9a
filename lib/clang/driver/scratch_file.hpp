// A file that lives in memory and has a path, for a linker that reads only paths.
#pragma once

#include <string>
#include <string_view>

namespace kiln::clang_module {

/// Holds the bytes; gone with the object. A file in the temporary folder, mode 0600, where memfd or /proc is refused.
class ScratchFile {
 public:
  explicit ScratchFile(std::string_view bytes);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Why there is no such file; empty where there is.
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  void open_file();
  void fail(const char* what);

  int file_ = -1;
  bool on_disk_ = false;
  std::string path_;
  std::string error_;
};

}  // namespace kiln::clang_module
