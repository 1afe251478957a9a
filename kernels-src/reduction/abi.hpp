// How a rendered reduction is called. The library and the kernels include this file,
// behind core/types.hpp or device/kernel_abi.hpp, which have the integers.
//
// GPU, reduction: __global__ kiln_kernel(Space kept, Space reduced, reduction_call call, x…[, mask][, int64 first][, beside],
// y…), with spaces as above (the innermost reduced extent counts packs, but by columns) and reduction_call of
// kernels-src/reduction/gpu.hpp; `first` is the number of the first element, where the map asks for it. Blocks have kGpuBlock
// threads, which stride over the whole grid, so any grid is right.
//
// `beside` is of integers of 64 bits: of each raw input raw_axes of raw_array.hpp; then, where texts ask for it, the number of
// outputs and of all elements, and the axes of the elements and of the outputs.
//
// GPU, ReductionSpec::segmented: __global__ kiln_kernel(Space kept, Space reduced, SegmentCall call, x, y, const Index*
// begins), where each segment begins and the extent of their axis behind them.
//
// GPU, ReductionSpec::part: the kernel of a reduction, by kernels-src/reduction/balanced_gpu.hpp.
#pragma once

namespace kiln::kinds {

// Elements of a segment above which a GPU's blocks take it, in parts that the library lists: where outputs are neighbours in
// memory, and where elements are.
inline constexpr int64 kLongColumn = 64;
inline constexpr int64 kLongSegment = 4096;
// Outputs beside each other that a block takes of a part where they are neighbours in memory.
inline constexpr int32 kColumnsOfBlock = 32;

// What a block takes of a long segment: elements of its axis, or for a second launch states of parts.
struct SegmentPart {
  uint64 segment;
  uint64 from;
  uint64 count;
  uint64 state;  // the number of its state, or kSegmentResult
};
inline constexpr uint64 kSegmentResult = ~uint64{0};

struct SegmentCall {
  uint64 outputs;
  uint64 of_segment;         // outputs of each segment
  uint64 inner;              // from an output to that of the next segment
  uint64 segments;           // along their axis
  uint64 groups;             // units of work of each part
  uint64 parts;              // that blocks take, in front of other work
  const SegmentPart* table;  // of the parts
  void* states;              // [part][output of a segment]
  int32 outputs_of_warp;     // of 32 threads
  int32 combining;           // 1: this is the second launch, and parts are of states
};

// A reduction: extern "C" const CpuReduction* kiln_kernel(). kernels-src/reduction/cpu.hpp is the other side. A state is what
// is carried from element to element: an accumulator, perhaps with whether any element has counted yet.
struct CpuReduction {
  // `count` > 0 elements that are consecutive, one address for each input, to one state. An ordered kernel goes on
  // from the state that is there, unless it is fresh.
  void (*fold)(void* const* operands, int64 count, void* state, bool fresh);
  // The same for each of `columns`, from `rows` ≤ kCpuReduceRows addresses for each input (there is room for all of them).
  void (*rows)(void* const* operands, int64 rows, int64 columns, void* states, bool fresh);
  void (*merge)(void* into, const void* from, int64 count);  // into[i] = combine(into[i], from[i])
  // States of `initial`, else of the identity. `inputs` here and below: where the tile's operands begin.
  void (*start)(void* states, const void* initial, int64 count, void* const* inputs);
  // Results of states to contiguous outputs, with `initial`, else the identity if there is one, combined in front; of `whole`
  // ones nothing is. Of the index there is a CpuIndex of the outputs' numbers.
  void (*finish)(const void* states, const void* initial, int64 count, void* const* outputs, bool whole, void* const* inputs);
  int64 state_size;
  int64 accumulator_size;  // of `initial`
  int32 inputs;            // the mask, the index and what texts get beside elements among them, as the last
  int32 outputs;
  int32 index;  // the operand that is the index: its addresses are those of a CpuIndex; -1: there is none
  const uint8* itemsize;
  bool ordered;
  bool balanced;       // fold and rows compute the balanced tree over the numbers of their elements
  bool commutes;       // else neighbours alone are combined
  bool reads_outputs;  // which hold what they held before
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
