#include "results.hpp"

#include "arrays.hpp"

namespace kiln::python {
namespace {

/// Returns whether results of a call with such an object are of its kind: a class with `__array_wrap__` that is no array
/// itself.
bool wraps(PyObject* object) {
  if (PyArray_CheckExact(object) || PyArray_IsScalar(object, Generic) || PyArray_CheckAnyScalarExact(object)) return false;
  PyTypeObject* const type = Py_TYPE(object);
  if (type == &PyList_Type || type == &PyTuple_Type) return false;
  return PyObject_HasAttrString(object, "__array_wrap__") != 0;
}

double priority_of(PyObject* object) {
  const Ref priority(PyObject_GetAttrString(object, "__array_priority__"));
  const double value = priority ? PyFloat_AsDouble(priority.get()) : 0;
  PyErr_Clear();
  return value;
}

}  // namespace

ResultKind kind_of(PyObject* const* objects, Operands& operands, std::size_t count, bool subok) {
  ResultKind kind;
  double highest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Operand& operand = operands[i];
    if (operand.given == Given::own) kind.own = true;
    if (operand.given == Given::foreign && kind.like == nullptr) kind.like = objects[i];
    if (!subok || operand.given != Given::numpy || !wraps(objects[i])) continue;
    const double priority = priority_of(objects[i]);
    if (kind.wrap != nullptr && priority <= highest) continue;
    highest = priority;
    kind.wrap = objects[i];
  }
  return kind;
}

PyObject* result_of(ArrayHandle array, const ResultKind& kind) {
  kiln_array_info info = kiln_array_info_default();
  if (kiln_array_describe(array.get(), &info, nullptr) != KILN_OK) return PyErr_NoMemory();
  if (kind.like != nullptr) {
    const Ref own(own_array(std::move(array)));
    const Ref convert(own ? support("to_kind_of") : nullptr);
    return convert ? PyObject_CallFunctionObjArgs(convert.get(), kind.like, own.get(), nullptr) : nullptr;
  }
  if (kind.own || !on_host(info)) return own_array(std::move(array));
  return numpy_of(std::move(array));
}

PyObject* finish_numpy(PyObject* array, const ResultKind& kind, PyObject* function, PyObject* const* args, std::size_t count,
                       int output) {
  if (array == nullptr) return nullptr;
  if (kind.wrap == nullptr) return kind.keep_arrays ? array : PyArray_Return(reinterpret_cast<PyArrayObject*>(array));
  const Ref held(array);
  const Ref wrap(support("wrap_result"));
  const Ref inputs(PyTuple_New(static_cast<Py_ssize_t>(count)));
  if (!wrap || !inputs) return nullptr;
  for (std::size_t i = 0; i < count; ++i) PyTuple_SET_ITEM(inputs.get(), static_cast<Py_ssize_t>(i), Py_NewRef(args[i]));
  return PyObject_CallFunction(wrap.get(), "OOOOi", kind.wrap, array, function, inputs.get(), output);
}

PyObject* finish_given(PyObject* array, PyObject* function, PyObject* const* args, std::size_t count, PyObject* const* outputs,
                       std::size_t output_count, int output) {
  if (function == Py_None || PyArray_CheckExact(array) || !PyArray_Check(array)) return Py_NewRef(array);
  const Ref wrap(support("wrap_output"));
  const Ref operands(PyTuple_New(static_cast<Py_ssize_t>(count + output_count)));
  if (!wrap || !operands) return nullptr;
  for (std::size_t i = 0; i < count + output_count; ++i) {
    PyObject* const each = i < count ? args[i] : outputs[i - count];
    PyTuple_SET_ITEM(operands.get(), static_cast<Py_ssize_t>(i), Py_NewRef(each == nullptr ? Py_None : each));
  }
  return PyObject_CallFunction(wrap.get(), "OOOi", array, function, operands.get(), output);
}

}  // namespace kiln::python
