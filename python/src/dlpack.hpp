// Arrays of other libraries by DLPack and by the CUDA array interface.
#pragma once
#include "operands.hpp"

namespace kiln::python {

/// Whether an object had a tensor.
enum class Borrowed : std::uint8_t {
  none,    ///< it has no protocol for tensors
  yes,     ///< the operand is filled, and keeps what it needs
  failed,  ///< with an exception
};

/// Reads an object by the exchange API of its class, by `__dlpack__`, or by `__cuda_array_interface__`, in this order.
Borrowed borrow_tensor(PyObject* object, Operand& to, const char* what);

/// Makes a kiln.Array that shares the memory of an object with `__dlpack__` or `__cuda_array_interface__`.
PyObject* array_of_object(PyObject* object);

/// Makes the capsule of `kiln.Array.__dlpack__`.
PyObject* capsule_of(const kiln_array* array, bool versioned, PyObject* stream);

}  // namespace kiln::python
