// add, sub, mul, fma, div, rcp, sqrt in every format and rounding mode against the definition of rounding, and the rest of the
// floating-point instructions against PTX's own words. Wrong results are counted: doctest takes a microsecond for each CHECK.
#include <doctest/doctest.h>

#include <cfenv>
#include <cmath>

#include "emulator/exact_reference.hpp"

namespace em = kiln::emulator;
using em::BFloat16;
using em::Half;
using em::Modifiers;
using em::Rounding;
using namespace reference;

namespace {

template <class T>
T quiet(T x) {
  return make<T>(bits(x) | std::uint64_t{1} << (Shape<T>::fraction - 1));
}
template <class T>
T made_nan() {
  return make<T>(sizeof(T) == 8 ? 0xfff8000000000000U : sizeof(T) == 4 ? 0x7fffffffU : 0x7fffU);
}
// As a double: exact.
template <class T>
double host(T x) {
  if (!finite(x)) return nan(x) ? NAN : bits(x) >= kSign<T> ? -INFINITY : INFINITY;
  const Term t = value(x);
  const double size = std::ldexp(static_cast<double>(static_cast<std::uint64_t>(t.significand)), t.exponent);
  return t.negative ? -size : size;
}
template <class T>
bool same(T x, T y) {
  return bits(x) == bits(y);
}
// The result where an operand is infinity or NaN; `by_host` is what the host's doubles make of them.
template <class T>
bool is_special(T result, double by_host, std::initializer_list<T> operands) {
  if (std::isnan(by_host)) {
    if constexpr (sizeof(T) == 8) {
      for (const T x : operands) {
        if (nan(x)) return same(result, quiet(x));
      }
    }
    return same(result, made_nan<T>());
  }
  return !nan(result) && host(result) == by_host && std::signbit(host(result)) == std::signbit(by_host);
}
bool down(Rounding mode) {
  return mode == Rounding::down;
}

constexpr int kDraws = 40000;

template <class T>
void check_sums_and_products(std::uint64_t seed) {
  Patterns draw(seed);
  int wrong_add = 0;
  int wrong_sub = 0;
  int wrong_mul = 0;
  int wrong_fma = 0;
  int wrong_special = 0;
  for (int i = 0; i < kDraws; ++i) {
    const T a = draw.any<T>();
    // Sums that cancel, too.
    const T b = i % 8 == 0 ? make<T>((bits(a) ^ kSign<T>)+draw.next() % 3) : draw.any<T>();
    const T c = draw.any<T>();
    for (const Rounding mode : kModes) {
      const Modifiers m{.rounding = mode};
      const T sum = em::add(a, b, m);
      const T difference = em::sub(a, b, m);
      const T product = em::mul(a, b, m);
      const T fused = em::fma(a, b, c, m);
      if (!finite(a) || !finite(b) || !finite(c)) {
        if (!finite(a) || !finite(b)) {
          wrong_special += !is_special(sum, host(a) + host(b), {a, b});
          wrong_special += !is_special(difference, host(a) - host(b), {a, b});
          wrong_special += !is_special(product, host(a) * host(b), {a, b});
        }
        // With a finite product, c alone decides.
        const double exact = finite(a) && finite(b) ? host(c) : host(a) * host(b) + host(c);
        wrong_special += !is_special(fused, exact, {a, b, c});
        continue;
      }
      const Term x = value(a);
      const Term y = value(b);
      const Term z = value(c);
      const auto zero = [&](Term p, Term q) {
        return p.negative == q.negative && p.significand == 0 ? p.negative : down(mode);
      };
      wrong_add += !is_rounding(sum, mode, zero(x, y), [&](Term t) { return sign_of_sum({x, y, -t}); });
      wrong_sub += !is_rounding(difference, mode, zero(x, -y), [&](Term t) { return sign_of_sum({x, -y, -t}); });
      wrong_mul += !is_rounding(product, mode, (x * y).negative, [&](Term t) { return sign_of_sum({x * y, -t}); });
      wrong_fma += !is_rounding(fused, mode, zero(x * y, z), [&](Term t) { return sign_of_sum({x * y, z, -t}); });
    }
  }
  CHECK(wrong_add == 0);
  CHECK(wrong_sub == 0);
  CHECK(wrong_mul == 0);
  CHECK(wrong_fma == 0);
  CHECK(wrong_special == 0);
}

template <class T>
void check_quotients_and_roots(std::uint64_t seed) {
  Patterns draw(seed);
  int wrong_div = 0;
  int wrong_rcp = 0;
  int wrong_sqrt = 0;
  int wrong_special = 0;
  const auto check_div = [](T result, T a, T b, Rounding mode) {
    const Term x = value(a);
    const Term y = value(b);
    return is_rounding(result, mode, x.negative != y.negative, [&](Term t) {
      const int sign = sign_of_sum({x, -(t * y)});
      return y.negative ? -sign : sign;
    });
  };
  for (int i = 0; i < kDraws; ++i) {
    const T a = draw.any<T>();
    // Exact quotients, too.
    const T b = i % 8 == 0 ? em::mul(a, T(static_cast<int>(draw.next() % 64) - 32)) : draw.any<T>();
    // Squares, and what lies beside them.
    const T root = T(static_cast<int>(draw.next() % 4096)) / 16;
    const T c = i % 8 == 0 ? make<T>(bits(root * root) + draw.next() % 3) : a;
    for (const Rounding mode : kModes) {
      const Modifiers m{.rounding = mode};
      const T quotient = em::div(a, b, m);
      if (!finite(a) || !finite(b) || b == 0) {
        wrong_special += !is_special(quotient, host(a) / host(b), {a, b});
      } else {
        wrong_div += !check_div(quotient, a, b, mode);
      }
      const T reciprocal = em::rcp(a, m);
      if (!finite(a) || a == 0) {
        wrong_special += !is_special(reciprocal, 1 / host(a), {a});
      } else {
        wrong_rcp += !check_div(reciprocal, T{1}, a, mode);
      }
      const T square_root = em::sqrt(c, m);
      if (!finite(c) || c < 0 || c == 0) {
        wrong_special += !is_special(square_root, std::sqrt(host(c)), {c});
      } else {
        wrong_sqrt += !is_rounding(square_root, mode, false, [&](Term t) { return sign_of_sum({value(c), -(t * t)}); });
      }
    }
  }
  CHECK(wrong_div == 0);
  CHECK(wrong_rcp == 0);
  CHECK(wrong_sqrt == 0);
  CHECK(wrong_special == 0);
}

}  // namespace

TEST_CASE("PTX: sums and products are rounded once, in every mode") {
  check_sums_and_products<float>(1);
  check_sums_and_products<double>(2);
  check_sums_and_products<Half>(3);
  check_sums_and_products<BFloat16>(4);
}

TEST_CASE("PTX: quotients and roots are rounded once, in every mode") {
  check_quotients_and_roots<float>(5);
  check_quotients_and_roots<double>(6);
}

namespace {
// Volatile operands keep the compiler from computing with its own rounding mode.
template <class T>
void check_against_host(std::uint64_t seed) {
  constexpr std::array<int, 4> kHostModes{FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  Patterns draw(seed);
  int wrong = 0;
  int depends_on_host = 0;
  for (int i = 0; i < 100000; ++i) {
    const volatile T a = draw.any_finite<T>();
    const volatile T b = draw.any_finite<T>();
    const volatile T c = draw.any_finite<T>();
    const T root = std::fabs(a);
    const volatile T d = root;
    const std::size_t mode = draw.next() % 4;
    std::fesetround(kHostModes[mode]);
    const std::array<volatile T, 5> expected{a + b, a * b, std::fma(a, b, c), a / b, std::sqrt(d)};
    const auto compute = [&] {
      const Modifiers m{.rounding = kModes[mode]};
      return std::array<T, 5>{em::add<T>(a, b, m), em::mul<T>(a, b, m), em::fma<T>(a, b, c, m), em::div<T>(a, b, m),
                              em::sqrt<T>(d, m)};
    };
    std::fesetround(FE_TONEAREST);
    const std::array<T, 5> results = compute();
    for (std::size_t k = 0; k < 5; ++k) {
      const T want = expected[k];
      wrong += nan(want) ? !nan(results[k]) : !same(results[k], want);
    }
    if (mode == 0) continue;
    std::fesetround(kHostModes[draw.next() % 4]);
    const std::array<T, 5> again = compute();
    std::fesetround(FE_TONEAREST);
    for (std::size_t k = 0; k < 5; ++k) depends_on_host += !same(results[k], again[k]);
  }
  CHECK(wrong == 0);
  CHECK(depends_on_host == 0);
}
}  // namespace

TEST_CASE("PTX: the host's arithmetic in the same rounding mode gives the same, and its own mode changes nothing") {
  check_against_host<float>(7);
  check_against_host<double>(8);
}

namespace {
template <class T>
T flush(T x) {
  return subnormal(x) ? make<T>(bits(x) & kSign<T>) : x;
}
template <class T>
T clamp01(T x) {
  const double v = host(x);
  if (!(v > 0)) return T{};
  return v > 1 ? make<T>(((std::uint64_t{1} << (Shape<T>::exponent - 1)) - 1) << Shape<T>::fraction) : x;
}
template <class T>
T no_negative(T x) {
  if (nan(x)) return made_nan<T>();
  return bits(x) >= kSign<T> ? T{} : x;
}

template <class T>
void check_modifiers(std::uint64_t seed) {
  Patterns draw(seed);
  int wrong_ftz = 0;
  int wrong_sat = 0;
  int wrong_relu = 0;
  for (int i = 0; i < 20000; ++i) {
    const T a = draw.any<T>();
    const T b = draw.any<T>();
    const T c = draw.any<T>();
    const Rounding mode = kModes[draw.next() % 4];
    const Modifiers plain{.rounding = mode};
    const Modifiers ftz{.rounding = mode, .ftz = true};
    const Modifiers sat{.rounding = mode, .sat = true};
    const Modifiers all{.rounding = mode, .ftz = true, .sat = true};
    const Modifiers relu{.rounding = mode, .relu = true};
    const T x = flush(a);
    const T y = flush(b);
    const T z = flush(c);
    wrong_ftz += !same(em::add(a, b, ftz), flush(em::add(x, y, plain)));
    wrong_ftz += !same(em::sub(a, b, ftz), flush(em::sub(x, y, plain)));
    wrong_ftz += !same(em::mul(a, b, ftz), flush(em::mul(x, y, plain)));
    wrong_ftz += !same(em::fma(a, b, c, ftz), flush(em::fma(x, y, z, plain)));
    wrong_ftz += !same(em::neg(a, true), make<T>(bits(x) ^ kSign<T>)) || !same(em::abs(a, true), make<T>(bits(x) & ~kSign<T>));
    wrong_sat += !same(em::add(a, b, sat), clamp01(em::add(a, b, plain)));
    wrong_sat += !same(em::sub(a, b, sat), clamp01(em::sub(a, b, plain)));
    wrong_sat += !same(em::mul(a, b, sat), clamp01(em::mul(a, b, plain)));
    wrong_sat += !same(em::fma(a, b, c, sat), clamp01(em::fma(a, b, c, plain)));
    wrong_sat += !same(em::fma(a, b, c, all), clamp01(flush(em::fma(x, y, z, plain))));
    if constexpr (sizeof(T) == 2) wrong_relu += !same(em::fma(a, b, c, relu), no_negative(em::fma(a, b, c, plain)));
    if constexpr (sizeof(T) == 4) {
      wrong_ftz += !same(em::div(a, b, ftz), flush(em::div(x, y, plain)));
      wrong_ftz += !same(em::rcp(a, ftz), flush(em::rcp(x, plain)));
      wrong_ftz += !same(em::sqrt(a, ftz), flush(em::sqrt(x, plain)));
    }
  }
  CHECK(wrong_ftz == 0);
  CHECK(wrong_sat == 0);
  CHECK(wrong_relu == 0);
}
}  // namespace

TEST_CASE("PTX: ftz, sat and relu") {
  check_modifiers<float>(9);
  check_modifiers<Half>(10);
  check_modifiers<BFloat16>(11);
  const float least = 0x1p-126F;
  CHECK(std::signbit(em::mul(-least, 0.5F, {.ftz = true})));
  CHECK(em::mul(-least, 0.5F, {.ftz = true}) == 0);
  CHECK(em::mul(-least, 0.5F) == -0x1p-127F);
  CHECK(bits(em::add(-1.0F, 0.5F, {.sat = true})) == 0);
  CHECK(em::add(1.0F, 0.5F, {.sat = true}) == 1);
  CHECK(bits(em::sub(INFINITY, INFINITY, {.sat = true})) == 0);
}

TEST_CASE("PTX: two halves in a word") {
  const auto half = [](float x) { return em::convert<Half>(x); };
  const std::uint32_t a = em::Pair<Half>{half(1.5F), half(-2)}.bits();
  const std::uint32_t b = em::Pair<Half>{half(0.25F), half(8)}.bits();
  CHECK(a == 0xc0003e00U);
  const auto sum = em::Pair<Half>::of(em::on_pairs<Half>([](Half x, Half y) { return em::add(x, y); }, a, b));
  CHECK(sum.low == half(1.75F));
  CHECK(sum.high == half(6));
  const auto fused = em::on_pairs<Half>([](Half x, Half y, Half z) { return em::fma(x, y, z, {.relu = true}); }, a, b, a);
  CHECK(em::Pair<Half>::of(fused).low == half(1.875F));
  CHECK(em::Pair<Half>::of(fused).high == half(0));
  CHECK(em::on_pairs<std::uint16_t>([](std::uint16_t x, std::uint16_t y) { return em::add(x, y); }, 0x0001ffffU, 0x00020003U) ==
        0x00030002U);
}

TEST_CASE("PTX: neg, abs and copysign change the sign bit alone, of all halves") {
  int wrong = 0;
  for (unsigned i = 0; i < 0x10000U; ++i) {
    const auto h = make<Half>(i);
    const auto b = make<BFloat16>(i);
    wrong += bits(em::neg(h)) != (i ^ 0x8000U) || bits(em::neg(b)) != (i ^ 0x8000U);
    wrong += bits(em::abs(h)) != (i & 0x7fffU) || bits(em::abs(b)) != (i & 0x7fffU);
    wrong += bits(em::copysign(make<Half>(i * 7), h)) != ((i & 0x7fffU) | (i * 7 & 0x8000U));
  }
  CHECK(wrong == 0);
  CHECK(em::copysign(-1.0F, 2.0F) == -2);
  CHECK(em::copysign(1.0, -2.0) == 2);
  CHECK(bits(em::neg(make<float>(0x7fc00001U))) == 0xffc00001U);
  CHECK(bits(em::abs(make<double>(0xfff8000000000001U))) == 0x7ff8000000000001U);
}

namespace {
template <class T>
void check_min_max_and_comparisons(std::uint64_t seed) {
  using em::Comparison;
  Patterns draw(seed);
  int wrong_min = 0;
  int wrong_max = 0;
  int wrong_comparison = 0;
  for (int i = 0; i < 40000; ++i) {
    const T a = draw.any<T>();
    const T b = i % 8 == 0 ? a : i % 8 == 1 ? make<T>(bits(a) ^ kSign<T>) : draw.any<T>();
    const bool ftz = i % 2 == 0;
    const T fa = ftz ? flush(a) : a;
    const T fb = ftz ? flush(b) : b;
    // Exact, and zeros by their signs.
    const auto less = [](T x, T y) {
      return host(x) < host(y) || (host(x) == host(y) && bits(x) >= kSign<T> && bits(y) < kSign<T>);
    };
    const auto expect = [&](T x, T y, bool max, bool propagate) {
      if (nan(x) && nan(y)) return made_nan<T>();
      if (nan(x) || nan(y)) return propagate ? made_nan<T>() : nan(x) ? y : x;
      return less(x, y) != max ? x : y;
    };
    for (const bool propagate : {false, true}) {
      const em::MinMaxModifiers m{.ftz = ftz, .nan = propagate};
      wrong_min += !same(em::min(a, b, m), expect(fa, fb, false, propagate));
      wrong_max += !same(em::max(a, b, m), expect(fa, fb, true, propagate));
      const em::MinMaxModifiers x{.ftz = ftz, .nan = propagate, .xorsign_abs = true};
      const std::uint64_t sign = (bits(a) ^ bits(b)) & kSign<T>;
      const T pa = make<T>(bits(fa) & ~kSign<T>);
      const T pb = make<T>(bits(fb) & ~kSign<T>);
      const T low = expect(pa, pb, false, propagate);
      const T high = expect(pa, pb, true, propagate);
      wrong_min += !same(em::min(a, b, x), nan(low) ? low : make<T>(bits(low) | sign));
      wrong_max += !same(em::max(a, b, x), nan(high) ? high : make<T>(bits(high) | sign));
    }
    const double u = host(fa);
    const double v = host(fb);
    const bool unordered = std::isnan(u) || std::isnan(v);
    const bool expected[] = {u == v, u < v || u > v, u<v, u <= v, u> v, u >= v};
    const Comparison ordered[] = {Comparison::eq, Comparison::ne, Comparison::lt,
                                  Comparison::le, Comparison::gt, Comparison::ge};
    const Comparison or_nan[] = {Comparison::equ, Comparison::neu, Comparison::ltu,
                                 Comparison::leu, Comparison::gtu, Comparison::geu};
    for (std::size_t k = 0; k < 6; ++k) {
      wrong_comparison += em::compare(ordered[k], a, b, ftz) != expected[k];
      wrong_comparison += em::compare(or_nan[k], a, b, ftz) != (expected[k] || unordered);
    }
    wrong_comparison += em::compare(Comparison::num, a, b, ftz) == unordered;
    wrong_comparison += em::compare(Comparison::nan, a, b, ftz) != unordered;
  }
  CHECK(wrong_min == 0);
  CHECK(wrong_max == 0);
  CHECK(wrong_comparison == 0);
}
}  // namespace

TEST_CASE("PTX: min, max and comparisons of floats") {
  check_min_max_and_comparisons<float>(12);
  check_min_max_and_comparisons<double>(13);
  check_min_max_and_comparisons<Half>(14);
  check_min_max_and_comparisons<BFloat16>(15);
}

TEST_CASE("PTX: testp") {
  using em::Property;
  const auto classes = [](auto x) {
    unsigned set = 0;
    for (unsigned i = 0; i < 6; ++i) set |= unsigned{em::testp(static_cast<Property>(i), x)} << i;
    return set;
  };
  // In the order of Property: finite, infinite, number, notanumber, normal, subnormal.
  CHECK(classes(1.0F) == 0b010101U);
  CHECK(classes(-0.0F) == 0b010101U);
  CHECK(classes(-INFINITY) == 0b000110U);
  CHECK(classes(make<float>(0xff800001U)) == 0b001000U);
  CHECK(classes(0x1p-127F) == 0b100101U);
  CHECK(classes(0x1p-1022) == 0b010101U);
  CHECK(classes(-0x1p-1023) == 0b100101U);
  CHECK(classes(static_cast<double>(INFINITY)) == 0b000110U);
  CHECK(classes(static_cast<double>(NAN)) == 0b001000U);
}
