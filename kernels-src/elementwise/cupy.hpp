// What texts in CuPy's notation find beside CUDA's words: the names of CuPy's own headers.
#pragma once
#include "kiln/core/types.hpp"

#include "kiln/core/cuda_minimum.hpp"
#include "kiln/core/cuda_words.hpp"
#include "kiln/elementwise/raw_array.hpp"

#include "kiln/core/atomics.hpp"  // of atomicCAS(), which the words above declare

KILN_ALLOW_NARROWING

// CuPy's, beside those of CUDA for unsigned integers.
template <class T, kiln::integer Value>
  requires kiln::same<T, long long>
KILN_FN T atomicAdd(T* at, Value value) {
  return static_cast<T>(atomicAdd(reinterpret_cast<unsigned long long*>(at), static_cast<unsigned long long>(value)));
}

// CuPy's for types that CUDA has no such function for. As with fmax(), a NaN loses.
#define KILN_CUPY_ATOMIC(name, concept, changed) \
  template <class T, kiln::real_number Value>    \
    requires concept<T>                          \
  KILN_FN T name(T* at, Value amount) {          \
    const T value = static_cast<T>(amount);      \
    T was{};                                     \
    kiln::loops::change(at, [&](T& x) {          \
      was = x;                                   \
      x = changed;                               \
    });                                          \
    return was;                                  \
  }
KILN_CUPY_ATOMIC(atomicMax, kiln::fractional, !(x >= value) && value == value ? value : x)
KILN_CUPY_ATOMIC(atomicMin, kiln::fractional, !(x <= value) && value == value ? value : x)
KILN_CUPY_ATOMIC(atomicAdd, kiln::half_like, T(x + value))
#undef KILN_CUPY_ATOMIC

namespace kiln {

// A raw array as a parameter of a function.
template <class T, int Rank, bool Packed = false, bool Narrow = false>
using CArray = raw_array<T, Rank, Packed, !Narrow>;

namespace cupy::type_traits {
template <bool Condition, class A, class B>
struct conditional {
  using type = A;
};
template <class A, class B>
struct conditional<false, A, B> {
  using type = B;
};
template <class A, class B>
struct is_same {
  static constexpr bool value = same<A, B>;
};
template <bool Condition, class T = void>
struct enable_if {};
template <class T>
struct enable_if<true, T> {
  using type = T;
};
}  // namespace cupy::type_traits

}  // namespace kiln
