// Which cores the blocks of a GPU's kernel copy to shared memory, and how many items a block has. Pure.
#pragma once

#include <cstdint>
#include <span>

#include "kiln/device.hpp"

namespace kiln::kinds {
struct GufuncSpec;
}  // namespace kiln::kinds

namespace kiln::gufunc {

/// How an operand's cores lie.
struct CorePlacement {
  bool dense = false;     ///< every core is all of a stretch of memory that begins with its first element
  std::int64_t step = 0;  ///< bytes between neighbours along the innermost dimension of the loop
};

struct StagingRequest {
  DeviceKind device = DeviceKind::cuda;
  std::span<const std::int64_t> sizes;             ///< of the core dimensions
  std::span<const CorePlacement> placements = {};  ///< of inputs, then outputs; not for a block
  std::int64_t items = 1;
  std::int64_t columns = 1;  ///< items along the innermost dimension of the loop
  bool constants = true;     ///< sizes may be constants of the kernel
  bool references = false;   ///< the text may bind references to elements of inputs
};

/// Sets `staging` of the operands. A thread for an item: where cores are consecutive, and those of a warp's items fit;
/// else inputs alone: by windows where items are many, or whole where a few items' fit.
/// `.each`: inputs that several indices read, where all of an item fits and its sizes are constants, which they become.
void choose_staging(kinds::GufuncSpec& spec, const StagingRequest& request);

/// Of a staged kernel's block: items, threads, and bytes of shared memory.
struct StagedBlock {
  std::int64_t items = 1;
  int threads = 0;
  std::int64_t bytes = 0;
};
[[nodiscard]] StagedBlock staged_block(const kinds::GufuncSpec& spec, const StagingRequest& request);

}  // namespace kiln::gufunc
