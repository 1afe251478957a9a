#include "function.hpp"

#include <structmember.h>

#include <cstring>
#include <iterator>

#include "call.hpp"
#include "errors.hpp"
#include "quick_call.hpp"

namespace kiln::python {
namespace {

constexpr const char* kClasses[] = {"Function", "Ufunc", "Gufunc", "Reduction", "Kernel", "Transform"};
constexpr const char* kFullNames[] = {"kiln.Function",  "kiln.Ufunc",  "kiln.Gufunc",
                                      "kiln.Reduction", "kiln.Kernel", "kiln.Transform"};
PyTypeObject* classes[std::size(kClasses)];

FunctionObject& to_function(PyObject* self) noexcept {
  return *reinterpret_cast<FunctionObject*>(self);
}

constexpr KeywordSet kPlace = set_of({kStream, kDevice, kTimeout, kChunked, kChunkBytes, kDevices, kProgress});
constexpr KeywordSet kElementwise = kPlace | set_of({kOut, kWhere, kDtype, kCasting, kSignature, kSig, kOrder, kSubok, kSize});
constexpr KeywordSet kAllowed[] = {
    0,
    kElementwise,
    kElementwise | set_of({kAxis, kAxes, kKeepdims}),
    kPlace | set_of({kOut, kWhere, kDtype, kCasting, kSignature, kSig, kAxis, kKeepdims, kInitial, kSubok}),
    set_of({kGrid, kBlock, kSize, kSharedMem, kStream, kDevice, kTimeout}),
    set_of({kOut, kAxis, kLengths, kNorm, kMeasure, kStream, kDevice}),
};

bool check_count(const FunctionObject& f, Py_ssize_t count) {
  const int nin = f.info.nin;
  const int most = f.info.kind == KILN_UFUNC || f.info.kind == KILN_GUFUNC ? nin + f.info.nout : nin;
  if (count >= nin && count <= most) return true;
  if (most == nin) {
    PyErr_Format(PyExc_TypeError, "%s() takes %d positional argument%s but %zd %s given", f.info.name, nin, nin == 1 ? "" : "s",
                 count, count == 1 ? "was" : "were");
  } else {
    PyErr_Format(PyExc_TypeError, "%s() takes from %d to %d positional arguments but %zd %s given", f.info.name, nin, most,
                 count, count == 1 ? "was" : "were");
  }
  return false;
}

/// Reads arguments and keywords, and hands the request on.
template <class Use>
PyObject* with_request(FunctionObject& f, PyObject* const* args, Py_ssize_t count, PyObject* names, const Use& use) {
  Keywords keywords;
  if (!check_count(f, count) || !keywords.read(f.info.name, args + count, names, kAllowed[f.info.kind])) return nullptr;
  const Py_ssize_t nin = f.info.nin;
  PyObject* outputs[kMaxOperands] = {};
  if (count > nin) {
    if (keywords[kOut] != nullptr) {
      PyErr_SetString(PyExc_TypeError, "cannot specify 'out' as both a positional and keyword argument");
      return nullptr;
    }
    for (Py_ssize_t i = nin; i < count; ++i) {
      if (args[i] == Py_Ellipsis) {
        PyErr_SetString(PyExc_TypeError, "out=... is only allowed as a keyword argument.");
        return nullptr;
      }
      outputs[i - nin] = args[i] == Py_None ? nullptr : args[i];
    }
  } else if (!read_out(f, keywords[kOut], outputs)) {
    return nullptr;
  }
  return use(Request{.f = f,
                     .method = KILN_CALL,
                     .method_name = "__call__",
                     .inputs = args,
                     .nin = static_cast<std::size_t>(nin),
                     .outputs = outputs,
                     .nout = static_cast<std::size_t>(f.info.nout),
                     .keywords = keywords});
}

PyObject* resolve(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  const Ref text(
      with_request(to_function(self), args, count, names, [](const Request& request) { return plan_call(request, nullptr); }));
  const Ref read_json(text && PyUnicode_Check(text.get()) ? support("read_json") : nullptr);
  return read_json ? PyObject_CallOneArg(read_json.get(), text.get()) : nullptr;
}

PyObject* inspect(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  const char* const form = count > 0 && PyUnicode_Check(args[0]) ? PyUnicode_AsUTF8(args[0]) : nullptr;
  if (form == nullptr) {
    PyErr_SetString(PyExc_TypeError, "_inspect() takes the form first");
    return nullptr;
  }
  return with_request(to_function(self), args + 1, count - 1, names,
                      [form](const Request& request) { return plan_call(request, form); });
}

PyObject* compile(PyObject* self, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"target", nullptr};
  const char* target = "native";
  if (PyArg_ParseTupleAndKeywords(args, keywords, "|s:compile", const_cast<char**>(names), &target) == 0) return nullptr;
  std::int64_t kernels = 0;
  Error error;
  kiln_status status = KILN_OK;
  {
    const Unlocked unlocked;
    status = kiln_function_compile(&kernels, to_function(self).handle, target, error.out());
  }
  return status == KILN_OK ? PyLong_FromLongLong(kernels) : error.raise();
}

PyObject* device_code(PyObject* self, PyObject* args) {
  const char* target = nullptr;
  const char* options = nullptr;
  if (PyArg_ParseTuple(args, "sz:_device_code", &target, &options) == 0) return nullptr;
  Text text;
  Error error;
  kiln_status status = KILN_OK;
  {
    const Unlocked unlocked;
    status = kiln_function_device_code(text.out(), to_function(self).handle, target, options, error.out());
  }
  if (status != KILN_OK) return error.raise();
  std::size_t length = 0;
  const char* const data = kiln_text_data(text.get(), &length);
  return PyBytes_FromStringAndSize(data, static_cast<Py_ssize_t>(length));
}

/// Gives a __constant__ variable its values: _set_constant(name, array).
PyObject* set_constant(PyObject* self, PyObject* args) {
  const char* name = nullptr;
  Py_ssize_t length = 0;
  PyObject* values = nullptr;
  if (PyArg_ParseTuple(args, "s#O:_set_constant", &name, &length, &values) == 0) return nullptr;
  Operands operands(1);
  Operand& source = operands.add();
  const Given given = read(values, source);
  if (given == Given::foreign && !convert_input(values, source, "values")) return nullptr;
  Error error;
  kiln_status status = KILN_OK;
  {
    const Unlocked unlocked;
    status =
        kiln_function_set_constant(to_function(self).handle, name, static_cast<std::size_t>(length), &source.arg, error.out());
  }
  if (status != KILN_OK) return error.raise();
  Py_RETURN_NONE;
}

PyObject* get_text(PyObject* self, void* key) {
  Text text;
  Error error;
  if (kiln_function_get(text.out(), to_function(self).handle, static_cast<const char*>(key), error.out()) != KILN_OK)
    return error.raise();
  return to_str(text);
}

PyObject* get_supported(PyObject* self, void* name) {
  const Ref function(support(static_cast<const char*>(name)));
  return function ? PyObject_CallOneArg(function.get(), self) : nullptr;
}

PyObject* get_nin(PyObject* self, void*) {
  return PyLong_FromLong(to_function(self).info.nin);
}
PyObject* get_nout(PyObject* self, void*) {
  return PyLong_FromLong(to_function(self).info.nout);
}
PyObject* get_nargs(PyObject* self, void*) {
  return PyLong_FromLong(to_function(self).info.nin + to_function(self).info.nout);
}
PyObject* get_name(PyObject* self, void*) {
  return PyUnicode_FromString(to_function(self).info.name);
}
PyObject* get_signature(PyObject* self, void*) {
  const char* const layout = to_function(self).info.layout;
  if (*layout == '\0') Py_RETURN_NONE;
  return PyUnicode_FromString(layout);
}
PyObject* get_identity_text(PyObject* self, void*) {
  return PyUnicode_FromString(to_function(self).info.identity);
}
PyObject* get_reorderable(PyObject* self, void*) {
  return PyBool_FromLong(to_function(self).info.reorderable);
}

PyObject* get_doc(PyObject* self, void*) {
  PyObject* const dict = to_function(self).dict;
  const Ref name(dict == nullptr ? nullptr : PyUnicode_InternFromString("__doc__"));
  if (name) {
    PyObject* const given = PyObject_GetItem(dict, name.get());
    if (given != nullptr || !PyErr_ExceptionMatches(PyExc_KeyError)) return given;
    PyErr_Clear();
  }
  return get_supported(self, const_cast<char*>("doc_of"));
}

int set_doc(PyObject* self, PyObject* doc, void*) {
  const Ref dict(PyObject_GenericGetDict(self, nullptr));
  if (!dict) return -1;
  return doc == nullptr ? PyDict_DelItemString(dict.get(), "__doc__") : PyDict_SetItemString(dict.get(), "__doc__", doc);
}

PyObject* represent(PyObject* self) {
  const FunctionObject& f = to_function(self);
  constexpr const char* kNames[] = {"function", "ufunc", "gufunc", "reduction", "kernel", "transform"};
  if (*f.info.layout != '\0') return PyUnicode_FromFormat("<kiln %s '%s' %s>", kNames[f.info.kind], f.info.name, f.info.layout);
  return PyUnicode_FromFormat("<kiln %s '%s'>", kNames[f.info.kind], f.info.name);
}

PyObject* pickle(PyObject* self, PyObject*) {
  return get_supported(self, const_cast<char*>("reduce_function"));
}
PyObject* tokenize(PyObject* self, PyObject*) {
  return get_supported(self, const_cast<char*>("tokenize"));
}
PyObject* itself(PyObject* self, PyObject*) {
  return Py_NewRef(self);
}

PyObject* make_directly(PyTypeObject* type, PyObject*, PyObject*) {
  PyErr_Format(PyExc_TypeError, "%s is made by kiln.vectorize, guvectorize, reduction, kernel and fuse", type->tp_name);
  return nullptr;
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(to_function(self).dict);
  return 0;
}

int clear(PyObject* self) {
  Py_CLEAR(to_function(self).dict);
  return 0;
}

void free_function(PyObject* self) {
  FunctionObject& f = to_function(self);
  PyObject_GC_UnTrack(self);
  if (f.weak_references != nullptr) PyObject_ClearWeakRefs(self);
  Py_CLEAR(f.dict);
  for (std::size_t i = 0; f.loops != nullptr && i < kLoopSlots; ++i) {
    for (Loop* loop = f.loops[i].load(std::memory_order_relaxed); loop != nullptr;) {
      Loop* const next = loop->next;
      PyMem_RawFree(loop);
      loop = next;
    }
  }
  PyMem_RawFree(f.loops);
  kiln_function_release(f.handle);
  PyTypeObject* const type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

template <class T>
PyCFunction method_of(T* function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef function_methods[] = {{"compile", method_of(compile), METH_VARARGS | METH_KEYWORDS,
                                   "compile(target='native')\n--\n\nCompiles the loops whose types are fixed for a target, "
                                   "'sm_90' or 'native', with or without such a "
                                   "device. Returns the number of kernels that the cache now has."},
                                  {"resolve", method_of(resolve), METH_FASTCALL | METH_KEYWORDS,
                                   "resolve(*args, **keywords)\n--\n\nReturns the plan of a call as a dict, and runs nothing."},
                                  {"_inspect", method_of(inspect), METH_FASTCALL | METH_KEYWORDS, nullptr},
                                  {"_device_code", device_code, METH_VARARGS, nullptr},
                                  {"_set_constant", set_constant, METH_VARARGS, nullptr},
                                  {"__reduce__", pickle, METH_NOARGS, nullptr},
                                  {"__copy__", itself, METH_NOARGS, nullptr},
                                  {"__deepcopy__", itself, METH_O, nullptr},
                                  {"__dask_tokenize__", tokenize, METH_NOARGS, nullptr},
                                  {nullptr, nullptr, 0, nullptr}};

/// Each class has its own: a class without a docstring has `__doc__` None, which hides that of a base.
PyGetSetDef doc_values[] = {{"__doc__", get_doc, set_doc, nullptr, nullptr}, {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyGetSetDef function_values[] = {
    {"__doc__", get_doc, set_doc, nullptr, nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {"__name__", get_name, nullptr, nullptr, nullptr},
    {"nin", get_nin, nullptr, "The number of inputs.", nullptr},
    {"nout", get_nout, nullptr, "The number of outputs.", nullptr},
    {"nargs", get_nargs, nullptr, "The number of inputs and outputs.", nullptr},
    {"types", get_supported, nullptr, "The loops in NumPy's characters, ['ff->f', 'dd->d'].", const_cast<char*>("types_of")},
    {"ntypes", get_supported, nullptr, "The number of loops.", const_cast<char*>("count_types")},
    {"loops", get_supported, nullptr, "The loops by names, ['float32, float32 -> float32'].", const_cast<char*>("loops_of")},
    {"identity", get_supported, nullptr, "The neutral element, or None.", const_cast<char*>("identity_of")},
    {"_identity_text", get_identity_text, nullptr, nullptr, nullptr},
    {"reorderable", get_reorderable, nullptr, "Whether reductions may combine elements in any order.", nullptr},
    {"__signature__", get_supported, nullptr, nullptr, const_cast<char*>("call_signature")},
    {"signature", get_signature, nullptr, "The core dimensions of a generalized ufunc, or None.", nullptr},
    {"definition", get_text, nullptr, "The definition as JSON, which kiln.define takes.", const_cast<char*>("definition")},
    {"digest", get_text, nullptr, "32 hexadecimal digits of the definition, the same on every machine.",
     const_cast<char*>("digest")},
    {"warnings", get_supported, nullptr, "What kiln finds suspicious in the definition.", const_cast<char*>("warnings_of")},
    {"_warnings_text", get_text, nullptr, nullptr, const_cast<char*>("warnings")},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMemberDef function_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(FunctionObject, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(FunctionObject, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(FunctionObject, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

/// Makes a class of functions. Each has the slot for calls itself: heap types do not inherit it before Python 3.12.
PyTypeObject* make_class(std::size_t kind, PyMethodDef* methods, PyGetSetDef* values, PyObject* base) {
  PyType_Slot slots[16] = {{Py_tp_new, reinterpret_cast<void*>(make_directly)},
                           {Py_tp_dealloc, reinterpret_cast<void*>(free_function)},
                           {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                           {Py_tp_clear, reinterpret_cast<void*>(clear)},
                           {Py_tp_repr, reinterpret_cast<void*>(represent)},
                           {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                           {Py_tp_getattro, reinterpret_cast<void*>(PyObject_GenericGetAttr)},
                           {Py_tp_members, function_members}};
  std::size_t count = 8;
  if (methods != nullptr) slots[count++] = {Py_tp_methods, methods};
  if (values != nullptr) slots[count++] = {Py_tp_getset, values};
  slots[count] = {0, nullptr};
  unsigned flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL;
  if (base == nullptr) flags |= Py_TPFLAGS_BASETYPE;
  PyType_Spec spec = {kFullNames[kind], sizeof(FunctionObject), 0, flags, slots};
  const Ref bases(base == nullptr ? nullptr : PyTuple_Pack(1, base));
  return reinterpret_cast<PyTypeObject*>(PyType_FromSpecWithBases(&spec, bases.get()));
}

bool is_comparison(const char* name) noexcept {
  for (const char* const each : {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}) {
    if (std::strcmp(each, name) == 0) return true;
  }
  return false;
}

/// Compares with an integer that fits no dtype of the call, after the OverflowError of the call itself.
PyObject* compare_out_of_bounds(PyObject* self, PyObject* const* args, std::size_t nargsf, PyObject* names) {
  PyErr_Clear();
  const Ref compare(support("compare_out_of_bounds"));
  if (!compare) return nullptr;
  const Ref with(PyObject_CallOneArg(compare.get(), self));
  return with ? PyObject_Vectorcall(with.get(), args, nargsf, names) : nullptr;
}

/// Returns whether no operand is a whole array, or is read and written. A function without a text has no such operands.
bool is_predictable(const kiln_function* handle) {
  Text definition;
  if (kiln_function_get(definition.out(), handle, "definition", nullptr) != KILN_OK) return true;
  const char* const text = kiln_text_data(definition.get(), nullptr);
  return std::strstr(text, "raw ") == nullptr && std::strstr(text, "inout ") == nullptr;
}

}  // namespace

namespace {

PyObject* call_any(FunctionObject& f, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  PyObject* result = nullptr;
  if (call_quickly(f, args, count, names, result) == Quick::done) return result;
  return with_request(f, args, count, names, general_call);
}

}  // namespace

PyObject* call_function(PyObject* self, PyObject* const* args, std::size_t nargsf, PyObject* names) {
  FunctionObject& f = to_function(self);
  PyObject* const result = call_any(f, args, PyVectorcall_NARGS(nargsf), names);
  if (result == nullptr && f.comparison && PyErr_ExceptionMatches(PyExc_OverflowError))
    return compare_out_of_bounds(self, args, static_cast<std::size_t>(PyVectorcall_NARGS(nargsf)), names);
  return result;
}

void learn_loop(FunctionObject& f, std::uint64_t key, const int* type_numbers, int count) noexcept {
  if (find_loop(f, key) != nullptr) return;
  auto* const loop = static_cast<Loop*>(PyMem_RawMalloc(sizeof(Loop)));
  if (loop == nullptr) return;
  loop->key = key;
  for (int i = 0; i < count; ++i) loop->type_numbers[i] = type_numbers[i];
  std::atomic<Loop*>& slot = f.loops[(key * 0x9E3779B97F4A7C15U) >> 58U];
  loop->next = slot.load(std::memory_order_relaxed);
  while (!slot.compare_exchange_weak(loop->next, loop, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

PyObject* make_function(FunctionHandle handle, bool of_math) {
  kiln_function_info info = kiln_function_info_default();
  Error error;
  if (kiln_function_describe(handle.get(), &info, error.out()) != KILN_OK) return error.raise();
  if (info.kind >= std::size(kClasses))
    return raise(KILN_E_TYPE, "a function of kind %u is unknown to this package", info.kind);
  if (info.nin + info.nout > kMaxOperands) return raise(KILN_E_TYPE, "%s: more than %d operands", info.name, kMaxOperands);
  auto* const loops = static_cast<std::atomic<Loop*>*>(PyMem_RawCalloc(kLoopSlots, sizeof(std::atomic<Loop*>)));
  if (loops == nullptr) return PyErr_NoMemory();
  PyTypeObject* const type = classes[info.kind];
  auto* const made = reinterpret_cast<FunctionObject*>(type->tp_alloc(type, 0));
  if (made == nullptr) {
    PyMem_RawFree(loops);
    return nullptr;
  }
  made->vectorcall = call_function;
  made->handle = handle.release();
  made->info = info;
  made->predictable = info.kind == KILN_UFUNC && info.nin != 0 && is_predictable(made->handle);
  made->comparison = of_math && is_comparison(info.name);
  made->loops = loops;
  return reinterpret_cast<PyObject*>(made);
}

FunctionObject* function_of(PyObject* object) {
  if (PyObject_TypeCheck(object, classes[0])) return &to_function(object);
  PyErr_Format(PyExc_TypeError, "a function of kiln is expected, and this is %s", Py_TYPE(object)->tp_name);
  return nullptr;
}

bool add_functions(PyObject* module) {
  for (std::size_t kind = 0; kind < std::size(kClasses); ++kind) {
    PyMethodDef* const methods = kind == 0                                   ? function_methods
                                 : kind == KILN_UFUNC || kind == KILN_GUFUNC ? kUfuncMethods
                                                                             : nullptr;
    classes[kind] = make_class(kind, methods, kind == 0 ? function_values : doc_values,
                               kind == 0 ? nullptr : reinterpret_cast<PyObject*>(classes[0]));
    if (classes[kind] == nullptr) return false;
    if (PyModule_AddObjectRef(module, kClasses[kind], reinterpret_cast<PyObject*>(classes[kind])) != 0) return false;
  }
  return true;
}

}  // namespace kiln::python
