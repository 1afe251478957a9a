// Errors of the C interface as Python's exceptions.
#pragma once
#include "python.hpp"

namespace kiln::python {

/// The error of one call. `raise` turns it into an exception of the class for its status.
class Error {
 public:
  Error() noexcept = default;
  Error(const Error&) = delete;
  Error& operator=(const Error&) = delete;
  ~Error() {
    if (error_ != nullptr) kiln_error_release(error_);
  }

  [[nodiscard]] kiln_error** out() noexcept { return &error_; }
  /// Sets the exception, with the values of the error as attributes. Returns NULL.
  PyObject* raise() const;

 private:
  kiln_error* error_ = nullptr;
};

/// Registers the class of the exceptions of a status; the numbers after the last are those of NumPy's own distinctions. Returns
/// false with an exception if there is no such status.
bool set_exception(long status, PyObject* type);

/// Sets an exception with a class that `set_exception` registered. Returns NULL.
PyObject* raise(kiln_status status, const char* format, ...) __attribute__((format(printf, 2, 3)));

}  // namespace kiln::python
