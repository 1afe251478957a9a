// The methods of ufuncs: reduce, accumulate, reduceat, outer, at.
#include "arrays.hpp"
#include "call.hpp"
#include "dtypes.hpp"
#include "errors.hpp"
#include "layout.hpp"
#include "overrides.hpp"
#include "quick_call.hpp"

namespace kiln::python {
namespace {

constexpr KeywordSet kPlace = set_of({kStream, kDevice, kTimeout, kChunked, kChunkBytes, kDevices, kProgress});

bool require(const FunctionObject& f, const char* method, int nin) {
  if (f.info.kind == KILN_GUFUNC) {
    PyErr_SetString(PyExc_RuntimeError, "Reduction not defined on ufunc with signature");
    return false;
  }
  if (f.info.nin == nin && f.info.nout == 1) return true;
  PyErr_Format(PyExc_ValueError, "%s only supported for %s functions returning a single value", method,
               nin == 2 ? "binary" : "unary and binary");
  return false;
}

PyObject* call_method(FunctionObject& f, std::uint32_t method, const char* name, PyObject* const* inputs, std::size_t nin,
                      const Keywords& keywords) {
  PyObject* outputs[kMaxOperands] = {};
  if (!read_out(f, keywords[kOut], outputs)) return nullptr;
  return general_call({.f = f,
                       .method = method,
                       .method_name = name,
                       .inputs = inputs,
                       .nin = nin,
                       .outputs = outputs,
                       .nout = method == KILN_CALL ? static_cast<std::size_t>(f.info.nout) : 1,
                       .keywords = keywords});
}

/// Reads the axis of an array of `ndim` axes: 0 where none is given. Returns false for anything but an int in range.
bool read_axis(PyObject* axis, int ndim, std::int32_t& along) {
  along = 0;
  if (axis == nullptr) return true;
  if (Py_TYPE(axis) != &PyLong_Type) return false;
  const long value = PyLong_AsLong(axis);
  if (value == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    return false;
  }
  if (value < -ndim || value >= ndim) return false;
  along = static_cast<std::int32_t>(value < 0 ? value + ndim : value);
  return true;
}

/// Reduces an array of NumPy along one axis or all, with dtypes that were reduced before. Returns false where it does not.
bool reduce_quickly(FunctionObject& f, PyObject* array, PyObject* axis, bool keepdims, PyObject*& result) {
  Operands operands(1);
  Operand& a = operands.add();
  if (read(array, a) != Given::numpy || a.info.ndim == 0) return false;
  const Loop* const loop = find_loop(f, key_of(KILN_REDUCE, operands, 1));
  if (loop == nullptr) return false;
  const int ndim = a.info.ndim;
  kiln_call_options options = kiln_call_options_default();
  std::int32_t along = 0;
  bool all = ndim == 1;
  if (axis == Py_None) {
    all = true;
    options.axis_count = KILN_ALL_AXES;
  } else {
    if (!read_axis(axis, ndim, along)) return false;
    options.axis = &along;
    options.axis_count = 1;
  }
  options.method = KILN_REDUCE;
  options.keepdims = keepdims ? 1 : 0;
  npy_intp shape[kMaxAxes];
  npy_intp elements = 1;
  int kept = 0;
  for (int i = 0; i < ndim; ++i) {
    elements *= a.info.shape[i];
    const bool reduced = all || i == along;
    if (!reduced) shape[kept++] = a.info.shape[i];
    if (reduced && keepdims) shape[kept++] = 1;
  }
  const int number = loop->type_numbers[0];
  alignas(16) unsigned char value[16];
  kiln_array_info info = kiln_array_info_default();
  info.dtype = dtype_of(number);
  info.ndim = kept;
  info.data = value;
  Ref made;
  if (kept != 0) {
    made = Ref(PyArray_SimpleNew(kept, shape, number));
    if (!made) return true;
    info.data = PyArray_DATA(reinterpret_cast<PyArrayObject*>(made.get()));
    info.shape = reinterpret_cast<const std::int64_t*>(shape);
  }
  kiln_arg output = kiln_memory_arg(&info);
  if (!run(f, &output, 1, &a.arg, 1, &options, elements, true)) return true;
  if (kept == 0) {
    PyArray_Descr* const descr = PyArray_DescrFromType(number);
    if (descr == nullptr) return true;
    made = Ref(PyArray_Scalar(value, descr, nullptr));
    Py_DECREF(descr);
  }
  result = made.release();
  return true;
}

/// Accumulates an array of NumPy along an axis, with dtypes that were accumulated before. Returns false where it does not.
bool accumulate_quickly(FunctionObject& f, PyObject* array, PyObject* axis, PyObject*& result) {
  Operands operands(1);
  Operand& a = operands.add();
  if (read(array, a) != Given::numpy || a.info.ndim == 0) return false;
  const Loop* const loop = find_loop(f, key_of(KILN_ACCUMULATE, operands, 1));
  kiln_call_options options = kiln_call_options_default();
  std::int32_t along = 0;
  Broadcast shape;
  if (loop == nullptr || !read_axis(axis, a.info.ndim, along) || !broadcast(operands, 1, shape)) return false;
  options.method = KILN_ACCUMULATE;
  options.axis = &along;
  options.axis_count = 1;
  const int number = loop->type_numbers[0];
  Ref made(allocate(shape, number, operands, 1, 'K', false));
  if (!made) return true;
  auto* const to = reinterpret_cast<PyArrayObject*>(made.get());
  kiln_array_info info;
  set_info(info, PyArray_DATA(to), dtype_of(number), shape.ndim, PyArray_DIMS(to), PyArray_STRIDES(to), false);
  kiln_arg output = kiln_memory_arg(&info);
  if (run(f, &output, 1, &a.arg, 1, &options, shape.elements, true)) result = made.release();
  return true;
}

PyObject* reduce(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  FunctionObject& f = *reinterpret_cast<FunctionObject*>(self);
  static constexpr Keyword kOrder_[] = {kArray, kAxis, kDtype, kOut, kKeepdims, kInitial, kWhere};
  if (!require(f, "reduce", 2)) return nullptr;
  Keywords k;
  if (!k.read_positional("reduce", args, count, kOrder_, 7) ||
      !k.read("reduce", args + count, names, kPlace | set_of({kArray, kAxis, kDtype, kOut, kKeepdims, kInitial, kWhere})))
    return nullptr;
  if (k[kArray] == nullptr) {
    PyErr_SetString(PyExc_TypeError, "reduce() missing required argument 'array' (pos 1)");
    return nullptr;
  }
  const bool plain = (k[kDtype] == nullptr || k[kDtype] == Py_None) && (k[kOut] == nullptr || k[kOut] == Py_None) &&
                     k[kInitial] == nullptr && k[kWhere] == nullptr && k[kStream] == nullptr && k[kDevice] == nullptr &&
                     k[kTimeout] == nullptr && k[kChunked] == nullptr;
  if (plain && (k[kKeepdims] == nullptr || PyBool_Check(k[kKeepdims]))) {
    PyObject* result = nullptr;
    if (reduce_quickly(f, k[kArray], k[kAxis], k[kKeepdims] == Py_True, result)) return result;
  }
  PyObject* const array = k[kArray];
  if (k[kInitial] == Py_None && !has_override(array)) {
    const Ref check(support("check_not_empty"));
    if (!check || !Ref(PyObject_CallFunctionObjArgs(check.get(), self, array, k[kAxis], nullptr))) return nullptr;
  }
  if (k[kDtype] != nullptr && k[kDtype] != Py_None && PyArray_Check(array) &&
      PyArray_ISCOMPLEX(reinterpret_cast<PyArrayObject*>(array))) {
    const Ref warn(support("warn_of_complex"));
    if (!warn || !Ref(PyObject_CallOneArg(warn.get(), k[kDtype]))) return nullptr;
  }
  k[kArray] = nullptr;
  return call_method(f, KILN_REDUCE, "reduce", &array, 1, k);
}

PyObject* accumulate(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  FunctionObject& f = *reinterpret_cast<FunctionObject*>(self);
  static constexpr Keyword kOrder_[] = {kArray, kAxis, kDtype, kOut};
  if (!require(f, "accumulate", 2)) return nullptr;
  Keywords k;
  if (!k.read_positional("accumulate", args, count, kOrder_, 4) ||
      !k.read("accumulate", args + count, names, kPlace | set_of({kArray, kAxis, kDtype, kOut})))
    return nullptr;
  if (k[kArray] == nullptr) {
    PyErr_SetString(PyExc_TypeError, "accumulate() missing required argument 'array' (pos 1)");
    return nullptr;
  }
  PyObject* result = nullptr;
  if (count <= 2 && names == nullptr && accumulate_quickly(f, k[kArray], k[kAxis], result)) return result;
  PyObject* const array = k[kArray];
  k[kArray] = nullptr;
  return call_method(f, KILN_ACCUMULATE, "accumulate", &array, 1, k);
}

PyObject* reduceat(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  FunctionObject& f = *reinterpret_cast<FunctionObject*>(self);
  static constexpr Keyword kOrder_[] = {kArray, kIndices, kAxis, kDtype, kOut};
  if (!require(f, "reduceat", 2)) return nullptr;
  Keywords k;
  if (!k.read_positional("reduceat", args, count, kOrder_, 5) ||
      !k.read("reduceat", args + count, names, kPlace | set_of({kArray, kIndices, kAxis, kDtype, kOut})))
    return nullptr;
  if (k[kArray] == nullptr || k[kIndices] == nullptr) {
    PyErr_SetString(PyExc_TypeError, "reduceat() takes an array and its indices");
    return nullptr;
  }
  // Indices are converted as NumPy does, unless a class takes the call over.
  Ref indices = Ref::borrowed(k[kIndices]);
  if (!has_override(k[kArray]) &&
      (PyList_Check(indices.get()) || PyTuple_Check(indices.get()) || PyArray_CheckAnyScalarExact(indices.get())))
    indices = Ref(PyArray_FROM_OTF(indices.get(), NPY_INTP, NPY_ARRAY_DEFAULT));
  if (!indices) return nullptr;
  PyObject* const inputs[] = {k[kArray], indices.get()};
  k[kArray] = k[kIndices] = nullptr;
  return call_method(f, KILN_REDUCEAT, "reduceat", inputs, 2, k);
}

/// Returns a view of an array of NumPy with axes of extent 1 behind its own, or NULL with an exception.
Ref with_axes(PyObject* object, int more) {
  auto* const array = reinterpret_cast<PyArrayObject*>(object);
  const int ndim = PyArray_NDIM(array);
  npy_intp shape[2 * kMaxAxes];
  if (ndim + more > kMaxAxes) {
    PyErr_Format(PyExc_ValueError, "maximum supported dimension for an ndarray is currently %d, found %d", kMaxAxes,
                 ndim + more);
    return {};
  }
  for (int i = 0; i < ndim + more; ++i) shape[i] = i < ndim ? PyArray_DIM(array, i) : 1;
  PyArray_Dims dims{shape, ndim + more};
  return Ref(PyArray_Newshape(array, &dims, NPY_ANYORDER));
}

bool is_number_or_array(PyObject* object) {
  return PyFloat_CheckExact(object) || PyLong_CheckExact(object) || PyArray_CheckExact(object);
}

PyObject* outer(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  FunctionObject& f = *reinterpret_cast<FunctionObject*>(self);
  if (f.info.kind == KILN_GUFUNC) {
    PyErr_SetString(PyExc_TypeError, "method outer is not allowed in ufunc with non-trivial signature");
    return nullptr;
  }
  if (f.info.nin != 2) {
    PyErr_SetString(PyExc_ValueError, "outer product only supported for binary functions");
    return nullptr;
  }
  if (count != 2) {
    PyErr_Format(PyExc_TypeError, "outer() takes exactly 2 positional arguments (%zd given)", count);
    return nullptr;
  }
  Keywords k;
  if (!k.read("outer", args + 2, names, kPlace | set_of({kOut, kWhere, kDtype, kCasting, kSignature, kSig, kOrder, kSubok})))
    return nullptr;
  if (Py_TYPE(args[0]) == array_type() || Py_TYPE(args[1]) == array_type() || has_override(args[0]) || has_override(args[1])) {
    return call_method(f, KILN_OUTER, "outer", args, 2, k);
  }
  // A call with axes of extent 1 has all that a call has. So does NumPy. Numbers have no axes.
  const bool arrays = PyArray_CheckExact(args[0]) && PyArray_CheckExact(args[1]);
  if (arrays || (is_number_or_array(args[0]) && is_number_or_array(args[1]))) {
    const Ref first =
        arrays ? with_axes(args[0], PyArray_NDIM(reinterpret_cast<PyArrayObject*>(args[1]))) : Ref::borrowed(args[0]);
    if (!first) return nullptr;
    PyObject* const inputs[] = {first.get(), args[1]};
    PyObject* result = nullptr;
    if (names == nullptr && call_quickly(f, inputs, 2, nullptr, result) == Quick::done) return result;
    return call_method(f, KILN_CALL, "__call__", inputs, 2, k);
  }
  const Ref reshape(support("outer_operands"));
  const Ref pair(reshape ? PyObject_CallFunctionObjArgs(reshape.get(), args[0], args[1], nullptr) : nullptr);
  if (!pair) return nullptr;
  if (pair.get() == Py_None) return call_method(f, KILN_OUTER, "outer", args, 2, k);
  PyObject* const inputs[] = {PyTuple_GET_ITEM(pair.get(), 0), PyTuple_GET_ITEM(pair.get(), 1)};
  return call_method(f, KILN_CALL, "__call__", inputs, 2, k);
}

/// Changes an array at indices that are arrays, one for each axis: `_at(a, *indices)` or `_at(a, *indices, b)`.
PyObject* at_arrays(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  FunctionObject& f = *reinterpret_cast<FunctionObject*>(self);
  if (count < 2 || count > kMaxAxes) {
    PyErr_SetString(PyExc_TypeError, "_at() takes an array, indices and an operand");
    return nullptr;
  }
  const Keywords none;
  const Ref result(general_call({.f = f,
                                 .method = KILN_AT,
                                 .method_name = "at",
                                 .inputs = args + 1,
                                 .nin = static_cast<std::size_t>(count - 1),
                                 .outputs = args,
                                 .nout = 1,
                                 .keywords = none}));
  if (!result) return nullptr;
  Py_RETURN_NONE;
}

PyObject* at(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  FunctionObject& f = *reinterpret_cast<FunctionObject*>(self);
  if (f.info.kind == KILN_GUFUNC) {
    PyErr_Format(PyExc_TypeError, "%s.at does not support ufunc with non-trivial signature: %s has signature %s.", f.info.name,
                 f.info.name, f.info.layout);
    return nullptr;
  }
  if (f.info.nin > 2 || f.info.nout != 1) {
    PyErr_SetString(PyExc_ValueError, "Only unary and binary ufuncs supported at this time");
    return nullptr;
  }
  if (count < 2 || count > 3) {
    PyErr_Format(PyExc_TypeError, "at() takes from 2 to 3 positional arguments but %zd were given", count);
    return nullptr;
  }
  if (count == 3 && args[2] == Py_None) --count;
  if (count - 1 != f.info.nin) {
    PyErr_SetString(PyExc_ValueError,
                    f.info.nin == 2 ? "second operand needed for ufunc" : "second operand provided when ufunc is unary");
    return nullptr;
  }
  PyObject* result = nullptr;
  const Keywords none;
  switch (override_call(self, "at", args, static_cast<std::size_t>(count), nullptr, none, result)) {
    case Taken::yes:
      return result;
    case Taken::failed:
      return nullptr;
    case Taken::no:
      break;
  }
  const Ref all(support("at"));
  return all ? PyObject_CallFunctionObjArgs(all.get(), self, args[0], args[1], count == 3 ? args[2] : nullptr, nullptr)
             : nullptr;
}

template <class T>
constexpr PyCFunction method_of(T* function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

}  // namespace

PyMethodDef kUfuncMethods[] = {
    {"reduce", method_of(reduce), METH_FASTCALL | METH_KEYWORDS,
     "reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=<no value>, where=True)\n--\n\n"
     "Reduces the array along axes: an int, a tuple, or None for all."},
    {"accumulate", method_of(accumulate), METH_FASTCALL | METH_KEYWORDS,
     "accumulate(array, axis=0, dtype=None, out=None)\n--\n\nGives the results of all leading parts of the axis."},
    {"reduceat", method_of(reduceat), METH_FASTCALL | METH_KEYWORDS,
     "reduceat(array, indices, axis=0, dtype=None, out=None)\n--\n\nReduces segments, which begin at the indices."},
    {"outer", method_of(outer), METH_FASTCALL | METH_KEYWORDS,
     "outer(A, B, /, **keywords)\n--\n\nApplies the ufunc to every pair of elements."},
    {"at", method_of(at), METH_FASTCALL,
     "at(a, indices, b=None, /)\n--\n\nChanges `a` at indices; an index that occurs twice counts twice."},
    {"_at", method_of(at_arrays), METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace kiln::python
