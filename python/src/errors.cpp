#include "errors.hpp"

#include <cstdarg>
#include <cstring>

namespace kiln::python {
namespace {

constexpr long kOverflow = KILN_E_RANK + 1;
constexpr long kIndex = KILN_E_RANK + 2;
constexpr long kAxis = KILN_E_RANK + 3;
constexpr long kIdentity = KILN_E_RANK + 4;
constexpr long kStatuses = KILN_E_RANK + 5;
PyObject* exceptions[kStatuses];

constexpr const char* kKeys[] = {"position", "vendor_code", "vendor_name", "diagnostics", "log",  "source", "target",
                                 "compiler", "context",     "option",      "reason",      "rank", "code"};

/// Errors whose class in NumPy is another than that of their status.
constexpr struct {
  kiln_status status;
  const char* reason;
  long place;
} kRefined[] = {{KILN_E_TYPE, "overflow", kOverflow},
                {KILN_E_TYPE, "identity", kIdentity},
                {KILN_E_SHAPE, "index", kIndex},
                {KILN_E_SHAPE, "axis", kAxis}};

/// `reason`: "axis"; NULL: none.
PyObject* class_of(kiln_status status, const char* reason) {
  for (const auto& each : kRefined) {
    if (reason != nullptr && each.status == status && std::strcmp(reason, each.reason) == 0 &&
        exceptions[each.place] != nullptr)
      return exceptions[each.place];
  }
  const bool known = status > 0 && status < kStatuses && exceptions[status] != nullptr;
  return known ? exceptions[status] : PyExc_RuntimeError;
}

bool set_value(PyObject* exception, const char* key, const char* value) {
  const Ref object(PyUnicode_DecodeUTF8(value, static_cast<Py_ssize_t>(strlen(value)), "replace"));
  return object && PyObject_SetAttrString(exception, key, object.get()) == 0;
}

/// Python 3.11 and later print it below the message.
bool add_note(PyObject* exception, const char* code) {
  if (code == nullptr || PyObject_HasAttrString(exception, "add_note") == 0) return true;
  const Ref note(PyUnicode_FromFormat("help: python -m kiln explain %s", code));
  return note && Ref(PyObject_CallMethod(exception, "add_note", "O", note.get()));
}

}  // namespace

bool set_exception(long status, PyObject* type) {
  if (status <= 0 || status >= kStatuses || !PyExceptionClass_Check(type)) {
    PyErr_SetString(PyExc_ValueError, "a status of kiln and an exception class are expected");
    return false;
  }
  Py_XSETREF(exceptions[status], Py_NewRef(type));
  return true;
}

PyObject* Error::raise() const {
  const kiln_status status = kiln_error_status(error_);
  const char* const message = kiln_error_message(error_);
  if (status == KILN_E_MEMORY) return PyErr_NoMemory();
  Ref what(PyUnicode_DecodeUTF8(message, static_cast<Py_ssize_t>(strlen(message)), "replace"));
  if (!what) return nullptr;
  if (const char* const options = kiln_error_get(error_, "options")) {
    const Ref in_python(support("in_python"));
    if (!in_python) return nullptr;
    what = Ref(PyObject_CallFunction(in_python.get(), "Os", what.get(), options));
    if (!what) return nullptr;
  }
  const Ref exception(PyObject_CallOneArg(class_of(status, kiln_error_get(error_, "reason")), what.get()));
  if (!exception) return nullptr;
  for (const char* const key : kKeys) {
    const char* const value = kiln_error_get(error_, key);
    if (value != nullptr && !set_value(exception.get(), key, value)) return nullptr;
  }
  if (!add_note(exception.get(), kiln_error_get(error_, "code"))) return nullptr;
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.get())), exception.get());
  return nullptr;
}

PyObject* raise(kiln_status status, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  PyErr_FormatV(class_of(status, nullptr), format, arguments);
  va_end(arguments);
  return nullptr;
}

}  // namespace kiln::python
