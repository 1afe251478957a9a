// What kiln.Array has of NumPy's means, variances and places of extrema.
#include "statistics.hpp"

#include "arrays.hpp"
#include "errors.hpp"
#include "keywords.hpp"
#include "operands.hpp"
#include "options.hpp"
#include "results.hpp"

namespace kiln::python {
namespace {

/// statistic(name, x, ddof, *, axis=None, dtype=None, keepdims=False)
PyObject* statistic(PyObject*, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  if (count != 3) {
    PyErr_SetString(PyExc_TypeError, "statistic() takes a name, an array and a number");
    return nullptr;
  }
  Py_ssize_t length = 0;
  const char* const name = PyUnicode_AsUTF8AndSize(args[0], &length);
  if (name == nullptr) return nullptr;
  const double ddof = PyFloat_AsDouble(args[2]);
  if (ddof == -1 && PyErr_Occurred() != nullptr) return nullptr;
  Keywords k;
  if (!k.read(name, args + count, names, set_of({kAxis, kDtype, kKeepdims}))) return nullptr;
  Operands operands(1);
  if (operands.failed()) return PyErr_NoMemory();
  Operand& operand = operands.add();
  const Given kind = read(args[1], operand);
  if (kind == Given::foreign && !convert_input(args[1], operand, "the array")) return nullptr;
  Options options;
  if (!options.read(nullptr, k)) return nullptr;
  kiln_array* made = nullptr;
  Error error;
  kiln_status status = KILN_OK;
  {
    const Unlocked unlocked;
    status = kiln_statistic(&made, name, static_cast<std::size_t>(length), &operand.arg, ddof, &options.raw(), error.out());
  }
  if (status != KILN_OK) return error.raise();
  const ResultKind result{.own = kind == Given::own};
  PyObject* const array = result_of(ArrayHandle(made), result);
  return array == nullptr || result.own ? array : finish_numpy(array, result, Py_None, nullptr, 0, 0);
}

PyMethodDef functions[] = {{"statistic", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(statistic)),
                            METH_FASTCALL | METH_KEYWORDS, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool add_statistics(PyObject* module) {
  return PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace kiln::python
