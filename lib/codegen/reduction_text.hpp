// The part of a reduction's text that is the same on every target: accumulators, and elements to and from them. Pure.
#pragma once

#include <string>

#include "codegen/spec.hpp"

namespace kiln::codegen {

/// The members that kernels-src/reduce.hpp asks of a reduction, without the struct around them.
std::string reduction_members(const ReductionSpec& spec);

}  // namespace kiln::codegen
