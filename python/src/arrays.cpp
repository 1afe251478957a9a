#include "arrays.hpp"

#include <structmember.h>

#include <cstring>

#include "dlpack.hpp"
#include "dtypes.hpp"
#include "errors.hpp"
#include "exchange.hpp"
#include "operands.hpp"
#include "options.hpp"
#include "streams.hpp"

namespace kiln::python {
namespace {

PyTypeObject* the_type = nullptr;

ArrayObject& to_array(PyObject* self) noexcept {
  return *reinterpret_cast<ArrayObject*>(self);
}

void free_array(PyObject* self) {
  ArrayObject& a = to_array(self);
  if (a.weak_references != nullptr) PyObject_ClearWeakRefs(self);
  {
    // A tensor's deleter may be Python, and an exception may be on its way.
    const NoException aside;
    kiln_array_release(a.handle);
  }
  PyTypeObject* const type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* make_directly(PyTypeObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError, "kiln.Array is made by kiln.device_array, kiln.to_device and kiln.from_dlpack");
  return nullptr;
}

Ref tuple_of(const std::int64_t* values, int count) {
  Ref tuple(PyTuple_New(count));
  for (int i = 0; tuple && i < count; ++i) {
    PyObject* const value = PyLong_FromLongLong(values[i]);
    if (value == nullptr) return {};
    PyTuple_SET_ITEM(tuple.get(), i, value);
  }
  return tuple;
}

PyObject* get_shape(PyObject* self, void*) {
  return tuple_of(to_array(self).info.shape, to_array(self).info.ndim).release();
}
PyObject* get_strides(PyObject* self, void*) {
  return tuple_of(to_array(self).info.strides, to_array(self).info.ndim).release();
}
PyObject* get_ndim(PyObject* self, void*) {
  return PyLong_FromLong(to_array(self).info.ndim);
}
PyObject* get_dtype(PyObject* self, void*) {
  return reinterpret_cast<PyObject*>(descr_of(to_array(self).info.dtype));
}
PyObject* get_place(PyObject* self, void*) {
  const kiln_device device = to_array(self).info.device;
  return Py_BuildValue("(ii)", device.type == 0 ? KILN_CPU : device.type, device.index);
}
PyObject* get_pointer(PyObject* self, void*) {
  return PyLong_FromVoidPtr(to_array(self).info.data);
}
PyObject* get_read_only(PyObject* self, void*) {
  return PyBool_FromLong(to_array(self).info.read_only);
}
PyObject* get_on_host(PyObject* self, void*) {
  return PyBool_FromLong(on_host(to_array(self).info));
}

/// Returns an array of NumPy on the memory of an array that the host reads; it keeps `self`.
PyObject* host_view(PyObject* self, PyObject*) {
  const ArrayObject& a = to_array(self);
  if (!on_host(a.info)) return raise(KILN_E_DEVICE, "the array is on a device: copy_to_host() copies it");
  return numpy_of(ArrayHandle(kiln_array_retain(a.handle)), true);
}

PyObject* copy_to(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  if (count != 2) {
    PyErr_SetString(PyExc_TypeError, "_copy_to() takes a device or None, and a stream or None");
    return nullptr;
  }
  kiln_device device{0, 0};
  const kiln_stream* stream = nullptr;
  if (args[0] != Py_None && !convert_device(args[0], device)) return nullptr;
  if (args[1] != Py_None && (stream = stream_of(args[1])) == nullptr) return nullptr;
  ArrayHandle copy;
  Error error;
  kiln_status status = KILN_OK;
  {
    const Unlocked unlocked;
    status = kiln_array_to(copy.out(), to_array(self).handle, device, stream, error.out());
  }
  if (status != KILN_OK) return error.raise();
  return own_array(std::move(copy));
}

PyObject* give_dlpack(PyObject* self, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"stream", "max_version", "dl_device", "copy", nullptr};
  PyObject* stream = Py_None;
  PyObject* version = Py_None;
  PyObject* device = Py_None;
  PyObject* copy = Py_None;
  if (PyArg_ParseTupleAndKeywords(args, keywords, "|$OOOO:__dlpack__", const_cast<char**>(names), &stream, &version, &device,
                                  &copy) == 0)
    return nullptr;
  bool versioned = false;
  if (version != Py_None) {
    if (!PyTuple_Check(version) || PyTuple_GET_SIZE(version) != 2) {
      PyErr_SetString(PyExc_TypeError, "max_version: a pair of ints is expected");
      return nullptr;
    }
    const long major = PyLong_AsLong(PyTuple_GET_ITEM(version, 0));
    if (major == -1 && PyErr_Occurred() != nullptr) return nullptr;
    versioned = major >= 1;
  }
  const ArrayObject& a = to_array(self);
  ArrayHandle copied;
  Error error;
  if (device != Py_None) {
    int type = 0;
    int index = 0;
    if (PyArg_ParseTuple(device, "ii", &type, &index) == 0) return nullptr;
    const int own = a.info.device.type == 0 ? KILN_CPU : a.info.device.type;
    if (type != own || index != a.info.device.index) {
      if (copy == Py_False) {
        PyErr_SetString(PyExc_BufferError, "the array is on another device, and copy=False was given");
        return nullptr;
      }
      const bool exists = type != KILN_CPU || index == 0;
      const kiln_device to = type == KILN_CPU ? kiln_device{0, 0} : kiln_device{type, index};
      if (!exists || kiln_array_to(copied.out(), a.handle, to, nullptr, nullptr) != KILN_OK) {
        PyErr_Format(PyExc_BufferError, "the array cannot be copied to the DLPack device (%d, %d)", type, index);
        return nullptr;
      }
    }
  }
  if (copied.get() == nullptr && copy == Py_True) {
    const kiln_device to = on_host(a.info) ? kiln_device{0, 0} : a.info.device;
    if (kiln_array_to(copied.out(), a.handle, to, nullptr, error.out()) != KILN_OK) return error.raise();
  }
  if (!versioned && a.info.read_only != 0) {
    PyErr_SetString(PyExc_BufferError, "a read-only array is given by DLPack 1.0 and newer alone: give its copy()");
    return nullptr;
  }
  return capsule_of(copied.get() != nullptr ? copied.get() : a.handle, versioned, stream);
}

template <class T>
constexpr PyCFunction method_of(T* function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef array_methods[] = {
    {"_host_view", host_view, METH_NOARGS, nullptr},
    {"_copy_to", method_of(copy_to), METH_FASTCALL, nullptr},
    {"__dlpack__", method_of(give_dlpack), METH_VARARGS | METH_KEYWORDS,
     "__dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\nGives the array by DLPack."},
    {"__dlpack_device__", [](PyObject* self, PyObject*) { return get_place(self, nullptr); }, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef array_values[] = {{"shape", get_shape, nullptr, "The extents of the axes.", nullptr},
                              {"strides", get_strides, nullptr, "The bytes between neighbours along each axis.", nullptr},
                              {"ndim", get_ndim, nullptr, "The number of axes.", nullptr},
                              {"dtype", get_dtype, nullptr, "The dtype, as NumPy has it.", nullptr},
                              {"ptr", get_pointer, nullptr, "The address of the first element.", nullptr},
                              {"read_only", get_read_only, nullptr, "Whether calls may not write to the array.", nullptr},
                              {"_place", get_place, nullptr, nullptr, nullptr},
                              {"_on_host", get_on_host, nullptr, nullptr, nullptr},
                              {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMemberDef array_members[] = {{"__weaklistoffset__", T_PYSSIZET, offsetof(ArrayObject, weak_references), READONLY, nullptr},
                               {nullptr, 0, 0, 0, nullptr}};

PyType_Slot array_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(make_directly)},
    {Py_tp_dealloc, reinterpret_cast<void*>(free_array)},
    {Py_tp_methods, array_methods},
    {Py_tp_getset, array_values},
    {Py_tp_members, array_members},
    {Py_tp_doc,
     const_cast<char*>("An array on a device, or on the host. kiln.device_array, to_device and from_dlpack make one.")},
    {0, nullptr}};
PyType_Spec array_spec = {"kiln.Array", sizeof(ArrayObject), 0, Py_TPFLAGS_DEFAULT, array_slots};

bool read_extents(PyObject* object, std::int64_t* to, Py_ssize_t& count) {
  const Ref list(to_tuple(object, "a tuple of ints is expected"));
  if (!list) return false;
  count = PyTuple_GET_SIZE(list.get());
  if (count > kMaxAxes) {
    PyErr_Format(PyExc_ValueError, "%zd axes; %d are possible", count, kMaxAxes);
    return false;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    to[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(list.get(), i));
    if (to[i] == -1 && PyErr_Occurred() != nullptr) return false;
  }
  return true;
}

/// Makes an array: new_array(shape, dtype, device). The device is a name, None for the host, or a pair of the C interface.
PyObject* new_array(PyObject*, PyObject* args) {
  PyObject* shape = nullptr;
  PyObject* dtype = nullptr;
  PyObject* device = nullptr;
  if (PyArg_ParseTuple(args, "OOO:new_array", &shape, &dtype, &device) == 0) return nullptr;
  std::int64_t extents[kMaxAxes];
  Py_ssize_t count = 0;
  kiln_dtype type;
  kiln_device where{0, 0};
  if (!read_extents(shape, extents, count) || !convert_dtype(dtype, type)) return nullptr;
  if (PyTuple_Check(device)) {
    if (PyArg_ParseTuple(device, "ii:new_array", &where.type, &where.index) == 0) return nullptr;
  } else if (device != Py_None && !convert_device(device, where)) {
    return nullptr;
  }
  ArrayHandle made;
  Error error;
  kiln_status status = KILN_OK;
  {
    const Unlocked unlocked;
    status = kiln_array_new(made.out(), where, type, static_cast<int>(count), extents, error.out());
  }
  return status == KILN_OK ? own_array(std::move(made)) : error.raise();
}

constexpr const char* kRegistration = "kiln.registration";

/// Ends a registration. Queued work that the function waits for may give up references, which needs the GIL.
void end_registration(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, kRegistration) == 0) return;
  auto* const registration = static_cast<kiln_registration*>(PyCapsule_GetPointer(capsule, kRegistration));
  PyCapsule_SetName(capsule, "kiln.registration.ended");
  const Unlocked unlocked;
  kiln_registration_release(registration);
}

/// Page-locks the memory of an array of NumPy: lock_pages(array). Returns a capsule that ends it.
PyObject* lock_pages(PyObject*, PyObject* array) {
  Operands operands(1);
  Operand& operand = operands.add();
  if (read(array, operand) != Given::numpy) {
    PyErr_SetString(PyExc_TypeError, "lock_pages() takes an array of NumPy in native order");
    return nullptr;
  }
  Handle<kiln_registration, kiln_registration_release> made;
  Error error;
  kiln_status status = KILN_OK;
  {
    const Unlocked unlocked;
    status = kiln_registration_new(made.out(), &operand.arg, 1, {0, 0}, error.out());
  }
  if (status != KILN_OK) return error.raise();
  PyObject* const capsule = PyCapsule_New(made.get(), kRegistration, end_registration);
  if (capsule != nullptr) static_cast<void>(made.release());
  return capsule;
}

PyObject* unlock_pages(PyObject*, PyObject* capsule) {
  end_registration(capsule);
  Py_RETURN_NONE;
}

void release_reference(void* owner) {
  if (Py_IsInitialized() == 0) return;
  const PyGILState_STATE state = PyGILState_Ensure();
  {
    const NoException aside;
    Py_DECREF(static_cast<PyObject*>(owner));
  }
  PyGILState_Release(state);
}

/// Makes an array on memory that `owner` keeps: view(owner, address, dtype, shape, strides, place, read_only).
PyObject* view(PyObject*, PyObject* args) {
  PyObject* owner = nullptr;
  PyObject* address = nullptr;
  PyObject* dtype = nullptr;
  PyObject* shape = nullptr;
  PyObject* strides = nullptr;
  int type = 0;
  int index = 0;
  int read_only = 0;
  if (PyArg_ParseTuple(args, "OOOOO(ii)p:view", &owner, &address, &dtype, &shape, &strides, &type, &index, &read_only) == 0)
    return nullptr;
  std::int64_t extents[kMaxAxes];
  std::int64_t steps[kMaxAxes];
  Py_ssize_t count = 0;
  Py_ssize_t step_count = 0;
  kiln_array_info info = kiln_array_info_default();
  if (!read_extents(shape, extents, count) || !convert_dtype(dtype, info.dtype)) return nullptr;
  if (strides != Py_None && (!read_extents(strides, steps, step_count) || step_count != count)) {
    if (PyErr_Occurred() == nullptr) PyErr_SetString(PyExc_ValueError, "shape and strides have different numbers of axes");
    return nullptr;
  }
  info.data = PyLong_AsVoidPtr(address);
  if (info.data == nullptr && PyErr_Occurred() != nullptr) return nullptr;
  info.device = {type, index};
  info.ndim = static_cast<int>(count);
  info.shape = extents;
  info.strides = strides == Py_None ? nullptr : steps;
  info.read_only = read_only != 0 ? 1 : 0;
  info.release = release_reference;
  info.owner = Py_NewRef(owner);
  ArrayHandle made;
  Error error;
  if (kiln_array_view(made.out(), &info, error.out()) != KILN_OK) {
    Py_DECREF(owner);
    return error.raise();
  }
  return own_array(std::move(made));
}

/// Writes `from` to the elements of `to`: assign(to, from, stream, unsafe).
PyObject* assign(PyObject*, PyObject* args) {
  PyObject* to = nullptr;
  PyObject* from = nullptr;
  PyObject* stream = nullptr;
  int unsafe = 0;
  if (PyArg_ParseTuple(args, "OOO|p:assign", &to, &from, &stream, &unsafe) == 0) return nullptr;
  const kiln_stream* on = nullptr;
  if (stream != Py_None && (on = stream_of(stream)) == nullptr) return nullptr;
  Operands operands(2);
  Operand& target = operands.add();
  Operand& source = operands.add();
  if (const Given given = read(to, target);
      given == Given::weak || (given == Given::foreign && !convert_output(to, target, "to"))) {
    if (given == Given::weak) PyErr_SetString(PyExc_TypeError, "an array is expected");
    return nullptr;
  }
  if (read(from, source) == Given::foreign && !convert_input(from, source, "from")) return nullptr;
  if (on != nullptr) {
    if (source.held == nullptr) source.held = Py_NewRef(from);
    if (target.held == nullptr) target.held = Py_NewRef(to);
    if (!keep_memory(source) || !keep_memory(target)) return nullptr;
  }
  Error error;
  kiln_status status = KILN_OK;
  {
    const Unlocked unlocked;
    status = kiln_array_assign(&target.arg, &source.arg, unsafe != 0 ? KILN_UNSAFE : KILN_SAME_KIND, on, error.out());
  }
  if (status != KILN_OK) return error.raise();
  Py_RETURN_NONE;
}

/// Operands of an indexed array: the array, and its indices.
struct Indexed {
  explicit Indexed(std::size_t capacity) noexcept : operands(capacity) {}
  /// Reads them. Returns false with an exception.
  bool read_all(PyObject* array, PyObject* indices) {
    if (operands.failed()) return false;
    if (read(array, operands.add()) != Given::own) {
      PyErr_SetString(PyExc_TypeError, "a kiln.Array is expected");
      return false;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(indices); ++i) {
      Operand& index = operands.add();
      PyObject* const each = PyTuple_GET_ITEM(indices, i);
      if (const Given given = read(each, index); given == Given::foreign && !convert_input(each, index, "an index"))
        return false;
      args[i] = index.arg;
    }
    return true;
  }
  Operands operands;
  kiln_arg args[kMaxAxes];
};

bool read_indices(PyObject* indices) {
  if (PyTuple_Check(indices) != 0 && PyTuple_GET_SIZE(indices) <= kMaxAxes) return true;
  PyErr_Format(PyExc_TypeError, "a tuple of at most %d arrays is expected", kMaxAxes);
  return false;
}

/// Returns a copy of the elements at indices, an array for each of the first axes: take(array, indices).
PyObject* take(PyObject*, PyObject* args) {
  PyObject* array = nullptr;
  PyObject* indices = nullptr;
  if (PyArg_ParseTuple(args, "OO:take", &array, &indices) == 0 || !read_indices(indices)) return nullptr;
  const auto count = static_cast<std::size_t>(PyTuple_GET_SIZE(indices));
  Indexed indexed(count + 1);
  if (!indexed.read_all(array, indices)) return nullptr;
  ArrayHandle made;
  Error error;
  kiln_status status = KILN_OK;
  {
    const Unlocked unlocked;
    status = kiln_array_take(made.out(), &indexed.operands[0].arg, indexed.args, count, error.out());
  }
  return status == KILN_OK ? own_array(std::move(made)) : error.raise();
}

/// Writes values to those elements: put(array, indices, values).
PyObject* put(PyObject*, PyObject* args) {
  PyObject* array = nullptr;
  PyObject* indices = nullptr;
  PyObject* values = nullptr;
  if (PyArg_ParseTuple(args, "OOO:put", &array, &indices, &values) == 0 || !read_indices(indices)) return nullptr;
  const auto count = static_cast<std::size_t>(PyTuple_GET_SIZE(indices));
  Indexed indexed(count + 2);
  if (!indexed.read_all(array, indices)) return nullptr;
  Operand& source = indexed.operands.add();
  if (read(values, source) == Given::foreign && !convert_input(values, source, "the values")) return nullptr;
  Error error;
  kiln_status status = KILN_OK;
  {
    const Unlocked unlocked;
    status = kiln_array_put(&indexed.operands[0].arg, indexed.args, count, &source.arg, error.out());
  }
  if (status != KILN_OK) return error.raise();
  Py_RETURN_NONE;
}

/// Writes a picture: save_png(path, array, colormap or None, low or None, high or None), with the path as bytes.
PyObject* save_png(PyObject*, PyObject* args) {
  const char* path = nullptr;
  PyObject* array = nullptr;
  const char* colormap = nullptr;
  PyObject* limits[2] = {};
  if (PyArg_ParseTuple(args, "yOzOO:save_png", &path, &array, &colormap, &limits[0], &limits[1]) == 0) return nullptr;
  double numbers[2] = {};
  for (int i = 0; i < 2; ++i) {
    if (limits[i] == Py_None) continue;
    numbers[i] = PyFloat_AsDouble(limits[i]);
    if (numbers[i] == -1 && PyErr_Occurred() != nullptr) return nullptr;
  }
  Operands operands(1);
  if (operands.failed()) return nullptr;
  Operand& source = operands.add();
  if (read(array, source) == Given::foreign && !convert_input(array, source, "the picture")) return nullptr;
  Error error;
  kiln_status status = KILN_OK;
  {
    const Unlocked unlocked;
    status = kiln_array_save_png(&source.arg, path, colormap, limits[0] == Py_None ? nullptr : &numbers[0],
                                 limits[1] == Py_None ? nullptr : &numbers[1], error.out());
  }
  if (status != KILN_OK) return error.raise();
  Py_RETURN_NONE;
}

PyObject* from_dlpack(PyObject*, PyObject* object) {
  return array_of_object(object);
}

PyMethodDef functions[] = {
    {"new_array", new_array, METH_VARARGS, nullptr},
    {"lock_pages", lock_pages, METH_O, nullptr},
    {"unlock_pages", unlock_pages, METH_O, nullptr},
    {"view", view, METH_VARARGS, nullptr},
    {"assign", assign, METH_VARARGS, nullptr},
    {"take", take, METH_VARARGS, nullptr},
    {"put", put, METH_VARARGS, nullptr},
    {"save_png", save_png, METH_VARARGS, nullptr},
    {"from_dlpack", from_dlpack, METH_O,
     "from_dlpack(x, /)\n--\n\nMakes a kiln.Array that shares the memory of an array of another library."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyTypeObject* array_type() noexcept {
  return the_type;
}

PyObject* own_array(ArrayHandle handle) {
  kiln_array_info info = kiln_array_info_default();
  Error error;
  if (kiln_array_describe(handle.get(), &info, error.out()) != KILN_OK) return error.raise();
  auto* const made = reinterpret_cast<ArrayObject*>(the_type->tp_alloc(the_type, 0));
  if (made == nullptr) return nullptr;
  made->handle = handle.release();
  made->info = info;
  return reinterpret_cast<PyObject*>(made);
}

PyObject* numpy_of(ArrayHandle handle, bool always_view) {
  Ref owner(own_array(std::move(handle)));
  if (!owner) return nullptr;
  const kiln_array_info& info = to_array(owner.get()).info;
  PyArray_Descr* const descr = descr_of(info.dtype);
  if (descr == nullptr) return nullptr;
  const int flags = NPY_ARRAY_ALIGNED | (info.read_only != 0 ? 0 : NPY_ARRAY_WRITEABLE);
  Ref made(PyArray_NewFromDescr(
      &PyArray_Type, descr, info.ndim, const_cast<npy_intp*>(reinterpret_cast<const npy_intp*>(info.shape)),
      const_cast<npy_intp*>(reinterpret_cast<const npy_intp*>(info.strides)), info.data, flags, nullptr));
  if (!made) return nullptr;
  auto* const array = reinterpret_cast<PyArrayObject*>(made.get());
  // Small results are copied: an owner of their own costs more than their elements.
  if ((PyArray_NBYTES(array) <= 256 && !always_view) || info.data == nullptr) return PyArray_NewCopy(array, NPY_KEEPORDER);
  if (PyArray_SetBaseObject(array, owner.release()) < 0) return nullptr;
  return made.release();
}

bool add_arrays(PyObject* module) {
  the_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&array_spec));
  return the_type != nullptr && PyModule_AddObjectRef(module, "Array", reinterpret_cast<PyObject*>(the_type)) == 0 &&
         add_exchange(reinterpret_cast<PyObject*>(the_type)) && PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace kiln::python
