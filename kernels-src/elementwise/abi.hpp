// How a rendered elementwise kernel is called. The library and the kernels include this file,
// behind core/types.hpp or device/kernel_abi.hpp, which have the integers.
//
// CPU: extern "C" void kiln_kernel(const CpuLaunch* launch, int64 begin, int64 end)
//   computes elements [begin, end) of the flat C-order index space over `shape`. `begin` is a multiple of kCpuBlock. The kernel
//   hands itself to launch->drive, which has it compute whole blocks.
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
// GPU, peeled: __global__ kiln_kernel(Index n, Index head, P0, P1, …)
//   The flat form, whose packs begin behind the first `head` elements.
// GPU, by strips: __global__ kiln_kernel(uint32 n, Space space, uint32 columns, P0, P1, …)
//   n counts strips of kStripLanes * width elements of a row, and so does extent[D-1]; rows have `columns` elements, and the
//   last strip of one as many as are left. kStripLanes threads compute a strip.
// GPU, by tiles: __global__ kiln_kernel(uint32 n, Space space, uint32 rows, uint32 columns, P0, P1, …)
//   n counts square tiles of dimensions D-2 and D-1, whose extents in Space count tiles and are `rows` and `columns` in
//   elements. Dimension D-2 is the one along which neighbours of the operands across lie; the others keep their order. N counts
//   one more than the operands: the last row's strides give the number of an element in the order of the iteration. A block of
//   side * side / kTileElements threads computes a tile.
//
// Raw operands are pointers among the others. Behind all operands come their axes in order, raw_axes of raw_array.hpp,
// then, for bodies that ask for the number of their element, an ElementRange. On the CPU `data` has their addresses,
// on GPUs they are parameters by value.
#pragma once

namespace kiln::kinds {

// The elements of a launch among all of the call, in C order.
struct ElementRange {
  int64 first;  // number of its first element
  int64 size;   // of all
};

struct CpuKernelParts;

// How a kernel reaches an operand along the innermost dimension: codegen::Access.
enum class CpuAccess : uint8 { contiguous, broadcast, strided, scalar };

struct CpuLaunch {
  void* const* data;     // one for each operand; for a scalar the address of its value
  const int64* shape;    // rank extents, outermost first
  const int64* strides;  // bytes, [operand][dimension]; zeros for scalars
  int64 rank;
  // Walks [begin, end) and has the kernel compute whole blocks: rows, buffers and strides are the same for every kernel, so
  // they are compiled with the library (lib/kiln/kernel/elementwise/driver.cpp) and not with the kernel. The kernel calls this.
  void (*drive)(const CpuLaunch*, int64 begin, int64 end, const CpuKernelParts*);
  bool past_cache;  // for the driver: outputs are stored past the cache
};
// What a kernel tells its driver of itself.
struct CpuKernelParts {
  // Computes count blocks of kCpuBlock elements. Operands are contiguous, or one value. With rank > 1 the blocks go across rows
  // of `columns` elements (kCpuRowLanes or more), from the element `first` of a row on, and broadcast operands have each row's
  // value over kCpuRowLanes lanes. Rows of kCpuRowLanes from 0 on: they have a value for each element.
  void (*blocks)(void* const* operands, int64 count, int64 columns, int64 first);
  int32 inputs;
  int32 outputs;
  const CpuAccess* access;  // of each operand
  const uint8* itemsize;
};
using CpuKernel = void (*)(const CpuLaunch* launch, int64 begin, int64 end);

inline constexpr int64 kCpuRowLanes = 32;
inline constexpr int32 kTileElements = 16;  // of a thread
inline constexpr int32 kStripLanes = 32;    // threads

}  // namespace kiln::kinds
