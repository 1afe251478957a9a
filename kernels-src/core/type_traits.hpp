// What <type_traits> has that kernels use.
#pragma once
#include "kiln/core/types.hpp"

namespace kiln {

template <class T, T V>
struct integral_constant {
  static constexpr T value = V;
  using value_type = T;
  using type = integral_constant;
  KILN_CONSTEXPR_FN operator T() const { return V; }
  KILN_CONSTEXPR_FN T operator()() const { return V; }
};
template <bool B>
using bool_constant = integral_constant<bool, B>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;

template <class...>
using void_t = void;
template <class T>
struct type_identity {
  using type = T;
};
template <class T>
using type_identity_t = typename type_identity<T>::type;
template <bool, class T = void>
struct enable_if {};
template <class T>
struct enable_if<true, T> {
  using type = T;
};
template <bool B, class T = void>
using enable_if_t = typename enable_if<B, T>::type;
template <bool, class A, class B>
struct conditional {
  using type = A;
};
template <class A, class B>
struct conditional<false, A, B> {
  using type = B;
};
template <bool C, class A, class B>
using conditional_t = typename conditional<C, A, B>::type;

template <class T>
struct remove_reference {
  using type = T;
};
template <class T>
struct remove_reference<T&> {
  using type = T;
};
template <class T>
struct remove_reference<T&&> {
  using type = T;
};
template <class T>
struct remove_const {
  using type = T;
};
template <class T>
struct remove_const<const T> {
  using type = T;
};
template <class T>
struct remove_volatile {
  using type = T;
};
template <class T>
struct remove_volatile<volatile T> {
  using type = T;
};
template <class T>
struct remove_cv {
  using type = typename remove_volatile<typename remove_const<T>::type>::type;
};
template <class T>
struct remove_cvref {
  using type = typename remove_cv<typename remove_reference<T>::type>::type;
};
template <class T>
struct remove_pointer {
  using type = T;
};
template <class T>
struct remove_pointer<T*> {
  using type = T;
};
template <class T>
struct remove_extent {
  using type = T;
};
template <class T>
struct remove_extent<T[]> {
  using type = T;
};
template <class T, size_t N>
struct remove_extent<T[N]> {
  using type = T;
};
template <class T>
inline constexpr bool is_array_type = false;
template <class T>
inline constexpr bool is_array_type<T[]> = true;
template <class T, size_t N>
inline constexpr bool is_array_type<T[N]> = true;
template <class T>
struct add_const {
  using type = const T;
};
template <class T>
struct add_pointer {
  using type = typename remove_reference<T>::type*;
};
template <class T>
struct add_lvalue_reference {
  using type = T&;
};
template <class T>
struct add_rvalue_reference {
  using type = T&&;
};
template <class T, bool = is_array_type<T>, bool = __is_function(T)>
struct decay_of {
  using type = typename remove_cv<T>::type;
};
template <class T>
struct decay_of<T, true, false> {
  using type = typename remove_extent<T>::type*;
};
template <class T>
struct decay_of<T, false, true> {
  using type = T*;
};
template <class T>
struct decay : decay_of<typename remove_reference<T>::type> {};
template <class T>
struct underlying_type {
  using type = __underlying_type(T);
};
#define KILN_ALIAS(name) \
  template <class T>     \
  using name##_t = typename name<T>::type;
KILN_ALIAS(remove_reference)
KILN_ALIAS(remove_const)
KILN_ALIAS(remove_volatile)
KILN_ALIAS(remove_cv)
KILN_ALIAS(remove_cvref)
KILN_ALIAS(remove_pointer)
KILN_ALIAS(remove_extent)
KILN_ALIAS(add_const)
KILN_ALIAS(add_pointer)
KILN_ALIAS(add_lvalue_reference)
KILN_ALIAS(add_rvalue_reference)
KILN_ALIAS(decay)
KILN_ALIAS(underlying_type)

template <class T>
using bare_t = typename remove_cv<T>::type;

// Whether a type is of a kind: "is_x_v<T>", and "is_x<T>" of it.
#define KILN_TRAIT(name, ...)                   \
  template <class T>                            \
  inline constexpr bool name##_v = __VA_ARGS__; \
  template <class T>                            \
  struct name : bool_constant<name##_v<T>> {};
#define KILN_TRAIT_2(name, ...)                 \
  template <class A, class B>                   \
  inline constexpr bool name##_v = __VA_ARGS__; \
  template <class A, class B>                   \
  struct name : bool_constant<name##_v<A, B>> {};

template <class T>
inline constexpr bool is_pointer_type = false;
template <class T>
inline constexpr bool is_pointer_type<T*> = true;
template <class T>
inline constexpr bool is_reference_type = false;
template <class T>
inline constexpr bool is_reference_type<T&> = true;
template <class T>
inline constexpr bool is_reference_type<T&&> = true;
template <class T>
inline constexpr bool is_lvalue = false;
template <class T>
inline constexpr bool is_lvalue<T&> = true;

KILN_TRAIT_2(is_same, same<A, B>)
KILN_TRAIT_2(is_base_of, __is_base_of(A, B))
KILN_TRAIT_2(is_convertible, __is_convertible_to(A, B))
KILN_TRAIT(is_void, same<bare_t<T>, void>)
KILN_TRAIT(is_null_pointer, same<bare_t<T>, decltype(nullptr)>)
KILN_TRAIT(is_integral, integer<bare_t<T>>)
KILN_TRAIT(is_floating_point, one_of<bare_t<T>, float, double>)
KILN_TRAIT(is_arithmetic, is_integral_v<T> || is_floating_point_v<T>)
KILN_TRAIT(is_pointer, is_pointer_type<bare_t<T>>)
KILN_TRAIT(is_reference, is_reference_type<T>)
KILN_TRAIT(is_lvalue_reference, is_lvalue<T>)
KILN_TRAIT(is_rvalue_reference, is_reference_type<T> && !is_lvalue<T>)
KILN_TRAIT(is_array, is_array_type<T>)
KILN_TRAIT(is_function, __is_function(T))
KILN_TRAIT(is_enum, __is_enum(T))
KILN_TRAIT(is_union, __is_union(T))
KILN_TRAIT(is_class, __is_class(T))
KILN_TRAIT(is_const, !same<T, typename remove_const<T>::type>)
KILN_TRAIT(is_volatile, !same<T, typename remove_volatile<T>::type>)
KILN_TRAIT(is_fundamental, is_arithmetic_v<T> || is_void_v<T> || is_null_pointer_v<T>)
KILN_TRAIT(is_scalar, is_arithmetic_v<T> || is_enum_v<T> || is_pointer_v<T> || is_null_pointer_v<T>)
KILN_TRAIT(is_empty, __is_empty(T))
KILN_TRAIT(is_trivially_copyable, __is_trivially_copyable(T))
KILN_TRAIT(is_standard_layout, __is_standard_layout(T))
KILN_TRAIT(is_trivial, __is_trivial(T))
KILN_TRAIT(is_pod, __is_pod(T))

template <class T, bool = is_arithmetic_v<T>>
inline constexpr bool has_sign = false;
template <class T>
inline constexpr bool has_sign<T, true> = T(-1) < T(0);
KILN_TRAIT(is_signed, has_sign<T>)
KILN_TRAIT(is_unsigned, is_arithmetic_v<T> && !has_sign<T>)

template <size_t Bytes>
struct integers_of;
template <>
struct integers_of<1> {
  using with_sign = signed char;
  using without = unsigned char;
};
template <>
struct integers_of<2> {
  using with_sign = short;
  using without = unsigned short;
};
template <>
struct integers_of<4> {
  using with_sign = int;
  using without = unsigned int;
};
template <>
struct integers_of<8> {
  using with_sign = long;
  using without = unsigned long;
};
// `long long` keeps its name, as in C++.
template <class T>
struct make_signed {
  using type = conditional_t<one_of<T, long long, unsigned long long>, long long, typename integers_of<sizeof(T)>::with_sign>;
};
template <class T>
struct make_unsigned {
  using type =
      conditional_t<one_of<T, long long, unsigned long long>, unsigned long long, typename integers_of<sizeof(T)>::without>;
};
KILN_ALIAS(make_signed)
KILN_ALIAS(make_unsigned)

template <class... T>
struct common_type;
template <class T>
struct common_type<T> {
  using type = decay_t<T>;
};
template <class A, class B>
struct common_type<A, B> {
  using type =
      decay_t<decltype(true ? *static_cast<remove_reference_t<A>*>(nullptr) : *static_cast<remove_reference_t<B>*>(nullptr))>;
};
template <class A, class B, class... Rest>
struct common_type<A, B, Rest...> : common_type<typename common_type<A, B>::type, Rest...> {};
template <class... T>
using common_type_t = typename common_type<T...>::type;

template <class... B>
inline constexpr bool conjunction_v = (bool(B::value) && ...);
template <class... B>
struct conjunction : bool_constant<conjunction_v<B...>> {};
template <class... B>
inline constexpr bool disjunction_v = (bool(B::value) || ...);
template <class... B>
struct disjunction : bool_constant<disjunction_v<B...>> {};
template <class B>
inline constexpr bool negation_v = !bool(B::value);
template <class B>
struct negation : bool_constant<negation_v<B>> {};

KILN_CONSTEXPR_FN bool is_constant_evaluated() noexcept {
  return __builtin_is_constant_evaluated();
}

#undef KILN_TRAIT
#undef KILN_TRAIT_2
#undef KILN_ALIAS

}  // namespace kiln
