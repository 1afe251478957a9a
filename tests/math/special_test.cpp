// The functions that CUDA and HIP have beside C's, in bodies on every device: how far they are from references in long double,
// and what they are at zeros, poles and infinities. The bounds are those of docs/math.md, the wider of kiln's and CUDA's.
#include <doctest/doctest.h>
#include <kiln/ufunc.hpp>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "devices.hpp"

using conformance::Target;
using kiln::Array;
using kiln::DType;

namespace {

using Real = long double;
const Real kPi = std::acos(-1.0L);
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// By Halley's steps from a number that may be near.
Real erfc_root(Real y, Real near) {
  Real x = near;
  for (int i = 0; i < 40; ++i) {
    // Of the smaller of both tails, so that no digits are lost.
    const Real off = y < 0.5L ? std::erfc(x) - y : (1 - y) - std::erf(x);
    const Real step = -off * std::sqrt(kPi) / 2 * std::exp(x * x);
    x -= step / (1 + step * x);
  }
  return x;
}
Real erfcinv(Real y) {
  if (y > 1) return -erfcinv(2 - y);
  return erfc_root(y, y < 0.1L ? std::sqrt(-std::log(y)) : (1 - y) * 0.9L);
}
Real erfinv(Real x) {
  if (x < 0) return -erfinv(-x);
  Real near = x > 0.9L ? std::sqrt(-std::log(1 - x)) : x * 0.9L;
  for (int i = 0; i < 40; ++i) {
    const Real off = x < 0.5L ? std::erf(near) - x : (1 - x) - std::erfc(near);
    const Real step = off * std::sqrt(kPi) / 2 * std::exp(near * near);
    near -= step / (1 + step * near);
  }
  return near;
}
Real erfcx(Real x) {
  if (x < 20) return std::exp(x * x) * std::erfc(x);
  Real term = 1, sum = 1;
  for (int k = 1; k < 12; ++k) sum += term *= -(2 * k - 1) / (2 * x * x);
  return sum / (x * std::sqrt(kPi));
}
Real bessel_i(int n, Real x) {
  Real term = n == 0 ? 1 : x / 2, sum = term;
  for (int k = 1; k < 2000; ++k) sum += term *= x * x / 4 / (static_cast<Real>(k) * (k + n));
  return sum;
}
/// The sine of pi x, of numbers that have quarters.
Real sinpi(Real x) {
  const Real within = x - 2 * std::rint(x / 2), n = std::rint(2 * within), rest = kPi * (within - n / 2);
  switch (static_cast<int>(n) & 3) {
    case 0:
      return std::sin(rest);
    case 1:
      return std::cos(rest);
    case 2:
      return -std::sin(rest);
    default:
      return -std::cos(rest);
  }
}

struct Function {
  const char* name;
  std::function<Real(Real)> reference;
  double low, high;         ///< where it is looked at
  double single, twice;     ///< the bounds, in ulp
  bool oscillates = false;  ///< ulp of the amplitude, where that is larger
};
const std::vector<Function> kFunctions = {
    {"erfinv", erfinv, -1, 1, 3, 5},
    {"erfinv", erfinv, 0.999, 1, 3, 5},
    {"erfcinv", erfcinv, 0, 2, 4, 6},
    {"erfcinv", erfcinv, 0, 1e-30, 4, 6},
    {"erfcx", erfcx, -5, 40, 4, 5},
    {"normcdf", [](Real x) { return std::erfc(-x / std::sqrt(2.0L)) / 2; }, -37, 8, 5, 5},
    {"normcdfinv", [](Real p) { return -std::sqrt(2.0L) * erfcinv(2 * p); }, 0, 1, 5, 8},
    {"normcdfinv", [](Real p) { return -std::sqrt(2.0L) * erfcinv(2 * p); }, 0, 1e-30, 5, 8},
    {"cyl_bessel_i0", [](Real x) { return bessel_i(0, x); }, -90, 713, 6, 6},
    {"cyl_bessel_i1", [](Real x) { return bessel_i(1, x); }, -20, 80, 6, 6},
    {"sinpi", sinpi, -1e6, 1e6, 2, 2},
    {"cospi", [](Real x) { return sinpi(x + 0.5L); }, -1e6, 1e6, 2, 2},
    {"rcbrt", [](Real x) { return 1 / std::cbrt(x); }, -100, 100, 2, 5},
    {"j0", j0l, -8, 8, 9, 7, true},
    {"j0", j0l, 8, 1000, 20, 20, true},
    {"j1", j1l, -8, 8, 9, 7, true},
    {"j1", j1l, 8, 1000, 20, 20, true},
    {"y0", y0l, 0, 8, 9, 7, true},
    {"y0", y0l, 8, 1000, 20, 20, true},
    {"y1", y1l, 0, 8, 9, 7, true},
    {"y1", y1l, 8, 1000, 20, 20, true}};

/// CUDA's Bessel functions have an absolute error beyond 8.
template <class T>
Real absolute_bound(const Target& target) {
  return target.device().kind() == kiln::DeviceKind::cpu ? 0 : sizeof(T) == 4 ? 2.2e-6L : 5e-12L;
}

template <class T>
Real ulp_of(Real value) {
  const T size = std::max(static_cast<T>(std::fabs(value)), std::numeric_limits<T>::min());
  return static_cast<Real>(std::nextafter(size, std::numeric_limits<T>::infinity())) - static_cast<Real>(size);
}

kiln::Ufunc function(const std::string& name) {
  return kiln::vectorize({.name = name, .signatures = {"T(T x) where T: float32, float64"}, .expression = name + "(x)"});
}

template <class T>
void check(const Target& target, const Function& each) {
  std::mt19937_64 random(48);
  std::uniform_real_distribution<double> within(each.low, each.high);
  std::vector<T> x;
  for (int i = 0; i < 600; ++i) {
    T value = static_cast<T>(within(random));
    if (i % 3 == 0 && each.low < 0) value *= static_cast<T>(std::ldexp(1.0, -(i % 40)));
    if (static_cast<double>(value) > each.low && static_cast<double>(value) < each.high) x.push_back(value);
  }
  const auto got = target.fetch(target.call(function(each.name), {target.place(Array::from(x))})).template to_vector<T>();
  Real worst = 0, place = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Real want = each.reference(static_cast<Real>(x[i]));
    if (std::fabs(want) > static_cast<Real>(std::numeric_limits<T>::max()) ||
        std::fabs(want) < static_cast<Real>(std::numeric_limits<T>::min())) {
      continue;
    }
    const Real amplitude = each.oscillates ? std::sqrt(2 / (kPi * std::max(std::fabs(static_cast<Real>(x[i])), Real(2)))) : 0;
    const Real off = std::fabs(static_cast<Real>(got[i]) - want);
    if (each.oscillates && std::fabs(x[i]) > 8 && off <= absolute_bound<T>(target)) continue;
    const Real error = off / ulp_of<T>(std::max(std::fabs(want), amplitude));
    if (!(error <= worst)) {
      worst = error;
      place = x[i];
    }
  }
  const double bound = sizeof(T) == 4 ? each.single : each.twice;
  CHECK_MESSAGE(static_cast<double>(worst) <= bound, std::string(each.name), sizeof(T) == 4 ? " of float32 " : " of float64 ",
                static_cast<double>(place), ": ", static_cast<double>(worst), " ulp");
}

std::vector<double> of(const Target& target, const std::string& name, const std::vector<double>& x) {
  return conformance::list_of(target.fetch(target.call(function(name), {target.place(Array::from(x))})));
}

}  // namespace

TEST_CASE("math: CUDA's special functions are as near as they say") {
  conformance::on_every_device(
      [](const Target& target) {
        for (const Function& each : kFunctions) {
          check<float>(target, each);
          check<double>(target, each);
        }
      },
      {conformance::Mode::host});
}

TEST_CASE("math: CUDA's special functions at zeros, poles and infinities") {
  using Values = std::vector<double>;
  struct Case {
    const char* name;
    Values x, want;
  };
  const std::vector<Case> cases = {{"erfinv", {0, 1, -1}, {0, kInfinity, -kInfinity}},
                                   {"erfcinv", {0, 1, 2}, {kInfinity, 0, -kInfinity}},
                                   {"erfcx", {kInfinity, -kInfinity, -27}, {0, kInfinity, kInfinity}},
                                   {"normcdf", {-kInfinity, kInfinity, -50, 0}, {0, 1, 0, 0.5}},
                                   {"normcdfinv", {0, 1, 0.5}, {-kInfinity, kInfinity, 0}},
                                   {"cyl_bessel_i0", {0, kInfinity, -kInfinity, 720}, {1, kInfinity, kInfinity, kInfinity}},
                                   {"cyl_bessel_i1", {0, kInfinity, -kInfinity}, {0, kInfinity, -kInfinity}},
                                   {"sinpi", {0, 1, 0.5, 1.5, 1e300, -2.5}, {0, 0, 1, -1, 0, -1}},
                                   {"cospi", {0, 1, 0.5, 1.5, 1e300, -2}, {1, -1, 0, 0, 1, 1}},
                                   {"rcbrt", {8, -1, 0, kInfinity}, {0.5, -1, kInfinity, 0}},
                                   {"j0", {kInfinity}, {0}},
                                   {"j1", {0, kInfinity}, {0, 0}},
                                   {"y0", {0, kInfinity}, {-kInfinity, 0}},
                                   {"y1", {0, kInfinity}, {-kInfinity, 0}}};
  conformance::on_every_device(
      [&](const Target& target) {
        for (const Case& each : cases) {
          CAPTURE(std::string(each.name));
          CHECK(of(target, each.name, each.x) == each.want);
          CHECK(std::isnan(of(target, each.name, {kNan})[0]));
        }
        for (const char* name : {"erfinv", "erfcinv", "normcdfinv", "y0", "y1"}) {
          CAPTURE(std::string(name));
          CHECK(std::isnan(of(target, name, {-1.5})[0]));
        }
        CHECK(std::signbit(of(target, "sinpi", {-0.0})[0]));
      },
      {conformance::Mode::host});
}

TEST_CASE("math: Bessel functions of higher order, lengths and their reciprocals") {
  const kiln::Ufunc orders =
      kiln::vectorize({.name = "orders",
                       .signatures = {"(float64 j, float64 y, float32 jf, float32 yf)(int32 n, float64 x)"},
                       .body = "j = jn(n, x); y = yn(n, x); jf = jnf(n, x); yf = ynf(n, float(x));"});
  const kiln::Ufunc lengths =
      kiln::vectorize({.name = "lengths", .signatures = {"(T a, T b, T c, T d, T e, T s, T t)(T x)"}, .body = R"(
      a = norm3d(x, 2 * x, 2);
      b = rnorm3d(x, 2 * x, 2);
      c = norm4d(x, x, x, 1);
      d = rnorm4d(x, x, x, 1);
      e = rhypot(x, 1) + norm3df(1, 2, 2) + rnorm3df(0, 0, 2) + norm4df(1, 1, 1, 1) + rnorm4df(1, 1, 1, 1) + rhypotf(3, 4);
      sincospi(x, &s, &t);)"});
  conformance::on_every_device(
      [&](const Target& target) {
        const bool own = target.device().kind() == kiln::DeviceKind::cpu;
        const double near = own ? 1e-14 : 1e-9, near_single = own ? 4e-6 : 1e-4;
        std::vector<std::int32_t> n;
        std::vector<double> x;
        for (const int order : {0, 1, 2, 3, 7, 20, 60}) {
          for (const double at : {1e-8, 0.001, 0.3, 1.7, 5.5, 12.25, 70.0, 500.5}) {
            n.push_back(order);
            x.push_back(at);
          }
        }
        const auto got = target.outputs(orders, {target.place(Array::from(n)), target.place(Array::from(x))});
        const std::vector<double> j = conformance::list_of(target.fetch(got[0])),
                                  y = conformance::list_of(target.fetch(got[1]));
        const std::vector<double> jf = conformance::list_of(target.fetch(got[2])),
                                  yf = conformance::list_of(target.fetch(got[3]));
        for (std::size_t i = 0; i < n.size(); ++i) {
          CAPTURE(n[i]);
          CAPTURE(x[i]);
          const auto want_j = static_cast<double>(jnl(n[i], x[i])), want_y = static_cast<double>(ynl(n[i], x[i]));
          const double amplitude = x[i] > n[i] ? std::sqrt(2 / (static_cast<double>(kPi) * x[i])) : 0;
          CHECK(std::abs(j[i] - want_j) <= near * std::max(std::abs(want_j), amplitude));
          const auto want_yf = static_cast<double>(ynl(n[i], static_cast<float>(x[i])));
          CHECK((y[i] == want_y || std::abs(y[i] - want_y) <= near * std::max(std::abs(want_y), amplitude)));
          if (std::abs(want_j) > 1e-30 || want_j == 0)
            CHECK(std::abs(jf[i] - want_j) <= near_single * std::max(std::abs(want_j), amplitude) + 2e-38);
          if (std::abs(want_yf) < 1e30)
            CHECK(std::abs(yf[i] - want_yf) <= near_single * std::max(std::abs(want_yf), amplitude));
        }
        for (const DType dtype : {DType::float32, DType::float64}) {
          const double epsilon = dtype == DType::float32 ? 1e-6 : 1e-15;
          const auto all = target.outputs(lengths, {target.place(Array::from(std::vector<double>{1.0}).astype(dtype))});
          const std::vector<double> want = {3, 1.0 / 3, 2, 0.5, std::sqrt(0.5) + 3 + 0.5 + 2 + 0.5 + 0.2, 0, -1};
          for (std::size_t i = 0; i < want.size(); ++i) {
            CAPTURE(i);
            CHECK(std::abs(conformance::list_of(target.fetch(all[i]))[0] - want[i]) <= 3 * (i == 4 ? 1e-6 : epsilon));
          }
        }
      },
      {conformance::Mode::host});
}
