// The short way of calls: numbers and arrays of NumPy, dtypes that the function was called with before, and no keyword but
// `out`.
#pragma once
#include "function.hpp"

namespace kiln::python {

/// What became of a call: not of this kind, or done, with an exception where there is no result.
enum class Quick : std::uint8_t { no, done };

/// Does a call that is of this kind, and writes its result.
Quick call_quickly(FunctionObject& f, PyObject* const* args, Py_ssize_t count, PyObject* names, PyObject*& result);

}  // namespace kiln::python
