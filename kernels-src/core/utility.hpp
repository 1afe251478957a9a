// What <utility> has that kernels use.
#pragma once
#include "kiln/core/type_traits.hpp"

namespace kiln {

template <class T>
typename add_rvalue_reference<T>::type declval() noexcept;
template <class T>
KILN_CONSTEXPR_FN remove_reference_t<T>&& move(T&& x) noexcept {
  return static_cast<remove_reference_t<T>&&>(x);
}
template <class T>
KILN_CONSTEXPR_FN T&& forward(remove_reference_t<T>& x) noexcept {
  return static_cast<T&&>(x);
}
template <class T>
KILN_CONSTEXPR_FN T&& forward(remove_reference_t<T>&& x) noexcept {
  return static_cast<T&&>(x);
}
template <class T>
KILN_CONSTEXPR_FN void swap(T& a, T& b) {
  T before = static_cast<T&&>(a);
  a = static_cast<T&&>(b);
  b = static_cast<T&&>(before);
}
template <class T, class U = T>
KILN_CONSTEXPR_FN T exchange(T& x, U&& value) {
  T before = static_cast<T&&>(x);
  x = static_cast<U&&>(value);
  return before;
}

template <class F, class... A>
struct invoke_result {
  using type = decltype(declval<F>()(declval<A>()...));
};
template <class F, class... A>
using invoke_result_t = typename invoke_result<F, A...>::type;

template <class A, class B>
struct pair {
  using first_type = A;
  using second_type = B;
  A first{};
  B second{};
  pair() = default;
  KILN_CONSTEXPR_FN pair(const A& a, const B& b) : first(a), second(b) {}
  friend KILN_CONSTEXPR_FN bool operator==(const pair& a, const pair& b) { return a.first == b.first && a.second == b.second; }
};
KILN_USER_BEGIN
template <class A, class B>
pair(A, B) -> pair<A, B>;
KILN_USER_END
template <class A, class B>
KILN_CONSTEXPR_FN pair<decay_t<A>, decay_t<B>> make_pair(A&& a, B&& b) {
  return {static_cast<A&&>(a), static_cast<B&&>(b)};
}
// By value: std::minmax gives references.
template <class T>
KILN_CONSTEXPR_FN pair<T, T> minmax(const T& a, const T& b) {
  return b < a ? pair<T, T>(b, a) : pair<T, T>(a, b);
}

}  // namespace kiln
