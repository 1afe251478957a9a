#include "keywords.hpp"

#include <iterator>

namespace kiln::python {
namespace {

constexpr const char* kNames[] = {"out",     "where",    "dtype",       "casting", "signature",  "sig",     "axis",
                                  "axes",    "keepdims", "order",       "subok",   "initial",    "stream",  "device",
                                  "timeout", "size",     "grid",        "block",   "shared_mem", "lengths", "norm",
                                  "measure", "chunked",  "chunk_bytes", "devices", "progress",   "indices", "array"};
static_assert(std::size(kNames) == kKeywords);
PyObject* interned[kKeywords];
PyObject* no_value;  ///< numpy._NoValue, which stands for an argument that is absent

int find(PyObject* name) {
  for (int i = 0; i < kKeywords; ++i) {
    if (interned[i] == name) return i;
  }
  for (int i = 0; i < kKeywords; ++i) {
    if (PyUnicode_Compare(interned[i], name) == 0) return i;
  }
  return -1;
}

bool refuse(const char* function, PyObject* name, KeywordSet allowed) {
  const Ref known(PyList_New(0));
  if (!known) return false;
  for (int i = 0; i < kKeywords; ++i) {
    if ((allowed >> i & 1U) != 0 && PyList_Append(known.get(), interned[i]) != 0) return false;
  }
  const Ref text(support("unknown_keyword"));
  if (!text) return false;
  const Ref message(PyObject_CallFunction(text.get(), "sOO", function, name, known.get()));
  if (message) PyErr_SetObject(PyExc_TypeError, message.get());
  return false;
}

/// Refuses two keywords that say the same. Returns false with an exception.
bool refuse_pair(PyObject* const* values, Keyword first, Keyword second) {
  if (values[first] == nullptr || values[second] == nullptr) return true;
  PyErr_Format(PyExc_TypeError, "cannot specify both '%s' and '%s'", kNames[first], kNames[second]);
  return false;
}

}  // namespace

bool intern_keywords() {
  for (int i = 0; i < kKeywords; ++i) {
    if (interned[i] == nullptr && (interned[i] = PyUnicode_InternFromString(kNames[i])) == nullptr) return false;
  }
  const Ref numpy(PyImport_ImportModule("numpy"));
  if (no_value == nullptr && numpy) no_value = PyObject_GetAttrString(numpy.get(), "_NoValue");
  return no_value != nullptr;
}

PyObject* interned_keyword(Keyword keyword) noexcept {
  return interned[keyword];
}

const char* keyword_name(Keyword keyword) noexcept {
  return kNames[keyword];
}

bool Keywords::read(const char* function, PyObject* const* args, PyObject* names, KeywordSet allowed) {
  if (names == nullptr) return true;
  const Py_ssize_t count = PyTuple_GET_SIZE(names);
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* const name = PyTuple_GET_ITEM(names, i);
    const int found = find(name);
    if (found < 0 || (allowed >> found & 1U) == 0) return refuse(function, name, allowed);
    if (values_[found] != nullptr) {
      PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%U'", function, name);
      return false;
    }
    if (args[i] == no_value) continue;
    values_[found] = args[i];
    read_ |= 1U << found;
  }
  return refuse_pair(values_, kSig, kSignature) && refuse_pair(values_, kAxis, kAxes);
}

bool Keywords::read_positional(const char* function, PyObject* const* args, Py_ssize_t count, const Keyword* order,
                               Py_ssize_t possible) {
  if (count > possible) {
    PyErr_Format(PyExc_TypeError, "%s() takes at most %zd positional arguments, and %zd were given", function, possible, count);
    return false;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (order[i] == kOut && args[i] == Py_Ellipsis) {
      PyErr_SetString(PyExc_TypeError, "out=... is only allowed as a keyword argument.");
      return false;
    }
    if (args[i] == no_value) continue;
    values_[order[i]] = args[i];
    read_ |= 1U << order[i];
  }
  return true;
}

}  // namespace kiln::python
