// What raw operands of a call have to be.
#pragma once

#include <cstddef>
#include <string>

#include "call/operands.hpp"
#include "kernel/operand_spec.hpp"

namespace kiln::ufunc {

/// Checks an array that is not broadcast: it has the loop's own dtype, since nothing converts all of it. `addressed`: a text
/// takes the address of an element. Throws TypeError and ShapeError.
void check_raw(const call::Operands& operands, std::size_t k, const std::string& loop, bool addressed);
/// TypeError for a raw operand that is no array.
[[noreturn]] void fail_no_array(const call::Operands& operands, std::size_t k);
/// Its axes, as a kernel is compiled for them.
[[nodiscard]] kinds::RawAxesSpec raw_axes_of(const call::Operands& operands, std::size_t k);

}  // namespace kiln::ufunc
