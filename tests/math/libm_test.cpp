// kiln's own functions of <cmath> for GPUs, compiled for the host, against the C library's of long double. They are plain IEEE
// arithmetic, nothing of which is contracted: a GPU computes the same bits.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "compiler/cpu/compiler.hpp"
#include "device/cpu/code_image.hpp"
#include "source/user_text.hpp"

namespace {

using namespace kiln;

struct Function {
  const char* name;
  long double (*reference)(long double);
  double single;  ///< the bounds, in ulp
  double twice;
  double low, high;  ///< where it is looked at closely
};

// The bounds are what 10^6 numbers showed, with some room; of what docs/math.md lists no more than it promises.
const Function kFunctions[] = {
    {"exp", expl, 1.1, 1.1, -745, 710}, {"exp2", exp2l, 1.1, 1.2, -1075, 1025}, {"log2", log2l, 0.6, 0.8, 0, 4},
    {"log10", log10l, 0.6, 0.8, 0, 4},  {"sin", sinl, 2, 2.2, -100, 100},       {"cos", cosl, 2, 2.2, -100, 100},
    {"tan", tanl, 4, 4, -100, 100},     {"sin", sinl, 2, 2.2, 0, 0x1p25},       {"cos", cosl, 2, 2.2, 0, 0x1p25},
    {"tan", tanl, 4, 4, 0, 0x1p25},     {"asinh", asinhl, 0.6, 2.5, -10, 10},   {"atanh", atanhl, 0.6, 2.5, -1, 1},
    {"erf", erfl, 0.6, 2.5, -6, 6},     {"erfc", erfcl, 0.6, 4, -6, 28},        {"logb", logbl, 0, 0, 0, 10},
};
const Function kOfFloat64[] = {{"log", logl, 0, 1.2, 0, 4}, {"expm1", expm1l, 0, 2.5, -40, 710}};
const Function kOfFloat32[] = {{"cbrt", cbrtl, 0.6, 0, -10, 10}};
const Function kOfPositive[] = {{"tgamma", tgammal, 0.6, 6, 0, 171}, {"lgamma", lgammal, 0.6, 4, 0, 20}};

struct Function2 {
  const char* name;
  long double (*reference)(long double, long double);
  double single, twice;
};
const Function2 kFunctions2[] = {{"fmod", fmodl, 0, 0}, {"remainder", remainderl, 0, 0}, {"fdim", fdiml, 0.5, 0.5}};
const Function2 kOfTwoFloat64[] = {{"hypot", hypotl, 0, 1}};

/// One unit with a loop over each function: "exp_double", "exp_float".
std::string source() {
  std::string text;
  for (const char* header : {"exponential", "circular", "rounding", "hypot", "trigonometry", "special"}) {
    text += std::string("#include \"kiln/math/libm_") + header + ".hpp\"\n";
  }
  text +=
      "#define LOOP extern \"C\" __attribute__((visibility(\"default\"))) void\n"
      "#define OF(f, T, name) LOOP name##_##T(const T* x, const T*, T* to, long n) { for (long i = 0; i < n; ++i) to[i] = "
      "kiln::libm::f(x[i]); }\n"
      "#define OF_2(f, T, name) LOOP name##_##T(const T* x, const T* y, T* to, long n) { for (long i = 0; i < n; ++i) to[i] = "
      "kiln::libm::f(x[i], y[i]); }\n";
  const auto add = [&](const std::string& name, bool single, bool twice, const char* macro) {
    if (single && text.find(" " + name + "_float") == std::string::npos) {
      text += std::string(macro) + "(" + name + "f, float, " + name + ")\n";
    }
    if (twice) text += std::string(macro) + "(" + name + ", double, " + name + ")\n";
  };
  for (const Function& each : kFunctions) {
    if (text.find("(" + std::string(each.name) + ", double") == std::string::npos) add(each.name, true, true, "OF");
  }
  for (const Function& each : kOfFloat64) add(each.name, false, true, "OF");
  for (const Function& each : kOfFloat32) add(each.name, true, false, "OF");
  for (const Function& each : kOfPositive) add(each.name, true, true, "OF");
  for (const Function2& each : kFunctions2) add(each.name, true, true, "OF_2");
  for (const Function2& each : kOfTwoFloat64) add(each.name, false, true, "OF_2");
  return text;
}

const backend::cpu::CodeImage& image() {
  static const backend::cpu::CodeImage loaded = [] {
    const std::string text = source();
    return backend::cpu::CodeImage(
        backend::cpu::native_compiler()
            ->compile({.name = "libm", .source = text, .headers = codegen::resolve_includes({{"libm", text}}, {}, {})})
            .code,
        "libm");
  }();
  return loaded;
}

template <class T>
std::vector<T> computed(const std::string& name, const std::vector<T>& x, const std::vector<T>& y) {
  const std::string symbol = name + (sizeof(T) == 4 ? "_float" : "_double");
  auto* const loop = reinterpret_cast<void (*)(const T*, const T*, T*, long)>(image().symbol(symbol.c_str()));
  const bool found = loop != nullptr;
  REQUIRE_MESSAGE(found, symbol);
  std::vector<T> to(x.size());
  loop(x.data(), y.data(), to.data(), static_cast<long>(x.size()));
  return to;
}

/// In units in the last place of `want`; infinite where one is special and the other is not.
template <class T>
double distance(T got, long double want) {
  const T rounded = static_cast<T>(want);
  if (std::isnan(rounded) || std::isnan(got)) return std::isnan(rounded) && std::isnan(got) ? 0 : INFINITY;
  if (std::isinf(rounded) || std::isinf(got)) return got == rounded ? 0 : std::isinf(want) ? INFINITY : 0.5;
  if (rounded == 0 && got == 0) return std::signbit(rounded) == std::signbit(got) ? 0 : INFINITY;
  const T size = std::fabs(rounded);
  const T next = std::nextafter(size, std::numeric_limits<T>::infinity());
  const T ulp = std::isinf(next) ? size - std::nextafter(size, T(0)) : next - size;
  return static_cast<double>(std::fabs(static_cast<long double>(got) - want) / ulp);
}

template <class T>
constexpr T kSpecial[] = {T(0),
                          T(-0.0),
                          T(1),
                          T(-1),
                          T(0.5),
                          T(2),
                          T(-2.5),
                          T(100),
                          std::numeric_limits<T>::infinity(),
                          -std::numeric_limits<T>::infinity(),
                          std::numeric_limits<T>::quiet_NaN(),
                          std::numeric_limits<T>::denorm_min(),
                          -std::numeric_limits<T>::denorm_min(),
                          std::numeric_limits<T>::min(),
                          std::numeric_limits<T>::max(),
                          std::numeric_limits<T>::lowest()};

template <class T>
T of_any_size(std::mt19937_64& random) {
  T value;
  const std::uint64_t bits = random();
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

template <class T>
std::vector<T> numbers(double low, double high, bool positive) {
  std::mt19937_64 random(29);
  std::uniform_real_distribution<double> within(low, high);
  std::vector<T> all(std::begin(kSpecial<T>), std::end(kSpecial<T>));
  for (int i = 0; i < 20000; ++i) {
    all.push_back(of_any_size<T>(random));
    all.push_back(static_cast<T>(within(random)));
    all.push_back(static_cast<T>(std::ldexp(within(random), -static_cast<int>(random() % 40))));
  }
  for (T& each : all) each = positive ? std::fabs(each) : each;
  return all;
}

template <class T>
void check(const Function& function, double bound, bool positive) {
  const std::vector<T> x = numbers<T>(function.low, function.high, positive);
  const std::vector<T> got = computed<T>(function.name, x, x);
  double worst = -1;
  T place = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = distance(got[i], function.reference(x[i]));
    if (error > worst) {
      worst = error;
      place = x[i];
    }
  }
  CHECK_MESSAGE(worst <= bound, function.name, sizeof(T) == 4 ? " of float32 " : " of float64 ", static_cast<double>(place),
                ": ", worst, " ulp");
}

template <class T>
void check(const Function2& function, double bound) {
  std::vector<T> x;
  std::vector<T> y;
  const auto add = [&](T a, T b) {
    x.push_back(a);
    y.push_back(b);
  };
  for (const T a : kSpecial<T>) {
    for (const T b : kSpecial<T>) add(a, b);
  }
  std::mt19937_64 random(31);
  std::uniform_real_distribution<double> within(0, 1000);
  for (int i = 0; i < 20000; ++i) {
    const T a = of_any_size<T>(random);
    add(a, of_any_size<T>(random));
    add(static_cast<T>(within(random)), static_cast<T>(-within(random)));
    add(a, a * static_cast<T>(within(random)));
    add(a * static_cast<T>(within(random)), a);
  }
  const std::vector<T> got = computed<T>(function.name, x, y);
  double worst = -1;
  std::size_t place = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = distance(got[i], function.reference(x[i], y[i]));
    if (error > worst) {
      worst = error;
      place = i;
    }
  }
  CHECK_MESSAGE(worst <= bound, function.name, sizeof(T) == 4 ? " of float32 " : " of float64 ", static_cast<double>(x[place]),
                ", ", static_cast<double>(y[place]), ": ", worst, " ulp");
}

}  // namespace

TEST_CASE("libm: functions of one number are as near as they say") {
  for (const Function& each : kFunctions) {
    check<float>(each, each.single, false);
    check<double>(each, each.twice, false);
  }
  for (const Function& each : kOfFloat64) check<double>(each, each.twice, false);
  for (const Function& each : kOfFloat32) check<float>(each, each.single, false);
  for (const Function& each : kOfPositive) {
    check<float>(each, each.single, true);
    check<double>(each, each.twice, true);
  }
}

TEST_CASE("libm: of two numbers, remainders are exact") {
  for (const Function2& each : kFunctions2) {
    check<float>(each, each.single);
    check<double>(each, each.twice);
  }
  for (const Function2& each : kOfTwoFloat64) check<double>(each, each.twice);
}

TEST_CASE("libm: gamma of negative numbers, at its poles and beyond its range") {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> x = {-0.5, -1.5, -2, -170.5, -190.5, -191.5, 0.0, -0.0, -infinity, 1, 2, 171, 172, -1e-310};
  const std::vector<double> got = computed<double>("tgamma", x, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    CAPTURE(x[i]);
    CHECK(distance(got[i], x[i] == -infinity ? NAN : std::tgamma(static_cast<long double>(x[i]))) <= 8);
  }
  const std::vector<double> logs = computed<double>("lgamma", x, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    CAPTURE(x[i]);
    CHECK(distance(logs[i], std::lgamma(static_cast<long double>(x[i]))) <= 8);
  }
}
