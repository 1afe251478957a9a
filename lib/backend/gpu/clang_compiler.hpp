// Clang as the GPUs' backend::Compiler: PTX for NVIDIA's, code objects for AMD's. Neither CUDA nor ROCm is needed.
#pragma once

#include <memory>
#include <string>

#include "backend/compiler.hpp"

namespace kiln::backend::gpu {

struct ClangTarget {
  std::string name;        ///< "sm_90", "gfx90a:xnack-"
  bool of_device = false;  ///< which may be newer than any architecture that Clang knows
  bool lines = false;      ///< with the lines of the source texts
};

/// DeviceError where Clang knows nothing that runs there, with what it does know, and where this build of kiln has no Clang.
[[nodiscard]] std::shared_ptr<const Compiler> make_clang_compiler(const ClangTarget& target);

}  // namespace kiln::backend::gpu
