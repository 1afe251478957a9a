// An operand that is `raw` in the signature of a ufunc: an array that is not broadcast, so that each element may reach all of
// it. x[k] counts in C order whatever the strides are.
#pragma once
#include "kiln/core/types.hpp"

#include "kiln/core/view.hpp"
#include "kiln/elementwise/abi.hpp"

namespace kiln {

// As the launch passes them: extents, then strides in bytes. Of ptrdiff_t, which CuPy's kernels take them for.
template <int Rank>
struct raw_axes {
  ptrdiff_t extent[Rank];
  ptrdiff_t stride[Rank];
};

// Packed: elements are consecutive in C order. Wide: there may be 2³¹ elements or more. Argument: the operand, for messages.
// raw_array<T> is one of any rank and layout, and raw_array<T, 2> of any layout: functions take an operand by these names.
template <class T, int Rank = -1, bool Packed = false, bool Wide = true, int Argument = -1>
class raw_array;

template <class T, class U>
concept raw_element = same<T, U> || same<T, const U>;

template <class T, int Rank, bool Packed, bool Wide, int Argument>
class raw_array {
 public:
  using value_type = typename bare<T>::type;
  using index_t = ptrdiff_t;
  static constexpr int ndim = Rank;
  static constexpr int kAxes = Rank > 0 ? Rank : 1;  // of no axis: one of extent 1
#if KILN_DEBUG
  using place_or_index = debug::at;
#else
  using place_or_index = int64;
#endif

  raw_array() = default;
  KILN_FN raw_array(T* data, const raw_axes<kAxes>& axes) : data_(data), axes_(axes) {}
  // Of one of which more is known.
  template <class U, bool OtherPacked, bool OtherWide, int Other>
    requires(raw_element<T, U> && (OtherPacked || !Packed) && (Wide || !OtherWide))
  KILN_FN raw_array(const raw_array<U, Rank, OtherPacked, OtherWide, Other>& other) : data_(other.data_), axes_(other.axes_) {
#if KILN_DEBUG
    argument_ = other.argument_;
#endif
  }

  KILN_FN int64 size() const {
    int64 product = 1;
#pragma unroll
    for (int d = 0; d < Rank; ++d) product *= axes_.extent[d];
    return product;
  }
  KILN_FN int64 shape(int64 d) const { return axes_.extent[d]; }
  KILN_FN const ptrdiff_t* shape() const { return axes_.extent; }
  KILN_FN int64 stride(int64 d) const { return axes_.stride[d]; }
  KILN_FN const ptrdiff_t* strides() const { return axes_.stride; }

  // The element of that number in C order; at an index for each axis: x[{i, j}], or an array of indices.
#if KILN_DEBUG
  KILN_FN T& operator[](debug::at k) const {
    const int64 extent = size();
    if (uint64(k.index) < uint64(extent)) return *element(k.index);
    return *fault(1, &k.index, &extent, k);
  }
  KILN_FN T& operator[](const debug::at (&at)[kAxes]) const
    requires(Rank > 1)
  {
    return checked(at);
  }
#else
  template <integer Index>
  KILN_FN T& operator[](Index k) const {
    return *element(int64(k));
  }
  // What converts to an index. Of one axis a template, which x[{i}] does not match.
  KILN_FN T& operator[](int64 k) const
    requires(Rank > 1)
  {
    return *element(k);
  }
  template <class Index>
    requires(Rank <= 1 && !integer<Index> && !fractional<Index> && requires(Index k, void (*take)(int64)) { take(k); })
  KILN_FN T& operator[](Index k) const {
    return *element(int64(k));
  }
  KILN_FN T& operator[](const int64 (&at)[kAxes]) const { return *element(at); }
#endif
  template <integer Index>
  KILN_FN T& operator[](const Index* at) const {
    if constexpr (Rank <= 1) {
      return (*this)[Rank == 1 ? int64(at[0]) : int64(0)];
    } else {
      place_or_index all[kAxes]{};
#pragma unroll
      for (int d = 0; d < Rank; ++d) all[d] = int64(at[d]);
      return (*this)[all];
    }
  }
  template <fractional index_is_no_integer>
  KILN_FN T& operator[](index_is_no_integer) const KILN_REFUSED("the index is no integer; cut off its fraction: index(x)");

#if KILN_DEBUG
  // With the place in the text, which no pack of parameters has.
  KILN_FN T& operator()(debug::at i) const
    requires(Rank == 1)
  {
    return (*this)[{i}];
  }
  KILN_FN T& operator()(debug::at i, debug::at j) const
    requires(Rank == 2)
  {
    return (*this)[{i, j}];
  }
  KILN_FN T& operator()(debug::at i, debug::at j, debug::at k) const
    requires(Rank == 3)
  {
    return (*this)[{i, j, k}];
  }
  template <class... Index>
    requires(sizeof...(Index) == Rank && Rank > 3 && !(fractional<Index> || ...))
  KILN_FN T& operator()(Index... i) const {
    return (*this)[{debug::at(i)...}];
  }
#else
  template <class... Index>
    requires(sizeof...(Index) == Rank && Rank > 0 && !(fractional<Index> || ...))
  KILN_FN T& operator()(Index... i) const {
    return (*this)[{int64(i)...}];
  }
#endif
  template <class... index_is_no_integer>
    requires(sizeof...(index_is_no_integer) == Rank && (fractional<index_is_no_integer> || ...))
  KILN_FN T& operator()(index_is_no_integer...) const KILN_REFUSED("the index is no integer; cut off its fraction: index(x)");
  template <class... wrong_number_of_indices>
    requires(sizeof...(wrong_number_of_indices) != Rank)
  KILN_FN T& operator()(wrong_number_of_indices...) const
      KILN_REFUSED("the number of indices is not that of the array's dimensions; x[k] counts in C order");

 private:
  template <class, int, bool, bool, int>
  friend class raw_array;

  template <class Number>
  KILN_FN T* strided(int64 k) const {
    int64 offset = 0;
#pragma unroll
    for (int d = Rank - 1; d > 0; --d) {
      const int64 above = int64(Number(k) / Number(axes_.extent[d]));
      offset += (k - above * axes_.extent[d]) * axes_.stride[d];
      k = above;
    }
    return moved(offset + k * axes_.stride[0]);
  }
  KILN_FN T* moved(int64 bytes) const { return reinterpret_cast<T*>((char*)(data_) + bytes); }
  KILN_FN T* element(int64 k) const {
    if constexpr (Packed || Rank == 0) {
      return data_ + k;
    } else if constexpr (Rank == 1) {
      return moved(k * axes_.stride[0]);
    } else if constexpr (Wide) {
      return strided<uint64>(k);
    } else {
      return strided<uint32>(k);
    }
  }
  template <int N>
  KILN_FN T* element(const int64 (&at)[N]) const {
    int64 offset = 0;
#pragma unroll
    for (int d = 0; d < Rank; ++d) {
      offset = Packed ? offset * axes_.extent[d] + at[d] : offset + at[d] * axes_.stride[d];
    }
    return Packed ? data_ + offset : moved(offset);
  }
#if KILN_DEBUG
  static constexpr bool writable = same<T, value_type>;
  KILN_FN T& checked(const debug::at (&at)[kAxes]) const {
    int64 index[kAxes]{};
    int64 extent[kAxes]{};
    bool inside = true;
    for (int d = 0; d < Rank; ++d) {
      index[d] = at[d].index;
      extent[d] = axes_.extent[d];
      inside = inside && uint64(index[d]) < uint64(extent[d]);
    }
    return inside ? *element(index) : *fault(Rank, index, extent, at[0]);
  }
  KILN_FN T* fault(int rank, const int64* index, const int64* extent, const debug::at& place) const {
    return static_cast<T*>(
        debug::out_of_bounds(argument_, writable, rank, index, extent, place.line, place.column, place.file));
  }
#endif

  T* data_;
  raw_axes<kAxes> axes_;
#if KILN_DEBUG
  int argument_ = Argument;
#endif
};

// One of any rank: the name by which functions take a raw operand. It refers to the operand's axes.
template <class T>
class raw_array<T, -1, false, true, -1> {
 public:
  using value_type = typename bare<T>::type;
  using index_t = ptrdiff_t;
  int ndim;

  template <class U, int Rank, bool Packed, bool Wide, int Argument>
    requires(raw_element<T, U> && Rank >= 0)
  KILN_FN raw_array(const raw_array<U, Rank, Packed, Wide, Argument>& of)
      : ndim(Rank), data_(of.data_), extent_(of.axes_.extent), stride_(of.axes_.stride), packed_(Packed), argument_(Argument) {
#if KILN_DEBUG
    argument_ = of.argument_;
#endif
  }
  template <class U>
    requires(same<T, const U>)
  KILN_FN raw_array(const raw_array<U>& of)
      : ndim(of.ndim),
        data_(of.data_),
        extent_(of.extent_),
        stride_(of.stride_),
        packed_(of.packed_),
        argument_(of.argument_) {}

  KILN_FN int64 size() const {
    int64 product = 1;
    for (int d = 0; d < ndim; ++d) product *= extent_[d];
    return product;
  }
  KILN_FN int64 shape(int64 d) const { return extent_[d]; }
  KILN_FN const ptrdiff_t* shape() const { return extent_; }
  KILN_FN int64 stride(int64 d) const { return stride_[d]; }
  KILN_FN const ptrdiff_t* strides() const { return stride_; }

#if KILN_DEBUG
  KILN_FN T& operator[](debug::at k) const {
    const int64 extent = size();
    return uint64(k.index) < uint64(extent) ? *element(k.index) : *fault(1, &k.index, &extent, k);
  }
  template <int N>
  KILN_FN T& operator[](const debug::at (&at)[N]) const {
    int64 index[N]{};
    int64 extent[N]{};
    bool inside = N == ndim;
    for (int d = 0; d < N; ++d) {
      index[d] = at[d].index;
      extent[d] = d < ndim ? extent_[d] : 0;
      inside = inside && uint64(index[d]) < uint64(extent[d]);
    }
    return inside ? *element(index) : *fault(N, index, extent, at[0]);
  }
  KILN_FN T& operator()(debug::at i) const {
    const debug::at all[1] = {i};
    return (*this)[all];
  }
  KILN_FN T& operator()(debug::at i, debug::at j) const { return (*this)[{i, j}]; }
  KILN_FN T& operator()(debug::at i, debug::at j, debug::at k) const { return (*this)[{i, j, k}]; }
#else
  template <integer Index>
  KILN_FN T& operator[](Index k) const {
    return *element(int64(k));
  }
  template <int N>
  KILN_FN T& operator[](const int64 (&at)[N]) const {
    return *element(at);
  }
  template <class... Index>
    requires(sizeof...(Index) > 0 && !(fractional<Index> || ...))
  KILN_FN T& operator()(Index... i) const {
    return (*this)[{int64(i)...}];
  }
#endif
  template <fractional index_is_no_integer>
  KILN_FN T& operator[](index_is_no_integer) const KILN_REFUSED("the index is no integer; cut off its fraction: index(x)");

 private:
  template <class, int, bool, bool, int>
  friend class raw_array;

  KILN_FN T* moved(int64 bytes) const { return reinterpret_cast<T*>((char*)(data_) + bytes); }
  KILN_FN T* element(int64 k) const {
    if (packed_ || ndim == 0) return data_ + k;
    int64 offset = 0;
    for (int d = ndim - 1; d > 0; --d) {
      const int64 above = int64(uint64(k) / uint64(extent_[d]));
      offset += (k - above * extent_[d]) * stride_[d];
      k = above;
    }
    return moved(offset + k * stride_[0]);
  }
  template <int N>
  KILN_FN T* element(const int64 (&at)[N]) const {
    int64 offset = 0;
#pragma unroll
    for (int d = 0; d < N; ++d) offset += at[d] * stride_[d];
    return moved(offset);
  }
#if KILN_DEBUG
  KILN_FN T* fault(int rank, const int64* index, const int64* extent, const debug::at& place) const {
    return static_cast<T*>(
        debug::out_of_bounds(argument_, same<T, value_type>, rank, index, extent, place.line, place.column, place.file));
  }
#endif

  T* data_;
  const ptrdiff_t* extent_;
  const ptrdiff_t* stride_;
  bool packed_;
  int argument_;
};

// Where a body is: the number of its element in C order, and how many elements there are.
struct element_place {
  int64 number;
  int64 of;
  KILN_FN element_place(int64 at, int64 all) : number(at), of(all) {}
};
// What the macro index of such bodies stands for: index() is the number, index(x) converts.
KILN_FN int64 kiln_number(const element_place& here) {
  return here.number;
}
template <class T>
KILN_FN int64 kiln_number(const element_place&, const T& x) {
  return int64(x);
}
// All axes of a call where only their size is asked for: CuPy's _in_ind.size().
struct size_of_axes {
  ptrdiff_t all;
  KILN_FN ptrdiff_t size() const { return all; }
};
// What size is in them.
struct element_count {
  int64 value;
  KILN_FN int64 operator()() const { return value; }
};

// The same with an index for each axis: CuPy's _ind.
template <int Rank>
struct place_of_axes : element_place {
  static constexpr int ndim = Rank;
  static constexpr int kAxes = Rank > 0 ? Rank : 1;
  raw_axes<kAxes> axes;
  ptrdiff_t at[kAxes];
  KILN_FN place_of_axes(int64 number, int64 all, const raw_axes<kAxes>& shape) : element_place(number, all), axes(shape), at{} {
    uint64 rest = uint64(number);
#pragma unroll
    for (int d = Rank - 1; d > 0; --d) {
      const uint64 above = rest / uint64(shape.extent[d]);
      at[d] = ptrdiff_t(rest - above * uint64(shape.extent[d]));
      rest = above;
    }
    at[0] = ptrdiff_t(rest);
  }
  KILN_FN ptrdiff_t size() const { return ptrdiff_t(of); }
  KILN_FN const ptrdiff_t* get() const { return at; }
  KILN_FN const ptrdiff_t* shape() const { return axes.extent; }
};

}  // namespace kiln
