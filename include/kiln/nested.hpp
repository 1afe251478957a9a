// Lists and ranges, also nested ones, as elements in C order with their shape: what Array::from() copies and Array::view()
// shows.
#pragma once

#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "kiln/dtype.hpp"
#include "kiln/export.hpp"
#include "kiln/shape.hpp"

namespace kiln::detail {

/// An element that no list of two numbers stands for.
template <class T>
concept Real = Element<T> && !std::same_as<T, std::complex<float>> && !std::same_as<T, std::complex<double>>;

/// Anything of a known size that has elements one after the other: a vector, a std::array, a C array, a list.
template <class R>
concept Range = requires(const R& range) {
  std::begin(range);
  std::end(range);
  std::size(range);
};

template <class R>
using RangeValue = std::iter_value_t<decltype(std::begin(std::declval<const R&>()))>;

/// The elements of a range of ranges of …, and its number of axes.
template <class T>
struct Nested {};
template <Element T>
struct Nested<T> {
  using Value = T;
  static constexpr std::size_t kAxes = 0;
};
template <Range R>
  requires requires { Nested<RangeValue<R>>::kAxes; }
struct Nested<R> {
  using Value = typename Nested<RangeValue<R>>::Value;
  static constexpr std::size_t kAxes = 1 + Nested<RangeValue<R>>::kAxes;
};

template <class R>
concept NestedRange = Range<R> && requires { typename Nested<R>::Value; };

/// The T that is asked for; of void the elements' own.
template <class T, class R>
struct ValueOr {
  using Value = T;
};
template <class R>
struct ValueOr<void, R> : Nested<R> {};

/// Throws ShapeError: the list at that depth has another number of elements than the first one there.
[[noreturn]] KILN_API void fail_ragged(std::size_t depth, std::int64_t expected, std::size_t count);

template <class R>
inline constexpr bool kBraces = false;
template <class T>
inline constexpr bool kBraces<std::initializer_list<T>> = true;

/// The elements of a range in C order, of type T (void: the range's own), and their shape. A plain range of those is borrowed.
template <class T, class R>
class Flat {
 public:
  using Value = typename ValueOr<T, R>::Value;
  static constexpr DType kDType = dtype_of<Value>;

  explicit Flat(const R& range) {
    if constexpr (kBorrows) {
      data_ = std::data(range);
      size_ = std::size(range);
      shape_.push_back(static_cast<std::int64_t>(size_));
    } else {
      append(range, 0);
      // Empty braces are a list of any depth: they have the axes that were seen.
      if constexpr (!kBraces<R>) shape_.resize(Nested<R>::kAxes);
      data_ = values_.data();
      size_ = values_.size();
    }
  }
  Flat(const Flat&) = delete;
  Flat& operator=(const Flat&) = delete;
  ~Flat() = default;

  [[nodiscard]] const void* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }

 private:
  static constexpr bool kBorrows = requires(const R& range) {
    { std::data(range) } -> std::convertible_to<const Value*>;
  };

  template <class Part>
  void append(const Part& part, std::size_t depth) {
    const std::size_t count = std::size(part);
    if (depth == shape_.size()) {
      shape_.push_back(static_cast<std::int64_t>(count));
    } else if (!std::cmp_equal(shape_[depth], count)) {
      fail_ragged(depth, shape_[depth], count);
    }
    for (const auto& item : part) {
      if constexpr (Nested<RangeValue<Part>>::kAxes == 0) {
        values_.push_back(static_cast<Value>(item));
      } else {
        append(item, depth + 1);
      }
    }
  }

  // A vector of bool has no bools.
  std::vector<std::conditional_t<std::is_same_v<Value, bool>, unsigned char, Value>> values_;
  const void* data_ = nullptr;
  std::size_t size_ = 0;
  Shape shape_;
};

/// Memory with a known size, whose items are elements or fixed arrays of them.
template <class R>
struct Packed {};
template <Element T>
struct Packed<T> {
  using Value = T;
  static void add_extents(Shape& /*shape*/) {}
};
template <class T, std::size_t N>
  requires requires { typename Packed<T>::Value; }
struct Packed<T[N]> {
  using Value = typename Packed<T>::Value;
  static void add_extents(Shape& shape) {
    shape.push_back(std::int64_t{N});
    Packed<T>::add_extents(shape);
  }
};
template <class T, std::size_t N>
struct Packed<std::array<T, N>> : Packed<T[N]> {};
template <class T, std::size_t N>
struct Packed<const std::array<T, N>> : Packed<const T[N]> {};

template <class R>
using PackedItem = std::remove_pointer_t<decltype(std::data(std::declval<R&>()))>;

template <class R>
struct IsSpan : std::false_type {};
template <class T, std::size_t N>
struct IsSpan<std::span<T, N>> : std::true_type {};

/// Contiguous memory of elements, as view() takes it.
template <class R>
concept PackedRange = requires(R& range) {
  std::size(range);
  typename Packed<PackedItem<R>>::Value;
};
/// A range with memory that outlives the expression.
template <class R>
concept Lasting = std::is_lvalue_reference_v<R> || IsSpan<std::remove_cvref_t<R>>::value;

/// A view of several axes with strides. std::mdspan and its likes are found by their members, so their header is not needed.
template <class M>
concept StridedView = requires(const M& view, typename M::rank_type axis) {
  requires Element<std::remove_const_t<typename M::element_type>>;
  requires std::same_as<typename M::data_handle_type, typename M::element_type*>;
  requires M::is_always_strided();
  { view.data_handle() } -> std::convertible_to<typename M::data_handle_type>;
  { view.extent(axis) } -> std::integral;
  { view.stride(axis) } -> std::integral;
};

/// Memory that an operand of a call may stand in. A text is none, and neither is a shape.
template <class R>
concept OperandRange = StridedView<std::remove_cvref_t<R>> ||
                       (std::ranges::contiguous_range<R> && PackedRange<std::remove_reference_t<R>> && Lasting<R> &&
                        !std::same_as<std::ranges::range_value_t<R>, char> && !std::same_as<std::remove_cvref_t<R>, Shape>);

/// The extents of a view, and its strides in bytes.
template <StridedView M>
Shape extents_of(const M& view) {
  Shape shape;
  for (std::size_t axis = 0; axis < M::rank(); ++axis) shape.push_back(static_cast<std::int64_t>(view.extent(axis)));
  return shape;
}
template <StridedView M>
Strides strides_of(const M& view) {
  constexpr auto kItem = static_cast<std::int64_t>(sizeof(typename M::element_type));
  Strides strides;
  if constexpr (M::rank() > 0) {
    for (std::size_t axis = 0; axis < M::rank(); ++axis) {
      strides.push_back(static_cast<std::int64_t>(view.stride(axis)) * kItem);
    }
  }
  return strides;
}

/// The extents of a range that view() takes.
template <class R>
Shape extents_of(R& range) {
  Shape shape;
  shape.push_back(static_cast<std::int64_t>(std::size(range)));
  Packed<PackedItem<R>>::add_extents(shape);
  return shape;
}

/// The first element of a range that view() takes.
template <class R>
auto* packed_data(R& range) {
  return reinterpret_cast<typename Packed<PackedItem<R>>::Value*>(std::data(range));
}

/// Throws ShapeError unless the shape has as many elements as `extents`.
KILN_API void check_count(const char* what, const Shape& extents, const Shape& shape);

}  // namespace kiln::detail
