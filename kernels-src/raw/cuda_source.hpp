// Whole kernels in CUDA's language: the user's __global__ functions are functions that kiln's kernel calls with its arguments.
#pragma once
#include "kiln/core/types.hpp"

#include "kiln/core/cuda_minimum.hpp"

// What stands for __global__ and __launch_bounds__ in the user's text (lib/kiln/source/cuda_words.hpp): the bounds are those of
// kiln's kernel.
#define __kernel__ KILN_FN
#define __kernel_bounds__(...)
#define __exported__ KILN_EXPORTED_CONSTANT
KILN_ALLOW_NARROWING

namespace kiln::cuda {

template <class T>
struct element_of {};
template <class T>
struct element_of<T*> {
  using type = T;
};
template <class T>
struct element_of<const T*> {
  using type = T;
};
template <class T>
inline constexpr bool is_pointer = false;
template <class T>
inline constexpr bool is_pointer<T*> = true;
template <class T>
inline constexpr bool is_void = same<T, void> || same<T, const void>;

// Whether an array of From may be seen as one of To: the same numbers; or bytes, or structures.
template <class To, class From>
constexpr bool sees() {
  if constexpr (is_void<To> || is_void<From>) {
    return true;
  } else if constexpr (same<To, From> || sizeof(To) == 1 || sizeof(From) == 1) {
    return true;
  } else if constexpr (integer<To> && integer<From>) {
    return sizeof(To) == sizeof(From);
  } else {
    return is_pointer<To> || (is_object<To> && !is_half<To> && !is_complex<To>);
  }
}

// An argument as the kernel's parameter.
template <class To, class From>
KILN_FN To argument(From x) {
  if constexpr (requires { To::of(x); }) {  // an mdspan
    static_assert(
        sees<typename element_of<typename To::element_type*>::type, typename element_of<typename From::storage*>::type>(),
        "an array's dtype is not that of the elements of the kernel's mdspan");
    return To::of(x);
  } else if constexpr (is_pointer<To> && is_pointer<From>) {
    static_assert(sees<typename element_of<To>::type, typename element_of<From>::type>(),
                  "an array's dtype is not that of the elements that the kernel's parameter points to");
    return (To)(x);  // NOLINT: whatever is const, as CUDA passes addresses
  } else if constexpr (is_pointer<From>) {
    static_assert(is_object<To>, "the kernel's parameter is a number, and the argument an array");
    return *reinterpret_cast<const To*>(x);
  } else if constexpr (is_pointer<To>) {
    static_assert(integer<From>, "the kernel's parameter is a pointer, and the argument a number that is no address");
    return reinterpret_cast<To>(static_cast<unsigned long long>(x));
  } else if constexpr (is_complex<From> && !is_complex<To> && is_object<To> && sizeof(To) == sizeof(From)) {
    return To{x.re, x.im};  // of cuComplex.h
  } else {
    return static_cast<To>(x);
  }
}

template <auto Kernel>
struct caller;
template <class... P, void (*Kernel)(P...)>
struct caller<Kernel> {
  template <class... A>
  KILN_FN static void call(A... arguments) {
    static_assert(sizeof...(A) == sizeof...(P), "the kernel has another number of parameters");
    Kernel(argument<P>(arguments)...);
  }
};

template <int I, class First, class... Rest>
struct parameter_at : parameter_at<I - 1, Rest...> {};
template <class First, class... Rest>
struct parameter_at<0, First, Rest...> {
  using type = First;
};
template <int I, class... P>
typename parameter_at<I, P...>::type parameter_of(void (*)(P...));
// The type of a kernel's parameter.
template <auto Kernel, int I>
using parameter = decltype(parameter_of<I>(Kernel));

template <auto Kernel, class... A>
KILN_FN void call(A... arguments) {
  caller<Kernel>::call(arguments...);
}

}  // namespace kiln::cuda
