// Where the elements are that a reduction on the CPU takes at once; see reduce_cpu.hpp.
#pragma once
#include "kiln/reduction/reduction.hpp"

#include "kiln/reduction/abi.hpp"

namespace kiln::loops {

// How the numbers of elements go on from the first.
enum class index_form { rising, fixed, listed };
template <index_form Form>
struct element_index {
  int64 first;
  KILN_FN explicit element_index(const void* p) : first(static_cast<const kinds::CpuIndex*>(p)->first) {}
  KILN_FN int64 at(int64 i) const { return Form == index_form::rising ? first + i : first; }
};
template <>
struct element_index<index_form::listed> {
  const int64* list;
  KILN_FN explicit element_index(const void* p) : list(static_cast<const kinds::CpuIndex*>(p)->list) {}
  KILN_FN int64 at(int64 i) const { return list[i]; }
};

KILN_FN bool is_listed(const void* index) {
  return static_cast<const kinds::CpuIndex*>(index)->list != nullptr;
}

constexpr int64 kRows = 8;  // of operands that rows() gets, whether it uses them or not

}  // namespace kiln::loops
