// The module kiln._kiln.
#define KILN_PYTHON_IMPORTS_NUMPY
#include "python.hpp"

#include <atomic>
#include <cstring>
#include <iterator>
#include <vector>

#include "arrays.hpp"
#include "errors.hpp"
#include "function.hpp"
#include "interrupt.hpp"
#include "keywords.hpp"
#include "options.hpp"
#include "partial.hpp"
#include "statistics.hpp"
#include "streams.hpp"

namespace kiln::python {
namespace {

PyObject* support_module = nullptr;

struct CacheObject {
  PyObject_HEAD kiln_cache* handle;
};
PyTypeObject* cache_class = nullptr;

/// Reads a cache, or None for the cache of the process. Returns false with an exception.
bool convert_cache(PyObject* object, const kiln_cache*& cache) {
  cache = nullptr;
  if (object == nullptr || object == Py_None) return true;
  if (PyObject_TypeCheck(object, cache_class)) {
    cache = reinterpret_cast<CacheObject*>(object)->handle;
    return true;
  }
  PyErr_Format(PyExc_TypeError, "cache: a kiln.Cache is expected, and this is %s", Py_TYPE(object)->tp_name);
  return false;
}

PyObject* parse(PyObject*, PyObject* args) {
  const char* text = nullptr;
  Py_ssize_t length = 0;
  if (PyArg_ParseTuple(args, "s#:parse", &text, &length) == 0) return nullptr;
  FunctionHandle made;
  Error error;
  if (kiln_function_parse(made.out(), text, static_cast<std::size_t>(length), error.out()) != KILN_OK) return error.raise();
  return make_function(std::move(made));
}

PyObject* define(PyObject*, PyObject* args) {
  const char* text = nullptr;
  Py_ssize_t length = 0;
  PyObject* object = Py_None;
  const kiln_cache* cache = nullptr;
  if (PyArg_ParseTuple(args, "s#|O:define", &text, &length, &object) == 0 || !convert_cache(object, cache)) return nullptr;
  FunctionHandle made;
  Error error;
  if (kiln_function_define(made.out(), text, static_cast<std::size_t>(length), cache, error.out()) != KILN_OK)
    return error.raise();
  return make_function(std::move(made));
}

PyObject* math(PyObject*, PyObject* args) {
  const char* name = nullptr;
  Py_ssize_t length = 0;
  if (PyArg_ParseTuple(args, "s#:math", &name, &length) == 0) return nullptr;
  FunctionHandle made;
  Error error;
  if (kiln_function_math(made.out(), name, static_cast<std::size_t>(length), error.out()) != KILN_OK) return error.raise();
  return make_function(std::move(made), true);
}

/// Steps of a fused function, in memory of their own.
class Steps {
 public:
  Steps() = default;
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;
  ~Steps() {
    for (std::size_t i = 0; i < count_; ++i) PyMem_Free(const_cast<std::uint32_t*>(steps_[i].inputs));
    PyMem_Free(steps_);
  }

  bool read(PyObject* list) {
    const Py_ssize_t size = PyList_GET_SIZE(list);
    steps_ = static_cast<kiln_fuse_step*>(PyMem_Calloc(static_cast<std::size_t>(size) + 1, sizeof *steps_));
    if (steps_ == nullptr) return PyErr_NoMemory() != nullptr;
    for (Py_ssize_t i = 0; i < size; ++i) {
      PyObject* function = nullptr;
      PyObject* inputs = nullptr;
      if (PyArg_ParseTuple(PyList_GET_ITEM(list, i), "OO!", &function, &PyTuple_Type, &inputs) == 0) return false;
      const FunctionObject* const f = function_of(function);
      if (f == nullptr) return false;
      kiln_fuse_step& step = steps_[count_++];
      step.function = f->handle;
      step.inputs = numbers(inputs, step.count);
      if (step.inputs == nullptr) return false;
    }
    return true;
  }
  /// Returns the ints of a tuple in memory that the caller frees, or NULL with an exception.
  static std::uint32_t* numbers(PyObject* tuple, std::size_t& count) {
    count = static_cast<std::size_t>(PyTuple_GET_SIZE(tuple));
    auto* const list = static_cast<std::uint32_t*>(PyMem_Calloc(count + 1, sizeof(std::uint32_t)));
    if (list == nullptr) PyErr_NoMemory();
    for (std::size_t i = 0; list != nullptr && i < count; ++i) {
      list[i] = static_cast<std::uint32_t>(PyLong_AsUnsignedLong(PyTuple_GET_ITEM(tuple, static_cast<Py_ssize_t>(i))));
      if (PyErr_Occurred() == nullptr) continue;
      PyMem_Free(list);
      return nullptr;
    }
    return list;
  }
  [[nodiscard]] const kiln_fuse_step* all() const noexcept { return steps_; }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }

 private:
  kiln_fuse_step* steps_ = nullptr;
  std::size_t count_ = 0;
};

/// fuse(name, inputs, [(function, (value, …)), …], (value, …))
PyObject* fuse(PyObject*, PyObject* args) {
  const char* name = nullptr;
  Py_ssize_t length = 0;
  Py_ssize_t inputs = 0;
  PyObject* list = nullptr;
  PyObject* results = nullptr;
  if (PyArg_ParseTuple(args, "s#nO!O!:fuse", &name, &length, &inputs, &PyList_Type, &list, &PyTuple_Type, &results) == 0)
    return nullptr;
  Steps steps;
  if (!steps.read(list)) return nullptr;
  std::size_t count = 0;
  std::uint32_t* const outputs = Steps::numbers(results, count);
  if (outputs == nullptr) return nullptr;
  FunctionHandle made;
  Error error;
  const kiln_status status =
      kiln_function_fuse(made.out(), name, static_cast<std::size_t>(length), static_cast<std::size_t>(inputs), steps.all(),
                         steps.size(), outputs, count, error.out());
  PyMem_Free(outputs);
  if (status != KILN_OK) return error.raise();
  return make_function(std::move(made));
}

PyObject* command(PyObject*, PyObject* args) {
  const char* request = nullptr;
  Py_ssize_t length = 0;
  PyObject* object = Py_None;
  const kiln_cache* cache = nullptr;
  if (PyArg_ParseTuple(args, "s#|O:command", &request, &length, &object) == 0 || !convert_cache(object, cache)) return nullptr;
  Text reply;
  Error error;
  kiln_status status = KILN_OK;
  {
    const Unlocked unlocked;
    status = kiln_command(reply.out(), request, static_cast<std::size_t>(length), cache, error.out());
  }
  return status == KILN_OK ? to_str(reply) : error.raise();
}

PyObject* version(PyObject*, PyObject*) {
  return PyLong_FromUnsignedLong(kiln_version());
}

PyObject* devices(PyObject*, PyObject*) {
  kiln_device all[256];
  std::size_t count = 0;
  Error error;
  if (kiln_device_list(all, std::size(all), &count, error.out()) != KILN_OK) return error.raise();
  if (count > std::size(all)) count = std::size(all);
  const Ref list(PyList_New(0));
  for (std::size_t i = 0; list && i < count; ++i) {
    const Ref pair(Py_BuildValue("(ii)", all[i].type, all[i].index));
    if (!pair || PyList_Append(list.get(), pair.get()) != 0) return nullptr;
  }
  return list ? Py_NewRef(list.get()) : nullptr;
}

PyObject* device_info(PyObject*, PyObject* object) {
  kiln_device device{0, 0};
  if (!convert_device(object, device)) return nullptr;
  Text text;
  Error error;
  if (kiln_device_info(text.out(), device, error.out()) != KILN_OK) return error.raise();
  return to_str(text);
}

PyObject* device_default(PyObject*, PyObject* object) {
  kiln_device device{0, 0};
  if (object != Py_None && !convert_device(object, device)) return nullptr;
  Error error;
  if (kiln_device_default(device, error.out()) != KILN_OK) return error.raise();
  Py_RETURN_NONE;
}

PyObject* synchronize(PyObject*, PyObject* object) {
  kiln_device device{0, 0};
  if (!convert_device(object, device) || !wait_for_work(device, nullptr)) return nullptr;
  Error error;
  kiln_status status = KILN_OK;
  {
    const Unlocked unlocked;
    status = kiln_device_synchronize(device, error.out());
  }
  if (status != KILN_OK) return error.raise();
  Py_RETURN_NONE;
}

PyObject* register_exception(PyObject*, PyObject* args) {
  long status = 0;
  PyObject* type = nullptr;
  if (PyArg_ParseTuple(args, "lO:set_exception", &status, &type) == 0 || !set_exception(status, type)) return nullptr;
  Py_RETURN_NONE;
}

PyObject* set_support(PyObject*, PyObject* module) {
  Py_XSETREF(support_module, Py_NewRef(module));
  Py_RETURN_NONE;
}

/// The callables that take lines of the log and what kernels print. Each is kept for good once it was set: a line may be on its
/// way.
std::atomic<PyObject*> log_callback{nullptr};
std::atomic<PyObject*> print_callback{nullptr};

void take_text(const char* text, std::size_t length, void* where) {
  if (Py_IsInitialized() == 0) return;
  const PyGILState_STATE state = PyGILState_Ensure();
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyObject* const callback = static_cast<std::atomic<PyObject*>*>(where)->load();
  if (callback != nullptr && callback != Py_None) {
    const Ref line(PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(length), "replace"));
    const Ref done(line ? PyObject_CallOneArg(callback, line.get()) : nullptr);
    if (!done) PyErr_WriteUnraisable(callback);
  }
  PyErr_Restore(type, value, trace);
  PyGILState_Release(state);
}

PyObject* set_log(PyObject*, PyObject* callback) {
  log_callback.store(Py_NewRef(callback));
  kiln_set_log(callback == Py_None ? nullptr : take_text, &log_callback);
  Py_RETURN_NONE;
}

PyObject* set_print(PyObject*, PyObject* callback) {
  print_callback.store(Py_NewRef(callback));
  kiln_set_print(callback == Py_None ? nullptr : take_text, &print_callback);
  Py_RETURN_NONE;
}

PyObject* cache_new(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"options", nullptr};
  const char* options = nullptr;
  if (PyArg_ParseTupleAndKeywords(args, keywords, "|z:Cache", const_cast<char**>(names), &options) == 0) return nullptr;
  kiln_cache* made = nullptr;
  Error error;
  if (kiln_cache_open(&made, options, error.out()) != KILN_OK) return error.raise();
  auto* const self = reinterpret_cast<CacheObject*>(type->tp_alloc(type, 0));
  if (self == nullptr) {
    kiln_cache_release(made);
    return nullptr;
  }
  self->handle = made;
  return reinterpret_cast<PyObject*>(self);
}

void cache_free(PyObject* self) {
  kiln_cache_release(reinterpret_cast<CacheObject*>(self)->handle);
  PyTypeObject* const type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* cache_statistics(PyObject*, PyObject* object) {
  const kiln_cache* cache = nullptr;
  if (!convert_cache(object, cache)) return nullptr;
  kiln_cache_stats s = kiln_cache_stats_default();
  Error error;
  if (kiln_cache_statistics(cache, &s, error.out()) != KILN_OK) return error.raise();
  return Py_BuildValue("{sKsKsKsKsKsKsKsKsdsd}", "memory_hits", s.memory_hits, "disk_hits", s.disk_hits, "read_only_hits",
                       s.read_only_hits, "compiles", s.compiles, "failures", s.failures, "bytes_read", s.bytes_read,
                       "bytes_written", s.bytes_written, "memory_bytes", s.memory_bytes, "compile_ms", s.compile_ms, "saved_ms",
                       s.saved_ms);
}

PyObject* cache_export(PyObject*, PyObject* object) {
  const kiln_cache* cache = nullptr;
  if (!convert_cache(object, cache)) return nullptr;
  Text bundle;
  Error error;
  if (kiln_cache_export(bundle.out(), cache, nullptr, 0, error.out()) != KILN_OK) return error.raise();
  std::size_t length = 0;
  const char* const data = kiln_text_data(bundle.get(), &length);
  return PyBytes_FromStringAndSize(data, static_cast<Py_ssize_t>(length));
}

PyObject* cache_import(PyObject*, PyObject* args) {
  PyObject* object = nullptr;
  Py_buffer bundle;
  const kiln_cache* cache = nullptr;
  if (PyArg_ParseTuple(args, "Oy*:cache_import", &object, &bundle) == 0) return nullptr;
  Error error;
  const bool known = convert_cache(object, cache);
  const kiln_status status =
      known ? kiln_cache_import(cache, bundle.buf, static_cast<std::size_t>(bundle.len), error.out()) : KILN_OK;
  PyBuffer_Release(&bundle);
  if (!known) return nullptr;
  if (status != KILN_OK) return error.raise();
  Py_RETURN_NONE;
}

struct WarmingObject {
  PyObject_HEAD kiln_warming* handle;
};

kiln_warming* warming_of(PyObject* self) {
  return reinterpret_cast<WarmingObject*>(self)->handle;
}

PyObject* warming_new(PyTypeObject* type, PyObject* args, PyObject*) {
  int rank = 0;
  int size = 0;
  const char* manifest = nullptr;
  Py_ssize_t length = 0;
  const char* options = nullptr;
  PyObject* object = Py_None;
  const kiln_cache* cache = nullptr;
  if (PyArg_ParseTuple(args, "iis#zO:Warming", &rank, &size, &manifest, &length, &options, &object) == 0 ||
      !convert_cache(object, cache)) {
    return nullptr;
  }
  kiln_warming* made = nullptr;
  Error error;
  if (kiln_warming_new(&made, rank, size, manifest, static_cast<std::size_t>(length), options, cache, error.out()) != KILN_OK) {
    return error.raise();
  }
  auto* const self = reinterpret_cast<WarmingObject*>(type->tp_alloc(type, 0));
  if (self == nullptr) {
    kiln_warming_release(made);
    return nullptr;
  }
  self->handle = made;
  return reinterpret_cast<PyObject*>(self);
}

void warming_free(PyObject* self) {
  kiln_warming_release(warming_of(self));
  PyTypeObject* const type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* warming_message(PyObject* self, PyObject*) {
  Text message;
  Error error;
  if (kiln_warming_message(message.out(), warming_of(self), error.out()) != KILN_OK) return error.raise();
  if (message.get() == nullptr) Py_RETURN_NONE;
  std::size_t length = 0;
  const char* const data = kiln_text_data(message.get(), &length);
  return PyBytes_FromStringAndSize(data, static_cast<Py_ssize_t>(length));
}

PyObject* warming_receive(PyObject* self, PyObject* object) {
  // A tuple stays as it is while the call runs.
  const Ref messages(PySequence_Tuple(object));
  if (!messages) return nullptr;
  const auto count = static_cast<std::size_t>(PyTuple_GET_SIZE(messages.get()));
  std::vector<const char*> data(count);
  std::vector<std::size_t> lengths(count);
  for (std::size_t i = 0; i < count; ++i) {
    char* bytes = nullptr;
    Py_ssize_t length = 0;
    if (PyBytes_AsStringAndSize(PyTuple_GET_ITEM(messages.get(), static_cast<Py_ssize_t>(i)), &bytes, &length) != 0)
      return nullptr;
    data[i] = bytes;
    lengths[i] = static_cast<std::size_t>(length);
  }
  Error error;
  kiln_status status = KILN_OK;
  {
    const Unlocked unlocked;
    status = kiln_warming_receive(warming_of(self), data.data(), lengths.data(), count, error.out());
  }
  if (status != KILN_OK) return error.raise();
  Py_RETURN_NONE;
}

PyObject* warming_report(PyObject* self, PyObject*) {
  Text report;
  Error error;
  return kiln_warming_report(report.out(), warming_of(self), error.out()) == KILN_OK ? to_str(report) : error.raise();
}

PyMethodDef warming_methods[] = {{"message", warming_message, METH_NOARGS, nullptr},
                                 {"receive", warming_receive, METH_O, nullptr},
                                 {"report", warming_report, METH_NOARGS, nullptr},
                                 {nullptr, nullptr, 0, nullptr}};
PyType_Slot warming_slots[] = {{Py_tp_new, reinterpret_cast<void*>(warming_new)},
                               {Py_tp_dealloc, reinterpret_cast<void*>(warming_free)},
                               {Py_tp_methods, warming_methods},
                               {0, nullptr}};
PyType_Spec warming_spec = {"kiln._kiln.Warming", sizeof(WarmingObject), 0, Py_TPFLAGS_DEFAULT, warming_slots};

PyType_Slot cache_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(cache_new)}, {Py_tp_dealloc, reinterpret_cast<void*>(cache_free)}, {0, nullptr}};
PyType_Spec cache_spec = {"kiln._kiln.Cache", sizeof(CacheObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, cache_slots};

PyMethodDef functions[] = {{"parse", parse, METH_VARARGS, nullptr},
                           {"define", define, METH_VARARGS, nullptr},
                           {"math", math, METH_VARARGS, nullptr},
                           {"fuse", fuse, METH_VARARGS, nullptr},
                           {"command", command, METH_VARARGS, nullptr},
                           {"version", version, METH_NOARGS, nullptr},
                           {"devices", devices, METH_NOARGS, nullptr},
                           {"device_info", device_info, METH_O, nullptr},
                           {"device_default", device_default, METH_O, nullptr},
                           {"synchronize", synchronize, METH_O, nullptr},
                           {"set_exception", register_exception, METH_VARARGS, nullptr},
                           {"set_support", set_support, METH_O, nullptr},
                           {"set_log", set_log, METH_O, nullptr},
                           {"set_print", set_print, METH_O, nullptr},
                           {"cache_statistics", cache_statistics, METH_O, nullptr},
                           {"cache_export", cache_export, METH_O, nullptr},
                           {"cache_import", cache_import, METH_VARARGS, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

int fill_module(PyObject* module) {
  static std::atomic<bool> loaded{false};
  // Classes and exceptions are those of the process, and work that ends in another thread takes the main interpreter's GIL.
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
    PyErr_SetString(PyExc_ImportError, "kiln is imported by the main interpreter of a process alone, and this is another one");
    return -1;
  }
  if (loaded.load()) {
    PyErr_SetString(PyExc_ImportError, "kiln._kiln is loaded once in a process");
    return -1;
  }
  if (PyArray_ImportNumPyAPI() < 0) return -1;
  cache_class = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&cache_spec));
  const Ref warming_class(PyType_FromSpec(&warming_spec));
  const bool filled = cache_class != nullptr && warming_class && intern_keywords() &&
                      PyModule_AddObjectRef(module, "Warming", warming_class.get()) == 0 &&
                      PyModule_AddObjectRef(module, "Cache", reinterpret_cast<PyObject*>(cache_class)) == 0 &&
                      add_arrays(module) && add_streams(module) && add_functions(module) && add_partials(module) &&
                      add_statistics(module);
  if (!filled) return -1;
  loaded.store(true);
  return 0;
}

PyModuleDef_Slot slots[] = {{Py_mod_exec, reinterpret_cast<void*>(fill_module)},
#ifdef Py_mod_multiple_interpreters
                            {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
#ifdef Py_mod_gil
                            {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
                            {0, nullptr}};
PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "kiln._kiln",
                          "kiln's functions and arrays, over the C interface.",
                          0,
                          functions,
                          slots,
                          nullptr,
                          nullptr,
                          nullptr};

}  // namespace

PyObject* support(const char* name) {
  if (support_module == nullptr) {
    PyErr_SetString(PyExc_RuntimeError, "import kiln, not kiln._kiln");
    return nullptr;
  }
  return PyObject_GetAttrString(support_module, name);
}

}  // namespace kiln::python

extern "C" __attribute__((visibility("default"))) PyObject* PyInit__kiln() {
  return PyModuleDef_Init(&kiln::python::definition);
}
