// A result does not depend on where its element stands, nor on what stands beside it.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "devices.hpp"
#include "golden.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/math.hpp"
#include "numbers.hpp"
#include "report.hpp"

using namespace math_tests;

TEST_CASE("math: a result does not depend on the element's position") {
  if (conformance::devices().empty() || !conformance::devices().front().is_cpu()) return conformance::note_not_run("cpu");
  // One function of each kind of body; float32 and complex128 are the widest and the narrowest vectors.
  for (const char* name : {"sin", "cos", "tan", "exp", "log", "tanh", "cbrt", "arcsin", "log1p", "exp2", "sqrt"}) {
    for (const char* set : {"u_float16", "u_bfloat16", "u_float32", "u_float64", "u_complex64", "u_complex128"}) {
      const InputSet& input = values().sets.at(set);
      if (std::string(name) == "cbrt" && kiln::kind(input.dtype) == kiln::Kind::complex) continue;
      const kiln::Ufunc& function = *kiln::math::find(name);
      const kiln::Array x = kiln::to_device(input.values, kiln::Device::cpu());
      const Bits whole = bits_of(function(x));
      const std::size_t parts = kiln::kind(input.dtype) == kiln::Kind::complex ? 2 : 1;
      for (const std::int64_t begin : {1, 7, 50}) {
        const kiln::Array part = x[{kiln::Slice{begin, begin + 20}}];
        const Bits some = bits_of(function(part));
        for (std::size_t i = 0; i < some.size(); ++i) {
          CHECK_MESSAGE(some[i] == whole[static_cast<std::size_t>(begin) * parts + i], std::string(name), " ", std::string(set),
                        " ", begin, " ", i);
        }
      }
    }
  }
}

// Numbers that a function of a register's lanes leaves to another function, beside those that it does not.
TEST_CASE_TEMPLATE("math: a result does not depend on what stands beside it", T, float, double) {
  if (conformance::devices().empty() || !conformance::devices().front().is_cpu()) return conformance::note_not_run("cpu");
  constexpr std::int64_t kCount = 256;
  std::vector<T> numbers;
  for (std::int64_t i = 0; i < kCount; ++i) numbers.push_back(static_cast<T>(0.01 + static_cast<double>(i * 37 % 101) / 7));
  const auto array_of = [](const std::vector<T>& values) {
    kiln::Array array = kiln::Array::empty({kCount}, sizeof(T) == 4 ? kiln::DType::float32 : kiln::DType::float64);
    std::memcpy(array.data(), values.data(), values.size() * sizeof(T));
    return array;
  };
  for (const char* name : {"sin", "cos", "tan", "exp", "log", "power", "arcsin", "log1p"}) {
    const kiln::Ufunc& function = *kiln::math::find(name);
    const auto call = [&](const kiln::Array& x) {
      if (std::string(name) == "power") return function(x, x);
      return function(x);
    };
    const Bits alone = bits_of(call(array_of(numbers)));
    for (const T other : {T(1e30), T(-40000), T(INFINITY), T(NAN), T(0), T(-1), std::numeric_limits<T>::denorm_min()}) {
      std::vector<T> mixed = numbers;
      for (std::size_t i = 0; i < mixed.size(); i += 5) mixed[i] = other;
      const Bits beside = bits_of(call(array_of(mixed)));
      for (std::size_t i = 0; i < mixed.size(); ++i) {
        if (i % 5 == 0) continue;
        CHECK_MESSAGE(beside[i] == alone[i], std::string(name), " of ", numbers[i], " beside ", other);
      }
    }
  }
}

TEST_CASE("math: a result does not depend on the element's position within a core") {
  if (conformance::devices().empty() || !conformance::devices().front().is_cpu()) return conformance::note_not_run("cpu");
  // log2 is libm's, the others are kiln's own where vectors have 512 bits.
  for (const char* name : {"exp", "log", "sin", "tan", "log2", "expm1"}) {
    for (const kiln::DType dtype : {kiln::DType::float32, kiln::DType::float64}) {
      const kiln::Gufunc function =
          kiln::guvectorize({.layout = "(n)->(n)",
                             .signatures = {"void(T[:] x, T[:] y) where T: float32, float64"},
                             .body = "for (index i = 0; i < n; ++i) y(i) = " + std::string(name) + "(x(i));"});
      for (const double number : {0.9241, 3.90326134, 0.31, 1.7}) {
        for (const std::int64_t size : {1, 7, 19, 39, 1003}) {
          const kiln::Array x = kiln::Array::full({2, size}, number).astype(dtype, kiln::Casting::unsafe);
          const Bits bits = bits_of(function(x));
          for (std::size_t i = 0; i < bits.size(); ++i) {
            CHECK_MESSAGE(bits[i] == bits[0], std::string(name), " of ", number, ", ", size, " in a core, ", i);
          }
        }
      }
    }
  }
}

// Each body is computed one number after the other for an array, and its functions once before the loop for one number.
TEST_CASE("math: a result does not depend on whether the operand is broadcast") {
  if (conformance::devices().empty() || !conformance::devices().front().is_cpu()) return conformance::note_not_run("cpu");
  const kiln::Ufunc in_lanes =
      kiln::vectorize({.signatures = {"int32(int32)"}, .body = "#if KILN_LANES\nreturn 1;\n#else\nreturn 0;\n#endif"});
  if (in_lanes(kiln::Array::from({0})).to_vector<std::int32_t>()[0] == 0) return conformance::note_not_run("avx512");
  for (const char* body : {"switch (int(fabs(x))) { case 0: return sin(x); case 1: return cos(x); case 2: return tan(x); "
                           "default: return exp(x); }",
                           "T r = x; for (int i = 0; i < 35; ++i) r = T(0.5) * r + sin(T(i) * T(0.1) + cos(x)); return r;",
                           "T r = 1; while (fabs(r) > T(0.25)) r = r * sin(x) * T(0.9); return r + pow(fabs(x), T(0.3));"}) {
    CAPTURE(std::string(body));
    const kiln::Ufunc function = kiln::vectorize({.signatures = {"T(T x) where T: float32, float64"}, .body = body});
    for (int k = 0; k < 40; ++k) {
      const double number = -4 + 0.2017 * k;
      for (const kiln::DType dtype : {kiln::DType::float32, kiln::DType::float64}) {
        const kiln::Array one = kiln::Array::full({1}, number).astype(dtype, kiln::Casting::unsafe);
        const Bits broadcast = bits_of(function(one.broadcast_to({90})));
        const Bits array = bits_of(function(one.broadcast_to({90}).copy()));
        CHECK_MESSAGE(broadcast == array, number);
      }
    }
  }
}

TEST_CASE("math: branches that differ in their function alone") {
  if (conformance::devices().empty() || !conformance::devices().front().is_cpu()) return conformance::note_not_run("cpu");
  for (const kiln::DType dtype : {kiln::DType::float32, kiln::DType::float64}) {
    kiln::Array numbers = kiln::Array::empty({200}, kiln::DType::float64);
    for (int i = 0; i < 200; ++i) numbers.as<double>()[i] = -3 + 6.0 * i / 199;
    const kiln::Array x = numbers.astype(dtype, kiln::Casting::unsafe);
    const auto of = [](const std::string& body) {
      return kiln::vectorize({.signatures = {"T(T x) where T: float32, float64"}, .body = body});
    };
    const kiln::Array chosen = of("return x > 0 ? log(x) : exp(x);")(x).astype(kiln::DType::float64);
    const kiln::Array switched =
        of("switch (int(x + 3)) { case 0: return sin(x); case 1: return cos(x); case 2: return tan(x); "
           "case 3: return exp(x); case 4: return log(x); default: return exp2(x); }")(x)
            .astype(kiln::DType::float64);
    for (int i = 0; i < 200; ++i) {
      const double v = dtype == kiln::DType::float32 ? x.to_vector<float>()[static_cast<std::size_t>(i)]
                                                     : x.to_vector<double>()[static_cast<std::size_t>(i)];
      const double cases[] = {std::sin(v), std::cos(v), std::tan(v), std::exp(v), std::log(v), std::exp2(v), std::exp2(v)};
      CHECK(chosen.as<double>()[i] == doctest::Approx(v > 0 ? std::log(v) : std::exp(v)).epsilon(1e-5));
      CHECK(switched.as<double>()[i] == doctest::Approx(cases[static_cast<int>(v + 3)]).epsilon(1e-5));
    }
  }
}

TEST_CASE("math: functions that are not optimized have the same functions") {
  if (conformance::devices().empty() || !conformance::devices().front().is_cpu()) return conformance::note_not_run("cpu");
  const kiln::Ufunc slow =
      kiln::vectorize({.signatures = {"T(T x) where T: float32, float64"},
                       .body = "return slow(x);",
                       .compile = {.functions = "template <class T> __attribute__((optnone, noinline)) T slow(T x) {\n"
                                                "  return exp(x) + pow(x, T(0.5));\n}"}});
  CHECK(slow(kiln::Array::from({1.0})).to_vector<double>()[0] == doctest::Approx(std::exp(1.0) + 1).epsilon(1e-14));
  CHECK(slow(kiln::Array::from({1.0F})).to_vector<float>()[0] == doctest::Approx(std::exp(1.0) + 1).epsilon(1e-6));
}
