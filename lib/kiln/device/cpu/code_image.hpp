// Machine code in memory: the bytes of a relocatable or shared object, loaded.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace kiln::backend::cpu {

class PlacedCode;
class SharedObject;

/// Owns one loaded object. Its functions may be called until it is destroyed.
class CodeImage {
 public:
  /// DeviceError with the loader's words and `name` where it cannot be loaded. A shared object is loaded from its file in
  /// `debug_folder` where that is not empty (shared_object.hpp).
  CodeImage(std::string_view code, const std::string& name, const std::string& debug_folder = {});
  ~CodeImage();
  CodeImage(const CodeImage&) = delete;
  CodeImage& operator=(const CodeImage&) = delete;

  /// Null where there is none of that name.
  [[nodiscard]] void* symbol(const char* name) const noexcept;
  /// Of the process, for as long as it is loaded.
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  std::unique_ptr<PlacedCode> placed_;  // one of the two
  std::unique_ptr<SharedObject> shared_;
};

}  // namespace kiln::backend::cpu
