// kiln._kiln.statistic: NumPy's statistics by their names.
#pragma once
#include "python.hpp"

namespace kiln::python {

/// Returns false with an exception.
bool add_statistics(PyObject* module);

}  // namespace kiln::python
