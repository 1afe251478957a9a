// The vendors' libraries of mathematical functions as LLVM's bitcode, which Clang links into kernels in the place of kiln's
// own: NVIDIA's libdevice.10.bc, AMD's ocml.bc with the settings beside it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kiln/device.hpp"

namespace kiln::backend::gpu {

struct MathBitcode {
  std::string mark;  ///< "+libdevice-65be0db342ad", of the bytes: for the version of a compiler, in keys
  std::vector<std::pair<std::string, std::string>> files;  ///< name and bytes, in the order to link them in
};

/// What KILN_LIBDEVICE or KILN_OCML asks for: a file, or "auto" for the machine's. Null where it is not set. Files are read
/// once for a target. DeviceError where one is missing, with every path tried, or is no bitcode. Thread-safe.
[[nodiscard]] std::shared_ptr<const MathBitcode> wanted_math_bitcode(const std::string& target);

/// The same of a file, for tests: libdevice.10.bc or ocml.bc, as the target wants.
[[nodiscard]] std::shared_ptr<const MathBitcode> math_bitcode(const std::string& target, const std::string& path);

/// Every file that may be the machine's, first those of the variables that the vendors' tools know.
[[nodiscard]] std::vector<std::string> math_bitcode_places(DeviceKind kind);

/// Whether the compiler that a key names links it. Pure.
[[nodiscard]] bool has_math_bitcode(std::string_view compiler);

}  // namespace kiln::backend::gpu
