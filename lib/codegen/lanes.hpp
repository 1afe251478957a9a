// Whether a body is worth compiling with vectors as its numbers.
#pragma once

#include "codegen/spec.hpp"

namespace kiln::codegen {

/// Whether the body has a loop, and nothing by which the indices of .each could go different ways, as far as its text tells: no
/// condition, no selection, no member of C++ that arithmetic does not need. A body that passes may still not compile so. Pure.
[[nodiscard]] bool suits_lanes(const UserText& text);

}  // namespace kiln::codegen
