// The elementwise loop on the CPU where the body reaches arrays whole, or asks for the number of its element.
#pragma once
#include "kiln/core/types.hpp"

#include "kiln/elementwise/raw_array.hpp"
#include "kiln/elementwise/rows_cpu.hpp"
#include "kiln/raw/cpu.hpp"

namespace kiln::loops {

// Enough that finding the first of them costs nothing beside.
inline constexpr int64 kElementsAtOnce = 16384;

// A row of elements, of which `first` is the number of the first.
template <class Row>
KILN_NOINLINE void each_element(const kinds::CpuLaunch* launch, char* const* p, int64 first, int64 count) {
  const Row row(launch, p, first);
#pragma clang loop vectorize(assume_safety)
  for (int64 i = 0; i < count; ++i) {
    KILN_ENTER_ITEM(first + i);
    row.one(i);
  }
}

}  // namespace kiln::loops
