// kiln.Partial: accumulators of a part of what a ufunc or a reduction reduces.
#include "partial.hpp"

#include <vector>

#include "arrays.hpp"
#include "errors.hpp"
#include "function.hpp"
#include "keywords.hpp"
#include "operands.hpp"
#include "options.hpp"
#include "results.hpp"

namespace kiln::python {
namespace {

struct PartialObject {
  PyObject_HEAD kiln_partial* handle;
  PyObject* function;
  int outputs;
  bool own;  ///< results are kiln.Arrays
};

PyTypeObject* partial_class = nullptr;

PartialObject& self_of(PyObject* self) {
  return *reinterpret_cast<PartialObject*>(self);
}

PyObject* make(kiln_partial* handle, PyObject* function, bool own) {
  auto* const made = reinterpret_cast<PartialObject*>(partial_class->tp_alloc(partial_class, 0));
  if (made == nullptr) {
    kiln_partial_release(handle);
    return nullptr;
  }
  made->handle = handle;
  made->function = Py_NewRef(function);
  made->outputs = reinterpret_cast<FunctionObject*>(function)->info.nout;
  made->own = own;
  return reinterpret_cast<PyObject*>(made);
}

void partial_free(PyObject* self) {
  kiln_partial_release(self_of(self).handle);
  Py_XDECREF(self_of(self).function);
  PyTypeObject* const type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

/// A number of elements, or `absent` for None.
bool read_index(PyObject* object, std::int64_t& to, std::int64_t absent) {
  to = absent;
  if (object == Py_None) return true;
  const Ref number(PyNumber_Index(object));
  if (!number) return false;
  to = PyLong_AsLongLong(number.get());
  return to != -1 || PyErr_Occurred() == nullptr;
}

/// -1 for None.
bool read_size(PyObject* object, std::int64_t& to) {
  if (!read_index(object, to, -1)) return false;
  if (to >= 0 || object == Py_None) return true;
  PyErr_SetString(PyExc_ValueError, "global_size: a number of 0 or more is expected, or None");
  return false;
}

/// partial(function, inputs, global_offset, global_size, *, axis=None, where=True, …)
PyObject* partial_new(PyObject*, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  if (count != 4) {
    PyErr_SetString(PyExc_TypeError, "partial() takes a function, a tuple of inputs, an offset and a size");
    return nullptr;
  }
  FunctionObject* const f = function_of(args[0]);
  if (f == nullptr) return nullptr;
  std::int64_t offset = 0;
  std::int64_t size = -1;
  if (!read_index(args[2], offset, 0) || !read_size(args[3], size)) return nullptr;
  Keywords k;
  if (!k.read("partial", args + count, names,
              set_of({kAxis, kWhere, kDtype, kCasting, kSignature, kStream, kDevice, kTimeout}))) {
    return nullptr;
  }
  // A tuple stays as it is while the call runs.
  const Ref list(PySequence_Tuple(args[1]));
  if (!list) return nullptr;
  const auto inputs = static_cast<std::size_t>(PyTuple_GET_SIZE(list.get()));
  Operands operands(inputs);
  if (operands.failed()) return PyErr_NoMemory();
  std::vector<kiln_arg> given;
  bool own = false;
  for (std::size_t i = 0; i < inputs; ++i) {
    Operand& operand = operands.add();
    PyObject* const object = PyTuple_GET_ITEM(list.get(), static_cast<Py_ssize_t>(i));
    const Given kind = read(object, operand);
    if (kind == Given::foreign && !convert_input(object, operand, "an input")) return nullptr;
    given.push_back(operand.arg);
    own = own || kind == Given::own;
  }
  Options options;
  if (!options.read(args[0], k)) return nullptr;
  kiln_partial* made = nullptr;
  Error error;
  kiln_status status = KILN_OK;
  {
    const Unlocked unlocked;
    status = kiln_partial_new(&made, f->handle, given.data(), given.size(), offset, size, &options.raw(), error.out());
  }
  return status == KILN_OK ? make(made, args[0], own) : error.raise();
}

/// partial_accumulate(function, x, before, global_offset, global_size, *, axis=0, …)
PyObject* partial_accumulate(PyObject*, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  if (count != 5) {
    PyErr_SetString(PyExc_TypeError, "accumulate_part() takes a function, an array, a kiln.Partial, an offset and a size");
    return nullptr;
  }
  FunctionObject* const f = function_of(args[0]);
  if (f == nullptr) return nullptr;
  if (args[2] != Py_None && Py_TYPE(args[2]) != partial_class) {
    PyErr_Format(PyExc_TypeError, "accumulate_part: before is a kiln.Partial or None, not %.100s", Py_TYPE(args[2])->tp_name);
    return nullptr;
  }
  std::int64_t offset = 0;
  std::int64_t size = -1;
  if (!read_index(args[3], offset, 0) || !read_size(args[4], size)) return nullptr;
  Keywords k;
  if (!k.read("accumulate_part", args + count, names, set_of({kAxis, kDtype, kStream, kDevice, kTimeout}))) return nullptr;
  Operands operands(1);
  if (operands.failed()) return PyErr_NoMemory();
  Operand& operand = operands.add();
  const Given kind = read(args[1], operand);
  if (kind == Given::foreign && !convert_input(args[1], operand, "the array")) return nullptr;
  Options options;
  if (!options.read(args[0], k)) return nullptr;
  const kiln_partial* const before = args[2] == Py_None ? nullptr : self_of(args[2]).handle;
  kiln_array* made = nullptr;
  Error error;
  kiln_status status = KILN_OK;
  {
    const Unlocked unlocked;
    status = kiln_partial_accumulate(&made, f->handle, &operand.arg, before, offset, size, &options.raw(), error.out());
  }
  if (status != KILN_OK) return error.raise();
  const ResultKind result{.own = kind == Given::own};
  PyObject* const array = result_of(ArrayHandle(made), result);
  return array == nullptr || result.own ? array : finish_numpy(array, result, Py_None, nullptr, 0, 0);
}

PyObject* partial_read(PyObject*, PyObject* args) {
  PyObject* function = nullptr;
  const char* bytes = nullptr;
  Py_ssize_t length = 0;
  int own = 0;
  if (PyArg_ParseTuple(args, "Oy#p:partial_read", &function, &bytes, &length, &own) == 0) return nullptr;
  FunctionObject* const f = function_of(function);
  if (f == nullptr) return nullptr;
  kiln_partial* made = nullptr;
  Error error;
  const kiln_status status = kiln_partial_read(&made, f->handle, bytes, static_cast<std::size_t>(length), error.out());
  return status == KILN_OK ? make(made, function, own != 0) : error.raise();
}

PyObject* partial_combine(PyObject* self, PyObject* next) {
  if (Py_TYPE(next) != partial_class) {
    PyErr_Format(PyExc_TypeError, "combine() takes the kiln.Partial that follows, not %.100s", Py_TYPE(next)->tp_name);
    return nullptr;
  }
  kiln_partial* made = nullptr;
  Error error;
  kiln_status status = KILN_OK;
  {
    const Unlocked unlocked;
    status = kiln_partial_combine(&made, self_of(self).handle, self_of(next).handle, error.out());
  }
  return status == KILN_OK ? make(made, self_of(self).function, self_of(self).own) : error.raise();
}

PyObject* partial_finish(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  if (count != 0) {
    PyErr_SetString(PyExc_TypeError, "finish() takes keywords only: initial, keepdims");
    return nullptr;
  }
  Keywords k;
  Options options;
  if (!k.read("finish", args, names, set_of({kInitial, kKeepdims})) || !options.read(self_of(self).function, k)) return nullptr;
  const auto outputs = static_cast<std::size_t>(self_of(self).outputs);
  std::vector<kiln_array*> arrays(outputs);
  Error error;
  kiln_status status = KILN_OK;
  {
    const Unlocked unlocked;
    status = kiln_partial_finish(arrays.data(), outputs, self_of(self).handle, &options.raw(), error.out());
  }
  if (status != KILN_OK) return error.raise();
  std::vector<ArrayHandle> handles;
  for (kiln_array* const each : arrays) handles.emplace_back(each);
  const ResultKind kind{.own = self_of(self).own};
  Ref results(PyTuple_New(static_cast<Py_ssize_t>(outputs)));
  if (!results) return nullptr;
  for (std::size_t o = 0; o < outputs; ++o) {
    PyObject* made = result_of(std::move(handles[o]), kind);
    if (made != nullptr && !kind.own) made = finish_numpy(made, kind, Py_None, nullptr, 0, static_cast<int>(o));
    if (made == nullptr) return nullptr;
    PyTuple_SET_ITEM(results.get(), static_cast<Py_ssize_t>(o), made);
  }
  return outputs == 1 ? Py_NewRef(PyTuple_GET_ITEM(results.get(), 0)) : results.release();
}

PyObject* partial_bytes(PyObject* self, PyObject*) {
  Text text;
  Error error;
  if (kiln_partial_bytes(text.out(), self_of(self).handle, error.out()) != KILN_OK) return error.raise();
  std::size_t length = 0;
  const char* const data = kiln_text_data(text.get(), &length);
  return PyBytes_FromStringAndSize(data, static_cast<Py_ssize_t>(length));
}

/// Pickles are the function and the bytes.
PyObject* partial_reduce(PyObject* self, PyObject*) {
  const Ref restore(support("restore_partial"));
  const Ref bytes(restore ? partial_bytes(self, nullptr) : nullptr);
  if (!bytes) return nullptr;
  return Py_BuildValue("O(OOO)", restore.get(), self_of(self).function, bytes.get(), self_of(self).own ? Py_True : Py_False);
}

PyObject* range_item(PyObject* self, void* which) {
  std::int64_t range[3];
  Error error;
  if (kiln_partial_range(range, self_of(self).handle, error.out()) != KILN_OK) return error.raise();
  return PyLong_FromLongLong(range[reinterpret_cast<std::intptr_t>(which)]);
}

PyObject* get_function(PyObject* self, void*) {
  return Py_NewRef(self_of(self).function);
}

PyObject* partial_repr(PyObject* self) {
  std::int64_t range[3];
  Error error;
  if (kiln_partial_range(range, self_of(self).handle, error.out()) != KILN_OK) return error.raise();
  return PyUnicode_FromFormat("<kiln.Partial of %R: %lld to %lld of %lld>", self_of(self).function,
                              static_cast<long long>(range[0]), static_cast<long long>(range[1]),
                              static_cast<long long>(range[2]));
}

PyGetSetDef getters[] = {
    {"begin", range_item, nullptr, "The index, along the cut axis, of the first element.", nullptr},
    {"end", range_item, nullptr, "The index after the last element.", reinterpret_cast<void*>(1)},
    {"global_size", range_item, nullptr, "The extent of the cut axis over all parts.", reinterpret_cast<void*>(2)},
    {"function", get_function, nullptr, "The ufunc or reduction.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef methods[] = {
    {"combine", partial_combine, METH_O,
     "combine(next)\n--\n\nReturns the accumulators of this part and of the one that follows it."},
    {"finish", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(partial_finish)), METH_FASTCALL | METH_KEYWORDS,
     "finish(*, initial=<no value>, keepdims=False)\n--\n\nReturns the results, once no element is missing."},
    {"bytes", partial_bytes, METH_NOARGS, "bytes()\n--\n\nReturns the accumulators as bytes, for another process."},
    {"__reduce__", partial_reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot slots[] = {
    {Py_tp_doc,
     const_cast<char*>("The accumulators of a part of what a ufunc or a reduction reduces. kiln.partial makes one.")},
    {Py_tp_dealloc, reinterpret_cast<void*>(partial_free)},
    {Py_tp_repr, reinterpret_cast<void*>(partial_repr)},
    {Py_tp_methods, methods},
    {Py_tp_getset, getters},
    {0, nullptr}};
PyType_Spec spec = {"kiln.Partial", sizeof(PartialObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

PyMethodDef functions[] = {
    {"partial", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(partial_new)), METH_FASTCALL | METH_KEYWORDS,
     nullptr},
    {"partial_accumulate", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(partial_accumulate)),
     METH_FASTCALL | METH_KEYWORDS, nullptr},
    {"partial_read", partial_read, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool add_partials(PyObject* module) {
  partial_class = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return partial_class != nullptr && PyModule_AddFunctions(module, functions) == 0 &&
         PyModule_AddObjectRef(module, "Partial", reinterpret_cast<PyObject*>(partial_class)) == 0;
}

}  // namespace kiln::python
