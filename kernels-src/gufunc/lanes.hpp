// Several neighbouring indices of .each at once, on the CPU: a body whose loops go the same way for all of them is compiled a
// second time with its numbers as vectors. Loops in it would keep the compiler's own vectorizer away. Whatever differs between
// lanes and is not arithmetic (a condition, an index made of a value) does not compile with these types, and the plain kernel
// is used.
#pragma once
#include "kiln/core/view.hpp"

namespace kiln {

// N indices from `first` on.
template <int N>
struct lane_index {
  int64 first;
};
template <int N>
KILN_FN lane_index<N> operator+(lane_index<N> i, int64 by) {
  return {i.first + by};
}
template <int N>
KILN_FN lane_index<N> operator+(int64 by, lane_index<N> i) {
  return {i.first + by};
}
template <int N>
KILN_FN lane_index<N> operator-(lane_index<N> i, int64 by) {
  return {i.first - by};
}

// Smaller whole numbers would be int as soon as they are computed with.
template <class T>
concept lane_number = one_of<T, float, double> || (integer<T> && sizeof(T) >= 4);
template <class T>
concept uniform_number = one_of<T, float, double> || integer<T>;

template <lane_number T, int N>
struct lanes {
  // Of a number's alignment: it may stand where an array's elements do (gufunc_items.hpp).
  typedef T vector __attribute__((ext_vector_type(N), aligned(alignof(T))));
  vector v;
  lanes() = default;
  KILN_FN explicit lanes(vector x) : v(x) {}
  template <uniform_number U>
  KILN_FN lanes(U x) : v(T(x)) {}
  template <lane_number U>
  KILN_FN lanes(const lanes<U, N>& x) : v(__builtin_convertvector(x.v, vector)) {}
};

// As C++ converts the two: float and double give double, whole numbers give way.
template <class A, class B>
using wider_lane = decltype(A() + B());

#define KILN_OPERATOR(op)                                                                                  \
  template <class A, class B, int N>                                                                       \
  KILN_FN lanes<wider_lane<A, B>, N> operator op(const lanes<A, N>& a, const lanes<B, N>& b) {             \
    return lanes<wider_lane<A, B>, N>(lanes<wider_lane<A, B>, N>(a).v op lanes<wider_lane<A, B>, N>(b).v); \
  }                                                                                                        \
  template <class A, uniform_number B, int N>                                                              \
  KILN_FN lanes<wider_lane<A, B>, N> operator op(const lanes<A, N>& a, B b) {                              \
    return lanes<wider_lane<A, B>, N>(lanes<wider_lane<A, B>, N>(a).v op lanes<wider_lane<A, B>, N>(b).v); \
  }                                                                                                        \
  template <uniform_number A, class B, int N>                                                              \
  KILN_FN lanes<wider_lane<A, B>, N> operator op(A a, const lanes<B, N>& b) {                              \
    return lanes<wider_lane<A, B>, N>(lanes<wider_lane<A, B>, N>(a).v op lanes<wider_lane<A, B>, N>(b).v); \
  }                                                                                                        \
  template <class A, class B, int N>                                                                       \
  KILN_FN lanes<A, N>& operator op##=(lanes<A, N>& a, const lanes<B, N>& b) {                              \
    return a = a op b;                                                                                     \
  }                                                                                                        \
  template <class A, uniform_number B, int N>                                                              \
  KILN_FN lanes<A, N>& operator op##=(lanes<A, N>& a, B b) {                                               \
    return a = a op b;                                                                                     \
  }
KILN_OPERATOR(+)
KILN_OPERATOR(-)
KILN_OPERATOR(*)
KILN_OPERATOR(/)
#undef KILN_OPERATOR

template <class T, int N>
KILN_FN lanes<T, N> operator-(const lanes<T, N>& x) {
  return lanes<T, N>(-x.v);
}

// Of whole numbers they are floating-point numbers.
#define KILN_FUNCTION(name)                        \
  template <one_of<float, double> T, int N>        \
  KILN_FN lanes<T, N> name(const lanes<T, N>& x) { \
    lanes<T, N> r;                                 \
    for (int l = 0; l < N; ++l) {                  \
      r.v[l] = name(x.v[l]);                       \
    }                                              \
    return r;                                      \
  }
KILN_FUNCTION(sqrt)
KILN_FUNCTION(fabs)
KILN_FUNCTION(abs)
#undef KILN_FUNCTION

// N elements of an operand, `stride` bytes apart.
template <class E, bool Writable, int N, int64 Stride>
struct lane_elements {
  using storage = typename with_const<typename E::storage, !Writable>::type;
  using value = lanes<typename E::value, N>;
  storage* place;
  number<Stride> stride;

  KILN_FN storage* at(int l) const { return reinterpret_cast<storage*>((char*)(place) + l * stride); }
  KILN_FN value load() const {
    value x;
    if constexpr (Stride == int64(sizeof(storage)) && E::in_place) {
      __builtin_memcpy(&x.v, place, sizeof(x.v));
    } else {
      for (int l = 0; l < N; ++l) {
        x.v[l] = E::load(*at(l));
      }
    }
    return x;
  }
  KILN_FN operator value() const { return load(); }
  KILN_FN const lane_elements& operator=(const value& x) const
    requires Writable
  {
    if constexpr (Stride == int64(sizeof(storage)) && E::in_place) {
      __builtin_memcpy(place, &x.v, sizeof(x.v));
    } else {
      for (int l = 0; l < N; ++l) {
        *at(l) = E::store(x.v[l]);
      }
    }
    return *this;
  }
  KILN_FN const lane_elements& operator=(const lane_elements& x) const
    requires Writable
  {
    return *this = x.load();
  }
  template <class X>
  KILN_FN const lane_elements& operator+=(const X& x) const
    requires Writable
  {
    return *this = load() + x;
  }
  template <class X>
  KILN_FN const lane_elements& operator-=(const X& x) const
    requires Writable
  {
    return *this = load() - x;
  }
  template <class X>
  KILN_FN const lane_elements& operator*=(const X& x) const
    requires Writable
  {
    return *this = load() * x;
  }
};

// A view whose indices may be lanes.
template <class View>
class lane_view;
template <class E, bool Writable, class... Axis>
class lane_view<view<E, Writable, Axis...>> {
 public:
  KILN_FN explicit lane_view(const view<E, Writable, Axis...>& whole) : whole_(whole) {}
  template <class... Index>
    requires(sizeof...(Index) == sizeof...(Axis) && (uniform_number<Index> && ...))
  KILN_FN auto operator()(Index... i) const {
    return typename E::value(whole_(i...));
  }
  template <class... Index>
    requires(sizeof...(Index) == sizeof...(Axis) && !(uniform_number<Index> && ...))
  KILN_FN auto operator()(Index... i) const {
    return select(whole_.all_axes(), whole_.address(first(i)...), i...);
  }
  KILN_FN int64 shape(int64 d) const { return whole_.shape(d); }
  KILN_FN int64 size() const { return whole_.size(); }

 private:
  static KILN_FN int64 first(int64 i) { return i; }
  template <int N>
  static KILN_FN int64 first(lane_index<N> i) {
    return i.first;
  }
  // Finds the one dimension with lanes.
  template <class First, class... Rest, class... Index>
  static KILN_FN auto select(const axes<First, Rest...>& all, typename with_const<typename E::storage, !Writable>::type* place,
                             int64, Index... rest) {
    return select(all.rest, place, rest...);
  }
  template <int64 Extent, int64 Stride, class... Rest, int N, class... Index>
  static KILN_FN auto select(const axes<axis<Extent, Stride>, Rest...>& all,
                             typename with_const<typename E::storage, !Writable>::type* place, lane_index<N>, Index... rest) {
    static_assert((uniform_number<Index> && ...));
    return lane_result(lane_elements<E, Writable, N, Stride>{place, all.first.stride});
  }
  template <int N, int64 Stride>
  static KILN_FN auto lane_result(const lane_elements<E, Writable, N, Stride>& elements) {
    if constexpr (Writable) {
      return elements;
    } else {
      return elements.load();
    }
  }

  view<E, Writable, Axis...> whole_;
};

}  // namespace kiln
