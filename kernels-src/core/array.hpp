// std::array, with what structured bindings ask for.
#pragma once
#include "kiln/core/types.hpp"

namespace kiln {

template <class T, size_t N>
struct array {
  using value_type = T;
  using size_type = size_t;
  using reference = T&;
  using const_reference = const T&;
  using iterator = T*;
  using const_iterator = const T*;
  T kiln_elements[N == 0 ? 1 : N];
#if KILN_DEBUG
  using place_or_index = debug::at;
  // What is out of bounds goes to element 0, as with arrays of the language.
  static KILN_CONSTEXPR_FN size_t inside(const debug::at& i) {
    if (uint64(i.index) < N) return size_t(i.index);
    debug::array_out_of_bounds(i.index, int64(N), i.line, i.column, i.file);
    return 0;
  }
#else
  using place_or_index = size_t;
  static KILN_CONSTEXPR_FN size_t inside(size_t i) { return i; }
#endif
  KILN_CONSTEXPR_FN T& operator[](place_or_index i) { return kiln_elements[inside(i)]; }
  KILN_CONSTEXPR_FN const T& operator[](place_or_index i) const { return kiln_elements[inside(i)]; }
  // Kernels throw nothing: as checked as operator[].
  KILN_CONSTEXPR_FN T& at(place_or_index i) { return kiln_elements[inside(i)]; }
  KILN_CONSTEXPR_FN const T& at(place_or_index i) const { return kiln_elements[inside(i)]; }
  KILN_CONSTEXPR_FN T& front() { return kiln_elements[0]; }
  KILN_CONSTEXPR_FN const T& front() const { return kiln_elements[0]; }
  KILN_CONSTEXPR_FN T& back() { return kiln_elements[N - 1]; }
  KILN_CONSTEXPR_FN const T& back() const { return kiln_elements[N - 1]; }
  KILN_CONSTEXPR_FN T* data() { return kiln_elements; }
  KILN_CONSTEXPR_FN const T* data() const { return kiln_elements; }
  KILN_CONSTEXPR_FN T* begin() { return kiln_elements; }
  KILN_CONSTEXPR_FN const T* begin() const { return kiln_elements; }
  KILN_CONSTEXPR_FN T* end() { return kiln_elements + N; }
  KILN_CONSTEXPR_FN const T* end() const { return kiln_elements + N; }
  KILN_CONSTEXPR_FN const T* cbegin() const { return kiln_elements; }
  KILN_CONSTEXPR_FN const T* cend() const { return kiln_elements + N; }
  KILN_CONSTEXPR_FN bool empty() const { return N == 0; }
  KILN_CONSTEXPR_FN size_t size() const { return N; }
  KILN_CONSTEXPR_FN size_t max_size() const { return N; }
  KILN_CONSTEXPR_FN void fill(const T& x) {
    for (size_t i = 0; i < N; ++i) kiln_elements[i] = x;
  }
  KILN_CONSTEXPR_FN void swap(array& other) {
    for (size_t i = 0; i < N; ++i) {
      T before = kiln_elements[i];
      kiln_elements[i] = other.kiln_elements[i];
      other.kiln_elements[i] = before;
    }
  }
  friend KILN_CONSTEXPR_FN bool operator==(const array& a, const array& b) {
    for (size_t i = 0; i < N; ++i) {
      if (!(a.kiln_elements[i] == b.kiln_elements[i])) return false;
    }
    return true;
  }
};
KILN_USER_BEGIN
template <class T, class... U>
array(T, U...) -> array<T, 1 + sizeof...(U)>;
KILN_USER_END

template <size_t I, class T, size_t N>
KILN_CONSTEXPR_FN T& get(array<T, N>& of) {
  static_assert(I < N, "the array has no such element");
  return of.kiln_elements[I];
}
template <size_t I, class T, size_t N>
KILN_CONSTEXPR_FN const T& get(const array<T, N>& of) {
  static_assert(I < N, "the array has no such element");
  return of.kiln_elements[I];
}
template <size_t I, class T, size_t N>
KILN_CONSTEXPR_FN T&& get(array<T, N>&& of) {
  return static_cast<T&&>(get<I>(of));
}

}  // namespace kiln

namespace std {

template <class>
struct tuple_size;
template <class T, decltype(sizeof(0)) N>
struct tuple_size<kiln::array<T, N>> {
  static constexpr decltype(sizeof(0)) value = N;
};
template <class T, decltype(sizeof(0)) N>
struct tuple_size<const kiln::array<T, N>> : tuple_size<kiln::array<T, N>> {};

template <decltype(sizeof(0)), class>
struct tuple_element;
template <decltype(sizeof(0)) I, class T, decltype(sizeof(0)) N>
struct tuple_element<I, kiln::array<T, N>> {
  using type = T;
};
template <decltype(sizeof(0)) I, class T, decltype(sizeof(0)) N>
struct tuple_element<I, const kiln::array<T, N>> {
  using type = const T;
};

}  // namespace std

namespace kiln {

using ::std::tuple_element;
using ::std::tuple_size;
template <class T>
inline constexpr size_t tuple_size_v = tuple_size<T>::value;
template <size_t I, class T>
using tuple_element_t = typename tuple_element<I, T>::type;

}  // namespace kiln
