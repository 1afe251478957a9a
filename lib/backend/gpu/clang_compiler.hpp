// Clang as the GPUs' backend::Compiler: PTX for NVIDIA's, code objects for AMD's. Neither CUDA nor ROCm is needed.
#pragma once

#include <memory>
#include <string>

#include "backend/compiler.hpp"

namespace kiln::backend::gpu {

/// For "sm_90", "gfx90a:xnack-"; of a device, too, which may be newer than any architecture that Clang knows. DeviceError where
/// Clang knows nothing that it runs, with what it does know, and where this build of kiln has no Clang.
[[nodiscard]] std::shared_ptr<const Compiler> make_clang_compiler(const std::string& target, bool of_device);

}  // namespace kiln::backend::gpu
