#include "quick_call.hpp"

#include "call.hpp"
#include "dtypes.hpp"
#include "layout.hpp"

namespace kiln::python {
namespace {

/// Calls a ufunc with nothing but numbers and arrays of NumPy, with dtypes that it was called with before unless all outputs
/// are given. `given` has outputs, `count` of them; the others are new.
Quick call_with(FunctionObject& f, PyObject* const* args, PyObject* const* given_outputs, std::size_t given_count,
                PyObject*& result) {
  const auto nin = static_cast<std::size_t>(f.info.nin);
  const auto nout = static_cast<std::size_t>(f.info.nout);
  Operands operands(nin + given_count);
  for (std::size_t i = 0; i < nin; ++i) {
    Operand& operand = operands.add();
    const Given given = read(args[i], operand);
    if (given != Given::numpy && given != Given::weak) return Quick::no;
  }
  const Loop* const loop = find_loop(f, key_of(KILN_CALL, operands, nin));
  if (loop == nullptr && given_count != nout) return Quick::no;
  for (std::size_t i = 0; i < given_count; ++i) {
    Operand& operand = operands.add();
    PyObject* const output = given_outputs[i];
    if (!PyArray_CheckExact(output) || read(output, operand) != Given::numpy || operand.info.read_only != 0) return Quick::no;
  }
  Broadcast shape;
  if (!same_shapes(operands, nin + given_count, shape) && !broadcast(operands, nin + given_count, shape)) return Quick::no;

  kiln_arg inputs[kQuickInputs];
  for (std::size_t i = 0; i < nin; ++i) {
    if (operands[i].given == Given::numpy) {
      set_memory(inputs[i], &operands[i].info);
      continue;
    }
    inputs[i].kind = operands[i].arg.kind;
    inputs[i].dtype = operands[i].dtype;
    inputs[i].value.at = operands[i].arg.value.at;
    inputs[i].ready = nullptr;
  }
  kiln_arg outputs[kQuickOutputs];
  kiln_array_info infos[kQuickOutputs];
  alignas(16) unsigned char values[kQuickOutputs][16];
  Ref made[kQuickOutputs];
  for (std::size_t i = 0; i < nout; ++i) {
    if (i < given_count) {
      set_memory(outputs[i], &operands[nin + i].info);
      made[i] = Ref::borrowed(given_outputs[i]);
      continue;
    }
    const int number = loop->type_numbers[i];
    if (shape.ndim != 0) {
      made[i] = Ref(allocate(shape, number, operands, nin, 'K', false));
      if (!made[i]) return Quick::done;
      auto* const array = reinterpret_cast<PyArrayObject*>(made[i].get());
      set_info(infos[i], PyArray_DATA(array), dtype_of(number), shape.ndim, PyArray_DIMS(array), PyArray_STRIDES(array), false);
    } else {
      set_info(infos[i], values[i], dtype_of(number), 0, nullptr, nullptr, false);
    }
    set_memory(outputs[i], &infos[i]);
  }
  if (!run(f, outputs, nout, inputs, nin, nullptr, shape.elements, true)) return Quick::done;
  if (shape.ndim == 0) {
    for (std::size_t i = given_count; i < nout; ++i) {
      PyArray_Descr* const descr = PyArray_DescrFromType(loop->type_numbers[i]);
      if (descr == nullptr) return Quick::done;
      made[i] = Ref(PyArray_Scalar(values[i], descr, nullptr));
      Py_DECREF(descr);
      if (!made[i]) return Quick::done;
    }
  }
  if (nout == 1) {
    result = made[0].release();
    return Quick::done;
  }
  result = PyTuple_New(static_cast<Py_ssize_t>(nout));
  for (std::size_t i = 0; result != nullptr && i < nout; ++i)
    PyTuple_SET_ITEM(result, static_cast<Py_ssize_t>(i), made[i].release());
  return Quick::done;
}

/// Finds outputs behind the inputs, or in the keyword `out`. Returns their number, or -1 where a call has something else.
Py_ssize_t outputs_of(const FunctionObject& f, PyObject* const* args, Py_ssize_t count, PyObject* names,
                      PyObject* const*& given) {
  const Py_ssize_t nin = f.info.nin;
  if (names == nullptr) {
    given = args + nin;
    return count >= nin && count <= nin + f.info.nout ? count - nin : -1;
  }
  if (count != nin) return -1;
  Py_ssize_t found = 0;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
    PyObject* const name = PyTuple_GET_ITEM(names, i);
    PyObject* const value = args[nin + i];
    if (name == interned_keyword(kWhere) && value == Py_True) continue;
    if (name != interned_keyword(kOut)) return -1;
    const bool tuple = PyTuple_CheckExact(value);
    given = tuple ? &PyTuple_GET_ITEM(value, 0) : args + nin + i;
    found = tuple ? PyTuple_GET_SIZE(value) : 1;
    if (found != f.info.nout) return -1;
  }
  return found;
}

}  // namespace

Quick call_quickly(FunctionObject& f, PyObject* const* args, Py_ssize_t count, PyObject* names, PyObject*& result) {
  if (!f.predictable || f.info.nin > kQuickInputs || f.info.nout > kQuickOutputs) return Quick::no;
  PyObject* const* given = nullptr;
  const Py_ssize_t given_count = outputs_of(f, args, count, names, given);
  return given_count < 0 ? Quick::no : call_with(f, args, given, static_cast<std::size_t>(given_count), result);
}

}  // namespace kiln::python
