// What tells the kernels of one definition and loop apart, in words. For people: nothing is decided by it.
#pragma once

#include <string>
#include <string_view>

#include "kernel/spec.hpp"

namespace kiln::kinds {

/// "contiguous", "strided (input 0), input 1 scalar", "reduce (block)", "contiguous, n = 8". What every kernel of that kind of
/// device has is left out.
[[nodiscard]] std::string variant_text(const KernelSpec& spec, DeviceKind device);

/// "thread", "warp", "block", "columns".
[[nodiscard]] std::string_view mapping_name(Mapping mapping) noexcept;

/// "items", "blocks", "single".
[[nodiscard]] std::string_view form_name(RawForm form) noexcept;

}  // namespace kiln::kinds
