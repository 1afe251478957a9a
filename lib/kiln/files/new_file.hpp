// A file that replaces another only once it is complete.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "base/file_descriptor.hpp"
#include "base/output_target.hpp"

namespace kiln::detail {

/// Has the rules of save_npy(): an old file is replaced, and gives its owner and mode; a link's target is replaced. Without
/// publish() nothing stays. Every function throws IoError.
class NewFile {
 public:
  explicit NewFile(const std::filesystem::path& path);
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();

  void write(const char* data, std::size_t size);
  /// Allocates the space. Where the file system cannot promise it, the file is only so long.
  void reserve(std::size_t size);
  void publish();
  [[nodiscard]] const base::FileDescriptor& descriptor() const noexcept { return file_; }

 private:
  NewFile(std::string shown, const base::OutputTarget& target);
  [[noreturn]] void fail(std::string what, int code);

  std::string shown_;  // in messages: the name that the user gave
  std::string target_;
  std::string name_;
  base::FileDescriptor file_;
  bool published_ = false;
};

}  // namespace kiln::detail
