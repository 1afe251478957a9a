// Options of CUDA's compiler, as CuPy's kernels give them.
#pragma once

#include <string>
#include <vector>

#include "kiln/compile_options.hpp"

namespace kiln::raw {

/// Puts NVRTC's options into kiln's. `kernel` is named in messages. SignatureError for an option that has no meaning here.
void add_cuda_options(CompileOptions& compile, const std::vector<std::string>& options, const std::string& kernel);

}  // namespace kiln::raw
