// kiln's own functions of the CPU, which no vendor vouches for, against libm's of more precision: numbers of every size, and
// all pairs of those that pow treats apart.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <tuple>
#include <type_traits>

#include "devices.hpp"
#include "golden.hpp"
#include "kiln/math.hpp"
#include "report.hpp"

namespace {

using kiln::Array;
using kiln::DType;

bool have_cpu() {
  if (!conformance::devices().empty() && conformance::devices().front().is_cpu()) return true;
  conformance::note_not_run("cpu");
  return false;
}

enum class Own : std::uint8_t { always, in_lanes };

/// Some of kiln's own functions are of whole registers of AVX-512, others without it libm's, and without fused multiply-add all
/// of them; libm's promise 4 ulp.
std::int32_t own_level() {
  static const std::int32_t level =
      kiln::vectorize({.signatures = {"int32(int32)"},
                       .body = "#if KILN_LANES\nreturn 3;\n#elif defined(__AVX512F__) || !defined(__x86_64__)\nreturn 2;\n"
                               "#elif KILN_OWN_MATH\nreturn 1;\n#else\nreturn 0;\n#endif"})(Array::from({0}))
          .to_vector<std::int32_t>()[0];
  return level;
}
double bound_here(double ours, Own own = Own::always) {
  return own_level() > (own == Own::always ? 1 : 2) ? ours : 4;
}

template <class T>
constexpr DType kDtype = sizeof(T) == 4 ? DType::float32 : DType::float64;

template <class T>
Array array_of(const std::vector<T>& values) {
  Array array = Array::empty({static_cast<std::int64_t>(values.size())}, kDtype<T>);
  std::memcpy(array.data(), values.data(), values.size() * sizeof(T));
  return array;
}

/// How many units in the last place of `want` the two are apart; infinite where one is special and the other is not.
template <class T>
double distance(T got, long double want) {
  const T rounded = static_cast<T>(want);
  if (std::isnan(rounded) || std::isnan(got)) return std::isnan(rounded) && std::isnan(got) ? 0 : INFINITY;
  if (std::isinf(rounded) || std::isinf(got)) return got == rounded ? 0 : INFINITY;
  if (rounded == 0 && got == 0) return std::signbit(rounded) == std::signbit(got) ? 0 : INFINITY;
  const int least = std::numeric_limits<T>::min_exponent - 1;
  const int exponent = want == 0 ? least : std::max(std::ilogb(want), least);
  return static_cast<double>(std::abs(got - want) / std::ldexp(1.0L, exponent + 1 - std::numeric_limits<T>::digits));
}

struct Worst {
  double distance = 0;
  std::size_t index = 0;
};
template <class T, class Reference>
Worst worst_of(const Array& got, const Reference& reference) {
  Worst worst;
  const T* const values = static_cast<const T*>(got.data());
  for (std::size_t i = 0; i < static_cast<std::size_t>(got.size()); ++i) {
    const double apart = distance(values[i], reference(i));
    if (apart > worst.distance) worst = {apart, i};
  }
  return worst;
}

/// Of float32 one in two thousand, all exponents, both signs; of float64 as many, half of them of everyday size.
template <class T>
std::vector<T> numbers_of_every_size() {
  std::vector<T> numbers{0, T(-0.0), 1, -1, INFINITY, -INFINITY, NAN};
  std::mt19937_64 random(7);
  for (std::uint64_t bits = 0; bits < (1ULL << 32); bits += 2053) {
    T number;
    if constexpr (sizeof(T) == 4) {
      const auto narrow = static_cast<std::uint32_t>(bits);
      std::memcpy(&number, &narrow, 4);
    } else {
      std::uint64_t wide = random();
      // From 2^-30 to 2^10.
      if (bits % 2 == 0) wide = (wide & 0x800fffffffffffffULL) | ((993 + wide / 4096 % 40) << 52);
      std::memcpy(&number, &wide, 8);
    }
    numbers.push_back(number);
  }
  return numbers;
}

struct OwnFunction {
  const char* name;
  long double (*reference)(long double);
  double single, twice;  ///< bounds; 0 where the function is libm's
  Own own = Own::always;
};
constexpr OwnFunction kOwn[] = {
    {"tanh", std::tanh, 2, 2.2},
    {"sinh", std::sinh, 2.1, 2.3},
    {"log1p", std::log1p, 1.5, 1.5},
    {"cosh", std::cosh, 1.9, 1.9},
    {"arccosh", std::acosh, 2.1, 2.1},
    {"arctan", std::atan, 2, 1.9},
    {"cbrt", std::cbrt, 0, 0.85},
    {"arcsin", std::asin, 2.1, 2.1},
    {"arccos", std::acos, 1.3, 1.3},
    {"expm1", std::expm1, 1.7, 0},
    {"expm1", std::expm1, 0, 2, Own::in_lanes},
    {"exp2", std::exp2, 1.3, 0.8, Own::in_lanes},
    {"exp", std::exp, 1.01, 0.76, Own::in_lanes},
    {"log", std::log, 1.1, 1.25, Own::in_lanes},
    {"sin", std::sin, 1.5, 1.9, Own::in_lanes},
    {"cos", std::cos, 1.5, 1.9, Own::in_lanes},
    {"tan", std::tan, 3.3, 3.1, Own::in_lanes},
};

template <class T>
void check(const OwnFunction& function, const std::vector<T>& numbers, double bound) {
  if (bound == 0) return;
  const Array got = (*kiln::math::find(function.name))(array_of(numbers));
  const Worst worst = worst_of<T>(got, [&](std::size_t i) { return function.reference(numbers[i]); });
  CHECK_MESSAGE(worst.distance <= bound_here(bound, function.own), std::string(function.name), " ", kiln::name(kDtype<T>),
                " of ", numbers[worst.index]);
}

}  // namespace

TEST_CASE("math: kiln's own functions are as near as they promise") {
  if (!have_cpu()) return;
  const std::vector<float> single = numbers_of_every_size<float>();
  const std::vector<double> twice = numbers_of_every_size<double>();
  for (const OwnFunction& function : kOwn) {
    check(function, single, function.single);
    check(function, twice, function.twice);
  }
}

TEST_CASE_TEMPLATE("math: power is as near as it promises", T, float, double) {
  if (!have_cpu()) return;
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  using Limits = std::numeric_limits<T>;
  std::vector<T> x;
  std::vector<T> y;
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> one(0, 1);
  for (int i = 0; i < 1 << 19; ++i) {
    // Results of every size, of bases of every size and of those next to 1.
    constexpr double kMost = Limits::max_exponent;
    const double next = 1 + std::exp2(-Limits::digits * one(random)) * (i % 4 == 1 ? 0.9 : -0.5);
    x.push_back(static_cast<T>(i % 2 == 0 ? std::exp2(kMost * (2 * one(random) - 1)) : next));
    y.push_back(static_cast<T>(kMost * (2.2 * one(random) - 1.1) / std::log2(static_cast<long double>(x.back()))));
    // Anything.
    for (std::vector<T>* const operand : {&x, &y}) {
      const auto bits = static_cast<Bits>(random());
      operand->push_back(0);
      std::memcpy(&operand->back(), &bits, sizeof(T));
    }
  }
  // Everyday ones, of which AVX-512 has a way of its own.
  for (int i = 0; i < 1 << 19; ++i) {
    x.push_back(static_cast<T>(i % 2 == 0 ? 12 * one(random) - 2 : 0.93 + 0.14 * one(random)));
    y.push_back(static_cast<T>(i % 4 < 2 ? 520 * one(random) - 260 : i % 4 == 2 ? 8 * one(random) - 4 : i % 61 - 30));
  }
  const T odd = T(2) / Limits::epsilon() - 1;
  const T apart[] = {0,
                     1,
                     2,
                     3,
                     T(0.5),
                     T(1.5),
                     T(2.5),
                     INFINITY,
                     NAN,
                     Limits::denorm_min(),
                     Limits::min() / 7,
                     Limits::min(),
                     T(1e-20),
                     T(1e20),
                     Limits::max(),
                     1 - Limits::epsilon() / 2,
                     1 + Limits::epsilon(),
                     odd,
                     odd - 1,
                     odd / 2,
                     odd + 1,
                     2 * odd + 2,
                     127,
                     128,
                     149,
                     150,
                     151,
                     1022,
                     1023,
                     1024,
                     1074,
                     1075};
  for (const T a : apart) {
    for (const T b : apart) {
      for (int signs = 0; signs < 4; ++signs) {
        x.push_back(std::copysign(a, T(signs % 2 == 0 ? 1 : -1)));
        y.push_back(std::copysign(b, T(signs < 2 ? 1 : -1)));
      }
    }
  }
  const Array got = kiln::math::power(array_of(x), array_of(y));
  const Worst worst = worst_of<T>(got, [&](std::size_t i) { return std::pow(static_cast<long double>(x[i]), y[i]); });
  CHECK_MESSAGE(worst.distance <= bound_here(sizeof(T) == 4 ? 0.78 : 1.6), x[worst.index], " to the power of ", y[worst.index],
                " gives ", static_cast<const T*>(got.data())[worst.index]);
}

// What pow is where vectors have not 512 bits, whatever they have here.
TEST_CASE("math: the power of float64 for vectors of any width is as near as it promises") {
  if (!have_cpu()) return;
  if (own_level() == 0) return conformance::note_not_run("fma");
  const kiln::Ufunc power = kiln::vectorize(
      {.signatures = {"float64(float64 x, float64 y)"}, .body = "return y == 0 ? pow(x, y) : power_of_doubles(x, y);"});
  std::vector<double> x;
  std::vector<double> y;
  std::mt19937_64 random(19);
  std::uniform_real_distribution<double> one(0, 1);
  for (int i = 0; i < 1 << 18; ++i) {
    x.push_back(i % 2 == 0 ? std::exp2(40 * one(random) - 20) : 0.5 + one(random));
    y.push_back(i % 4 < 2 ? 60 * one(random) - 30 : 1000 * one(random) - 500);
  }
  const Array got = power(array_of(x), array_of(y));
  const Worst worst = worst_of<double>(got, [&](std::size_t i) { return std::pow(static_cast<long double>(x[i]), y[i]); });
  CHECK_MESSAGE(worst.distance <= 0.8, x[worst.index], " to the power of ", y[worst.index], " gives ",
                static_cast<const double*>(got.data())[worst.index]);
  const Array same = power(array_of(x), 1.0);
  CHECK(std::memcmp(same.data(), x.data(), x.size() * sizeof(double)) == 0);
}

TEST_CASE_TEMPLATE("math: nothing of subnormal numbers is lost", T, float, double) {
  if (!have_cpu()) return;
  std::vector<T> numbers;
  for (int k = -9; k <= 9; ++k) numbers.push_back(static_cast<T>(k) * std::numeric_limits<T>::denorm_min());
  for (const char* name : {"sin", "tan", "arcsin", "arctan", "sinh", "tanh", "expm1", "log1p"}) {
    const Array got = (*kiln::math::find(name))(array_of(numbers));
    CAPTURE(std::string(name));
    const bool same = std::memcmp(got.data(), numbers.data(), numbers.size() * sizeof(T)) == 0;
    CHECK(same);
  }
}

template <class T>
struct Points {
  std::vector<T> y;
  std::vector<T> x;
};
/// All around, with coordinates of like and of unlike size, and what is special beside it.
template <class T>
Points<T> points_of_every_side() {
  Points<T> points;
  std::mt19937_64 random(17);
  std::uniform_real_distribution<double> one(-1, 1);
  for (int i = 0; i < 1 << 19; ++i) {
    const double scale = std::exp2((i % 2 == 0 ? 1 : 40) * one(random));
    points.y.push_back(static_cast<T>(one(random)));
    points.x.push_back(static_cast<T>(scale * one(random)));
  }
  const T apart[] = {0,
                     1,
                     2,
                     T(0.41421357),
                     T(2.4142135),
                     INFINITY,
                     NAN,
                     std::numeric_limits<T>::denorm_min(),
                     2 * std::numeric_limits<T>::denorm_min(),
                     7 * std::numeric_limits<T>::denorm_min(),
                     std::numeric_limits<T>::min(),
                     std::sqrt(std::numeric_limits<T>::min()),
                     std::sqrt(std::numeric_limits<T>::max()),
                     std::numeric_limits<T>::max() / 2,
                     std::numeric_limits<T>::max()};
  for (const T a : apart) {
    for (const T b : apart) {
      for (int signs = 0; signs < 4; ++signs) {
        points.y.push_back(std::copysign(a, T(signs % 2 == 0 ? 1 : -1)));
        points.x.push_back(std::copysign(b, T(signs < 2 ? 1 : -1)));
      }
    }
  }
  return points;
}

TEST_CASE_TEMPLATE("math: arctan2 is as near as it promises", T, float, double) {
  if (!have_cpu()) return;
  const auto [y, x] = points_of_every_side<T>();
  const Array got = kiln::math::arctan2(array_of(y), array_of(x));
  const Worst worst = worst_of<T>(
      got, [&](std::size_t i) { return std::atan2(static_cast<long double>(y[i]), static_cast<long double>(x[i])); });
  CHECK_MESSAGE(worst.distance <= bound_here(2.5), y[worst.index], ", ", x[worst.index]);
}

TEST_CASE_TEMPLATE("math: hypot is as near as it promises", T, float, double) {
  if (!have_cpu()) return;
  const auto [y, x] = points_of_every_side<T>();
  const Array got = kiln::math::hypot(array_of(y), array_of(x));
  const Worst worst = worst_of<T>(
      got, [&](std::size_t i) { return std::hypot(static_cast<long double>(y[i]), static_cast<long double>(x[i])); });
  CHECK_MESSAGE(worst.distance <= bound_here(0.8, Own::in_lanes), y[worst.index], ", ", x[worst.index], " gives ",
                static_cast<const T*>(got.data())[worst.index]);
}

TEST_CASE_TEMPLATE("math: the sides of a right triangle come out exactly", T, float, double) {
  if (!have_cpu()) return;
  std::vector<T> x;
  std::vector<T> y;
  std::vector<T> want;
  for (int m = 2; m <= 600; ++m) {
    for (int n = 1; n < m; ++n) {
      const T scale = std::exp2(T(n % 7 * 40 - 120));  // squares of some are out of float32's range
      x.push_back(scale * static_cast<T>(m * m - n * n));
      y.push_back(scale * static_cast<T>(-2 * m * n));
      want.push_back(scale * static_cast<T>(m * m + n * n));
    }
  }
  const Array got = kiln::math::hypot(array_of(x), array_of(y));
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < want.size(); ++i)
    if (got.as<T>()[i] != want[i]) ++wrong;
  CHECK(wrong == 0);
}

TEST_CASE("math: a power that float32 can hold comes out exactly") {
  if (!have_cpu()) return;
  if (bound_here(0) == 4) return conformance::note_not_run("fma");  // libm's own, which promises no such thing
  std::vector<float> x;
  std::vector<float> y;
  std::vector<float> want;
  for (int base = -4100; base <= 4100; ++base) {
    for (int exponent = base == 0 ? 0 : -3; exponent <= 24; ++exponent) {
      const long double power = std::pow(static_cast<long double>(base), exponent);
      const auto rounded = static_cast<float>(power);
      if (static_cast<long double>(rounded) != power) continue;
      x.push_back(static_cast<float>(base));
      y.push_back(static_cast<float>(exponent));
      want.push_back(rounded);
    }
  }
  CHECK(want.size() > 20000);
  const Array got = kiln::math::power(array_of(x), array_of(y));
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < want.size(); ++i)
    if (got.as<float>()[i] != want[i]) ++wrong;
  CHECK(wrong == 0);
}

TEST_CASE_TEMPLATE("math: ldexp and frexp are exact", T, float, double) {
  if (!have_cpu()) return;
  const std::vector<T> numbers = numbers_of_every_size<T>();
  std::mt19937_64 random(13);
  Array exponents = Array::empty({static_cast<std::int64_t>(numbers.size())}, DType::int32);
  auto* const exponent = static_cast<std::int32_t*>(exponents.data());
  constexpr int kMost = 2 * std::numeric_limits<T>::max_exponent + 100;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    // Often to the subnormal numbers, where a second rounding would show.
    const int own = std::isfinite(numbers[i]) && numbers[i] != 0 ? std::ilogb(numbers[i]) : 0;
    const int small = std::numeric_limits<T>::min_exponent - own - static_cast<int>(random() % 60);
    exponent[i] = i % 3 == 0   ? static_cast<std::int32_t>(random())
                  : i % 3 == 1 ? static_cast<int>(random() % (2 * kMost)) - kMost
                               : small;
  }
  const Array scaled = kiln::math::ldexp(array_of(numbers), exponents);
  const Array number = array_of(numbers);
  const std::vector<kiln::Arg> arguments{number};
  const std::vector<Array> parts = kiln::math::frexp.ufunc().outputs(arguments);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    int want_exponent = 0;
    const T want = std::frexp(numbers[i], &want_exponent);
    const bool special = !std::isfinite(numbers[i]);
    const bool right = distance(static_cast<const T*>(scaled.data())[i], std::ldexp(numbers[i], exponent[i])) == 0 &&
                       distance(static_cast<const T*>(parts[0].data())[i], want) == 0 &&
                       static_cast<const std::int32_t*>(parts[1].data())[i] == (special ? 0 : want_exponent);
    if (!right) ++wrong;
  }
  CHECK(wrong == 0);
}

// NumPy's numbers, and libquadmath's.
TEST_CASE("math: complex functions far from 0, near -1, and of zeros whose sign a branch cut reads") {
  if (!have_cpu()) return;
  using C = std::complex<double>;
  const auto call = [](const char* name, C z) { return (*kiln::math::find(name))(kiln::Array::from({z})).as<C>()[0]; };
  const auto near = [](C got, C want) {
    CAPTURE(got);
    CAPTURE(want);
    CHECK(std::abs(got.real() - want.real()) <= 4 * 0x1p-52 * std::abs(want));
    CHECK(std::abs(got.imag() - want.imag()) <= 4 * 0x1p-52 * std::abs(want));
  };
  near(call("arctan", {3e8, 0}), {1.5707963234615634, 0});
  near(call("arctan", {-1e9, 0}), {-1.5707963257948967, 0});
  near(call("arctanh", {0, 3e8}), {0, 1.5707963234615634});
  near(call("arctanh", {1e300, -1e300}), {5e-301, -1.5707963267948966});
  near(call("arctanh", {INFINITY, -1}), {0, -1.5707963267948966});
  near(call("expm1", {-156.69729440941722, -9.4792519067995045}), {-0.9999999999999999, 0});
  near(call("expm1", {-0.75, 2}), {-1.196573846613852, 0.42952169092592235});
  for (const auto& [name, z, real, imaginary] : {std::tuple{"sin", C(4, 0.0), false, true},
                                                 {"sin", C(4, -0.0), false, false},
                                                 {"sin", C(1, -0.0), false, true},
                                                 {"sinh", C(0.0, 2), true, false},
                                                 {"sinh", C(-0.0, 2), false, false},
                                                 {"sinh", C(-0.0, 1), true, false}}) {
    const C got = call(name, z);
    CAPTURE(std::string(name));
    CAPTURE(z);
    if (name[3] != 'h') CHECK(std::signbit(got.imag()) == imaginary);
    if (name[3] == 'h') CHECK(std::signbit(got.real()) == real);
  }
  CHECK(std::sqrt(call("sin", {4, 0})).imag() < 0);
}

TEST_CASE("math: scale_exponent takes exponents of every integer type") {
  if (!have_cpu()) return;
  const kiln::Ufunc scaled = kiln::vectorize(
      {.signatures = {"T(T x, I e) where T: float32, float64, I: int8, int16, int32, int64, uint8, uint16, uint32, uint64"},
       .body = "return scale_exponent(x, e);"});
  for (const kiln::DType dtype : {kiln::DType::int8, kiln::DType::int16, kiln::DType::int32, kiln::DType::int64,
                                  kiln::DType::uint8, kiln::DType::uint16, kiln::DType::uint32, kiln::DType::uint64}) {
    CAPTURE(std::string(kiln::name(dtype)));
    const kiln::Array e = kiln::Array::from({0, 3, 100}).astype(dtype, kiln::Casting::unsafe);
    CHECK(scaled(kiln::Array::from({1.5F, 1.5F, 1.5F}), e).to_vector<float>() == std::vector<float>{1.5F, 12, 0x1.8p100F});
    CHECK(scaled(kiln::Array::from({1.5, 1.5, 1.5}), e).to_vector<double>() == std::vector<double>{1.5, 12, 0x1.8p100});
    if (!kiln::is_signed(dtype)) continue;
    const kiln::Array low = kiln::Array::from({-3, -100}).astype(dtype, kiln::Casting::unsafe);
    CHECK(scaled(kiln::Array::from({1.5F, 1.5F}), low).to_vector<float>() == std::vector<float>{0.1875F, 0x1.8p-100F});
  }
  CHECK(scaled(kiln::Array::from({1.0}), kiln::Array::from<std::uint64_t>({~0ULL})).to_vector<double>()[0] == INFINITY);
}
