// Cores of generalized ufuncs in a GPU's shared memory: where they lie there. The numbers of kernels-src/gufunc/staged_gpu.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernel/gufunc/spec.hpp"

namespace kiln::kinds {

/// Shared memory that a block has without asking for more, on every GPU.
inline constexpr std::int64_t kStagedBytes = 48 * 1024;

/// Whether blocks copy whole cores to shared memory.
[[nodiscard]] bool is_staged(const GufuncSpec& spec) noexcept;
/// Whether threads read inputs by windows. No kernel has both.
[[nodiscard]] bool has_windows(const GufuncSpec& spec) noexcept;

/// What cores there are aligned to. Lanes that have items read the same element of neighbours: an odd number of such cells lies
/// between two. Lanes that have indices of .each read neighbours, many bytes at a time.
[[nodiscard]] int staged_cell(const GufuncSpec& spec) noexcept;

/// Bytes of the widest words that the operand's cores may be copied by.
[[nodiscard]] int staged_word(const GufuncSpec& spec, const CoreOperandSpec& operand) noexcept;

/// Bytes of shared memory: of each item, and of what all items share.
struct StagedBytes {
  std::int64_t item = 0;
  std::int64_t common = 0;
  [[nodiscard]] std::int64_t of(std::int64_t items) const noexcept { return items * item + common; }
};
/// `sizes` are those of all core dimensions. Pure.
[[nodiscard]] StagedBytes staged_bytes_of(const GufuncSpec& spec, std::span<const std::int64_t> sizes);

/// Bytes of an operand's core.
[[nodiscard]] std::int64_t core_bytes_of(const CoreOperandSpec& operand, std::span<const std::int64_t> sizes);

}  // namespace kiln::kinds
