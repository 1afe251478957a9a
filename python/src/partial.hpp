// Accumulators of parts as Python objects.
#pragma once

#include "python.hpp"

namespace kiln::python {

/// Adds the class and its functions to a module. Returns false with an exception.
bool add_partials(PyObject* module);

}  // namespace kiln::python
