// What an elementwise kernel is specialized for. A pure value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernel/elementwise/place.hpp"
#include "kernel/elementwise/walk.hpp"
#include "kernel/operand_spec.hpp"

namespace kiln::kinds {

class SpecOfKind;

struct ElementwiseSpec {
  /// The arguments; then, if masking, the mask; then the outputs that are read; then on the CPU, if keeping, each output.
  std::vector<OperandSpec> inputs = {};
  std::vector<OperandSpec> outputs = {};
  int rank = 1;   ///< 1: one merged dimension. CPU: 2 stands for any higher. GPU: the exact merged rank, up to 8
  int width = 1;  ///< GPU: elements per access; of strips, of a thread
  Walk walk = Walk::packs;
  int unroll = 1;           ///< GPU: accesses in flight per thread
  int tile = 0;             ///< GPU: side of the tiles that it goes by, of operands `across` (tiles.hpp); 0: it goes by packs
  bool wide_index = false;  ///< GPU: 64-bit index
  bool aliased = false;     ///< an output is also an input: no __restrict__
  Masking masking = Masking::none;
  std::size_t arguments = 0;                   ///< of `inputs`, those that are the body's, if there are others
  std::vector<std::size_t> read_outputs = {};  ///< outputs that begin as what the array holds
  AskedPlace place = {};
  int indexer_rank = 0;         ///< axes of the call, if the body asks for the index along each
  bool finds_races = false;     ///< CPU, where an output is raw: accesses of the body are reported
  std::string function = {};    ///< instead of a loop: the body as a function of that C name, for others to link
  bool returns_status = false;  ///< of such a function: its result goes to a pointer, and it gives 0
};

/// As a KernelSpec holds it.
[[nodiscard]] std::shared_ptr<const SpecOfKind> hold(ElementwiseSpec spec);

}  // namespace kiln::kinds
