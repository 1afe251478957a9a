// Machine code in memory: the bytes of a shared object, loaded from no file that stays.
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
  ~CodeImage();
  CodeImage(const CodeImage&) = delete;
  CodeImage& operator=(const CodeImage&) = delete;

  /// Null where there is none of that name.
  [[nodiscard]] void* symbol(const char* name) const noexcept;

 private:
  void* handle_ = nullptr;
};

}  // namespace kiln::backend::cpu
