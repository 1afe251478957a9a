// a[index] = f(a[index], b) on the CPU: the loops that are compiled for each kernel. What reads the indices and walks the
// dimensions is lib/kiln/kernel/scatter/cpu.cpp, compiled with the library. The other side of kernels-src/scatter/abi.hpp.
#pragma once
#include "kiln/core/types.hpp"

#include "kiln/scatter/abi.hpp"

namespace kiln::loops {

// One element for each offset, in order: the same element may come again.
template <class Work>
KILN_NOINLINE void scatter_points(char* a, const int64* offsets, const char* b, int64 b_stride, int64 count) {
  for (int64 i = 0; i < count; ++i) {
    KILN_NEXT_ITEM();
    Work::apply(*reinterpret_cast<typename Work::target*>(a + offsets[i]), *reinterpret_cast<const typename Work::value*>(b));
    b += b_stride;
  }
}

// Elements of 1e3 to 2e7 float64 are not fetched ahead: it took 0 to 25 % longer, as the processor looks far enough ahead
// itself.
template <class Work, class Index, bool Packed>
KILN_FN void scatter_along(const kinds::CpuScatterAxis& axis, const Index* indices, const char* b, int64 b_stride,
                           int64 count) {
  using target = typename Work::target;
  // In variables of their own: what is written through `a` might else be what they are read from.
  char* const a = axis.target;
  const int64 stride = Packed ? int64(sizeof(target)) : axis.stride;
  const int64 extent = axis.extent;
  for (int64 i = 0; i < count; ++i) {
    KILN_NEXT_ITEM();
    const int64 index = indices[i];
    Work::apply(*reinterpret_cast<target*>(a + (index + ((index >> 63) & extent)) * stride),
                *reinterpret_cast<const typename Work::value*>(b));
    b += b_stride;
  }
}

// One element for each index, in order; negative ones count from the end.
template <class Work, class Index>
KILN_NOINLINE void scatter_indexed(const kinds::CpuScatterAxis& axis, const Index* indices, const char* b, int64 b_stride,
                                   int64 count) {
  if (axis.stride == int64(sizeof(typename Work::target))) {
    scatter_along<Work, Index, true>(axis, indices, b, b_stride, count);
  } else {
    scatter_along<Work, Index, false>(axis, indices, b, b_stride, count);
  }
}

// 64 different elements. Not inlined, and always whole: libm's vector functions and its scalar ones differ in the last bits.
template <class Work>
KILN_NOINLINE void scatter_block(typename Work::target* a, const typename Work::value* b) {
#pragma clang loop vectorize(assume_safety)
  for (int64 i = 0; i < 64; ++i) {
    Work::apply(a[i], b[i]);
  }
}

// Different elements, a stride apart. In debug mode each of them once.
template <class Work>
KILN_NOINLINE void scatter_row(char* a, int64 a_stride, const char* b, int64 b_stride, int64 count) {
  using target = typename Work::target;
  using value = typename Work::value;
#if KILN_DEBUG
  debug::next_item();
  constexpr bool one_by_one = true;
#else
  const bool one_by_one = count < 16;
#endif
  if (one_by_one) {
#pragma clang loop vectorize(disable)
    for (int64 i = 0; i < count; ++i) {
      Work::apply(*reinterpret_cast<target*>(a + i * a_stride), *reinterpret_cast<const value*>(b + i * b_stride));
    }
    return;
  }
  target x[64];
  value y[64];
  const bool packed = a_stride == int64(sizeof(target));
  const bool together = b_stride == int64(sizeof(value));
  if (b_stride == 0) {
    for (int64 i = 0; i < 64; ++i) {
      y[i] = *reinterpret_cast<const value*>(b);
    }
  }
  for (int64 begin = 0; begin < count; begin += 64) {
    const int64 here = count - begin < 64 ? count - begin : 64;
    char* const at = a + begin * a_stride;
    const char* const from = b + begin * b_stride;
    if (b_stride != 0 && !(together && here == 64)) {
      // Beyond the end the last one again: any other value might be one that f must not see.
      for (int64 i = 0; i < 64; ++i) {
        y[i] = *reinterpret_cast<const value*>(from + (i < here ? i : here - 1) * b_stride);
      }
    }
    const value* const values = together && here == 64 ? reinterpret_cast<const value*>(from) : y;
    if (packed && here == 64) {
      scatter_block<Work>(reinterpret_cast<target*>(at), values);
      continue;
    }
    for (int64 i = 0; i < 64; ++i) {
      x[i] = *reinterpret_cast<target*>(at + (i < here ? i : here - 1) * a_stride);
    }
    scatter_block<Work>(x, values);
    for (int64 i = 0; i < here; ++i) {
      *reinterpret_cast<target*>(at + i * a_stride) = x[i];
    }
  }
}

}  // namespace kiln::loops
