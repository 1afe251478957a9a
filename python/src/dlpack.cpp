#include "dlpack.hpp"

#include <cstring>

#include "arrays.hpp"
#include "dlpack_structs.hpp"
#include "errors.hpp"

namespace kiln::python {
namespace {

constexpr const char* kVersioned = "dltensor_versioned";
constexpr const char* kOld = "dltensor";

struct Names {
  PyObject* exchange = PyUnicode_InternFromString("__dlpack_c_exchange_api__");
  PyObject* older_exchange = PyUnicode_InternFromString("__c_dlpack_exchange_api__");
  PyObject* dlpack = PyUnicode_InternFromString("__dlpack__");
  PyObject* device = PyUnicode_InternFromString("__dlpack_device__");
  PyObject* cuda = PyUnicode_InternFromString("__cuda_array_interface__");
  PyObject* module = PyUnicode_InternFromString("__module__");
  PyObject* versions = Py_BuildValue("(s)", "max_version");
  PyObject* versions_and_stream = Py_BuildValue("(ss)", "max_version", "stream");
  PyObject* stream = Py_BuildValue("(s)", "stream");
  PyObject* version = Py_BuildValue("(ii)", 1, 3);
};

const Names& names() {
  static const Names all;
  return all;
}

bool is_gpu(std::int32_t type) noexcept {
  return type != KILN_CPU && type != KILN_CUDA_HOST && type != KILN_ROCM_HOST;
}

/// Returns an attribute, or none without an exception.
Ref attribute(PyObject* object, PyObject* name) {
  Ref found(PyObject_GetAttr(object, name));
  if (!found && PyErr_ExceptionMatches(PyExc_AttributeError)) PyErr_Clear();
  return found;
}

Borrowed fail(const char* what, const char* why) {
  raise(KILN_E_TYPE, "%s: %s", what, why);
  return Borrowed::failed;
}

/// A tensor of a version without flags as one that is read-only.
dlpack::ManagedVersioned* with_read_only(dlpack::Managed* managed) {
  auto* const made = static_cast<dlpack::ManagedVersioned*>(PyMem_RawCalloc(1, sizeof(dlpack::ManagedVersioned)));
  if (made == nullptr) return nullptr;
  made->major = 1;
  made->context = managed;
  made->flags = dlpack::kReadOnly;
  made->tensor = managed->tensor;
  made->deleter = [](dlpack::ManagedVersioned* self) {
    auto* const held = static_cast<dlpack::Managed*>(self->context);
    if (held->deleter != nullptr) held->deleter(held);
    PyMem_RawFree(self);
  };
  return made;
}

/// Fills an operand that refers to a tensor, which `to.held` keeps.
Borrowed fill_tensor(const dlpack::Tensor& tensor, Operand& to, const char* what) {
  if (tensor.ndim < 0 || tensor.ndim > 64) return fail(what, "a tensor has 0 to 64 axes");
  if (tensor.ndim != 0 && tensor.shape == nullptr) return fail(what, "the tensor has axes, and its shape is NULL");
  to.given = Given::foreign;
  to.dtype = tensor.dtype;
  to.info = kiln_array_info_default();
  to.info.data = tensor.data;
  to.info.device = tensor.device;
  to.info.dtype = tensor.dtype;
  to.info.ndim = tensor.ndim;
  to.info.shape = tensor.shape;
  to.arg.kind = KILN_DLTENSOR;
  to.arg.value.tensor = &tensor;
  return Borrowed::yes;
}

/// Returns the exchange API of an object's class, or NULL without an exception.
const dlpack::Exchange* exchange_of(PyObject* object) {
  PyObject* const type = reinterpret_cast<PyObject*>(Py_TYPE(object));
  Ref capsule = attribute(type, names().exchange);
  if (!capsule && PyErr_Occurred() == nullptr) capsule = attribute(type, names().older_exchange);
  if (!capsule) {
    PyErr_Clear();
    return nullptr;
  }
  if (!PyCapsule_IsValid(capsule.get(), "dlpack_exchange_api")) return nullptr;
  auto* const header = static_cast<dlpack::ExchangeHeader*>(PyCapsule_GetPointer(capsule.get(), "dlpack_exchange_api"));
  for (const dlpack::ExchangeHeader* each = header; each != nullptr; each = each->previous) {
    if (each->major == 1) return reinterpret_cast<const dlpack::Exchange*>(each);
  }
  return nullptr;
}

/// Makes kiln own a tensor, for work that a GPU may still do when the call returns.
Borrowed own_tensor(void* managed, bool versioned, std::int32_t type, std::int32_t index, void* stream, Operand& to) {
  Error error;
  StreamHandle producer;
  ArrayHandle array;
  // The number 1 is the default stream, on which a producer was told to make its elements ready.
  void* const native = stream != nullptr ? stream : reinterpret_cast<void*>(type == KILN_ROCM ? 0 : 1);
  if ((type == KILN_CUDA || type == KILN_ROCM) &&
      kiln_stream_wrap(producer.out(), {type, index}, native, error.out()) != KILN_OK) {
    error.raise();
    return Borrowed::failed;
  }
  if (kiln_array_from_dlpack(array.out(), managed, versioned ? 1 : 0, producer.get(), error.out()) != KILN_OK) {
    error.raise();
    return Borrowed::failed;
  }
  to.arg.kind = KILN_ARRAY;
  to.arg.value.array = array.get();
  to.held = own_array(std::move(array));
  if (to.held == nullptr) return Borrowed::failed;
  to.info = reinterpret_cast<ArrayObject*>(to.held)->info;
  to.dtype = to.info.dtype;
  to.given = Given::foreign;
  return Borrowed::yes;
}

Borrowed borrow_by_exchange(const dlpack::Exchange& exchange, PyObject* object, Operand& to, const char* what, bool written) {
  dlpack::ManagedVersioned* managed = nullptr;
  if (exchange.from_object == nullptr) return Borrowed::none;
  if (exchange.from_object(object, &managed) != 0 || managed == nullptr) {
    if (PyErr_Occurred() == nullptr) PyErr_Format(PyExc_BufferError, "%s: %s gives no tensor", what, Py_TYPE(object)->tp_name);
    return Borrowed::failed;
  }
  if (written && is_immutable(object)) managed->flags |= dlpack::kReadOnly;
  // The argument that is a tensor has no flags.
  const bool flagged = written && (managed->flags & dlpack::kReadOnly) != 0;
  if (!is_gpu(managed->tensor.device.type) && !flagged) {
    to.held = PyCapsule_New(managed, "kiln.tensor", [](PyObject* capsule) {
      const NoException aside;
      auto* const held = static_cast<dlpack::ManagedVersioned*>(PyCapsule_GetPointer(capsule, "kiln.tensor"));
      if (held != nullptr && held->deleter != nullptr) held->deleter(held);
    });
    if (to.held == nullptr) {
      managed->deleter(managed);
      return Borrowed::failed;
    }
    return fill_tensor(managed->tensor, to, what);
  }
  void* stream = nullptr;
  const kiln_device device = managed->tensor.device;
  if (exchange.current_stream != nullptr && exchange.current_stream(device.type, device.index, &stream) != 0) {
    managed->deleter(managed);
    return Borrowed::failed;
  }
  const Borrowed owned = own_tensor(managed, true, device.type, device.index, stream, to);
  if (owned != Borrowed::yes) managed->deleter(managed);
  return owned;
}

/// Calls `__dlpack__`, with the arguments that the producer knows.
Ref call_dlpack(PyObject* method, bool gpu) {
  const Names& name = names();
  const Ref one(PyLong_FromLong(1));
  PyObject* const with[] = {name.version, one.get()};
  Ref capsule(PyObject_Vectorcall(method, with, 0, gpu ? name.versions_and_stream : name.versions));
  if (capsule || !PyErr_ExceptionMatches(PyExc_TypeError)) return capsule;
  PyErr_Clear();
  PyObject* const stream[] = {one.get()};
  return Ref(gpu ? PyObject_Vectorcall(method, stream, 0, name.stream) : PyObject_CallNoArgs(method));
}

/// Gives the tensor of a capsule to `take`, which owns it where it succeeds: take(managed, versioned).
template <class Take>
bool take_capsule(PyObject* capsule, bool read_only, Take&& take) {
  const bool versioned = PyCapsule_IsValid(capsule, kVersioned) != 0;
  void* managed = PyCapsule_GetPointer(capsule, versioned ? kVersioned : kOld);
  dlpack::ManagedVersioned* wrapper = nullptr;
  if (read_only && versioned) static_cast<dlpack::ManagedVersioned*>(managed)->flags |= dlpack::kReadOnly;
  if (read_only && !versioned) {
    wrapper = with_read_only(static_cast<dlpack::Managed*>(managed));
    if (wrapper == nullptr) return PyErr_NoMemory() != nullptr;
    managed = wrapper;
  }
  if (!take(managed, versioned || read_only)) {
    PyMem_RawFree(wrapper);
    return false;
  }
  PyCapsule_SetName(capsule, versioned ? "used_dltensor_versioned" : "used_dltensor");
  return true;
}

Borrowed borrow_by_method(PyObject* object, PyObject* method, Operand& to, const char* what, bool written) {
  const Ref place(PyObject_CallMethodNoArgs(object, names().device));
  if (!place) return Borrowed::failed;
  int type = 0;
  int index = 0;
  if (!PyTuple_Check(place.get())) return fail(what, "__dlpack_device__ gives no tuple");
  // Kinds of devices may be members of an enumeration.
  const Ref kind(PyTuple_GET_SIZE(place.get()) == 2 ? PyNumber_Index(PyTuple_GET_ITEM(place.get(), 0)) : nullptr);
  const Ref number(kind ? PyNumber_Index(PyTuple_GET_ITEM(place.get(), 1)) : nullptr);
  if (!kind || !number) {
    PyErr_Clear();
    return fail(what, "__dlpack_device__ gives no pair of ints");
  }
  type = static_cast<int>(PyLong_AsLong(kind.get()));
  index = static_cast<int>(PyLong_AsLong(number.get()));
  if (PyErr_Occurred() != nullptr) return Borrowed::failed;
  const bool gpu = is_gpu(type);
  const Ref capsule = call_dlpack(method, gpu);
  if (!capsule) return Borrowed::failed;
  const bool versioned = PyCapsule_IsValid(capsule.get(), kVersioned) != 0;
  if (!versioned && PyCapsule_IsValid(capsule.get(), kOld) == 0)
    return fail(what, "__dlpack__ gives no unused capsule of a tensor");
  void* const managed = PyCapsule_GetPointer(capsule.get(), versioned ? kVersioned : kOld);
  const auto* const flagged = versioned ? static_cast<dlpack::ManagedVersioned*>(managed) : nullptr;
  if (flagged != nullptr && flagged->major != 1) return fail(what, "the tensor is of a DLPack version that kiln does not know");
  const bool immutable = written && is_immutable(object);
  const bool read_only = immutable || (written && flagged != nullptr && (flagged->flags & dlpack::kReadOnly) != 0);
  if (gpu || read_only) {
    return take_capsule(capsule.get(), immutable,
                        [&](void* taken, bool with_flags) {
                          return own_tensor(taken, with_flags, type, index, nullptr, to) == Borrowed::yes;
                        })
               ? Borrowed::yes
               : Borrowed::failed;
  }
  to.held = Py_NewRef(capsule.get());
  return fill_tensor(versioned ? flagged->tensor : static_cast<dlpack::Managed*>(managed)->tensor, to, what);
}

}  // namespace

bool is_immutable(PyObject* object) {
  // Their tensors may have no flag that says so.
  constexpr const char* kPackages[] = {"jax", "jaxlib", "tensorflow", "pyarrow"};
  const Ref module(attribute(reinterpret_cast<PyObject*>(Py_TYPE(object)), names().module));
  const char* const name = module && PyUnicode_Check(module.get()) ? PyUnicode_AsUTF8(module.get()) : nullptr;
  PyErr_Clear();
  if (name == nullptr) return false;
  const std::size_t length = std::strcspn(name, ".");
  for (const char* const package : kPackages) {
    if (std::strlen(package) == length && std::strncmp(name, package, length) == 0) return true;
  }
  return false;
}

Borrowed borrow_tensor(PyObject* object, Operand& to, const char* what, bool written) {
  PyTypeObject* const type = Py_TYPE(object);
  if (type == &PyList_Type || type == &PyTuple_Type) return Borrowed::none;
  if (const dlpack::Exchange* const exchange = exchange_of(object)) {
    const Borrowed found = borrow_by_exchange(*exchange, object, to, what, written);
    if (found != Borrowed::none) return found;
  }
  if (const Ref method = attribute(object, names().dlpack)) return borrow_by_method(object, method.get(), to, what, written);
  if (PyErr_Occurred() != nullptr) return Borrowed::failed;
  const Ref interface = attribute(object, names().cuda);
  if (!interface) return PyErr_Occurred() != nullptr ? Borrowed::failed : Borrowed::none;
  const Ref make(support("from_cuda_array_interface"));
  if (!make) return Borrowed::failed;
  to.held = PyObject_CallFunctionObjArgs(make.get(), object, interface.get(), nullptr);
  if (to.held == nullptr) return Borrowed::failed;
  if (Py_TYPE(to.held) != array_type()) return fail(what, "no array");
  PyObject* const held = to.held;
  read(held, to);
  to.held = held;
  to.given = Given::foreign;
  return Borrowed::yes;
}

PyObject* array_of_object(PyObject* object) {
  const Ref method = attribute(object, names().dlpack);
  if (!method) {
    if (PyErr_Occurred() != nullptr) return nullptr;
    Operands one(1);
    Operand& operand = one.add();
    const Borrowed found = borrow_tensor(object, operand, "from_dlpack", true);
    if (found == Borrowed::yes) return Py_NewRef(operand.held);
    if (found == Borrowed::none) PyErr_Format(PyExc_TypeError, "from_dlpack: %s has no __dlpack__", Py_TYPE(object)->tp_name);
    return nullptr;
  }
  const Ref capsule = call_dlpack(method.get(), false);
  if (!capsule) return nullptr;
  const bool versioned = PyCapsule_IsValid(capsule.get(), kVersioned) != 0;
  if (!versioned && PyCapsule_IsValid(capsule.get(), kOld) == 0) {
    PyErr_SetString(PyExc_TypeError, "from_dlpack: __dlpack__ gives no unused capsule of a tensor");
    return nullptr;
  }
  ArrayHandle array;
  const bool taken = take_capsule(capsule.get(), is_immutable(object), [&](void* managed, bool with_flags) {
    Error error;
    return kiln_array_from_dlpack(array.out(), managed, with_flags ? 1 : 0, nullptr, error.out()) == KILN_OK ||
           error.raise() != nullptr;
  });
  return taken ? own_array(std::move(array)) : nullptr;
}

PyObject* capsule_of(const kiln_array* array, bool versioned, PyObject* stream) {
  Error error;
  StreamHandle consumer;
  kiln_array_info info = kiln_array_info_default();
  if (kiln_array_describe(array, &info, error.out()) != KILN_OK) return error.raise();
  if (stream != nullptr && stream != Py_None && is_gpu(info.device.type) && info.device.type != 0) {
    const long long number = PyLong_AsLongLong(stream);
    if (number == -1 && PyErr_Occurred() != nullptr) return nullptr;
    if (number != -1 &&
        kiln_stream_wrap(consumer.out(), info.device, reinterpret_cast<void*>(number), error.out()) != KILN_OK) {
      return error.raise();
    }
  }
  void* managed = nullptr;
  if (kiln_array_to_dlpack(&managed, array, versioned ? 1 : 0, consumer.get(), error.out()) != KILN_OK) return error.raise();
  PyObject* const capsule = PyCapsule_New(managed, versioned ? kVersioned : kOld, [](PyObject* made) {
    const NoException aside;
    if (PyCapsule_IsValid(made, kVersioned) != 0) {
      auto* const tensor = static_cast<dlpack::ManagedVersioned*>(PyCapsule_GetPointer(made, kVersioned));
      tensor->deleter(tensor);
    } else if (PyCapsule_IsValid(made, kOld) != 0) {
      auto* const tensor = static_cast<dlpack::Managed*>(PyCapsule_GetPointer(made, kOld));
      tensor->deleter(tensor);
    }
  });
  return capsule;
}

}  // namespace kiln::python
