// cuFFT or hipFFT: opened at the first transform.
#pragma once

#include <cstddef>
#include <cstdint>
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

class Driver;

struct FftTable {
  using Status = int;
  /// cuFFT's plans are an int, hipFFT's a pointer. Both are passed in the register that this is passed in, and what cuFFT
  /// writes is the lower half of one that was 0: hosts of GPUs are little-endian.
  using Handle = std::uintptr_t;
  using Integer = long long;
#define KILN_GPU_SYMBOL(member, cuda, hip, need, ...) std::add_pointer_t<__VA_ARGS__> member = nullptr;
#include "library/fft_symbols.inc"
#undef KILN_GPU_SYMBOL
};

/// Thread-safe. Never unloaded.
class FftLibrary {
 public:
  /// For the devices of that driver, opened once; with a CUDA driver not newer than its release. DeviceError with every path
  /// tried, and looked for again at the next call, where there is none.
  [[nodiscard]] static const FftLibrary& of(const Driver& driver);

  /// From a given list of names, for tests. Throws as of() does.
  FftLibrary(const Dialect& dialect, const std::vector<std::string>& names);

  [[nodiscard]] const FftTable& calls() const noexcept { return calls_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// "failed to <what> on cuda:0: CUFFT_ALLOC_FAILED (libcufft.so.12)", with the code and its name.
  [[nodiscard]] DeviceError error(FftTable::Status status, const std::string& what, const std::string& device) const;

 private:
  const Dialect& dialect_;
  base::DynamicLibrary library_;
  std::string path_;
  FftTable calls_;
};

}  // namespace kiln::backend::gpu
