// Functions that kernels call and the driver defines: vprintf, __assertfail, malloc and free.
#pragma once

#include "emulator/decode/code.hpp"

namespace kiln::emulator {

/// What runs a call of a declared function; null where the driver has none of that name and form.
[[nodiscard]] Handler driver_function(const Function& declared) noexcept;

}  // namespace kiln::emulator
