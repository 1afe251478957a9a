// Options of CUDA's compilers as CuPy's kernels have them.
#pragma once

#include <string>
#include <vector>

#include "kiln/compile_options.hpp"

namespace kiln::cupy {

/// Adds what the options say: definitions, folders, mathematics. A standard of C++ and warnings say nothing here. Throws
/// SignatureError for an option that kiln does not know.
void add_options(const std::string& kernel, const std::vector<std::string>& options, CompileOptions& compile);

}  // namespace kiln::cupy
