// std::initializer_list, by which C++ goes over a list in braces, and the extrema of one.
#pragma once
#include "kiln/core/types.hpp"

#if KILN_DEFINES_INITIALIZER_LIST
namespace std {

template <class T>
class initializer_list {
 public:
  using value_type = T;
  using iterator = const T*;
  constexpr initializer_list() noexcept = default;
  KILN_CONSTEXPR_FN decltype(sizeof(0)) size() const noexcept { return size_; }
  KILN_CONSTEXPR_FN const T* begin() const noexcept { return begin_; }
  KILN_CONSTEXPR_FN const T* end() const noexcept { return begin_ + size_; }

 private:
  const T* begin_ = nullptr;
  decltype(sizeof(0)) size_ = 0;
};

}  // namespace std
#endif

namespace kiln {

using ::std::initializer_list;

template <class T>
KILN_CONSTEXPR_FN T min(::std::initializer_list<T> list) {
  T least = *list.begin();
  for (const T& x : list) least = x < least ? x : least;
  return least;
}
template <class T>
KILN_CONSTEXPR_FN T max(::std::initializer_list<T> list) {
  T greatest = *list.begin();
  for (const T& x : list) greatest = greatest < x ? x : greatest;
  return greatest;
}

}  // namespace kiln
