// The kernel that a reduction runs for its layout on a kind of device. Pure.
#pragma once

#include <cstdint>
#include <span>

#include "codegen/spec.hpp"
#include "kiln/device.hpp"
#include "layout/reduction.hpp"

namespace kiln::ufunc {

/// What decides how wide a GPU may read an input that moves. The mask is the last of them, if there is one.
struct ReductionOperand {
  const void* address = nullptr;
  std::int64_t itemsize = 1;
};

/// `spec` with what the layout decides. `inputs` are the first operands of the layout.
[[nodiscard]] codegen::ReductionSpec specialize(codegen::ReductionSpec spec, const layout::Reduction& layout,
                                                std::span<const ReductionOperand> inputs, DeviceKind device);

/// Bytes of what its kernel keeps of a part of an output.
[[nodiscard]] std::int64_t state_bytes(const codegen::ReductionSpec& spec) noexcept;

/// What tells the variants of one plan apart.
[[nodiscard]] std::uint64_t bits_of(const codegen::ReductionSpec& spec) noexcept;

}  // namespace kiln::ufunc
