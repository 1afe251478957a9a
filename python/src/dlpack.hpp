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

/// Returns true for an array of a library whose arrays never change, such as JAX's.
bool is_immutable(PyObject* object);

/// Reads an object by the exchange API of its class, by `__dlpack__`, or by `__cuda_array_interface__`, in this order. The call
/// may write to it where `written` says so: then the operand says whether it is read-only.
Borrowed borrow_tensor(PyObject* object, Operand& to, const char* what, bool written);

/// Makes a kiln.Array that shares the memory of an object with `__dlpack__` or `__cuda_array_interface__`.
PyObject* array_of_object(PyObject* object);

/// Makes the capsule of `kiln.Array.__dlpack__`.
PyObject* capsule_of(const kiln_array* array, bool versioned, PyObject* stream);

}  // namespace kiln::python
