// Dims: a short list of 64-bit numbers (a shape, strides, axes) that stores up to five of them inline.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kiln/export.hpp"

namespace kiln {

namespace detail {
template <class T>
concept integer_constant = requires { T::value; } && std::integral<std::remove_cv_t<decltype(T::value)>>;
}  // namespace detail

/// One number of a list, of any integer type or an enumeration that converts to one: Shape{n, 3} accepts a std::size_t. Numbers
/// beyond 2^63-1 are clamped to it.
struct Integer {
  /// Converts an integer, an enumerator, or a std::integral_constant.
  template <class T>
    requires(std::integral<T> || (std::is_enum_v<T> && std::is_convertible_v<T, std::int64_t>) || detail::integer_constant<T>)
  constexpr Integer(T number) noexcept : value(clamped(number)) {}  // NOLINT(google-explicit-constructor)
  /// The number.
  std::int64_t value;

 private:
  template <class T>
  static constexpr std::int64_t clamped(T number) noexcept {
    if constexpr (std::is_same_v<T, std::uint64_t> || std::is_same_v<T, unsigned long long>) {
      return std::in_range<std::int64_t>(number) ? static_cast<std::int64_t>(number) : INT64_MAX;
    } else if constexpr (detail::integer_constant<T>) {
      return clamped(T::value);
    } else {
      return static_cast<std::int64_t>(number);
    }
  }
};

/// A short list of 64-bit integers. A plain value; its functions throw nothing but std::bad_alloc.
class Dims {
 public:
  /// Number of values that fit inline.
  static constexpr std::size_t kInline = 5;

  /// Constructs an empty list: the shape of a zero-dimensional array.
  // Clang makes no const object of a class with a union without a constructor that is written out.
  // NOLINTNEXTLINE(modernize-use-equals-default)
  Dims() noexcept {}
  /// Constructs a list of integers of any type: {2, n, 3}.
  Dims(std::initializer_list<Integer> values) {
    allot(values.size());
    std::int64_t* next = data();
    for (const Integer extent : values) *next++ = extent.value;
  }
  /// Constructs a copy of the values.
  Dims(std::span<const std::int64_t> values) {  // NOLINT(google-explicit-constructor): a shape is written as any list
    allot(values.size());
    if (!values.empty()) std::memcpy(data(), values.data(), values.size_bytes());
  }
  /// Constructs a copy of a vector's values.
  Dims(const std::vector<std::int64_t>& values)  // NOLINT(google-explicit-constructor)
      : Dims(std::span<const std::int64_t>(values)) {}
  /// Constructs a list of one integer: Array::zeros(5) is Array::zeros({5}).
  template <class T>
    requires((std::integral<T> && !std::same_as<T, bool>) || detail::integer_constant<T>)
  Dims(T value) : Dims({Integer(value)}) {}  // NOLINT(google-explicit-constructor)
  /// Constructs `count` values, all equal. Braces choose the list constructor instead.
  template <std::integral Count>
  Dims(Count count, std::int64_t value) {
    allot(static_cast<std::size_t>(count));
    for (auto& v : *this) v = value;
  }
  /// @name Copies and moves: copies have the same values; a moved-from list is empty
  /// @{
  Dims(const Dims& other) : size_(other.size_) {
    if (other.on_heap()) {
      size_ = 0;
      allot(other.size_);
      std::memcpy(data(), other.data(), size_ * sizeof(std::int64_t));
    } else {
      std::memcpy(inline_, other.inline_, sizeof inline_);
    }
  }
  Dims(Dims&& other) noexcept { take(other); }
  Dims& operator=(const Dims& other) {
    if (this != &other) *this = Dims(other);
    return *this;
  }
  Dims& operator=(Dims&& other) noexcept {
    if (this != &other) take(other);
    return *this;
  }
  ~Dims() { free(); }
  /// @}

  /// @name Members of std::vector's meaning
  ///
  /// An index beyond the end is undefined. Pointers are valid until the list grows or is moved.
  /// @{
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::int64_t* data() noexcept { return on_heap() ? heap_ : inline_; }
  [[nodiscard]] const std::int64_t* data() const noexcept { return on_heap() ? heap_ : inline_; }
  std::int64_t& operator[](std::size_t i) noexcept { return data()[i]; }
  const std::int64_t& operator[](std::size_t i) const noexcept { return data()[i]; }
  [[nodiscard]] std::int64_t* begin() noexcept { return data(); }
  [[nodiscard]] std::int64_t* end() noexcept { return data() + size_; }
  [[nodiscard]] const std::int64_t* begin() const noexcept { return data(); }
  [[nodiscard]] const std::int64_t* end() const noexcept { return data() + size_; }
  [[nodiscard]] std::int64_t& back() noexcept { return data()[size_ - 1]; }
  [[nodiscard]] const std::int64_t& back() const noexcept { return data()[size_ - 1]; }
  /// @}

  /// Resizes the list. The first `count` values are preserved; new ones are 0.
  void resize(std::size_t count) {
    if (count > capacity_) grow(count);
    for (std::size_t i = size_; i < count; ++i) data()[i] = 0;
    size_ = static_cast<std::uint32_t>(count);
  }
  /// Appends a value.
  void push_back(std::int64_t value) {
    if (size_ == capacity_) grow(std::size_t{2} * size_);
    data()[size_++] = value;
  }
  /// Compares the values in order.
  friend bool operator==(const Dims& a, const Dims& b) noexcept {
    return a.size_ == b.size_ && std::memcmp(a.data(), b.data(), a.size_ * sizeof(std::int64_t)) == 0;
  }

 private:
  [[nodiscard]] bool on_heap() const noexcept { return capacity_ > kInline; }
  void free() noexcept {
    if (on_heap()) std::default_delete<std::int64_t[]>()(heap_);
  }
  /// Gives an empty list that many values, which are not set.
  void allot(std::size_t count) {
    if (count > capacity_) grow(count);
    size_ = static_cast<std::uint32_t>(count);
  }
  void grow(std::size_t count) {
    if (count > UINT32_MAX) throw std::bad_array_new_length();
    auto grown = std::make_unique<std::int64_t[]>(count);
    std::memcpy(grown.get(), data(), size_ * sizeof(std::int64_t));
    free();
    heap_ = grown.release();
    capacity_ = static_cast<std::uint32_t>(count);
  }
  void take(Dims& other) noexcept {
    free();
    size_ = other.size_;
    capacity_ = other.capacity_;
    if (other.on_heap()) {
      heap_ = other.heap_;
    } else {
      std::memcpy(inline_, other.inline_, sizeof inline_);
    }
    other.size_ = 0;
    other.capacity_ = kInline;
  }

  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = kInline;
  union {
    std::int64_t inline_[kInline] = {};
    std::int64_t* heap_;  // owned; active if capacity_ is more than kInline
  };
};

/// Extents, one for each axis, the first axis first.
using Shape = Dims;
/// Distances in bytes between neighbouring elements along each axis.
using Strides = Dims;

/// Returns "(2, 3)", "(3,)", "()".
[[nodiscard]] KILN_API std::string to_string(const Dims& dims);

}  // namespace kiln
