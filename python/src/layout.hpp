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

/// Broadcasts operands. Returns false, without an exception, if their shapes do not fit: kiln says why.
bool broadcast(Operands& operands, std::size_t count, Broadcast& to) noexcept;

/// Makes an array of NumPy of a shape, in the order that NumPy gives results of these operands: 'K', 'C', 'F' or 'A'.
PyObject* allocate(const Broadcast& shape, int type_number, Operands& operands, std::size_t count, char order, bool zeros);

}  // namespace kiln::python
