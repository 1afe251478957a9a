// The operands of a call: an array, memory of the caller's, or a C++ scalar.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "kiln/array.hpp"
#include "kiln/array_ref.hpp"
#include "kiln/dtype.hpp"

namespace kiln {

/// A mask or an output of a call: an array, memory of the caller's, or nothing.
class ArrayArg {
 public:
  /// Constructs nothing: no mask, a fresh output.
  ArrayArg() noexcept = default;
  /// Constructs an operand that holds the array's handle; nothing for an empty handle.
  ArrayArg(const Array& array) noexcept : array_(array) {}  // NOLINT(google-explicit-constructor)
  /// Constructs an operand from a handle that it takes over.
  ArrayArg(Array&& array) noexcept : array_(std::move(array)) {}  // NOLINT(google-explicit-constructor)
  /// Constructs an operand that refers to `ref`, which must outlive it.
  ArrayArg(const ArrayRef& ref) noexcept : ref_(&ref) {}  // NOLINT(google-explicit-constructor)
  /// Constructs an operand in memory of the caller's: a vector, a span, a C array, a std::mdspan. No element is copied. The
  /// memory must outlive the call's work.
  template <detail::OperandRange R>
  ArrayArg(R&& values)  // NOLINT(google-explicit-constructor, bugprone-forwarding-reference-overload)
      : array_(Array::view(std::forward<R>(values))) {}
  /// Returns true for an array and for memory of the caller's.
  [[nodiscard]] bool valid() const noexcept { return ref_ != nullptr || array_.valid(); }
  /// Returns the array; an empty handle for anything else.
  [[nodiscard]] const Array& array() const noexcept { return array_; }
  /// Returns the caller's memory; null for anything else.
  [[nodiscard]] const ArrayRef* ref() const noexcept { return ref_; }

 private:
  Array array_;
  const ArrayRef* ref_ = nullptr;
};

/// The outputs to write to: one array, or one for each output of the ufunc. An empty handle in a list, {Array(), r}, requests a
/// fresh output, like None in NumPy.
class Outputs {
 public:
  /// Constructs an empty list: every output is fresh.
  Outputs() = default;
  /// Constructs a list of one array.
  Outputs(const Array& array) : first_(array), count_(1) {}  // NOLINT(google-explicit-constructor)
  /// Constructs a list of one output in the caller's memory, which must outlive the list.
  Outputs(const ArrayRef& ref) : first_(ref), count_(1) {}  // NOLINT(google-explicit-constructor)
  /// Constructs a list of one output for each of the function's, in their order. An empty one is fresh.
  Outputs(std::initializer_list<ArrayArg> outputs) : Outputs(std::vector<ArrayArg>(outputs)) {}
  /// Constructs the list from a vector of arrays.
  Outputs(const std::vector<Array>& arrays)  // NOLINT(google-explicit-constructor)
      : Outputs(std::vector<ArrayArg>(arrays.begin(), arrays.end())) {}
  /// Constructs the list from a vector.
  Outputs(std::vector<ArrayArg> outputs) : count_(outputs.size()) {  // NOLINT(google-explicit-constructor)
    if (count_ == 1) {
      first_ = std::move(outputs.front());
    } else {
      all_ = std::move(outputs);
    }
  }
  /// Constructs a list of one output in memory of the caller's: `.out = v` for a vector, a span, a C array, a std::mdspan. No
  /// element is copied. The memory must outlive the call's work.
  template <detail::OperandRange R>
  Outputs(R&& values)  // NOLINT(google-explicit-constructor, bugprone-forwarding-reference-overload)
      : first_(Array::view(std::forward<R>(values))), count_(1) {}
  /// Returns a list that refers to `outputs`, which must outlive it. Allocates nothing.
  [[nodiscard]] static Outputs refer_to(std::span<const ArrayArg> outputs) noexcept {
    Outputs list;
    list.others_ = outputs.data();
    list.count_ = outputs.size();
    return list;
  }
  /// Returns the given outputs; empty if there are none.
  [[nodiscard]] std::span<const ArrayArg> list() const noexcept {
    if (others_ != nullptr) return {others_, count_};
    return count_ == 1 ? std::span<const ArrayArg>(&first_, 1) : std::span<const ArrayArg>(all_);
  }
  /// Returns true if no output was given.
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }

 private:
  ArrayArg first_;  // a list of one allocates nothing
  std::vector<ArrayArg> all_;
  const ArrayArg* others_ = nullptr;  // a list that somebody else owns
  std::size_t count_ = 0;
};

/// One argument of a call: an array, memory of the caller's, or a C++ scalar. A scalar is weak (NEP 50): it takes the arrays'
/// dtype unless its kind is higher. An Arg holds an array's handle, so a list of arguments may outlive the arrays that it was
/// made from. It refers to an ArrayRef, which must outlive it.
class Arg {
 public:
  /// Constructs an array argument. A call with an empty handle throws TypeError.
  Arg(const Array& array) noexcept : is_array_(true), array_(array) {}  // NOLINT(google-explicit-constructor)
  /// Constructs an array argument from a handle that it takes over.
  Arg(Array&& array) noexcept : is_array_(true), array_(std::move(array)) {}  // NOLINT(google-explicit-constructor)
  /// Constructs an argument in the caller's memory.
  Arg(const ArrayRef& ref) noexcept : is_array_(true), array_(ref) {}  // NOLINT(google-explicit-constructor)
  /// Constructs an array argument of an operand; nothing counts as an empty handle.
  Arg(const ArrayArg& array) noexcept  // NOLINT(google-explicit-constructor, modernize-pass-by-value)
      : is_array_(true), array_(array) {}
  /// Constructs an argument in memory of the caller's: a vector, a span, a std::array, a C array, a std::mdspan. No element is
  /// copied. The memory must outlive the call's work. A vector or array that ends with the expression does not compile.
  template <detail::OperandRange R>
  Arg(R&& values)  // NOLINT(google-explicit-constructor, bugprone-forwarding-reference-overload)
      : is_array_(true), array_(std::forward<R>(values)) {}
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
  /// Returns true for an array and for memory of the caller's, false for a scalar.
  [[nodiscard]] bool is_array() const noexcept { return is_array_; }
  /// Returns the array; an empty handle for anything else.
  [[nodiscard]] const Array& array() const noexcept { return array_.array(); }
  /// Returns the caller's memory; null for anything else.
  [[nodiscard]] const ArrayRef* ref() const noexcept { return array_.ref(); }
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
  ArrayArg array_;
  alignas(16) unsigned char value_[16] = {};
};

}  // namespace kiln
