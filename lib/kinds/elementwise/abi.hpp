// How a rendered elementwise kernel is called. kernels-src/elementwise_*.hpp is the other side; change both together.
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
#pragma once

#include <cstdint>

#include "backend/kernel_abi.hpp"

namespace kiln::kinds {

struct CpuLaunch;
struct CpuKernelParts;

// Walks [begin, end) and has the kernel compute whole blocks: rows, buffers and strides are the same for every kernel, so they
// are compiled with the library and not with the kernel. Defined in driver.cpp.
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
using CpuKernel = void (*)(const CpuLaunch* launch, std::int64_t begin, std::int64_t end);

inline constexpr std::int64_t kCpuRowLanes = 32;

}  // namespace kiln::kinds
