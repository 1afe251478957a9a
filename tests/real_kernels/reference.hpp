// What CUDA and CuPy give to kernels, for a host compiler: the texts of kernels are compiled as plain C++ and run in a loop.
// The reference shares nothing with kiln.
#pragma once
// clang-format off: a line for each name
#include <math.h>
#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <type_traits>
#define __device__
#define __host__
#define __global__
#define __constant__
#define __forceinline__ inline
#define __inline__ inline
#define __noinline__
#define __restrict__
#define __shared__ static
#define __launch_bounds__(...)
#define CUPY_ASSUME(...)
#define CUDART_NAN NAN
#define CUDART_INF INFINITY
#define CUDART_NAN_F NAN
#define CUDART_INF_F INFINITY
#define CUDART_PI M_PI
#define CUDART_PI_F 3.14159265358979f
#define CUDART_PIO2 M_PI_2
#define CUDART_PIO4 M_PI_4
#define CUDART_SQRT_TWO M_SQRT2
#define CUDART_SQRT_HALF M_SQRT1_2
#define CUDART_SQRT_PIO2 1.2533141373155003
#define CUDART_SQRT_2OVERPI 0.79788456080286535588
#define CUDART_L2E M_LOG2E
#define CUDART_LN2 M_LN2
#define NPY_PI M_PI
#define NPY_EULER 0.57721566490153286061

struct float16 {  // computes as float
  _Float16 v;
  float16() = default;
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>> float16(T x) : v(_Float16(float(x))) {}
  operator float() const { return float(v); }
  template <class T> float16& operator+=(T x) { return *this = float16(float(*this) + float(x)); }
  template <class T> float16& operator-=(T x) { return *this = float16(float(*this) - float(x)); }
  template <class T> float16& operator*=(T x) { return *this = float16(float(*this) * float(x)); }
  template <class T> float16& operator/=(T x) { return *this = float16(float(*this) / float(x)); }
};
inline float16 min(float16 a, float16 b) { return fminf(a, b); }
inline float16 max(float16 a, float16 b) { return fmaxf(a, b); }
inline float16 copysign(float16 a, float16 b) { return copysignf(a, b); }
inline float16 nextafter(float16 a, float16 b) {
  if (isnan(float(a)) || isnan(float(b))) return NAN;
  if (float(a) == float(b)) return b;
  short bits;
  memcpy(&bits, &a, 2);
  bits = float(a) == 0 ? (float(b) < 0 ? short(0x8001) : 1) : short(bits + ((float(b) > float(a)) == (float(a) > 0) ? 1 : -1));
  memcpy(&a, &bits, 2);
  return a;
}
inline float pow(float16 a, float16 b) { return powf(a, b); }
inline float fmod(float16 a, float16 b) { return fmodf(a, b); }
inline float atan2(float16 a, float16 b) { return atan2f(a, b); }
inline float hypot(float16 a, float16 b) { return hypotf(a, b); }
inline float ldexp(float16 a, int n) { return ldexpf(a, n); }
inline float modf(float16 a, float* whole) { return modff(a, whole); }

template <class T> struct complex : std::complex<T> {
  complex(T r = 0, T i = 0) : std::complex<T>(r, i) {}
  complex(const std::complex<T>& z) : std::complex<T>(z) {}
  template <class U> explicit complex(const std::complex<U>& z) : std::complex<T>(T(z.real()), T(z.imag())) {}
  T real() const { return std::complex<T>::real(); }
  T imag() const { return std::complex<T>::imag(); }
  void real(T v) { std::complex<T>::real(v); }
  void imag(T v) { std::complex<T>::imag(v); }
};
#define SHIM_OP(op)                                                                                                                        \
  template <class T> complex<T> operator op(const complex<T>& a, const complex<T>& b) { return std::complex<T>(a) op std::complex<T>(b); } \
  template <class T, class U, class = std::enable_if_t<std::is_arithmetic_v<U>>> complex<T> operator op(const complex<T>& a, U b) {        \
    return std::complex<T>(a) op T(b);                                                                                                     \
  }                                                                                                                                        \
  template <class T, class U, class = std::enable_if_t<std::is_arithmetic_v<U>>> complex<T> operator op(U a, const complex<T>& b) {        \
    return T(a) op std::complex<T>(b);                                                                                                     \
  }
SHIM_OP(+)
SHIM_OP(-) SHIM_OP(*) SHIM_OP(/) template <class T> complex<T> operator-(const complex<T>& a) { return -std::complex<T>(a); }
#define SHIM_F(f) \
  template <class T> complex<T> f(const complex<T>& z) { return std::f(std::complex<T>(z)); }
SHIM_F(exp)
SHIM_F(log)
SHIM_F(sqrt) SHIM_F(sin) SHIM_F(cos) SHIM_F(tan) SHIM_F(sinh) SHIM_F(cosh) SHIM_F(tanh) SHIM_F(asin) SHIM_F(acos) SHIM_F(atan) SHIM_F(asinh) SHIM_F(acosh)
    SHIM_F(atanh) SHIM_F(conj) SHIM_F(log10) template <class T>
    T abs(const complex<T>& z) {
  return std::abs(std::complex<T>(z));
}
template <class T> T arg(const complex<T>& z) { return std::arg(std::complex<T>(z)); }
template <class T> T norm(const complex<T>& z) { return std::norm(std::complex<T>(z)); }
template <class T> bool isnan(const complex<T>& z) { return std::isnan(z.real()) || std::isnan(z.imag()); }
template <class T> bool isinf(const complex<T>& z) { return std::isinf(z.real()) || std::isinf(z.imag()); }
template <class T> bool isfinite(const complex<T>& z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); }
template <class T> complex<T> log1p(complex<T> z) { return log(complex<T>(z.real() + 1, z.imag())); }
template <class T> complex<T> log2(complex<T> z) { return log(z) / log(T(2)); }
template <class T> complex<T> expm1(complex<T> z) { return exp(z) - T(1); }
template <class T> complex<T> rint(complex<T> z) { return complex<T>(rint(z.real()), rint(z.imag())); }
#define SHIM_ORDER(op, strict)                                                                                    \
  template <class T> bool operator op(const complex<T>& a, const complex<T>& b) {                                 \
    return isnan(a) || isnan(b) ? false : a.real() == b.real() ? a.imag() op b.imag() : a.real() strict b.real(); \
  }
SHIM_ORDER(<, <)
SHIM_ORDER(<=, <) SHIM_ORDER(>, >) SHIM_ORDER(>=, >) template <class T> complex<T> min(complex<T> a, complex<T> b) {
  return isnan(a) ? b : isnan(b) ? a : a < b ? a : b;
}
template <class T> complex<T> max(complex<T> a, complex<T> b) { return isnan(a) ? b : isnan(b) ? a : a < b ? b : a; }
inline float conj(float x) { return x; }
inline double conj(double x) { return x; }
template <class T> T real(const complex<T>& z) { return z.real(); }
template <class T> T imag(const complex<T>& z) { return z.imag(); }
inline float real(float x) { return x; }
inline double real(double x) { return x; }
inline float imag(float) { return 0; }
inline double imag(double) { return 0; }
typedef std::ptrdiff_t IndexT;
#define assert(x)
namespace cupy::type_traits {
using std::conditional;
using std::enable_if;
using std::is_same;
}  // namespace cupy::type_traits
namespace cuda::std {
using ::std::forward;
template <class T, class = ::std::enable_if_t<::std::is_integral_v<T>>> T byteswap(T x) {
  auto* bytes = reinterpret_cast<unsigned char*>(&x);
  ::std::reverse(bytes, bytes + sizeof(T));
  return x;
}
}  // namespace cuda::std
namespace thrust {
using ::complex;
template <class T> complex<T> polar(T r, T phi) { return std::polar(r, phi); }
}  // namespace thrust

template <class A, class B, class = std::enable_if_t<std::is_arithmetic_v<A> && std::is_arithmetic_v<B>>> auto min(A a, B b) {
  using C = std::common_type_t<A, B>;
  if constexpr (std::is_floating_point_v<C>) return C(fmin(C(a), C(b)));
  else return C(a) < C(b) ? C(a) : C(b);
}
template <class A, class B, class = std::enable_if_t<std::is_arithmetic_v<A> && std::is_arithmetic_v<B>>> auto max(A a, B b) {
  using C = std::common_type_t<A, B>;
  if constexpr (std::is_floating_point_v<C>) return C(fmax(C(a), C(b)));
  else return C(a) < C(b) ? C(b) : C(a);
}
using std::abs;
using std::swap;
inline float rsqrt(float x) { return 1 / sqrtf(x); }
inline double rsqrt(double x) { return 1 / sqrt(x); }
inline float rsqrtf(float x) { return 1 / sqrtf(x); }
inline float rcbrt(float x) { return 1 / cbrtf(x); }
inline double rcbrt(double x) { return 1 / cbrt(x); }
inline double sinpi(double x) { return sin(M_PI * x); }
inline double cospi(double x) { return cos(M_PI * x); }
inline float sinpif(float x) { return float(sin(M_PI * x)); }
inline float exp10(float x) { return powf(10, x); }
inline double normcdf(double x) { return 0.5 * erfc(-x / M_SQRT2); }
inline float normcdff(float x) { return float(0.5 * erfc(-double(x) / M_SQRT2)); }
inline double shim_inverse(double y) {  // of erf
  double lo = -8, hi = 8;
  if (y <= -1) return y < -1 ? NAN : -INFINITY;
  if (y >= 1) return y > 1 ? NAN : INFINITY;
  for (int k = 0; k < 200; ++k) {
    double m = (lo + hi) / 2;
    (erf(m) < y ? lo : hi) = m;
  }
  double x = (lo + hi) / 2;
  for (int k = 0; k < 3; ++k) {
    double d = M_2_SQRTPI * exp(-x * x);
    if (d > 1e-300) x -= (erf(x) - y) / d;
  }
  return x;
}
inline double erfinv(double y) { return shim_inverse(y); }
inline float erfinv(float y) { return float(shim_inverse(y)); }
inline double erfcinv(double y) { return shim_inverse(1 - y); }
inline float erfcinv(float y) { return float(shim_inverse(1 - double(y))); }
inline double normcdfinv(double p) { return M_SQRT2 * shim_inverse(2 * p - 1); }
inline float normcdfinv(float p) { return float(M_SQRT2 * shim_inverse(2 * double(p) - 1)); }
inline float normcdfinvf(float p) { return normcdfinv(p); }
inline double erfcx(double x) { return double(expl((long double)x * x) * erfcl(x)); }
inline float erfcx(float x) { return float(erfcx(double(x))); }
inline double cyl_bessel_i0(double x) { return std::cyl_bessel_i(0.0, fabs(x)); }
inline double cyl_bessel_i1(double x) { return (x < 0 ? -1 : 1) * std::cyl_bessel_i(1.0, fabs(x)); }
inline float cyl_bessel_i0(float x) { return float(cyl_bessel_i0(double(x))); }
inline float cyl_bessel_i1(float x) { return float(cyl_bessel_i1(double(x))); }
inline float cyl_bessel_i0f(float x) { return float(cyl_bessel_i0(double(x))); }
inline float cyl_bessel_i1f(float x) { return float(cyl_bessel_i1(double(x))); }
inline float erfcxf(float x) { return float(erfcx(double(x))); }

// CUDA's have no negative order.
inline double shim_yn(int n, double x) { return n < 0 ? NAN : yn(n, x); }
#define yn shim_yn
inline float fdividef(float a, float b) { return a / b; }
inline float __fdividef(float a, float b) { return a / b; }
inline float __expf(float x) { return expf(x); }
inline float __logf(float x) { return logf(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __fsqrt_rn(float x) { return sqrtf(x); }
inline double __dsqrt_rn(double x) { return sqrt(x); }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz(unsigned(x)) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
inline int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
inline unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
inline float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
inline long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
inline double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
inline int __float2int_rd(float x) { return int(floorf(x)); }
inline int __double2int_rn(double x) { return int(rint(x)); }
inline int __float2int_rn(float x) { return int(rintf(x)); }
inline long long __float2ll_rn(float x) { return llrintf(x); }
inline long long __double2ll_rn(double x) { return llrint(x); }
template <class T> T __ldg(const T* p) { return *p; }
// CuPy's integer division, with Python's rounding
template <class T> T _floor_divide(T x, T y) {
  if constexpr (std::is_integral_v<T>) {
    if (y == 0) return 0;
    T q = x / y;
    return T(q - (((x < 0) != (y < 0)) && q * y != x));
  } else return std::floor(x / y);
}

// Arrays: an index that is out of range ends the process.
template <class T, int N> struct CArray {
  using index_t = std::ptrdiff_t;
  static constexpr int ndim = N;
  T* p;
  std::ptrdiff_t extents[N ? N : 1], steps[N ? N : 1];
  CArray(void* data, std::initializer_list<std::ptrdiff_t> list) : p(static_cast<T*>(data)), extents{}, steps{} {
    std::copy(list.begin(), list.end(), extents);
    std::ptrdiff_t step = sizeof(T);
    for (int d = N - 1; d >= 0; step *= extents[d--]) steps[d] = step;
  }
  std::ptrdiff_t size() const {
    std::ptrdiff_t n = 1;
    for (int d = 0; d < N; ++d) n *= extents[d];
    return n;
  }
  const std::ptrdiff_t* shape() const { return extents; }
  const std::ptrdiff_t* strides() const { return steps; }
  template <class I, class = std::enable_if_t<std::is_integral_v<I>>> T& operator[](I i) const {
    if (std::ptrdiff_t(i) < 0 || std::ptrdiff_t(i) >= size()) _Exit(3);
    return p[i];
  }
  template <class I> T& operator[](const I* at) const {
    std::ptrdiff_t k = 0;
    for (int d = 0; d < N; ++d) k = k * extents[d] + at[d];
    return (*this)[k];
  }
};
template <int N> struct CIndexer {
  static constexpr int ndim = N;
  std::ptrdiff_t extents[N], at[N];
  CIndexer(std::initializer_list<std::ptrdiff_t> list) : at{} { std::copy(list.begin(), list.end(), extents); }
  std::ptrdiff_t size() const {
    std::ptrdiff_t n = 1;
    for (int d = 0; d < N; ++d) n *= extents[d];
    return n;
  }
  const std::ptrdiff_t* shape() const { return extents; }
  const std::ptrdiff_t* get() const { return at; }
  void set(std::ptrdiff_t i) {
    for (int d = N - 1; d >= 0; --d) {
      at[d] = i % extents[d];
      i /= extents[d];
    }
  }
};
#define REFERENCE_ATOMIC(name, value, ...) \
  template <class T, class V __VA_ARGS__> auto name(T* p, V v) { \
    T o = *p; \
    *p = T(value); \
    return o; \
  }
REFERENCE_ATOMIC(atomicAdd, o + v)
REFERENCE_ATOMIC(atomicSub, o - v, , class = std::enable_if_t<std::is_integral_v<T> && sizeof(T) == 4>)
REFERENCE_ATOMIC(atomicMax, T(v) > o ? T(v) : o)
REFERENCE_ATOMIC(atomicMin, T(v) < o ? T(v) : o)
REFERENCE_ATOMIC(atomicExch, v)
REFERENCE_ATOMIC(atomicOr, o | v)
REFERENCE_ATOMIC(atomicXor, o ^ v)
REFERENCE_ATOMIC(atomicAnd, o & v)
template <class T, class U, class V> auto atomicCAS(T* p, U c, V v) {
  T o = *p;
  if (o == T(c)) *p = T(v);
  return o;
}
using int8 = std::int8_t;
using int16 = std::int16_t;
using int32 = std::int32_t;
using int64 = long long;
using uint8 = std::uint8_t;
using uint16 = std::uint16_t;
using uint32 = std::uint32_t;
using uint64 = unsigned long long;
using half = float16;
using float32 = float;
using float64 = double;
using complex64 = complex<float>;
using complex128 = complex<double>;
