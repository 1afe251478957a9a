// DLPack's exchange API of kiln.Array: other libraries take and give tensors by a table of functions, without calls of Python.
#pragma once
#include "python.hpp"

namespace kiln::python {

/// Adds `__dlpack_c_exchange_api__` to kiln.Array. Returns false with an exception.
bool add_exchange(PyObject* array_class);

}  // namespace kiln::python
