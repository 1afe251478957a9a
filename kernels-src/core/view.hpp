// Operands of generalized ufuncs and arrays of raw kernels inside bodies: A(i, j), A.shape(0), A.row(i), A.size(),
// `for (auto& x : A)`. A view knows at compile time what can be known: extents of small cores, and the stride along which
// elements are contiguous.
#pragma once
#include "kiln/core/types.hpp"

#include "kiln/core/reference.hpp"

namespace kiln {

inline constexpr int64 varies = -1;  // a number that only the launch knows

template <int64 N>
struct number {
  number() = default;
  KILN_FN number(int64) {}
  KILN_FN constexpr operator int64() const { return N; }
};
template <>
struct number<varies> {
  int64 value;
  number() = default;
  KILN_FN number(int64 x) : value(x) {}
  KILN_FN operator int64() const { return value; }
};

// An extent in elements, a stride in bytes.
template <int64 Extent, int64 Stride>
struct axis {
  static constexpr int64 known_stride = Stride;
  number<Extent> extent;
  number<Stride> stride;
};

template <class... Axis>
struct axes {
  KILN_FN int64 size() const { return 1; }
  KILN_FN int64 extent(int64) const { return 1; }
  KILN_FN int64 stride(int64) const { return 0; }
  KILN_FN int64 offset() const { return 0; }
#if KILN_DEBUG
  KILN_FN bool inside() const { return true; }
  KILN_FN void copy_extents(int64*) const {}
#endif
  KILN_FN int64 packed(int64 itemsize) const { return itemsize; }
};
template <class First, class... Rest>
struct axes<First, Rest...> {
  First first;
  axes<Rest...> rest;
  axes() = default;
  template <class... Number>
  KILN_FN axes(int64 extent, int64 stride, Number... others) : first{extent, stride}, rest(others...) {}
  KILN_FN int64 size() const { return first.extent * rest.size(); }
  KILN_FN int64 extent(int64 d) const { return d == 0 ? int64(first.extent) : rest.extent(d - 1); }
  KILN_FN int64 stride(int64 d) const { return d == 0 ? int64(first.stride) : rest.stride(d - 1); }
  KILN_FN int64 offset() const { return 0; }
  // Bytes that the elements take where they are consecutive in C order; else -1.
  KILN_FN int64 packed(int64 itemsize) const {
    const int64 inner = rest.packed(itemsize);
    return inner < 0 || (first.extent != 1 && first.stride != inner) ? -1 : inner * first.extent;
  }
  template <class... Index>
  KILN_FN int64 offset(int64 i, Index... others) const {
    return i * first.stride + rest.offset(others...);
  }
#if KILN_DEBUG
  template <class... Index>
  KILN_FN bool inside(int64 i, Index... others) const {
    return uint64(i) < uint64(int64(first.extent)) && rest.inside(others...);
  }
  KILN_FN void copy_extents(int64* to) const {
    *to = first.extent;
    rest.copy_extents(to + 1);
  }
#endif
};

// An element that bodies see as it is stored. A contiguous view of one dimension is then to compilers what a pointer is.
template <class T>
struct plain_element {
  using storage = T;
  using value = T;
  static constexpr bool in_place = true;
  static constexpr bool plain = true;
};

template <class T, bool Const>
struct with_const {
  using type = T;
};
template <class T>
struct with_const<T, true> {
  using type = const T;
};

// An element as it is reached: in place where it is stored as bodies see it.
template <class E, bool Writable, bool InPlace = E::in_place>
struct reached {
  using storage = typename with_const<typename E::storage, !Writable>::type;
  using type = storage&;
  static KILN_FN type at(storage* p) { return *p; }
};
template <class E>
struct reached<E, false, false> {
  using type = const typename E::value;
  static KILN_FN type at(const typename E::storage* p) { return E::load(*p); }
};
template <class E>
struct reached<E, true, false> {
  using type = reference<E>;
  static KILN_FN type at(typename E::storage* p) { return type(p); }
};

// For loops over a view. What lies in memory is gone through in place; rows, and elements that are converted, stand in the
// iterator, so that `auto&` binds to them.
template <class View, class Item, bool InPlace>
struct view_iterator {
  View over;
  int64 at;
  KILN_FN Item& operator*() const { return over[at]; }
  KILN_FN view_iterator& operator++() {
    ++at;
    return *this;
  }
  KILN_FN bool operator!=(const view_iterator& other) const { return at != other.at; }
};
template <class View, class Item>
struct view_iterator<View, Item, false> {
  View over;
  int64 at;
  mutable Item item{};
  KILN_FN const Item& operator*() const {
    renew(item, over[at]);
    return item;
  }
  KILN_FN view_iterator& operator++() {
    ++at;
    return *this;
  }
  KILN_FN bool operator!=(const view_iterator& other) const { return at != other.at; }

 private:
  template <class T>
  static KILN_FN void renew(T& to, const T& from) {
    to = from;
  }
  template <class E>
  static KILN_FN void renew(named_reference<E>& to, const reference<E>& from) {
    to.place = from.place;
  }
};

template <class E, bool Writable, class... Axis>
class view;

// What view[i] is: an element, or a view of one dimension less.
template <class E, bool Writable, class... Axis>
struct inside {
  using type = view<E, Writable, Axis...>;
};
template <class E, bool Writable>
struct inside<E, Writable> {
  using type = typename reached<E, Writable>::type;
};
// Without const.
template <class T>
struct bare {
  using type = T;
};
template <class T>
struct bare<const T> {
  using type = T;
};

// What is no index, although C++ would make an integer of it.
template <class T>
concept fractional = one_of<T, float, double> || half_like<T>;

template <class E, bool Writable, class First, class... Rest>
class view<E, Writable, First, Rest...> {
 public:
  using storage = typename with_const<typename E::storage, !Writable>::type;
  using item = typename inside<E, Writable, Rest...>::type;
  static constexpr int rank = 1 + int(sizeof...(Rest));
  static constexpr int ndim = rank;
#if KILN_DEBUG
  using place_or_index = debug::at;
#else
  using place_or_index = int64;
#endif

  view() = default;
  // `axes` as extent, stride, extent, stride, …
  template <class... Number>
    requires(sizeof...(Number) == 2 * rank)
  KILN_FN view(storage* data, Number... numbers) : data_(data), axes_(numbers...) {}
  KILN_FN view(storage* data, const axes<First, Rest...>& all) : data_(data), axes_(all) {}

  // The element; as many indices as there are dimensions.
#if KILN_DEBUG
  KILN_FN typename reached<E, Writable>::type operator()(debug::at_of<First> i, debug::at_of<Rest>... others) const {
    if (data_ != nullptr && axes_.inside(i.index, others.index...)) {
      return reached<E, Writable>::at(address(i.index, others.index...));
    }
    const int64 index[] = {i.index, others.index...};
    int64 extent[rank];
    axes_.copy_extents(extent);
    return reached<E, Writable>::at(
        static_cast<storage*>(debug::out_of_bounds(E::argument, Writable, rank, index, extent, i.line, i.column, i.file)));
  }
#else
  template <class... Index>
    requires(sizeof...(Index) == rank && !(fractional<Index> || ...))
  KILN_FN typename reached<E, Writable>::type operator()(Index... i) const {
    return reached<E, Writable>::at(address(i...));
  }
#endif
  // Names of template parameters stand in logs of compilers without the text of KILN_REFUSED.
  template <class... index_is_no_integer>
    requires(sizeof...(index_is_no_integer) == rank && (fractional<index_is_no_integer> || ...))
  KILN_FN typename reached<E, Writable>::type operator()(index_is_no_integer...) const
      KILN_REFUSED("the index is no integer; cut off its fraction: index(x)");
  template <class... wrong_number_of_indices>
    requires(sizeof...(wrong_number_of_indices) != rank)
  KILN_FN typename reached<E, Writable>::type operator()(wrong_number_of_indices...) const
      KILN_REFUSED("the number of indices is not that of the operand's dimensions");
  // The element of a view of one dimension, else the row.
  KILN_FN item operator[](place_or_index i) const {
    if constexpr (rank == 1) {
      return (*this)(i);
    } else {
      return row(i);
    }
  }
#if !KILN_DEBUG
  // For every type of integers, so that no index is meant for the pointer that a view does not become.
  template <integer Index>
  KILN_FN item operator[](Index i) const {
    return (*this)[int64(i)];
  }
#endif
  template <fractional index_is_no_integer>
  KILN_FN item operator[](index_is_no_integer) const KILN_REFUSED("the index is no integer; cut off its fraction: index(x)");
  KILN_FN item row(place_or_index i) const
    requires(rank > 1)
  {
#if KILN_DEBUG
    const int64 extent = axes_.first.extent;
    if (data_ != nullptr && uint64(i.index) < uint64(extent)) {
      return view<E, Writable, Rest...>(address(i.index), axes_.rest);
    }
    debug::out_of_bounds(E::argument, Writable, 1, &i.index, &extent, i.line, i.column, i.file);
    return view<E, Writable, Rest...>(nullptr, axes_.rest);  // of which no element is inside
#else
    return view<E, Writable, Rest...>(address(i), axes_.rest);
#endif
  }
  KILN_FN item row(place_or_index) const
    requires(rank == 1)
  KILN_REFUSED("a view of one dimension has no rows; write x(i)");
  KILN_FN int64 shape(int64 d) const { return axes_.extent(d); }
  KILN_FN int64 byte_stride(int64 d) const { return axes_.stride(d); }
  KILN_FN int64 size() const { return axes_.size(); }
  // Whether the elements are consecutive, so that data() is all of them.
  KILN_FN bool contiguous() const { return axes_.packed(int64(sizeof(typename E::storage))) >= 0; }
  // The first element; only of operands that are stored as bodies see them.
  KILN_FN storage* data() const
    requires(E::in_place)
  {
    return data_;
  }

#if KILN_DEBUG
  // A template, which C++ does not take for x[i]; Clang does not say KILN_REFUSED's text for all that is initialized by one.
  template <class Pointer>
    requires same<Pointer, storage>
  KILN_FN operator Pointer*() const = delete;
#else
  KILN_FN operator storage*() const
      KILN_REFUSED("a view is no pointer or number: write x(i), .data(), or in the signature of a raw kernel float32* x");
#endif

  KILN_FN auto begin() const { return make_iterator(0); }
  KILN_FN auto end() const { return make_iterator(axes_.first.extent); }

  // Of an element, or with fewer indices of a row: the one place where indices become an address.
  template <class... Index>
  KILN_FN storage* address(Index... i) const {
    if constexpr (is_pointer) {
      return data_ + (int64(i), ...);
    } else {
      return reinterpret_cast<storage*>((char*)(data_) + axes_.offset(int64(i)...));
    }
  }

 private:
  static constexpr bool is_pointer = rank == 1 && First::known_stride == int64(sizeof(storage)) && requires { E::plain; };
  KILN_FN auto make_iterator(int64 at) const {
    if constexpr (rank == 1 && E::in_place) {
      return view_iterator<view, storage, true>{*this, at};
    } else {
      return view_iterator<view, typename named<typename bare<item>::type>::type, false>{*this, at};
    }
  }

  storage* data_;
  axes<First, Rest...> axes_;
};

#if KILN_DEBUG
template <class E, class First, class... Rest>
KILN_FN void check_results(const view<E, true, First, Rest...>& of, int argument) {
  for (int64 i = 0; i < of.shape(0); ++i) {
    if constexpr (sizeof...(Rest) == 0) {
      debug::check_result(E::load(*of.address(i)), argument);
    } else {
      check_results(of.row(i), argument);
    }
  }
}
#endif

}  // namespace kiln
