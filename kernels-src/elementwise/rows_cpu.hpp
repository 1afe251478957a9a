// Elements on the CPU where they lie in memory, each once and by its number: none that a buffer has beside them. For debug
// mode, and for bodies that reach other elements than their own.
#pragma once
#include "kiln/core/types.hpp"

#include "kiln/elementwise/abi.hpp"

namespace kiln::loops {

// Elements [begin, end). row(p, first, count) has `count` of them along the innermost dimension, from p on, at most `Most`. By
// default they stay in the first cache, even if each is in a line of its own.
template <int Operands, int64 Most = 512, class Row>
KILN_FN void walk_rows(const kinds::CpuLaunch* launch, int64 begin, int64 end, const Row& row) {
  const int64 last = launch->rank - 1;
  while (begin < end) {
    char* p[Operands];
    const int64 column = begin % launch->shape[last];
    for (int k = 0; k < Operands; ++k) {
      p[k] = static_cast<char*>(launch->data[k]) + column * launch->strides[k * launch->rank + last];
    }
    int64 rest = begin / launch->shape[last];
#pragma clang loop unroll(disable)
    for (int64 d = last - 1; d >= 0; --d) {
      const int64 at = rest % launch->shape[d];
      rest /= launch->shape[d];
      for (int k = 0; k < Operands; ++k) {
        p[k] += at * launch->strides[k * launch->rank + d];
      }
    }
    const int64 left = launch->shape[last] - column;
    const int64 most = left < end - begin ? left : end - begin;
    const int64 count = most < Most ? most : Most;
    row(p, begin, count);
    begin += count;
  }
}

// Bytes from one element of a row to the next. In two parts, or LLVM makes vectors for elements that are 1 byte apart, and for
// no others.
struct row_stride {
  int64 half;
  int64 odd;
  KILN_FN row_stride(int64 bytes) : half(bytes >> 1), odd(bytes & 1) { asm("" : "+r"(half)); }
  KILN_FN int64 operator*(int64 i) const { return i * (2 * half + odd); }
};

}  // namespace kiln::loops
