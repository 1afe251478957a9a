#include "overrides.hpp"

#include <cstring>

#include "arrays.hpp"
#include "function.hpp"

namespace kiln::python {
namespace {

PyObject* override_name() {
  static PyObject* const name = PyUnicode_InternFromString("__array_ufunc__");
  return name;
}

/// Returns `type(object).__array_ufunc__` if it is none of NumPy's or kiln's own; else nothing, without an exception.
Ref override_of(PyObject* object) {
  PyTypeObject* const type = Py_TYPE(object);
  if (type == &PyArray_Type || type == array_type() || PyArray_CheckAnyScalarExact(object) || type == &PyList_Type ||
      type == &PyTuple_Type) {
    return {};
  }
  static PyObject* const numpys = PyObject_GetAttr(reinterpret_cast<PyObject*>(&PyArray_Type), override_name());
  Ref found(PyObject_GetAttr(reinterpret_cast<PyObject*>(type), override_name()));
  if (!found) {
    PyErr_Clear();
    return {};
  }
  return found.get() == numpys ? Ref() : std::move(found);
}

/// Adds an object that has an override: before the first whose class is a base of its own, once for each class.
bool add_override(PyObject* list, PyObject* object) {
  const Ref method = override_of(object);
  if (!method) return true;
  PyTypeObject* const type = Py_TYPE(object);
  const Py_ssize_t count = PyList_GET_SIZE(list);
  Py_ssize_t place = count;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyTypeObject* const other = Py_TYPE(PyTuple_GET_ITEM(PyList_GET_ITEM(list, i), 0));
    if (other == type) return true;
    if (place == count && PyType_IsSubtype(type, other)) place = i;
  }
  const Ref pair(PyTuple_Pack(2, object, method.get()));
  return pair && PyList_Insert(list, place, pair.get()) == 0;
}

Ref keywords_of(PyObject* out, const Keywords& keywords) {
  Ref all(PyDict_New());
  if (!all) return {};
  if (out != nullptr && PyDict_SetItemString(all.get(), "out", out) != 0) return {};
  for (int i = 0; i < kKeywords; ++i) {
    const auto keyword = static_cast<Keyword>(i);
    if (keyword == kOut || keyword == kIndices || keyword == kArray || keywords[keyword] == nullptr) continue;
    const char* const name = keyword == kSig ? "signature" : keyword_name(keyword);
    if (PyDict_SetItemString(all.get(), name, keywords[keyword]) != 0) return {};
  }
  return all;
}

/// Returns whether a class of dask is asked for a function of several outputs: it takes NumPy's function of the same name.
bool takes_name_alone(PyObject* function, const char* method, PyObject* object) {
  if (reinterpret_cast<FunctionObject*>(function)->info.nout < 2 || std::strcmp(method, "__call__") != 0) return false;
  const Ref module(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__module__"));
  const char* const name = module && PyUnicode_Check(module.get()) ? PyUnicode_AsUTF8(module.get()) : nullptr;
  PyErr_Clear();
  return name != nullptr && std::strncmp(name, "dask.array", 10) == 0;
}

}  // namespace

bool has_override(PyObject* object) {
  return static_cast<bool>(override_of(object));
}

Taken override_call(PyObject* function, const char* method, PyObject* const* inputs, std::size_t count, PyObject* out,
                    const Keywords& keywords, PyObject*& result) {
  const Ref list(PyList_New(0));
  if (!list) return Taken::failed;
  for (std::size_t i = 0; i < count; ++i) {
    if (!add_override(list.get(), inputs[i])) return Taken::failed;
  }
  for (Py_ssize_t i = 0; out != nullptr && i < PyTuple_GET_SIZE(out); ++i) {
    if (PyTuple_GET_ITEM(out, i) != Py_None && !add_override(list.get(), PyTuple_GET_ITEM(out, i))) return Taken::failed;
  }
  if (keywords[kWhere] != nullptr && !add_override(list.get(), keywords[kWhere])) return Taken::failed;
  const Py_ssize_t overrides = PyList_GET_SIZE(list.get());
  if (overrides == 0) return Taken::no;
  for (Py_ssize_t i = 0; i < overrides; ++i) {
    PyObject* const pair = PyList_GET_ITEM(list.get(), i);
    if (PyTuple_GET_ITEM(pair, 1) != Py_None) continue;
    PyErr_Format(PyExc_TypeError, "operand '%s' does not support ufuncs (__array_ufunc__=None)",
                 Py_TYPE(PyTuple_GET_ITEM(pair, 0))->tp_name);
    return Taken::failed;
  }
  const Ref all = keywords_of(out, keywords);
  if (!all) return Taken::failed;
  for (Py_ssize_t i = 0; i < overrides; ++i) {
    PyObject* const pair = PyList_GET_ITEM(list.get(), i);
    if (takes_name_alone(function, method, PyTuple_GET_ITEM(pair, 0))) continue;
    const Ref args(PyTuple_New(static_cast<Py_ssize_t>(count) + 3));
    if (!args) return Taken::failed;
    PyTuple_SET_ITEM(args.get(), 0, Py_NewRef(PyTuple_GET_ITEM(pair, 0)));
    PyTuple_SET_ITEM(args.get(), 1, Py_NewRef(function));
    PyObject* const name = PyUnicode_InternFromString(method);
    if (name == nullptr) return Taken::failed;
    PyTuple_SET_ITEM(args.get(), 2, name);
    for (std::size_t k = 0; k < count; ++k) PyTuple_SET_ITEM(args.get(), static_cast<Py_ssize_t>(k) + 3, Py_NewRef(inputs[k]));
    result = PyObject_Call(PyTuple_GET_ITEM(pair, 1), args.get(), all.get());
    if (result == nullptr) return Taken::failed;
    if (result != Py_NotImplemented) return Taken::yes;
    Py_CLEAR(result);
  }
  // Classes that decline may have a way of their own for functions that are not NumPy's.
  const Ref last(support("declined"));
  const Ref given(last ? PyTuple_New(static_cast<Py_ssize_t>(count)) : nullptr);
  if (!given) return Taken::failed;
  for (std::size_t k = 0; k < count; ++k) PyTuple_SET_ITEM(given.get(), static_cast<Py_ssize_t>(k), Py_NewRef(inputs[k]));
  result = PyObject_CallFunction(last.get(), "OsOO", function, method, given.get(), all.get());
  return result == nullptr ? Taken::failed : Taken::yes;
}

}  // namespace kiln::python
