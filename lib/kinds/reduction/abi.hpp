// How a rendered reduction is called. kernels-src/reduce_*.hpp is the other side; change both together.
//
// GPU, reduction: __global__ kiln_kernel(Space kept, Space reduced, reduction_call call, x…[, mask][, int64 first], y…), with
// spaces as above (the innermost reduced extent counts packs) and reduction_call of kernels-src/reduce_gpu.hpp; `first` is the
// number of the first element, where the map asks for it. With ReductionSpec::segmented `const Index* begins` follows, where
// each segment begins and the extent of their axis behind them. Blocks have at most kGpuBlock
// threads; threads stride over the whole grid with `unroll` packs in flight, so any grid is right.
//
#pragma once

#include <cstdint>

#include "backend/kernel_abi.hpp"

namespace kiln::kinds {

// A reduction: extern "C" const CpuReduction* kiln_kernel(). kernels-src/reduce_cpu.hpp is the other side. A state is what is
// carried from element to element: an accumulator, perhaps with whether any element has counted yet.
struct CpuReduction {
  // `count` > 0 elements that lie one behind the other, one address for each input, to one state. An ordered kernel goes on
  // from the state that is there, unless it is fresh.
  void (*fold)(void* const* operands, std::int64_t count, void* state, bool fresh);
  // The same for each of `columns`, from `rows` ≤ kCpuReduceRows addresses for each input (there is room for all of them).
  void (*rows)(void* const* operands, std::int64_t rows, std::int64_t columns, void* states, bool fresh);
  void (*merge)(void* into, const void* from, std::int64_t count);       // into[i] = combine(into[i], from[i])
  void (*start)(void* states, const void* initial, std::int64_t count);  // states of `initial`, else of the identity
  // Results of states to contiguous outputs, with `initial`, else the identity if there is one, combined in front; of `whole`
  // ones nothing is.
  void (*finish)(const void* states, const void* initial, std::int64_t count, void* const* outputs, bool whole);
  std::int64_t state_size;
  std::int64_t accumulator_size;  // of `initial`
  std::int32_t inputs;            // the mask and the index among them, as the last
  std::int32_t outputs;
  std::int32_t index;  // the operand that is the index: its addresses are those of a CpuIndex; -1: there is none
  const std::uint8_t* itemsize;
  bool ordered;
};
// Which elements a kernel gets: their numbers rise from the first (fold), are all the same (rows), or are listed.
struct CpuIndex {
  std::int64_t first;
  const std::int64_t* list;
};
inline constexpr std::int64_t kCpuReduceRows = 8;
inline constexpr std::int64_t kCpuFoldBlock = 1024;  // elements of fold(): stretches of 2ⁿ blocks combine to the same tree
using CpuReductionKernel = const CpuReduction* (*)();

}  // namespace kiln::kinds
