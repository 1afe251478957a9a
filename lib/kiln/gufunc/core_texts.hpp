// What messages about the shapes of a generalized ufunc's call say of its operands.
#pragma once

#include <cstddef>
#include <string>

#include "gufunc/core_shape.hpp"

namespace kiln::gufunc {

/// "input 0 (A)"
[[nodiscard]] std::string name_of(const CoreDefinition& definition, std::size_t operand);
/// "(m,n?)"
[[nodiscard]] std::string core_text(const signature::Layout& layout, std::size_t operand);
/// The axes that there are: "; give -2 to 1".
[[nodiscard]] std::string range_of_axes(std::size_t rank);
/// Why an extent of 1 of that operand does not broadcast along a core dimension, where one of another operand does.
[[nodiscard]] std::string without_mark(const CoreDefinition& definition, std::size_t dimension, std::size_t operand);

}  // namespace kiln::gufunc
