// A result does not depend on where its element stands, nor on what stands beside it.
#include <doctest/doctest.h>

#include <cstring>

#include "devices.hpp"
#include "golden.hpp"
#include "numbers.hpp"
#include "report.hpp"

using namespace math_tests;

TEST_CASE("math: a result does not depend on the element's position") {
  if (conformance::devices().empty() || !conformance::devices().front().is_cpu()) return conformance::note_not_run("cpu");
  // One function of each kind of body; float32 and complex128 are the widest and the narrowest vectors.
  for (const char* name : {"sin", "exp", "log", "tanh", "cbrt", "arcsin", "log1p", "exp2", "sqrt"}) {
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
          CHECK_MESSAGE(some[i] == whole[static_cast<std::size_t>(begin) * parts + i], name, " ", set, " ", begin, " ", i);
        }
      }
    }
  }
}
