// What a call takes: arrays and C++ scalars.
#pragma once

#include <utility>

#include "kiln/array.hpp"
#include "kiln/dtype.hpp"

namespace kiln {

/// One argument of a call: an array, or a C++ scalar. A scalar is weak (NEP 50): it takes the arrays' dtype where its
/// kind is not higher. Holds the array's handle, so that a list of arguments may outlive the arrays it was made from.
class Arg {
 public:
  /// An array. An empty handle is a TypeError of the call.
  Arg(const Array& array) noexcept : is_array_(true), array_(array) {}  // NOLINT(google-explicit-constructor)
  /// The same.
  Arg(Array&& array) noexcept : is_array_(true), array_(std::move(array)) {}  // NOLINT(google-explicit-constructor)
  /// A scalar of T's dtype.
  template <Element T>
  Arg(T value) noexcept : dtype_(dtype_of<T>) {  // NOLINT(google-explicit-constructor)
    static_assert(sizeof(T) <= sizeof(value_));
    __builtin_memcpy(value_, &value, sizeof(T));
  }
  /// A scalar of that dtype, 0: for calls that are only planned.
  [[nodiscard]] static Arg zero(DType dtype) noexcept {
    Arg arg(false);
    arg.dtype_ = dtype;
    arg.known_ = false;
    return arg;
  }
  /// A scalar of that dtype from itemsize(dtype) bytes.
  [[nodiscard]] static Arg of_bytes(DType dtype, const void* value) noexcept {
    Arg arg(false);
    arg.dtype_ = dtype;
    __builtin_memcpy(arg.value_, value, itemsize(dtype));
    return arg;
  }
  /// Whether it is an array, not a scalar.
  [[nodiscard]] bool is_array() const noexcept { return is_array_; }
  /// The array; an empty handle for a scalar.
  [[nodiscard]] const Array& array() const noexcept { return array_; }
  /// A scalar's dtype; of an array it means nothing.
  [[nodiscard]] DType dtype() const noexcept { return dtype_; }
  /// The address of a scalar's value, itemsize(dtype()) bytes inside this object; of an array it means nothing.
  [[nodiscard]] const void* value() const noexcept { return value_; }
  /// False of zero() alone: its value is not the call's.
  [[nodiscard]] bool known() const noexcept { return known_; }

 private:
  bool is_array_ = false;
  DType dtype_ = DType::bool_;
  bool known_ = true;
  Array array_;
  alignas(16) unsigned char value_[16] = {};
};

}  // namespace kiln
