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

/// Returns what kernels of the CPU device are compiled for: a level ("x86-64-v3"), or the level, features and tuning of a
/// processor as one text. It is that of set_cpu_target(), else KILN_CPU_TARGET, else this machine. Throws DeviceError for a
/// KILN_CPU_TARGET that is not a processor or cannot run here. Thread-safe.
[[nodiscard]] KILN_API std::string cpu_target();
/// Makes kernels that are loaded from now on have another target: a level, "native", or the text of another machine's
/// cpu_target(). Kernels that functions have loaded stay as they are. Throws DeviceError for a name that is not a processor,
/// and for one whose code cannot run here. Thread-safe.
KILN_API void set_cpu_target(const std::string& name);
/// Returns the best target whose code runs on the processors of all these targets. Equal ones give that one. Else it is the
/// lowest level, with the features that all have. Throws DeviceError for a text that is not a target, and for an empty list.
[[nodiscard]] KILN_API std::string common_cpu_target(const std::vector<std::string>& targets);

}  // namespace kiln
