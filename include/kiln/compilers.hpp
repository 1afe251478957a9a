// The compilers that may compile kernels, and kiln's choice among them.
#pragma once

#include <string>
#include <vector>

#include "kiln/device.hpp"
#include "kiln/export.hpp"

namespace kiln {

/// A compiler of kernels for a kind of device, available or not.
struct CompilerInfo {
  DeviceKind kind = DeviceKind::cpu;  ///< kind of device that it compiles for
  std::string name = {};              ///< "Clang", "NVRTC", "hipRTC"
  std::string version = {};           ///< "19.1.7", "13.0"; empty if the compiler is not available
  std::string file = {};              ///< path of its library; empty if the compiler is not available
  bool taken = false;                 ///< true: it compiles kernels, for the architectures that it supports
  std::string reason = {};            ///< reason of the choice; for a missing compiler, every path that was tried
};

/// Returns the compilers for CPUs, then for NVIDIA GPUs, then for AMD GPUs, under the current environment variables. The call
/// looks for the vendors' libraries and opens Clang's, but no device. Thread-safe.
[[nodiscard]] KILN_API std::vector<CompilerInfo> compilers();

}  // namespace kiln
