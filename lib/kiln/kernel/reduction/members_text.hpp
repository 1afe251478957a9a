// The part of a reduction's text that is the same on every target: accumulators, and elements to and from them. Pure.
#pragma once

#include <string>

#include "kernel/reduction/spec.hpp"
#include "source/user_text.hpp"

namespace kiln::kinds {

/// The members that kernels-src/reduction/reduction.hpp asks of a reduction, without the struct around them.
std::string reduction_members(const ReductionSpec& spec, const codegen::UserText& text);
/// R::lanes of kernels-src/reduction/cpu.hpp.
std::string lanes_of(const codegen::UserText& text);
/// Which operand says where elements are; -1: none.
int index_operand(const ReductionSpec& spec);
/// Whether the input is one value for all elements.
bool stands_still(const OperandSpec& input);

}  // namespace kiln::kinds
