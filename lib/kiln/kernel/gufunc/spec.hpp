// What the kernel of a generalized ufunc is specialized for. A pure value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel/operand_spec.hpp"
#include "kiln/device.hpp"

namespace kiln::kinds {

class SpecOfKind;

/// How neighbouring items of an operand follow each other, where a CPU's kernel knows it.
enum class ItemStep : std::uint8_t {
  any,     ///< as the launch says
  none,    ///< all have the same
  beside,  ///< element beside element
  behind   ///< core behind core, each contiguous, of sizes that are constants
};

/// Whether a GPU's kernel copies cores to shared memory.
enum class Staging : std::uint8_t {
  none,    ///< the body reads and writes global memory
  item,    ///< a block, each item's
  common,  ///< a block, the one that all items have
  window   ///< a thread, a part of its item's that follows the accesses; of inputs
};

/// One operand of a generalized ufunc.
struct CoreOperandSpec {
  OperandSpec element = {};                  ///< scalar: the value travels as a kernel argument (GPU)
  std::vector<std::size_t> dimensions = {};  ///< its core dimensions, as indices into GufuncSpec::dimensions
  int unit = -1;                             ///< which of them has the itemsize as its stride; -1: none
  bool packed = false;                       ///< all of them are consecutive, in C order
  bool as_view = false;                      ///< of no core dimensions, but a view of one element in the body
  ItemStep step = ItemStep::any;
  Staging staging = Staging::none;

  friend bool operator==(const CoreOperandSpec&, const CoreOperandSpec&) = default;
};

struct CoreDimensionSpec {
  std::string name = {};                            ///< empty: the body has no name for it
  std::optional<std::int64_t> size = std::nullopt;  ///< where it is a constant of the kernel

  friend bool operator==(const CoreDimensionSpec&, const CoreDimensionSpec&) = default;
};

/// A core dimension that is spread over threads, and its index in the body.
struct EachSpec {
  std::string name = {};
  std::size_t dimension = 0;

  friend bool operator==(const EachSpec&, const EachSpec&) = default;
};

/// A body over whole cores: once for each item of the loop, or for each index of some core dimensions.
struct GufuncSpec {
  std::vector<CoreOperandSpec> inputs = {};
  std::vector<CoreOperandSpec> outputs = {};
  std::vector<CoreDimensionSpec> dimensions = {};
  std::vector<EachSpec> each = {};  ///< the last one moves fastest
  bool masked = false;              ///< a bool operand follows the inputs: which items are computed
  bool folded = false;              ///< CPU: items are computed whole, and the indices of .each are loops around the body
  int tile_bytes = 0;       ///< CPU: bytes that a packed core has at most where lanes may have it in a tile; 0: they do not
  int most_items = 0;       ///< CPU: along the innermost dimension, where they are few; 0: any number
  int team = 0;             ///< lanes of a team that shares an item; 0: there are no teams
  int team_bytes = 0;       ///< of the memory that a team shares
  int declared_bytes = 0;   ///< debug mode: that it may ask for
  bool own_block = false;   ///< a team is all of its block: KILN_SHARED variables are the block's
  int beside = 1;           ///< GPU: neighbours along the last index of .each that a thread takes
  int loop_rank = 1;        ///< GPU: merged ones
  bool wide_index = false;  ///< GPU: 64-bit index

  friend bool operator==(const GufuncSpec&, const GufuncSpec&) = default;
  [[nodiscard]] std::uint64_t hash() const noexcept;
};

/// Teams of a block on a GPU. Those of one warp share it: a multiprocessor has room for more threads than blocks of 32.
[[nodiscard]] int teams_of_block(const GufuncSpec& spec, DeviceKind target) noexcept;

/// As a KernelSpec holds it.
[[nodiscard]] std::shared_ptr<const SpecOfKind> hold(GufuncSpec spec);

}  // namespace kiln::kinds
