// Python, NumPy and kiln's C interface, and owners of references.
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_1_23_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL kiln_python_numpy
#ifndef KILN_PYTHON_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>

#include <kiln/c/kiln.h>

#include <cstddef>
#include <cstdint>
#include <utility>

// The headers of NumPy 1, which Debian 12 has. An extension that is made with them runs on NumPy 1 alone.
#if NPY_ABI_VERSION < 0x02000000
inline npy_intp PyDataType_ELSIZE(const PyArray_Descr* type) {
  return type->elsize;
}
#ifdef KILN_PYTHON_IMPORTS_NUMPY
inline int PyArray_ImportNumPyAPI() {
  return _import_array();
}
#endif
#endif

namespace kiln::python {

static_assert(sizeof(npy_intp) == sizeof(std::int64_t), "shapes of NumPy are handed over as they are");

/// Limits of NumPy 2, which an older NumPy checks itself.
inline constexpr int kMaxOperands = 64;
inline constexpr int kMaxAxes = 64;

/// An owned reference to a Python object, or none.
class Ref {
 public:
  Ref() noexcept = default;
  explicit Ref(PyObject* owned) noexcept : object_(owned) {}
  static Ref borrowed(PyObject* object) noexcept { return Ref(Py_XNewRef(object)); }
  Ref(Ref&& other) noexcept : object_(other.release()) {}
  Ref& operator=(Ref&& other) noexcept {
    PyObject* const old = std::exchange(object_, other.release());
    Py_XDECREF(old);
    return *this;
  }
  ~Ref() { Py_XDECREF(object_); }

  [[nodiscard]] PyObject* get() const noexcept { return object_; }
  [[nodiscard]] PyObject* release() noexcept { return std::exchange(object_, nullptr); }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

/// A handle of the C interface, released by its function.
template <class T, void (*Release)(T*)>
class Handle {
 public:
  Handle() noexcept = default;
  explicit Handle(T* owned) noexcept : handle_(owned) {}
  Handle(Handle&& other) noexcept : handle_(other.release()) {}
  Handle& operator=(Handle&& other) noexcept {
    reset(other.release());
    return *this;
  }
  ~Handle() {
    if (handle_ != nullptr) Release(handle_);
  }

  [[nodiscard]] T* get() const noexcept { return handle_; }
  [[nodiscard]] T* release() noexcept { return std::exchange(handle_, nullptr); }
  void reset(T* owned) noexcept { Release(std::exchange(handle_, owned)); }
  /// Returns where a function writes its handle.
  [[nodiscard]] T** out() noexcept {
    reset(nullptr);
    return &handle_;
  }

 private:
  T* handle_ = nullptr;
};

using Text = Handle<kiln_text, kiln_text_release>;
using FunctionHandle = Handle<kiln_function, kiln_function_release>;
using ArrayHandle = Handle<kiln_array, kiln_array_release>;
using StreamHandle = Handle<kiln_stream, kiln_stream_release>;
using EventHandle = Handle<kiln_event, kiln_event_release>;
using StopHandle = Handle<kiln_stop, kiln_stop_release>;

/// Releases the GIL until the end of the scope, if it is told to.
class Unlocked {
 public:
  explicit Unlocked(bool wanted = true) noexcept : state_(wanted ? PyEval_SaveThread() : nullptr) {}
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
  ~Unlocked() {
    if (state_ != nullptr) PyEval_RestoreThread(state_);
  }

 private:
  PyThreadState* state_;
};

/// Sets the current exception aside until the end of the scope: what others' destructors call must find none.
class NoException {
 public:
  NoException() noexcept { PyErr_Fetch(&type_, &value_, &trace_); }
  NoException(const NoException&) = delete;
  NoException& operator=(const NoException&) = delete;
  ~NoException() { PyErr_Restore(type_, value_, trace_); }

 private:
  PyObject* type_ = nullptr;
  PyObject* value_ = nullptr;
  PyObject* trace_ = nullptr;
};

/// Returns the items in a tuple, which no other thread changes. NULL with a TypeError of `message` if there are none.
inline PyObject* to_tuple(PyObject* items, const char* message) {
  PyObject* const made = PySequence_Tuple(items);
  if (made == nullptr && PyErr_ExceptionMatches(PyExc_TypeError)) PyErr_SetString(PyExc_TypeError, message);
  return made;
}

/// Returns a str of a text, or NULL with an exception.
inline PyObject* to_str(const Text& text) {
  std::size_t length = 0;
  const char* const data = kiln_text_data(text.get(), &length);
  return PyUnicode_DecodeUTF8(data, static_cast<Py_ssize_t>(length), "replace");
}

/// Returns kiln._support's function of that name, or NULL with an exception. What is rare is written in Python there.
PyObject* support(const char* name);

}  // namespace kiln::python
