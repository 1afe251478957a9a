// A result does not depend on where its element stands, nor on what stands beside it.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "devices.hpp"
#include "golden.hpp"
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
