// A shared object that the system's loader has loaded, from no file that stays, but for debuggers: kernels in debug mode, and
// what kiln's own loader (placed_code.hpp) does not take.
#pragma once

#include <string>
#include <string_view>

namespace kiln::backend::cpu {

/// Owns one loaded object. Its functions may be called until it is destroyed. Callers hold a ForkGate.
class SharedObject {
 public:
  enum class Store {
    memory,  ///< a memfd; on disk where memfd or /proc is refused
    disk     ///< a file in the temporary folder, gone once it is loaded
  };

  /// DeviceError with the loader's words and `name` where it cannot be loaded.
  SharedObject(std::string_view code, const std::string& name, Store store = Store::memory);
  /// The same from the file debug_code_file(name) in the folder, which debuggers and profilers read. From memory where
  /// `debug_folder` is empty, the file is not this user's or does not hold the code, or this process has loaded it already.
  SharedObject(std::string_view code, const std::string& name, const std::string& debug_folder);
  ~SharedObject();
  SharedObject(const SharedObject&) = delete;
  SharedObject& operator=(const SharedObject&) = delete;

  /// Null where there is none of that name.
  [[nodiscard]] void* symbol(const char* name) const noexcept;
  /// Of its file and of what the system's loader keeps about it, about.
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return memory_bytes_; }

 private:
  void open_from_folder(std::string_view code, const std::string& path);

  void* handle_ = nullptr;
  std::size_t memory_bytes_;
  std::string file_ = {};  ///< that it is loaded from; empty: memory
};

}  // namespace kiln::backend::cpu
