// Machine code in memory: the bytes of a shared object, loaded from no file that stays, but for debuggers.
#pragma once

#include <string>
#include <string_view>

namespace kiln::backend::cpu {

/// Owns one loaded object. Its functions may be called until it is destroyed.
class CodeImage {
 public:
  enum class Store {
    memory,  ///< a memfd; on disk where memfd or /proc is refused
    disk     ///< a file in the temporary folder, gone once it is loaded
  };

  /// DeviceError with the loader's words and `name` where it cannot be loaded. The bytes are trusted: they are checked by who
  /// keeps them.
  CodeImage(std::string_view code, const std::string& name, Store store = Store::memory);
  /// The same from the file debug_code_file(name) in the folder, which debuggers and profilers read. From memory where
  /// `debug_folder` is empty, the file is not this user's or does not hold the code, or this process has loaded it already.
  CodeImage(std::string_view code, const std::string& name, const std::string& debug_folder);
  ~CodeImage();
  CodeImage(const CodeImage&) = delete;
  CodeImage& operator=(const CodeImage&) = delete;

  /// Null where there is none of that name.
  [[nodiscard]] void* symbol(const char* name) const noexcept;
  /// Of the kernel's that stays for debuggers; empty where there is none.
  [[nodiscard]] const std::string& file() const noexcept { return file_; }

 private:
  void open_from_folder(std::string_view code, const std::string& path);

  void* handle_ = nullptr;
  std::string file_ = {};  ///< that it is loaded from; empty: memory
};

}  // namespace kiln::backend::cpu
