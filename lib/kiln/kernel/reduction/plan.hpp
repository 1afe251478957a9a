// The kernel that a reduction runs for its layout on a kind of device. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/table.hpp"
#include "kernel/operand_spec.hpp"
#include "kernel/raw_axes_list.hpp"
#include "kernel/reduction/mapping.hpp"
#include "kiln/device.hpp"
#include "layout/reduction.hpp"

namespace kiln::kinds {

struct ReductionSpec;

/// Adjacent outputs from which a block takes them by columns, or each thread one, so that lines of memory are read whole:
/// fewer would leave most of a block's threads without work.
inline constexpr std::int64_t kSideBySideOutputs = 16;

/// What decides how wide a GPU may read an input that moves. The mask is the last of them, if there is one.
struct ReductionOperand {
  const void* address;
  std::int64_t itemsize;
};

/// What of a reduction's call decides its kernel. The CPU has one kernel for all layouts.
struct ReductionClass {
  /// Access in two bits for each input: scalar, broadcast (one value for all elements), or contiguous for any other.
  std::uint64_t access = 0;
  bool masked = false;
  Mapping mapping = Mapping::block;  ///< GPU
  std::uint8_t kept_rank = 1;        ///< GPU
  std::uint8_t reduced_rank = 1;     ///< GPU
  bool packs = true;                 ///< GPU: rows of what is reduced divide into aligned packs
  bool wide_index = false;           ///< GPU: 2³¹ outputs or elements of one, or more
  bool segmented = false;            ///< GPU: all segments of reduceat at once, in no packs
  std::uint8_t in_rank = 0;          ///< where the texts ask for it: axes of the elements
  std::uint8_t out_rank = 0;         ///< and of the outputs
  std::uint32_t read_outputs = 0;    ///< a bit for each output that begins as what its array holds
  RawAxesList raw = {};              ///< the axes of each raw input

  [[nodiscard]] Access access_of(std::size_t input) const noexcept { return static_cast<Access>((access >> (2 * input)) & 3U); }
  void set_access(std::size_t input, Access how) noexcept {
    access = (access & ~(std::uint64_t{3} << (2 * input))) | static_cast<std::uint64_t>(how) << (2 * input);
  }
  /// Whether that input is one value for all elements.
  [[nodiscard]] bool is_still(std::size_t input) const noexcept {
    return access_of(input) == Access::scalar || access_of(input) == Access::broadcast;
  }
  friend bool operator==(const ReductionClass&, const ReductionClass&) = default;
  [[nodiscard]] std::uint64_t hash() const noexcept {
    const std::uint64_t rest = static_cast<std::uint64_t>(mapping) << 32 | std::uint64_t{kept_rank} << 24 |
                               std::uint64_t{reduced_rank} << 16 | static_cast<std::uint64_t>(masked) << 3 |
                               static_cast<std::uint64_t>(packs) << 2 | static_cast<std::uint64_t>(wide_index) << 1 |
                               static_cast<std::uint64_t>(segmented);
    const std::uint64_t of_texts = std::uint64_t{read_outputs} << 16 | std::uint64_t{in_rank} << 8 | out_rank;
    return base::KeyHash().add(access).add(rest).add(of_texts).add(raw.words[0]).add(raw.words[1]).value();
  }
};

/// The class itself, then others whose kernels are right for a call of it, the nearest first. `raw`: how many inputs are raw;
/// those may lie anyhow in the last.
[[nodiscard]] std::vector<ReductionClass> stand_ins(const ReductionClass& how, std::size_t inputs, bool ordered,
                                                    DeviceKind device, std::size_t raw = 0);
/// The class itself, then those of the same call with arrays of other sizes and alignments.
[[nodiscard]] std::vector<ReductionClass> of_all_sizes(const ReductionClass& how, bool ordered, DeviceKind device,
                                                       std::size_t raw = 0);

/// Sets what a GPU's kernel depends on. `inputs` are the first operands of the layout.
void classify(const layout::Reduction& layout, std::span<const ReductionOperand> inputs, bool ordered, ReductionClass& how);

/// Elements of a pack of the kernel, for inputs stored so: 16 bytes of the largest that moves; 1 where it reads none in packs.
[[nodiscard]] int pack_width(const ReductionClass& how, std::span<const DType> inputs) noexcept;

/// `spec`, that of the loop, for operands stored so (inputs, then outputs).
[[nodiscard]] ReductionSpec specialize(ReductionSpec spec, std::span<const DType> storage, const ReductionClass& how,
                                       DeviceKind device);

/// Whether a reorderable operation may take its operands in any order, by the dtype of what it combines; otherwise neighbours
/// are combined, in any grouping. Of complex numbers one without an identity may choose, as NumPy's maximum does: the first of
/// those that are equal, and of those that are NaN.
[[nodiscard]] bool commutes(DType dtype, bool identity) noexcept;

/// Bytes of what its kernel keeps of a part of an output.
[[nodiscard]] std::int64_t state_bytes(const ReductionSpec& spec) noexcept;

}  // namespace kiln::kinds
