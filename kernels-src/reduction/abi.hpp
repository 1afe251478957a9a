// How a rendered reduction is called. The library and the kernels include this file,
// behind core/types.hpp or backend/kernel_abi.hpp, which have the integers.
//
// GPU, reduction: __global__ kiln_kernel(Space kept, Space reduced, reduction_call call, x…[, mask][, int64 first], y…), with
// spaces as above (the innermost reduced extent counts packs, but by columns) and reduction_call of
// kernels-src/reduction/gpu.hpp; `first` is the number of the first element, where the map asks for it. With
// ReductionSpec::segmented `const Index* begins` follows, where each segment begins and the extent of their axis behind them.
// Blocks have kGpuBlock threads, which stride over the whole grid, so any grid is right.
//
#pragma once

namespace kiln::kinds {

// A reduction: extern "C" const CpuReduction* kiln_kernel(). kernels-src/reduction/cpu.hpp is the other side. A state is what
// is carried from element to element: an accumulator, perhaps with whether any element has counted yet.
struct CpuReduction {
  // `count` > 0 elements that lie one behind the other, one address for each input, to one state. An ordered kernel goes on
  // from the state that is there, unless it is fresh.
  void (*fold)(void* const* operands, int64 count, void* state, bool fresh);
  // The same for each of `columns`, from `rows` ≤ kCpuReduceRows addresses for each input (there is room for all of them).
  void (*rows)(void* const* operands, int64 rows, int64 columns, void* states, bool fresh);
  void (*merge)(void* into, const void* from, int64 count);       // into[i] = combine(into[i], from[i])
  void (*start)(void* states, const void* initial, int64 count);  // states of `initial`, else of the identity
  // Results of states to contiguous outputs, with `initial`, else the identity if there is one, combined in front; of `whole`
  // ones nothing is.
  void (*finish)(const void* states, const void* initial, int64 count, void* const* outputs, bool whole);
  int64 state_size;
  int64 accumulator_size;  // of `initial`
  int32 inputs;            // the mask and the index among them, as the last
  int32 outputs;
  int32 index;  // the operand that is the index: its addresses are those of a CpuIndex; -1: there is none
  const uint8* itemsize;
  bool ordered;
  bool commutes;  // else neighbours alone are combined
};
// Which elements a kernel gets: their numbers rise from the first (fold), are all the same (rows), or are listed.
struct CpuIndex {
  int64 first;
  const int64* list;
};
inline constexpr int64 kCpuReduceRows = 8;
inline constexpr int64 kCpuFoldBlock = 1024;  // elements of fold(): stretches of 2ⁿ blocks combine to the same tree
using CpuReductionKernel = const CpuReduction* (*)();

}  // namespace kiln::kinds
