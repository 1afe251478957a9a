#include "operands.hpp"

#include <cstring>

#include "arrays.hpp"
#include "dlpack.hpp"
#include "dtypes.hpp"
#include "errors.hpp"

namespace kiln::python {
namespace {

void fill_memory(Operand& to, void* data, kiln_dtype dtype, int ndim, const npy_intp* shape, const npy_intp* strides,
                 bool writable) noexcept {
  to.given = Given::numpy;
  to.dtype = dtype;
  set_info(to.info, data, dtype, ndim, shape, strides, !writable);
  to.arg.kind = KILN_MEMORY;
  to.arg.value.memory = &to.info;
}

bool fill_array(Operand& to, PyArrayObject* array) noexcept {
  const kiln_dtype dtype = dtype_of(PyArray_TYPE(array));
  if (dtype.lanes == 0) return false;
  const int flags = PyArray_FLAGS(array);
  if ((flags & NPY_ARRAY_ALIGNED) == 0 || !PyArray_ISNBO(PyArray_DESCR(array)->byteorder)) return false;
  fill_memory(to, PyArray_DATA(array), dtype, PyArray_NDIM(array), PyArray_DIMS(array), PyArray_STRIDES(array),
              (flags & NPY_ARRAY_WRITEABLE) != 0);
  return true;
}

void fill_weak(Operand& to, kiln_dtype dtype) noexcept {
  to.given = Given::weak;
  to.dtype = to.arg.dtype = dtype;
  to.arg.kind = KILN_SCALAR;
}

/// Reads an exact number of Python. Ints of more than 64 bits are none.
bool fill_number(PyObject* object, Operand& to) noexcept {
  PyTypeObject* const type = Py_TYPE(object);
  if (type == &PyFloat_Type) {
    fill_weak(to, {KILN_FLOAT, 64, 1});
    to.arg.value.f = PyFloat_AS_DOUBLE(object);
    return true;
  }
  if (type == &PyBool_Type) {
    fill_weak(to, {KILN_BOOL, 8, 1});
    to.arg.value.u = object == Py_True ? 1 : 0;
    return true;
  }
  if (type == &PyLong_Type) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow == 0) {
      fill_weak(to, {KILN_INT, 64, 1});
      to.arg.value.i = value;
      return true;
    }
    if (overflow < 0) return false;
    const unsigned long long large = PyLong_AsUnsignedLongLong(object);
    if (large == static_cast<unsigned long long>(-1) && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      return false;
    }
    fill_weak(to, {KILN_UINT, 64, 1});
    to.arg.value.u = large;
    return true;
  }
  if (type == &PyComplex_Type) {
    fill_weak(to, {KILN_COMPLEX, 128, 1});
    const double parts[2] = {PyComplex_RealAsDouble(object), PyComplex_ImagAsDouble(object)};
    std::memcpy(to.value, parts, sizeof parts);
    to.arg.kind = KILN_SCALAR_AT;
    to.arg.value.at = to.value;
    return true;
  }
  return false;
}

bool fill_numpy_scalar(PyObject* object, Operand& to) noexcept {
  PyArray_Descr* const descr = PyArray_DescrFromScalar(object);
  if (descr == nullptr) {
    PyErr_Clear();
    return false;
  }
  const kiln_dtype dtype = dtype_of(descr->type_num);
  Py_DECREF(descr);
  if (dtype.lanes == 0 || dtype.code == KILN_BFLOAT) return false;
  PyArray_ScalarAsCtype(object, to.value);
  fill_memory(to, to.value, dtype, 0, nullptr, nullptr, false);
  return true;
}

bool fill_own(PyObject* object, Operand& to) noexcept {
  auto* const array = reinterpret_cast<ArrayObject*>(object);
  to.given = Given::own;
  to.info = array->info;
  to.dtype = array->info.dtype;
  to.arg.kind = KILN_ARRAY;
  to.arg.value.array = array->handle;
  return true;
}

/// Reads an array of NumPy that `read` leaves: a subclass, another byte order, no alignment.
bool convert_array(PyArrayObject* array, Operand& to, const char* what, int more_flags) {
  PyArray_Descr* const descr = PyArray_DESCR(array);
  if (dtype_of(descr->type_num).lanes == 0) {
    const Ref known(descr->type_num > NPY_VOID ? support("bfloat16") : nullptr);
    if (known) {
      const Ref bfloat16(PyObject_CallNoArgs(known.get()));
      PyErr_Clear();
      kiln_dtype dtype;
      if (!convert_dtype(reinterpret_cast<PyObject*>(descr), dtype)) return false;
    }
    if (dtype_of(descr->type_num).lanes == 0) return refuse_dtype(what, descr) != nullptr;
  }
  if (fill_array(to, array)) {
    to.held = Py_NewRef(reinterpret_cast<PyObject*>(array));
    return true;
  }
  PyArray_Descr* const native = PyArray_DescrNewByteorder(descr, NPY_NATIVE);
  if (native == nullptr) return false;
  to.held = PyArray_FromArray(array, native, NPY_ARRAY_ALIGNED | NPY_ARRAY_NOTSWAPPED | more_flags);
  if (to.held == nullptr) return false;
  if (fill_array(to, reinterpret_cast<PyArrayObject*>(to.held))) return true;
  return refuse_dtype(what, descr) != nullptr;
}

void release_owner(void* owner) {
  // Work that ends after the interpreter leaves its references.
  if (Py_IsInitialized() == 0) return;
  const PyGILState_STATE state = PyGILState_Ensure();
  {
    const NoException aside;
    Py_DECREF(static_cast<PyObject*>(owner));
  }
  PyGILState_Release(state);
}

}  // namespace

Operands::Operands(std::size_t capacity) noexcept
    : all_(capacity <= kInline ? inline_ : static_cast<Operand*>(PyMem_Malloc(capacity * sizeof(Operand)))) {
  if (all_ == nullptr) PyErr_NoMemory();
}

Operands::~Operands() {
  for (std::size_t i = 0; i < count_; ++i) Py_XDECREF(all_[i].held);
  if (all_ != inline_) PyMem_Free(all_);
}

Given read(PyObject* object, Operand& to) noexcept {
  PyTypeObject* const type = Py_TYPE(object);
  if (type == &PyArray_Type) {
    return fill_array(to, reinterpret_cast<PyArrayObject*>(object)) ? Given::numpy : Given::foreign;
  }
  if (fill_number(object, to)) return Given::weak;
  if (type == &PyDoubleArrType_Type) {
    std::memcpy(to.value, &PyArrayScalar_VAL(object, Double), sizeof(double));
    fill_memory(to, to.value, {KILN_FLOAT, 64, 1}, 0, nullptr, nullptr, false);
    return Given::numpy;
  }
  if (type == array_type()) return fill_own(object, to) ? Given::own : Given::foreign;
  // NumPy's own classes of scalars have no bases of other packages.
  if (PyArray_IsScalar(object, Generic) && (type->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0 && fill_numpy_scalar(object, to))
    return Given::numpy;
  return Given::foreign;
}

bool convert_input(PyObject* object, Operand& to, const char* what) {
  if (PyArray_Check(object)) return convert_array(reinterpret_cast<PyArrayObject*>(object), to, what, 0);
  if (PyLong_Check(object) && Py_TYPE(object) == &PyLong_Type) {
    PyErr_Format(PyExc_OverflowError, "%s: Python integer %R out of bounds for 64 bits", what, object);
    return false;
  }
  if (PyArray_CheckAnyScalarExact(object) == 0) {
    const Borrowed found = borrow_tensor(object, to, what, false);
    if (found != Borrowed::none) return found == Borrowed::yes;
  }
  const Ref array(PyArray_FROM_OF(object, NPY_ARRAY_ALIGNED | NPY_ARRAY_NOTSWAPPED));
  if (!array) return false;
  return convert_array(reinterpret_cast<PyArrayObject*>(array.get()), to, what, 0);
}

bool convert_output(PyObject* object, Operand& to, const char* what) {
  if (PyArray_Check(object)) {
    auto* const array = reinterpret_cast<PyArrayObject*>(object);
    if (PyArray_FailUnlessWriteable(array, "output array") < 0) return false;
    return convert_array(array, to, what, NPY_ARRAY_WRITEBACKIFCOPY);
  }
  if (PyArray_CheckAnyScalarExact(object) == 0 && !PyArray_IsScalar(object, Generic)) {
    const Borrowed found = borrow_tensor(object, to, what, true);
    if (found == Borrowed::failed) return false;
    if (found == Borrowed::yes) {
      if (to.info.read_only == 0) return true;
      if (is_immutable(object)) {
        PyErr_Format(PyExc_ValueError,
                     "%s: %s is immutable, so that nothing is written to it; leave out= away, and take the result", what,
                     Py_TYPE(object)->tp_name);
      } else {
        PyErr_Format(PyExc_ValueError, "%s: the array is read-only", what);
      }
      return false;
    }
  }
  PyErr_SetString(PyExc_TypeError, "return arrays must be of ArrayType");
  return false;
}

bool convert_parameter(PyObject* object, Operand& to, const char* what) {
  if (PyArray_Check(object)) {
    auto* const array = reinterpret_cast<PyArrayObject*>(object);
    return convert_array(array, to, what, PyArray_ISWRITEABLE(array) ? NPY_ARRAY_WRITEBACKIFCOPY : 0);
  }
  if (PyArray_IsScalar(object, Generic) || PyNumber_Check(object) != 0) {
    if (PyObject_HasAttrString(object, "__dlpack__") == 0) return convert_input(object, to, what);
  }
  const Borrowed found = borrow_tensor(object, to, what, true);
  if (found == Borrowed::none)
    PyErr_Format(PyExc_TypeError, "%s: an array or a number is expected, and this is %s", what, Py_TYPE(object)->tp_name);
  return found == Borrowed::yes;
}

bool convert_scalar(PyObject* object, Operand& to, const char* what) {
  if (fill_number(object, to)) return true;
  const Ref array(PyArray_FROM_OF(object, NPY_ARRAY_ALIGNED | NPY_ARRAY_NOTSWAPPED));
  if (!array) return false;
  auto* const value = reinterpret_cast<PyArrayObject*>(array.get());
  const kiln_dtype dtype = dtype_of(PyArray_TYPE(value));
  if (dtype.lanes == 0) return refuse_dtype(what, PyArray_DESCR(value)) != nullptr;
  if (PyArray_NDIM(value) != 0) {
    PyErr_Format(PyExc_ValueError, "%s: a scalar is expected, and this has %d axes", what, PyArray_NDIM(value));
    return false;
  }
  std::memcpy(to.value, PyArray_DATA(value), dtype.bits / 8U);
  fill_weak(to, dtype);
  to.arg.kind = KILN_SCALAR_AT;
  to.arg.value.at = to.value;
  return true;
}

bool keep_memory(Operand& operand) {
  if (operand.arg.kind != KILN_MEMORY || operand.held == nullptr) return true;
  operand.info.release = release_owner;
  operand.info.owner = Py_NewRef(operand.held);
  kiln_array* made = nullptr;
  Error error;
  if (kiln_array_view(&made, &operand.info, error.out()) != KILN_OK) {
    Py_DECREF(operand.held);
    return error.raise() != nullptr;
  }
  PyObject* const owner = own_array(ArrayHandle(made));
  if (owner == nullptr) return false;
  Py_SETREF(operand.held, owner);
  operand.arg.kind = KILN_ARRAY;
  operand.arg.value.array = made;
  return true;
}

}  // namespace kiln::python
