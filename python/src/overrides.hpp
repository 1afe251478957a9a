// NEP 13: classes that take calls over by `__array_ufunc__`.
#pragma once
#include "keywords.hpp"

namespace kiln::python {

/// What became of a call.
enum class Taken : std::uint8_t { no, yes, failed };

/// Asks the classes of inputs and outputs. `keywords` are those of the call, without `out`; `out` is a tuple or NULL.
/// Writes what the class returned to `result`.
Taken override_call(PyObject* function, const char* method, PyObject* const* inputs, std::size_t count, PyObject* out,
                    const Keywords& keywords, PyObject*& result);

/// Returns whether the class of an object has an `__array_ufunc__` of its own.
[[nodiscard]] bool has_override(PyObject* object);

}  // namespace kiln::python
