#include "options.hpp"

#include <cmath>
#include <cstring>

#include "dtypes.hpp"
#include "errors.hpp"
#include "function.hpp"
#include "streams.hpp"

namespace kiln::python {
namespace {

bool is_absent(PyObject* object) noexcept {
  return object == nullptr || object == Py_None;
}

bool convert_index(PyObject* object, const char* what, long long& value) {
  const Ref number(PyNumber_Index(object));
  if (!number) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s: an integer is expected, and this is %s", what, Py_TYPE(object)->tp_name);
    return false;
  }
  value = PyLong_AsLongLong(number.get());
  return value != -1 || PyErr_Occurred() == nullptr;
}

bool convert_axis(PyObject* object, std::int32_t& axis) {
  long long value = 0;
  if (!convert_index(object, "axis", value)) return false;
  if (value < INT32_MIN || value > INT32_MAX) {
    PyErr_Format(PyExc_ValueError, "axis %lld is out of bounds", value);
    return false;
  }
  axis = static_cast<std::int32_t>(value);
  return true;
}

/// A generalized ufunc takes `keepdims` as a bool, and only where its core dimensions allow it.
bool check_keepdims(PyObject* keepdims, PyObject* function) {
  const Ref check(support("check_keepdims"));
  return check && Ref(PyObject_CallFunctionObjArgs(check.get(), function, keepdims, nullptr));
}

}  // namespace

bool convert_device(PyObject* object, kiln_device& device) {
  const Ref text(PyUnicode_Check(object) ? Py_NewRef(object) : PyObject_Str(object));
  if (!text) return false;
  Py_ssize_t length = 0;
  const char* const name = PyUnicode_AsUTF8AndSize(text.get(), &length);
  if (name == nullptr) return false;
  Error error;
  if (kiln_device_parse(&device, name, static_cast<std::size_t>(length), error.out()) == KILN_OK) return true;
  return error.raise() != nullptr;
}

bool convert_axes(PyObject* object, std::int32_t (&axes)[kMaxAxes], std::size_t& count) {
  if (object == Py_None) {
    count = KILN_ALL_AXES;
    return true;
  }
  if (!PyTuple_Check(object) && !PyList_Check(object)) {
    count = 1;
    return convert_axis(object, axes[0]);
  }
  const Ref list(to_tuple(object, "axis"));
  if (!list) return false;
  const Py_ssize_t size = PyTuple_GET_SIZE(list.get());
  if (size > kMaxAxes) {
    PyErr_SetString(PyExc_ValueError, "axis: too many axes");
    return false;
  }
  for (Py_ssize_t i = 0; i < size; ++i) {
    if (!convert_axis(PyTuple_GET_ITEM(list.get(), i), axes[i])) return false;
  }
  count = static_cast<std::size_t>(size);
  return true;
}

Options::~Options() {
  Py_XDECREF(where_.held);
  Py_XDECREF(initial_.held);
  PyMem_Free(core_axes_);
  PyMem_Free(core_counts_);
  PyMem_Free(devices_);
}

bool Options::read_axis(PyObject* axis) {
  options_.axis = axes_;
  return convert_axes(axis, axes_, options_.axis_count);
}

bool Options::read_core_axis(PyObject* axis) {
  options_.axis = axes_;
  options_.axis_count = 1;
  return convert_axis(axis, axes_[0]);
}

bool Options::read_axes(PyObject* axes, PyObject* function) {
  const Ref flatten(support("flat_axes"));
  if (!flatten) return false;
  // A pair of lists: the axes of all operands, and how many each has.
  const Ref pair(PyObject_CallFunctionObjArgs(flatten.get(), function, axes, nullptr));
  if (!pair) return false;
  PyObject* const list = PyTuple_GET_ITEM(pair.get(), 0);
  PyObject* const counts = PyTuple_GET_ITEM(pair.get(), 1);
  const Py_ssize_t size = PyList_GET_SIZE(list);
  const Py_ssize_t operands = PyList_GET_SIZE(counts);
  core_axes_ = static_cast<std::int32_t*>(PyMem_Malloc((static_cast<std::size_t>(size) + 1) * sizeof *core_axes_));
  core_counts_ = static_cast<std::size_t*>(PyMem_Malloc((static_cast<std::size_t>(operands) + 1) * sizeof *core_counts_));
  if (core_axes_ == nullptr || core_counts_ == nullptr) return PyErr_NoMemory() != nullptr;
  for (Py_ssize_t i = 0; i < size; ++i) {
    if (!convert_axis(PyList_GET_ITEM(list, i), core_axes_[i])) return false;
  }
  for (Py_ssize_t i = 0; i < operands; ++i) core_counts_[i] = PyLong_AsSize_t(PyList_GET_ITEM(counts, i));
  options_.core_axes = core_axes_;
  options_.core_axes_counts = core_counts_;
  options_.core_axes_operands = static_cast<std::size_t>(operands);
  return PyErr_Occurred() == nullptr;
}

bool Options::read_casting(PyObject* casting) {
  constexpr struct {
    const char* name;
    std::uint32_t value;
  } kAll[] = {
      {"same_kind", KILN_SAME_KIND}, {"no", KILN_NO}, {"equiv", KILN_EQUIV}, {"safe", KILN_SAFE}, {"unsafe", KILN_UNSAFE}};
  if (!PyUnicode_Check(casting)) {
    PyErr_Format(PyExc_TypeError, "casting must be a string, and this is %s", Py_TYPE(casting)->tp_name);
    return false;
  }
  for (const auto& each : kAll) {
    if (PyUnicode_CompareWithASCIIString(casting, each.name) != 0) continue;
    options_.casting = each.value;
    return true;
  }
  PyErr_Format(PyExc_ValueError, "casting must be one of 'no', 'equiv', 'safe', 'same_kind', or 'unsafe' (got %R)", casting);
  return false;
}

bool Options::read_signature(PyObject* signature, PyObject* function) {
  const Ref convert(support("signature_text"));
  if (!convert) return false;
  signature_ = Ref(PyObject_CallFunctionObjArgs(convert.get(), function, signature, nullptr));
  if (!signature_) return false;
  if (signature_.get() == Py_None) return true;
  // A dtype is the loop of those outputs; a text names all of the loop's dtypes.
  if (!PyUnicode_Check(signature_.get())) return convert_dtype(signature_.get(), options_.dtype);
  Py_ssize_t length = 0;
  options_.signature = PyUnicode_AsUTF8AndSize(signature_.get(), &length);
  options_.signature_length = static_cast<std::size_t>(length);
  return options_.signature != nullptr;
}

bool Options::read_where(PyObject* where) {
  if (where == Py_True) return true;
  where_ = Operand{};
  const Given given = python::read(where, where_);
  if (given == Given::weak || PyList_Check(where) || PyTuple_Check(where)) {
    // Numbers and sequences become masks, as in NumPy: only arrays have a dtype that must be bool.
    const Ref array(PyArray_FROM_OTF(where, NPY_BOOL, NPY_ARRAY_DEFAULT | NPY_ARRAY_FORCECAST));
    if (!array || !convert_input(array.get(), where_, "where")) return false;
  } else if (given == Given::foreign && !convert_input(where, where_, "where")) {
    return false;
  }
  if (where_.dtype.code != KILN_BOOL) {
    raise(KILN_E_TYPE,
          "Cannot cast array data from dtype('%s') to dtype('bool') according to the rule 'safe': `where` is a mask of bools",
          name_of(where_.dtype));
    return false;
  }
  options_.where = where_.arg;
  return true;
}

bool Options::read_lengths(PyObject* lengths) {
  std::int32_t list[kMaxAxes];
  std::size_t count = 0;
  if (!convert_axes(lengths, list, count)) return false;
  for (std::size_t i = 0; i < count; ++i) lengths_[i] = list[i];
  options_.lengths = lengths_;
  options_.lengths_count = count;
  return true;
}

bool Options::read_extents(PyObject* extents, std::int64_t (&to)[3], const char* what) {
  const Ref list(PySequence_Check(extents) ? to_tuple(extents, what) : PyTuple_Pack(1, extents));
  if (!list) return false;
  const Py_ssize_t count = PyTuple_GET_SIZE(list.get());
  if (count < 1 || count > 3) {
    PyErr_Format(PyExc_ValueError, "%s: 1 to 3 extents are possible, and these are %zd", what, count);
    return false;
  }
  for (Py_ssize_t i = 0; i < 3; ++i) {
    long long value = 1;
    if (i < count && !convert_index(PyTuple_GET_ITEM(list.get(), i), what, value)) return false;
    to[i] = value;
  }
  return true;
}

std::int32_t Options::report(const kiln_progress* progress, void* self) {
  // A call in chunks runs without the GIL, and calls back in its own thread.
  const PyGILState_STATE state = PyGILState_Ensure();
  const auto& options = *static_cast<Options*>(self);
  std::int32_t stop = PyErr_CheckSignals() != 0 ? 1 : 0;
  if (stop == 0 && options.progress_ != Py_None) {
    const Ref answer(PyObject_CallFunction(
        options.progress_, "LLLLd", static_cast<long long>(progress->chunks_done), static_cast<long long>(progress->chunks),
        static_cast<long long>(progress->bytes_done), static_cast<long long>(progress->bytes), progress->seconds));
    stop = !answer || answer.get() == Py_False ? 1 : 0;
  }
  PyGILState_Release(state);
  return stop;
}

bool Options::read_chunks(const Keywords& given) {
  if (is_absent(given[kChunked]) || PyObject_IsTrue(given[kChunked]) != 1) return PyErr_Occurred() == nullptr;
  options_.chunked = 1;
  long long bytes = 0;
  if (!is_absent(given[kChunkBytes]) && !convert_index(given[kChunkBytes], "chunk_bytes", bytes)) return false;
  options_.chunk_bytes = bytes;
  if (!is_absent(given[kDevices])) {
    const Ref list(to_tuple(given[kDevices], "devices: a list of devices is expected"));
    if (!list) return false;
    const Py_ssize_t count = PyTuple_GET_SIZE(list.get());
    devices_ = static_cast<kiln_device*>(PyMem_Malloc((static_cast<std::size_t>(count) + 1) * sizeof *devices_));
    if (devices_ == nullptr) return PyErr_NoMemory() != nullptr;
    for (Py_ssize_t i = 0; i < count; ++i) {
      if (!convert_device(PyTuple_GET_ITEM(list.get(), i), devices_[i])) return false;
    }
    options_.devices = devices_;
    options_.devices_count = static_cast<std::size_t>(count);
  }
  progress_ = given[kProgress] == nullptr ? Py_None : given[kProgress];
  options_.progress = report;
  options_.progress_user = this;
  return true;
}

bool Options::read(PyObject* function, const Keywords& given) {
  any_ = given.any_option();
  if (!any_) return true;
  if (!is_absent(given[kCasting]) && !read_casting(given[kCasting])) return false;
  PyObject* const signature = given[kSignature] != nullptr ? given[kSignature] : given[kSig];
  if (!is_absent(signature) && !read_signature(signature, function)) return false;
  if (!is_absent(given[kDtype])) {
    if (!is_absent(signature)) {
      PyErr_SetString(PyExc_TypeError, "cannot specify both 'signature' and 'dtype'");
      return false;
    }
    if (!convert_dtype(given[kDtype], options_.dtype)) return false;
  }
  if (given[kWhere] != nullptr && !read_where(given[kWhere])) return false;
  const bool generalized = function != nullptr && reinterpret_cast<FunctionObject*>(function)->info.kind == KILN_GUFUNC;
  if (given[kAxis] != nullptr && !(generalized ? read_core_axis(given[kAxis]) : read_axis(given[kAxis]))) return false;
  if (!is_absent(given[kAxes])) {
    if (!read_axes(given[kAxes], function)) return false;
  }
  if (given[kKeepdims] != nullptr) {
    if (generalized && !check_keepdims(given[kKeepdims], function)) return false;
    const int keepdims = PyObject_IsTrue(given[kKeepdims]);
    if (keepdims < 0) return false;
    options_.keepdims = static_cast<std::uint32_t>(keepdims);
  }
  if (!is_absent(given[kInitial])) {
    if (!convert_scalar(given[kInitial], initial_, "initial")) return false;
    options_.initial = initial_.arg;
  }
  if (!is_absent(given[kStream])) {
    options_.stream = stream_of(given[kStream]);
    if (options_.stream == nullptr) return false;
  }
  if (!is_absent(given[kDevice]) && !convert_device(given[kDevice], options_.device)) return false;
  if (!is_absent(given[kTimeout])) {
    const double seconds = PyFloat_AsDouble(given[kTimeout]);
    if (seconds == -1 && PyErr_Occurred() != nullptr) return false;
    if (!(seconds > 0) || seconds > 9e9) {
      PyErr_SetString(PyExc_ValueError, "timeout: a number of seconds above 0 is expected");
      return false;
    }
    options_.timeout_ns = static_cast<std::int64_t>(std::ceil(seconds * 1e9));
  }
  if (!is_absent(given[kSize])) {
    long long size = 0;
    if (!convert_index(given[kSize], "size", size)) return false;
    options_.size = size;
    options_.has_size = 1;
  }
  if (!is_absent(given[kGrid]) && !read_extents(given[kGrid], options_.grid, "grid")) return false;
  if (!is_absent(given[kBlock]) && !read_extents(given[kBlock], options_.block, "block")) return false;
  if (!is_absent(given[kSharedMem])) {
    long long bytes = 0;
    if (!convert_index(given[kSharedMem], "shared_mem", bytes)) return false;
    options_.shared_bytes = bytes;
  }
  if (!is_absent(given[kLengths]) && !read_lengths(given[kLengths])) return false;
  if (!is_absent(given[kNorm])) {
    PyObject* const norm = given[kNorm];
    const bool text = PyUnicode_Check(norm) != 0;
    if (text && PyUnicode_CompareWithASCIIString(norm, "ortho") == 0) {
      options_.norm = KILN_NORM_ORTHO;
    } else if (text && PyUnicode_CompareWithASCIIString(norm, "forward") == 0) {
      options_.norm = KILN_NORM_FORWARD;
    } else if (!text || PyUnicode_CompareWithASCIIString(norm, "backward") != 0) {
      PyErr_Format(PyExc_ValueError, "Invalid norm value %R; should be \"backward\",\"ortho\" or \"forward\".", norm);
      return false;
    }
  }
  if (!is_absent(given[kMeasure])) {
    const int measure = PyObject_IsTrue(given[kMeasure]);
    if (measure < 0) return false;
    options_.measure = static_cast<std::uint32_t>(measure);
  }
  return read_chunks(given);
}

}  // namespace kiln::python
