// A folder that goes with its object.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

namespace growth {

struct Folder {
  /// In memory where that can be, so that no disk's state decides.
  enum class Where { disk, memory };

  explicit Folder(Where where = Where::disk) {
    const std::filesystem::path shared = "/dev/shm";
    const bool memory = where == Where::memory && ::access(shared.c_str(), W_OK) == 0;
    std::string name = ((memory ? shared : std::filesystem::temp_directory_path()) / "kiln-growth-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    path = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code none;
    std::filesystem::remove_all(path, none);
  }
  std::string path;
};

}  // namespace growth
