// Shapes and memory orders of results, as NumPy has them.
#pragma once
#include "operands.hpp"

namespace kiln::python {

/// The shape to which operands broadcast.
struct Broadcast {
  int ndim = 0;
  npy_intp shape[kMaxAxes];
  npy_intp elements = 1;
};

/// Broadcasts arrays of one axis and one extent, and numbers. Returns false for others.
[[nodiscard]] inline bool same_shapes(Operands& operands, std::size_t count, Broadcast& to) noexcept {
  const kiln_array_info* first = nullptr;
  for (std::size_t k = 0; k < count; ++k) {
    if (operands[k].ndim() == 0) continue;
    const kiln_array_info& info = operands[k].info;
    if (info.ndim != 1 || (first != nullptr && first->shape[0] != info.shape[0])) return false;
    first = &info;
  }
  to.ndim = first == nullptr ? 0 : 1;
  to.elements = to.shape[0] = first == nullptr ? 1 : first->shape[0];
  return true;
}

/// Broadcasts operands. Returns false, without an exception, if their shapes do not fit: kiln says why.
bool broadcast(Operands& operands, std::size_t count, Broadcast& to) noexcept;

/// Makes an array of NumPy of a shape, in the order that NumPy gives results of these operands: 'K', 'C', 'F' or 'A'.
PyObject* allocate(const Broadcast& shape, int type_number, Operands& operands, std::size_t count, char order, bool zeros);

/// Copies a result that kiln made to the order that was asked for. Takes the reference.
PyObject* reorder(PyObject* result, Operands& operands, std::size_t count, char order);

}  // namespace kiln::python
