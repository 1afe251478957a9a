// kiln.Stream, kiln.Event and kiln.Stop.
#pragma once
#include "python.hpp"

namespace kiln::python {

/// Returns the stream of a kiln.Stream, or of an object that has `kiln_stream`. NULL with an exception.
const kiln_stream* stream_of(PyObject* object);

/// Adds the classes to a module.
bool add_streams(PyObject* module);

}  // namespace kiln::python
