// NVRTC or hipRTC: found at once, its version known from its file, loaded at the first compile.
#pragma once

#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

#include "library/abi.hpp"
#include "library/dialect.hpp"
#include "library/library.hpp"

namespace kiln::backend::gpu {

struct CompilerTable {
  using Status = abi::Status;
  using Handle = abi::Handle;
#define KILN_GPU_SYMBOL(member, cuda, hip, need, ...) std::add_pointer_t<__VA_ARGS__> member = nullptr;
#include "library/compiler_symbols.inc"
#undef KILN_GPU_SYMBOL
};

/// Thread-safe. Never unloaded: the vendors' libraries register exit handlers.
class CompilerLibrary {
 public:
  /// The machine's: with a CUDA driver present not newer than its major, with a HIP runtime from the same folder. Found once;
  /// DeviceError with every path tried, and looked for again at the next call, where there is none.
  [[nodiscard]] static const CompilerLibrary& of(DeviceKind kind);

  /// From a given list of names, for tests. Throws as of() does.
  CompilerLibrary(const Dialect& dialect, const std::vector<std::string>& names);

  [[nodiscard]] const Dialect& dialect() const noexcept { return dialect_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// "13.0+65be0db342ad": from the file's name and build id, so that asking does not load it; for keys.
  [[nodiscard]] const std::string& version() const noexcept { return version_; }
  /// major * 100 + minor.
  [[nodiscard]] int version_number() const noexcept { return number_; }
  /// "NVRTC 13.0", for messages.
  [[nodiscard]] std::string display() const;

  /// Loads the library where it is not yet. DeviceError where it cannot be loaded or lacks a symbol.
  [[nodiscard]] const CompilerTable& table() const;
  /// Held during a compile where the compiler is not re-entrant.
  [[nodiscard]] std::unique_lock<std::mutex> lock() const;
  /// Capabilities that NVRTC compiles for, ascending; empty for hipRTC, which does not tell. Loads the library.
  [[nodiscard]] std::vector<int> capabilities() const;

 private:
  void load() const;

  const Dialect& dialect_;
  std::string path_;
  std::string version_;
  int number_ = 0;
  mutable std::once_flag loaded_;
  mutable base::DynamicLibrary library_;
  mutable CompilerTable table_;
  mutable std::mutex compiling_;
};

}  // namespace kiln::backend::gpu
