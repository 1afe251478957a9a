// The .approx instructions: inside the bounds of the PTX ISA against long double, and its tables of special values.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "emulator/exact_reference.hpp"

namespace em = kiln::emulator;
using em::BFloat16;
using em::Half;
using namespace reference;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

// Of normal results: below half an ulp and the error of the double.
bool is_close(float result, long double exact) {
  return std::fabs(static_cast<long double>(result) - exact) <= std::fabs(exact) * 0x1.01p-24L;
}
bool is_nan32(float x) {
  return bits(x) == 0x7fffffffU;
}
bool is(float x, float y) {
  return bits(x) == bits(y);
}

int wrong_results(std::uint64_t seed, long double (*exact)(long double), float (*approximate)(float, bool)) {
  Patterns draw(seed);
  int wrong = 0;
  for (int i = 0; i < 20000; ++i) {
    const auto x = draw.any_finite<float>();
    const long double expected = exact(static_cast<long double>(x));
    if (std::isnan(expected)) {
      wrong += !is_nan32(approximate(x, false)) || (!subnormal(x) && !is_nan32(approximate(x, true)));
    } else if (std::fabs(expected) >= 0x1p-126L && std::fabs(expected) < 0x1p127L) {
      wrong += !is_close(approximate(x, false), expected) || (!subnormal(x) && !is_close(approximate(x, true), expected));
    } else if (std::fabs(expected) < 0x1.fp-127L) {
      const float flushed = approximate(x, true);
      wrong += !subnormal(x) && (bits(flushed) & 0x7fffffffU) != 0;
    }
  }
  return wrong;
}

}  // namespace

TEST_CASE("PTX: approximations lie inside their bounds") {
  CHECK(wrong_results(41, [](long double x) { return 1 / x; }, em::rcp_approx) == 0);
  CHECK(wrong_results(42, [](long double x) { return std::sqrt(x); }, em::sqrt_approx) == 0);
  CHECK(wrong_results(43, [](long double x) { return 1 / std::sqrt(x); }, em::rsqrt_approx) == 0);
  CHECK(wrong_results(44, [](long double x) { return std::sin(x); }, em::sin_approx) == 0);
  CHECK(wrong_results(45, [](long double x) { return std::cos(x); }, em::cos_approx) == 0);
  CHECK(wrong_results(46, [](long double x) { return std::log2(x); }, em::lg2_approx) == 0);
  CHECK(wrong_results(47, [](long double x) { return std::exp2(x); }, em::ex2_approx) == 0);
  CHECK(wrong_results(48, [](long double x) { return std::tanh(x); }, [](float x, bool) { return em::tanh_approx(x); }) == 0);
  Patterns draw(49);
  int wrong = 0;
  for (int i = 0; i < 20000; ++i) {
    const auto a = draw.any_finite<float>();
    const auto b = draw.any_finite<float>();
    const long double exact = static_cast<long double>(a) / static_cast<long double>(b);
    if (!(std::fabs(exact) >= 0x1p-126L && std::fabs(exact) < 0x1p127L)) continue;
    wrong += !is_close(em::div_full(a, b, false), exact);
    if (std::fabs(b) <= 0x1p126F) wrong += !is_close(em::div_approx(a, b, false), exact);
  }
  CHECK(wrong == 0);
}

TEST_CASE("PTX: special values of the approximations") {
  const float tiny = 0x1p-140F;
  for (const bool ftz : {false, true}) {
    CHECK(is(em::rcp_approx(-kInf, ftz), -0.0F));
    CHECK(is(em::rcp_approx(-0.0F, ftz), -kInf));
    CHECK(is(em::rcp_approx(0.0F, ftz), kInf));
    CHECK(is_nan32(em::rcp_approx(NAN, ftz)));
    CHECK(is_nan32(em::sqrt_approx(-kInf, ftz)));
    CHECK(is_nan32(em::sqrt_approx(-1.0F, ftz)));
    CHECK(is(em::sqrt_approx(-0.0F, ftz), -0.0F));
    CHECK(is(em::sqrt_approx(kInf, ftz), kInf));
    CHECK(is_nan32(em::rsqrt_approx(-kInf, ftz)));
    CHECK(is_nan32(em::rsqrt_approx(-1.0F, ftz)));
    CHECK(is(em::rsqrt_approx(-0.0F, ftz), -kInf));
    CHECK(is(em::rsqrt_approx(0.0F, ftz), kInf));
    CHECK(is(em::rsqrt_approx(kInf, ftz), 0.0F));
    CHECK(is_nan32(em::sin_approx(kInf, ftz)));
    CHECK(is_nan32(em::sin_approx(-kInf, ftz)));
    CHECK(is(em::sin_approx(-0.0F, ftz), -0.0F));
    CHECK(is_nan32(em::cos_approx(-kInf, ftz)));
    CHECK(is(em::cos_approx(-0.0F, ftz), 1.0F));
    CHECK(is_nan32(em::lg2_approx(-kInf, ftz)));
    CHECK(is(em::lg2_approx(-0.0F, ftz), -kInf));
    CHECK(is(em::lg2_approx(0.0F, ftz), -kInf));
    CHECK(is(em::lg2_approx(kInf, ftz), kInf));
    CHECK(is_nan32(em::lg2_approx(-1.0F, ftz)));
    CHECK(is(em::ex2_approx(-kInf, ftz), 0.0F));
    CHECK(is(em::ex2_approx(-0.0F, ftz), 1.0F));
    CHECK(is(em::ex2_approx(tiny, ftz), 1.0F));
    CHECK(is(em::ex2_approx(kInf, ftz), kInf));
    CHECK(is_nan32(em::ex2_approx(NAN, ftz)));
    CHECK(is_nan32(em::div_approx(0.0F, 0.0F, ftz)));
    CHECK(is_nan32(em::div_approx(kInf, kInf, ftz)));
    CHECK(is(em::div_approx(-1.0F, 0.0F, ftz), -kInf));
    CHECK(is(em::div_approx(3.0F, -kInf, ftz), -0.0F));
    CHECK(is(em::div_approx(3.0F, -0x1.8p126F, ftz), -0.0F));
    CHECK(is_nan32(em::div_approx(kInf, 0x1p127F, ftz)));
    CHECK(em::div_approx(0x1p126F, 0x1p126F, ftz) == 1);
    CHECK(em::div_full(0x1p127F, 0x1p127F, ftz) == 1);
  }
  CHECK(is(em::rcp_approx(-tiny, true), -kInf));
  CHECK(is(em::rcp_approx(0x1p-128F, false), kInf));
  CHECK(em::rcp_approx(0x1p-127F, false) == 0x1p127F);
  CHECK(is(em::rcp_approx(-0x1p127F, true), -0.0F));
  CHECK(em::rcp_approx(0x1p127F, false) == 0x1p-127F);
  CHECK(is(em::rsqrt_approx(-tiny, true), -kInf));
  CHECK(is_nan32(em::rsqrt_approx(-tiny, false)));
  CHECK(em::rsqrt_approx(tiny, false) == 0x1p70F);
  CHECK(is(em::sqrt_approx(-tiny, true), -0.0F));
  CHECK(is(em::sin_approx(-tiny, true), -0.0F));
  CHECK(is(em::sin_approx(-tiny, false), -tiny));
  CHECK(is(em::lg2_approx(tiny, true), -kInf));
  CHECK(em::lg2_approx(tiny, false) == -140);
  CHECK(is(em::ex2_approx(-127.0F, true), 0.0F));
  CHECK(em::ex2_approx(-127.0F, false) == 0x1p-127F);
  CHECK(is(em::tanh_approx(kInf), 1.0F));
  CHECK(is(em::tanh_approx(-kInf), -1.0F));
  CHECK(is(em::tanh_approx(-0.0F), -0.0F));
  CHECK(is_nan32(em::tanh_approx(NAN)));
}

namespace {
template <class T>
double as_double(T x) {
  const Term t = value(x);
  const double size = std::ldexp(static_cast<double>(static_cast<std::uint64_t>(t.significand)), t.exponent);
  return t.negative ? -size : size;
}
// The manual's bounds: 2^-9.9 and 2^-7 of ex2, 2^-10.987 and 2^-8 of tanh; and of subnormal results, half the least number.
template <class T>
bool is_near(T result, double exact, double bound) {
  const double least = std::ldexp(0.5, (Shape<T>::exponent == 5 ? -14 : -126) - Shape<T>::fraction);
  return !nan(result) && std::fabs(as_double(result) - exact) <= std::max(std::fabs(exact) * bound, least);
}
}  // namespace

TEST_CASE("PTX: ex2 and tanh of all halves") {
  int wrong = 0;
  for (unsigned i = 0; i < 0x10000U; ++i) {
    const auto h = make<Half>(i);
    const auto b = make<BFloat16>(i);
    if (nan(h)) {
      wrong += bits(em::ex2_approx(h)) != 0x7fffU || bits(em::tanh_approx(h)) != 0x7fffU;
    } else if (finite(h)) {
      const double exact = std::exp2(as_double(h));
      wrong += exact >= 65520 ? bits(em::ex2_approx(h)) != 0x7c00U : !is_near(em::ex2_approx(h), exact, 0x1p-10);
      wrong += !is_near(em::tanh_approx(h), std::tanh(as_double(h)), 0x1p-10);
    }
    if (nan(b)) {
      wrong += bits(em::ex2_approx(b)) != 0x7fffU || bits(em::tanh_approx(b)) != 0x7fffU;
    } else if (finite(b)) {
      const double exact = std::exp2(as_double(b));
      if (exact >= 0x1p128) {
        wrong += bits(em::ex2_approx(b)) != 0x7f80U;
      } else if (exact < 0x1p-126) {
        wrong += bits(em::ex2_approx(b)) != 0;
      } else {
        wrong += !is_near(em::ex2_approx(b), exact, 0x1p-8);
      }
      wrong += !is_near(em::tanh_approx(b), std::tanh(as_double(b)), 0x1p-8);
    }
  }
  CHECK(wrong == 0);
  CHECK(bits(em::ex2_approx(make<Half>(0xfc00U))) == 0);
  CHECK(bits(em::ex2_approx(make<Half>(0x7c00U))) == 0x7c00U);
  CHECK(bits(em::ex2_approx(make<BFloat16>(0xff80U))) == 0);
  CHECK(bits(em::tanh_approx(make<Half>(0xfc00U))) == 0xbc00U);
}

TEST_CASE("PTX: rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 give the upper word, and Newton steps the rest") {
  const double inf = std::numeric_limits<double>::infinity();
  Patterns draw(50);
  int wrong = 0;
  int unrefined = 0;
  for (int i = 0; i < 100000; ++i) {
    const double x = make<double>((draw.next() >> 12) | (std::uint64_t{1023} - 40 + draw.next() % 80) << 52);
    const double rough = em::rcp_approx_ftz(x);
    // Half a step of 20 bits, of the operand's upper word.
    const double upper = make<double>(bits(x) >> 32 << 32);
    wrong += (bits(rough) & 0xffffffffU) != 0 || std::fabs(rough * upper - 1) > 0x1.00001p-21;
    // What nvcc makes of 1 / x: two steps, then one of the remainder.
    double r = rough;
    double e = std::fma(-x, r, 1.0);
    e = std::fma(e, e, e);
    r = std::fma(e, r, r);
    e = std::fma(-x, r, 1.0);
    r = std::fma(e, r, r);
    unrefined += r != 1 / x;
    const double rough_root = em::rsqrt_approx_ftz(x);
    wrong += (bits(rough_root) & 0xffffffffU) != 0 || std::fabs(rough_root * std::sqrt(upper) - 1) > 0x1.00001p-21;
    double y = rough_root;
    for (int step = 0; step < 2; ++step) y = std::fma(y * 0.5, std::fma(-x * y, y, 1.0), y);
    double root = x * y;
    root = std::fma(std::fma(-root, root, x), y * 0.5, root);
    unrefined += root != std::sqrt(x);
  }
  CHECK(wrong == 0);
  CHECK(unrefined == 0);
  const auto is64 = [](double x, std::uint64_t pattern) { return bits(x) == pattern; };
  CHECK(is64(em::rcp_approx_ftz(-inf), 0x8000000000000000U));
  CHECK(is64(em::rcp_approx_ftz(-0x1p-1030), bits(-inf)));
  CHECK(is64(em::rcp_approx_ftz(0.0), bits(inf)));
  CHECK(is64(em::rcp_approx_ftz(-0.0), bits(-inf)));
  CHECK(is64(em::rcp_approx_ftz(-0x1p1023), 0x8000000000000000U));
  CHECK(is64(em::rcp_approx_ftz(static_cast<double>(NAN)), 0x7fffffff00000000U));
  CHECK(em::rcp_approx_ftz(0x1p-1022) == 0x1p1022);
  CHECK(em::rcp_approx_ftz(3.0) == em::rcp_approx_ftz(make<double>(bits(3.0) | 0xffffffffU)));
  CHECK(is64(em::rsqrt_approx_ftz(-inf), 0x7fffffff00000000U));
  CHECK(is64(em::rsqrt_approx_ftz(-1.0), 0x7fffffff00000000U));
  CHECK(is64(em::rsqrt_approx_ftz(-0x1p-1030), bits(-inf)));
  CHECK(is64(em::rsqrt_approx_ftz(-0.0), bits(-inf)));
  CHECK(is64(em::rsqrt_approx_ftz(0x1p-1030), bits(inf)));
  CHECK(is64(em::rsqrt_approx_ftz(inf), 0));
  CHECK(em::rsqrt_approx_ftz(4.0) == 0.5);
  CHECK(em::rsqrt_approx(4.0) == 0.5);
  CHECK(is64(em::rsqrt_approx(-1.0), 0xfff8000000000000U));
  CHECK(em::rsqrt_approx(0x1p-1030) == 0x1p515);
}
