// The argument of a call: an array or a C++ scalar.
#pragma once

#include <utility>

#include "kiln/array.hpp"
#include "kiln/dtype.hpp"

namespace kiln {

/// One argument of a call: an array or a C++ scalar. A scalar is weak (NEP 50): it takes the arrays' dtype unless its kind is
/// higher. An Arg holds the array's handle, so a list of arguments may outlive the arrays that it was made from.
class Arg {
 public:
  /// Constructs an array argument. A call with an empty handle throws TypeError.
  Arg(const Array& array) noexcept : is_array_(true), array_(array) {}  // NOLINT(google-explicit-constructor)
  /// Constructs an array argument from a handle that it takes over.
  Arg(Array&& array) noexcept : is_array_(true), array_(std::move(array)) {}  // NOLINT(google-explicit-constructor)
  /// Constructs a scalar argument of T's dtype.
  template <Element T>
  Arg(T value) noexcept : dtype_(dtype_of<T>) {  // NOLINT(google-explicit-constructor)
    static_assert(sizeof(T) <= sizeof(value_));
    __builtin_memcpy(value_, &value, sizeof(T));
  }
  /// Returns a scalar of that dtype with the value 0, for calls that are only planned.
  [[nodiscard]] static Arg zero(DType dtype) noexcept {
    Arg arg(false);
    arg.dtype_ = dtype;
    arg.known_ = false;
    return arg;
  }
  /// Returns a scalar of that dtype. `value` points to itemsize(dtype) bytes, which are copied.
  [[nodiscard]] static Arg of_bytes(DType dtype, const void* value) noexcept {
    Arg arg(false);
    arg.dtype_ = dtype;
    __builtin_memcpy(arg.value_, value, itemsize(dtype));
    return arg;
  }
  /// Returns true for an array, false for a scalar.
  [[nodiscard]] bool is_array() const noexcept { return is_array_; }
  /// Returns the array; an empty handle for a scalar.
  [[nodiscard]] const Array& array() const noexcept { return array_; }
  /// Returns a scalar's dtype. The result has no meaning for an array.
  [[nodiscard]] DType dtype() const noexcept { return dtype_; }
  /// Returns the address of a scalar's value: itemsize(dtype()) bytes inside this object. The result has no meaning for an
  /// array.
  [[nodiscard]] const void* value() const noexcept { return value_; }
  /// Returns false for zero() alone, whose value is not the call's.
  [[nodiscard]] bool known() const noexcept { return known_; }

 private:
  bool is_array_ = false;
  DType dtype_ = DType::bool_;
  bool known_ = true;
  Array array_;
  alignas(16) unsigned char value_[16] = {};
};

}  // namespace kiln
