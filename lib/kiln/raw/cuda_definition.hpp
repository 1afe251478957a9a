// A source in CUDA's language as it was given: what raw_kernel() and raw_module() are made of.
#pragma once

#include <string>
#include <vector>

#include "kiln/compile_options.hpp"

namespace kiln::raw {

struct CudaDefinition {
  std::string code = {};
  std::vector<std::string> options = {};
  std::vector<std::string> name_expressions = {};
  std::string backend = "nvrtc";
  std::string name = {};  ///< of the one kernel, with its template's arguments; empty: all of them
  CompileOptions compile = {};
};

}  // namespace kiln::raw
