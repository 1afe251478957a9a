// Results of calls, of the kind that was given.
#pragma once
#include "operands.hpp"

namespace kiln::python {

/// What the results of a call are made of.
struct ResultKind {
  bool own = false;          ///< kiln.Array
  PyObject* like = nullptr;  ///< a borrowed reference to an array of another library, whose kind results have
  PyObject* wrap = nullptr;  ///< a borrowed reference to an object with `__array_wrap__`
  bool keep_arrays = false;  ///< results without axes stay arrays
};

/// Decides the kind by the inputs of a call and what they were read from.
ResultKind kind_of(PyObject* const* objects, Operands& operands, std::size_t count, bool subok);

/// Makes the object of an array that kiln made. Returns NULL with an exception.
PyObject* result_of(ArrayHandle array, const ResultKind& kind);

/// Turns an array of NumPy into a scalar if it has no axes, or wraps it. Takes the reference.
PyObject* finish_numpy(PyObject* array, const ResultKind& kind, PyObject* function, PyObject* const* args, std::size_t count,
                       int output);

/// Returns an output that was given, wrapped by its class. Methods, whose `function` is None, do not wrap outputs.
PyObject* finish_given(PyObject* array, PyObject* function, PyObject* const* args, std::size_t count, PyObject* const* outputs,
                       std::size_t output_count, int output);

}  // namespace kiln::python
