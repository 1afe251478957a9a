// libcuda or the HIP runtime: the table of its calls, its devices, and its errors as exceptions.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "base/dynamic_library.hpp"
#include "library/abi.hpp"
#include "library/dialect.hpp"

namespace kiln {
class DeviceError;
}  // namespace kiln

namespace kiln::backend::gpu {

struct DriverTable {
  using Status = abi::Status;
  using Handle = abi::Handle;
  using Address = abi::Address;
  using PoolProps = abi::PoolProps;
#define KILN_GPU_SYMBOL(member, cuda, hip, need, ...) std::add_pointer_t<__VA_ARGS__> member = nullptr;
#include "library/driver_symbols.inc"
#undef KILN_GPU_SYMBOL
};

/// Thread-safe once made. Never unloaded.
class Driver {
 public:
  /// The machine's, opened and initialized once. DeviceError with every path tried, or the driver's own words.
  [[nodiscard]] static const Driver& of(DeviceKind kind);

  /// libkiln-emulator.so, opened once. DeviceError with every path tried.
  [[nodiscard]] static const Driver& emulator();

  /// From a given list of names, for tests. Throws as of() does.
  Driver(const Dialect& dialect, const std::vector<std::string>& names);

  [[nodiscard]] const Dialect& dialect() const noexcept { return dialect_; }
  [[nodiscard]] const DriverTable& calls() const noexcept { return calls_; }
  [[nodiscard]] int device_count() const noexcept { return device_count_; }
  /// Whether it is libkiln-emulator.so: it takes PTX, and no machine code.
  [[nodiscard]] bool is_emulator() const noexcept { return calls_.emulator_message != nullptr; }
  /// Whether the process exits, and the runtime with it.
  [[nodiscard]] bool gone() const noexcept;
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// "CUDA 13.0", "HIP 5.2.21153".
  [[nodiscard]] std::string version_text() const;
  [[nodiscard]] std::string device_name(int index) const;

  /// "CUDA_ERROR_INVALID_PTX"
  [[nodiscard]] std::string error_name(abi::Status status) const;
  /// "CUDA_ERROR_INVALID_PTX (a PTX JIT compilation failed)"
  [[nodiscard]] std::string error_text(abi::Status status) const;
  /// "failed to <verb> <what> on cuda:0: CUDA_ERROR_INVALID_PTX (…)", with the code and its name.
  [[nodiscard]] DeviceError error(abi::Status status, const std::string& what_failed, int index) const;

 private:
  const Dialect& dialect_;
  std::string path_;
  base::DynamicLibrary library_;
  DriverTable calls_;
  int version_ = 0;
  int device_count_ = 0;
  bool emulates_ = false;  ///< made by emulator()
};

/// The major of the CUDA release that the driver present supports; 0 where there is none. Does not initialize the driver.
[[nodiscard]] int driver_version_major(DeviceKind kind) noexcept;

/// The file that the driver would be opened from, without opening it where its path tells; empty where there is none.
[[nodiscard]] std::string locate_driver(DeviceKind kind);

}  // namespace kiln::backend::gpu
