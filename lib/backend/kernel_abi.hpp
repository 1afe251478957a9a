// How a rendered elementwise kernel is called. kernels-src/elementwise.hpp is the other side; change both together.
//
// CPU: extern "C" void kiln_kernel(const CpuLaunch* launch, int64 begin, int64 end)
//   computes elements [begin, end) of the flat C-order index space over `shape`. `begin` is a multiple of kCpuBlock. With
//   ElementwiseSpec::nontemporal every output address is 64-byte aligned. The kernel hands itself to launch->drive, which has
//   it compute whole blocks.
//
// GPU, flat form (rank 1 and no operand strided): __global__ kiln_kernel(Index n, P0, P1, …)
//   Index is uint32 or uint64 (wide_index), n counts elements. Operands come inputs first, then outputs. An array is a pointer
//   to its storage type, a scalar is a value of its compute type.
// GPU, n-dimensional form: __global__ kiln_kernel(Index n, Space space, P0, P1, …)
//   n counts packs of `width` elements. With uint32 Space is
//     struct { uint32 extent[D]; uint32 magic[D]; uint32 shift[D]; int64 stride[N][D]; }
//   and q = (mulhi(i, magic) + i) >> shift divides i < 2^31 by the extent; with uint64
//     struct { uint64 extent[D]; int64 stride[N][D]; }.
//   extent[D-1] counts packs, the others elements; strides are bytes per element; N counts all operands (a scalar's row is 0).
// GPU, reduction: __global__ kiln_kernel(Space kept, Space reduced, reduction_call call, x…[, mask][, int64 first], y…), with
// spaces as above (the innermost reduced extent counts packs) and reduction_call of kernels-src/reduce_gpu.hpp; `first` is the
// number of the first element, where the map asks for it. With ReductionSpec::segmented `const Index* begins` follows, where
// each segment begins and the extent of their axis behind them. Blocks have at most kGpuBlock
// threads; threads stride over the whole grid with `unroll` packs in flight, so any grid is right.
//
// GPU, generalized ufunc: __global__ kiln_kernel(Index n, Space space, core numbers, P0, P1, …): the space has the dimensions
// of the loop, then those of .each with strides of 0; core is struct { int64 size[D]; int64 stride[S]; }, each of one at least,
// with the core dimensions' sizes and every operand's core strides. A mask is an operand between inputs and outputs.
#pragma once

#include <cstdint>

namespace kiln::backend {

inline constexpr const char* kKernelSymbol = "kiln_kernel";
inline constexpr std::int64_t kCpuBlock = 64;
inline constexpr std::int64_t kCpuRowLanes = 32;
inline constexpr int kGpuBlock = 256;

struct CpuLaunch;
struct CpuKernelParts;

// Walks [begin, end) and has the kernel compute whole blocks: rows, buffers and strides are the same for every kernel, so they
// are compiled with the library and not with the kernel. Defined in cpu/driver.cpp.
void drive_cpu_kernel(const CpuLaunch* launch, std::int64_t begin, std::int64_t end, const CpuKernelParts* kernel);

struct CpuLaunch {
  void* const* data;            // one for each operand; for a scalar the address of its value
  const std::int64_t* shape;    // rank extents, outermost first
  const std::int64_t* strides;  // bytes, [operand][dimension]; zeros for scalars
  std::int64_t rank;
  // The kernel calls this; the default is the only one.
  void (*drive)(const CpuLaunch*, std::int64_t, std::int64_t, const CpuKernelParts*) = drive_cpu_kernel;
};
// What a kernel tells its driver of itself.
struct CpuKernelParts {
  // Computes count blocks of kCpuBlock elements. Operands are contiguous, or one value. With rank > 1 the blocks go across rows
  // of `columns` elements (kCpuRowLanes or more), from the element `first` of a row on, and broadcast operands have each row's
  // value over kCpuRowLanes lanes. Rows of kCpuRowLanes from 0 on: they have a value for each element.
  void (*blocks)(void* const* operands, std::int64_t count, std::int64_t columns, std::int64_t first);
  void (*copy_past_cache)(void* to, const void* from, std::int64_t lines);  // of 64 bytes; null: stores go through the cache
  std::int32_t inputs;
  std::int32_t outputs;
  const std::uint8_t* access;  // codegen::Access of each operand
  const std::uint8_t* itemsize;
};
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

// A raw kernel that is launched by blocks: extern "C" void kiln_kernel(const CpuRawLaunch*, int64 begin, int64 end) runs every
// thread of the blocks [begin, end), numbered with x varying fastest. One that is launched by items takes a CpuLaunch, of which
// it reads `data`, and runs [begin, end). kernels-src/raw_cpu.hpp is the other side; raw_gpu.hpp of the GPUs' kernels, whose
// parameters are the user's, by items with an int64 before them: how many.
struct CpuRawLaunch {
  void* const* arguments;  // an array's address, or that of a scalar's value
  std::int64_t grid[3];
  std::int64_t block[3];
  void* shared;  // dynamic shared memory of the block that runs
};
using CpuRawKernel = void (*)(const CpuRawLaunch* launch, std::int64_t begin, std::int64_t end);

using CpuKernel = void (*)(const CpuLaunch* launch, std::int64_t begin, std::int64_t end);

// A generalized ufunc on the CPU: extern "C" void kiln_kernel(const CpuGufuncLaunch*, int64 begin, int64 end) computes units
// [begin, end): an item of the loop, or a tile of one where the kernel spreads core dimensions. kernels-src/gufunc_cpu.hpp is
// the other side.
struct CpuGufuncLaunch {
  void* const* data;            // inputs, the mask if there is one, outputs; of a scalar the address of its value
  const std::int64_t* shape;    // of the loop, `rank` extents
  const std::int64_t* strides;  // bytes, [operand][dimension of the loop]
  std::int64_t rank;
  const std::int64_t* sizes;  // of the core dimensions
  const std::int64_t* core;   // bytes, strides of each operand's core dimensions, one operand behind the other
  const std::int64_t* tile;   // of each spread dimension what a unit takes
  const std::int64_t* tiles;  // and how many units that makes
  std::int64_t keeps;         // whether outputs hold what a body may leave as it is: .out of the call
};
using CpuGufuncKernel = void (*)(const CpuGufuncLaunch* launch, std::int64_t begin, std::int64_t end);

// A kernel of Ufunc::accumulate on the CPU: extern "C" void kiln_kernel(const CpuScanParts**) gives its loops, which
// kernels-src/scan_cpu.hpp has; cpu/scan.cpp calls them. "in", "out" and "t" are elements one behind the other: of the input,
// of the output, and of the type that is combined. A lane is one running result. Counts are in whole blocks of kCpuBlock lanes
// but for fold and chain.
struct CpuScanParts {
  void (*first)(const void* in, void* t, std::int64_t lanes);                        // t = in
  void (*next)(const void* before, const void* in, void* t, std::int64_t lanes);     // t = f(before, in)
  void (*rows)(const void* in, void* t, std::int64_t rows, std::int64_t lanes);      // t[r] = f(t[r - 1], in[r]), r = 0 …
  void (*join)(const void* before, void* t, std::int64_t rows, std::int64_t lanes);  // t[r] = f(before, t[r])
  void (*last)(const void* t, void* out, std::int64_t lanes);                        // out = t; null: they are the same
  // t[i] = f(t[i - 1], in[i]) one after the other, from t[-1] on.
  void (*fold)(const void* in, void* t, std::int64_t count);
  // before[i] = *carry, *carry = f(*carry, t[i]) one after the other.
  void (*chain)(const void* t, void* before, void* carry, std::int64_t count);
  std::int64_t in_size;
  std::int64_t t_size;
  std::int64_t out_size;
  std::int64_t in_is_t;  // they are one type: "in" and "t" may be the same elements
};

// A kernel of Ufunc::at on the CPU: extern "C" void kiln_kernel(const CpuScatterParts**) gives its loops, which
// kernels-src/scatter_cpu.hpp has; cpu/scatter.cpp calls them. Strides and offsets are bytes.
struct CpuScatterAxis {
  char* target;
  std::int64_t stride;
  std::int64_t extent;
};
struct CpuScatterParts {
  // One element for each offset from `target`, in order.
  void (*points)(char* target, const std::int64_t* offsets, const char* value, std::int64_t value_stride, std::int64_t count);
  // One element for each packed index, in order; negative ones count from the end.
  void (*of_int64)(const CpuScatterAxis& axis, const std::int64_t* indices, const char* value, std::int64_t value_stride,
                   std::int64_t count);
  void (*of_int32)(const CpuScatterAxis& axis, const std::int32_t* indices, const char* value, std::int64_t value_stride,
                   std::int64_t count);
  // `count` different elements.
  void (*row)(char* target, std::int64_t target_stride, const char* value, std::int64_t value_stride, std::int64_t count);
};

}  // namespace kiln::backend
