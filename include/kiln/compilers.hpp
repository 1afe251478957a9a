// The compilers that kernels may be compiled by, and which of them kiln takes.
#pragma once

#include <string>
#include <vector>

#include "kiln/device.hpp"
#include "kiln/export.hpp"

namespace kiln {

/// A compiler of kernels for a kind of device, whether it is there or not.
struct CompilerInfo {
  DeviceKind kind = DeviceKind::cpu;  ///< whose kernels it compiles
  std::string name = {};              ///< "Clang", "NVRTC", "hipRTC"
  std::string version = {};           ///< "19.1.7", "13.0"; empty where it is not there
  std::string file = {};              ///< of its library; empty where it is not there
  bool taken = false;                 ///< kernels are compiled by it, as far as it knows the architecture
  std::string reason = {};            ///< why it is taken or not; where it is not there, every path that was tried
};

/// The compilers for CPUs, then for NVIDIA's, then for AMD's GPUs, with the environment's variables as they are. Looks for the
/// vendors' libraries and opens Clang's; no device is opened. Thread-safe.
[[nodiscard]] KILN_API std::vector<CompilerInfo> compilers();

}  // namespace kiln
