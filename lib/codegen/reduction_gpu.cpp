// A reduction on a GPU.
#include "codegen/kernel_text.hpp"
#include "codegen/reduction_text.hpp"

namespace kiln::codegen {

std::string reduction_gpu(const ReductionSpec& spec) {
  return reduction_members(spec);
}

}  // namespace kiln::codegen
