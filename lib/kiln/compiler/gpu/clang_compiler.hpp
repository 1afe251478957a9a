// Clang as the GPUs' backend::Compiler: PTX for NVIDIA's, of which nvJitLink makes machine code where that is asked for, and
// code objects for AMD's. Neither CUDA nor ROCm is needed.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "compiler/compiler.hpp"

namespace kiln::backend::gpu {

class JitLink;
class Linker;
struct MathBitcode;

struct ClangTarget {
  std::string name;                                       ///< "sm_90", "gfx90a:xnack-"
  bool of_device = false;                                 ///< which may be newer than any architecture that Clang knows
  bool lines = false;                                     ///< with the lines of the source texts
  const JitLink* finisher = nullptr;                      ///< makes machine code of PTX, for architectures that it knows
  std::shared_ptr<const Linker> driver_linker = nullptr;  ///< of the device of CUDA's; nvJitLink is asked first
  std::shared_ptr<const MathBitcode> math = nullptr;      ///< the vendor's functions of <cmath>; else kiln's own
};

/// DeviceError where Clang knows nothing that runs there, with what it does know, and where this build of kiln has no Clang.
[[nodiscard]] std::shared_ptr<const Compiler> make_clang_compiler(const ClangTarget& target);
/// In the version of one that has nvJitLink, before the version of that.
inline constexpr std::string_view kFinisherMark = "+nvJitLink-";
/// Whether the compiler that a key names ("Clang 19.1.7+10+nvJitLink-13.0.88+…") is one with nvJitLink. Pure.
[[nodiscard]] bool has_finisher(std::string_view compiler);

}  // namespace kiln::backend::gpu
