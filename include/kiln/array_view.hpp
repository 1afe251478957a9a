// ArrayView: the elements of an array in host memory by index and in C order, for any strides.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <version>

#include "kiln/export.hpp"
#include "kiln/shape.hpp"

#ifdef __cpp_lib_mdspan
#include <array>
#include <mdspan>
#endif

namespace kiln {

namespace detail {
struct ArrayRep;

/// Returns the index counted from the front, for one that is negative. Throws ShapeError if it is out of bounds.
KILN_API std::int64_t checked_index(std::int64_t index, std::size_t axis, const Shape& shape);
[[noreturn]] KILN_API void fail_index_count(std::size_t given, const Shape& shape);
/// Writes the strides, in elements, of a std::layout_stride. Throws ShapeError unless the array has `rank` axes and its strides
/// are positive multiples of the item size.
KILN_API void mdspan_strides(const Shape& shape, const Strides& strides, std::size_t itemsize, std::size_t rank,
                             std::int64_t* in_elements);
}  // namespace detail

/// The elements of an array; Array::view<T>() makes one. A view copies no element and keeps the memory alive. A view of
/// `const T` only reads. Copies of a view and its iterators name the same elements. Concurrent reads of elements are safe; the
/// caller orders concurrent writes.
template <class T>
class ArrayView {
 public:
  using value_type = std::remove_const_t<T>;

  /// Returns the element at these indices, one for each axis; negative ones count from the end. v() is the element of a 0-d
  /// array. Throws ShapeError for another number of indices, and for one out of bounds.
  template <std::integral... Indices>
  T& operator()(Indices... indices) const {
    if (sizeof...(Indices) != shape_->size()) [[unlikely]]
      detail::fail_index_count(sizeof...(Indices), *shape_);
    char* at = data_;
    [[maybe_unused]] std::size_t axis = 0;
    ((at += offset(axis++, static_cast<std::int64_t>(indices))), ...);
    return *reinterpret_cast<T*>(at);
  }

  /// Returns the extents, one for each axis.
  [[nodiscard]] const Shape& shape() const noexcept { return *shape_; }
  /// Returns the distances in bytes between neighbouring elements along each axis.
  [[nodiscard]] const Strides& strides() const noexcept { return *strides_; }
  /// Returns the number of axes.
  [[nodiscard]] int ndim() const noexcept { return static_cast<int>(shape_->size()); }
  /// Returns the number of elements.
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }

  /// A random access iterator over the elements in C order. It is valid while a view or a handle of the array exists.
  class iterator {
   public:
    using value_type = std::remove_const_t<T>;
    using difference_type = std::ptrdiff_t;
    using reference = T&;
    using pointer = T*;
    using iterator_category = std::random_access_iterator_tag;

    iterator() noexcept = default;
    T& operator*() const noexcept { return *reinterpret_cast<T*>(at_); }
    T* operator->() const noexcept { return reinterpret_cast<T*>(at_); }
    T& operator[](difference_type n) const { return *(*this + n); }

    iterator& operator++() noexcept {
      ++position_;
      for (std::size_t axis = index_.size(); axis-- > 0;) {
        const std::int64_t extent = (*shape_)[axis];
        const std::int64_t stride = (*strides_)[axis];
        if (++index_[axis] < extent) {
          at_ += stride;
          return *this;
        }
        index_[axis] = 0;
        at_ -= (extent - 1) * stride;
      }
      return *this;
    }
    iterator& operator--() noexcept {
      --position_;
      for (std::size_t axis = index_.size(); axis-- > 0;) {
        const std::int64_t last = (*shape_)[axis] - 1;
        const std::int64_t stride = (*strides_)[axis];
        if (index_[axis]-- > 0) {
          at_ -= stride;
          return *this;
        }
        index_[axis] = last;
        at_ += last * stride;
      }
      return *this;
    }
    iterator& operator+=(difference_type n) noexcept {
      if (n == 0) return *this;
      position_ += n;
      std::int64_t rest = position_;
      for (std::size_t axis = index_.size(); axis-- > 0;) {
        const std::int64_t extent = (*shape_)[axis];
        at_ += (rest % extent - index_[axis]) * (*strides_)[axis];
        index_[axis] = rest % extent;
        rest /= extent;
      }
      return *this;
    }
    iterator operator++(int) {
      iterator before = *this;
      ++*this;
      return before;
    }
    iterator operator--(int) {
      iterator before = *this;
      --*this;
      return before;
    }
    iterator& operator-=(difference_type n) noexcept { return *this += -n; }
    friend iterator operator+(iterator a, difference_type n) noexcept { return std::move(a += n); }
    friend iterator operator+(difference_type n, iterator a) noexcept { return std::move(a += n); }
    friend iterator operator-(iterator a, difference_type n) noexcept { return std::move(a -= n); }
    friend difference_type operator-(const iterator& a, const iterator& b) noexcept { return a.position_ - b.position_; }
    friend bool operator==(const iterator& a, const iterator& b) noexcept { return a.position_ == b.position_; }
    friend auto operator<=>(const iterator& a, const iterator& b) noexcept { return a.position_ <=> b.position_; }

   private:
    friend class ArrayView;
    // The end has the indices of the first element, because ++ of the last one gives these.
    iterator(const ArrayView& view, std::int64_t position)
        : at_(view.data_), position_(position), shape_(view.shape_), strides_(view.strides_), index_(view.shape_->size(), 0) {}

    char* at_ = nullptr;
    std::int64_t position_ = 0;
    const Shape* shape_ = nullptr;
    const Strides* strides_ = nullptr;
    Dims index_;
  };
  [[nodiscard]] iterator begin() const { return {*this, 0}; }
  [[nodiscard]] iterator end() const { return {*this, size_}; }

#ifdef __cpp_lib_mdspan
  /// Returns the same elements as the standard's view, which does not keep the memory alive. Throws ShapeError unless the array
  /// has Rank axes, and strides that std::layout_stride supports: positive multiples of the item size.
  template <std::size_t Rank>
  [[nodiscard]] std::mdspan<T, std::dextents<std::int64_t, Rank>, std::layout_stride> mdspan() const {
    using Extents = std::dextents<std::int64_t, Rank>;
    std::array<std::int64_t, Rank> extents{};
    std::array<std::int64_t, Rank> strides{};
    detail::mdspan_strides(*shape_, *strides_, sizeof(T), Rank, strides.data());
    for (std::size_t axis = 0; axis < Rank; ++axis) extents[axis] = (*shape_)[axis];
    return {reinterpret_cast<T*>(data_), typename std::layout_stride::template mapping<Extents>(Extents(extents), strides)};
  }
#endif

  /// Constructor for the library's own use.
  ArrayView(std::shared_ptr<const detail::ArrayRep> owner, void* data, const Shape& shape, const Strides& strides,
            std::int64_t size) noexcept
      : data_(static_cast<char*>(data)), shape_(&shape), strides_(&strides), size_(size), owner_(std::move(owner)) {}

 private:
  [[nodiscard]] std::int64_t offset(std::size_t axis, std::int64_t index) const {
    if (static_cast<std::uint64_t>(index) >= static_cast<std::uint64_t>((*shape_)[axis])) [[unlikely]]
      index = detail::checked_index(index, axis, *shape_);
    return index * (*strides_)[axis];
  }

  char* data_;
  const Shape* shape_;      // owned by owner_
  const Strides* strides_;  // owned by owner_
  std::int64_t size_;
  std::shared_ptr<const detail::ArrayRep> owner_;
};

}  // namespace kiln
