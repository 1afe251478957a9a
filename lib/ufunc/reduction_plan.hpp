// The kernel that a reduction runs for its layout on a kind of device. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codegen/spec.hpp"
#include "kiln/device.hpp"
#include "layout/reduction.hpp"

namespace kiln::ufunc {

/// Outputs side by side from which a block takes them by columns, or each thread one, so that lines of memory are read whole:
/// fewer would leave most of a block's threads without work.
inline constexpr std::int64_t kSideBySideOutputs = 16;

/// What decides how wide a GPU may read an input that moves. The mask is the last of them, if there is one.
struct ReductionOperand {
  const void* address = nullptr;
  std::int64_t itemsize = 1;
};

struct ReductionRequest {
  DType array = DType::float64;  ///< as stored
  DType loop = DType::float64;
  DType result = DType::float64;  ///< as stored
  bool identity = false;
  bool masked = false;
  bool ordered = false;
};

/// What of a reduction's layout decides its kernel. The CPU has one kernel for all of them.
struct ReductionClass {
  codegen::Mapping mapping = codegen::Mapping::block;  ///< GPU
  std::uint8_t kept_rank = 1;                          ///< GPU
  std::uint8_t reduced_rank = 1;                       ///< GPU
  bool packs = true;                                   ///< GPU: rows of what is reduced divide into aligned packs
  bool wide_index = false;                             ///< GPU: 2³¹ outputs or elements of one, or more
  bool segmented = false;                              ///< GPU: all segments of reduceat at once, in no packs
  friend bool operator==(const ReductionClass&, const ReductionClass&) = default;
};

/// The class on a GPU.
[[nodiscard]] ReductionClass classify(const layout::Reduction& layout, std::span<const ReductionOperand> inputs, bool ordered);

/// Whether a kernel that shares its work so reads packs of several elements where it may.
[[nodiscard]] bool reads_packs(codegen::Mapping mapping, DType array) noexcept;

[[nodiscard]] codegen::ReductionSpec specialize(const ReductionRequest& request, const ReductionClass& layout,
                                                DeviceKind device);

/// The classes that contiguous arrays mostly have: all of one reduced, or one axis of a matrix.
[[nodiscard]] std::vector<ReductionClass> usual_classes(DType array, bool ordered);

/// The same for the segments of one axis.
[[nodiscard]] std::vector<ReductionClass> usual_segment_classes(bool ordered);

/// `spec` with what the layout decides. `inputs` are the first operands of the layout.
[[nodiscard]] codegen::ReductionSpec specialize(codegen::ReductionSpec spec, const layout::Reduction& layout,
                                                std::span<const ReductionOperand> inputs, DeviceKind device);

/// Bytes of what its kernel keeps of a part of an output.
[[nodiscard]] std::int64_t state_bytes(const codegen::ReductionSpec& spec) noexcept;

/// What tells the variants of one plan apart.
[[nodiscard]] std::uint64_t bits_of(const codegen::ReductionSpec& spec) noexcept;

}  // namespace kiln::ufunc
