// std::array.
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
  KILN_CONSTEXPR_FN T& operator[](size_t i) { return kiln_elements[i]; }
  KILN_CONSTEXPR_FN const T& operator[](size_t i) const { return kiln_elements[i]; }
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

}  // namespace kiln
