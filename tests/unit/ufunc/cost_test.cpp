#include "ufunc/cost.hpp"
#include "kernel/scan/spec.hpp"

#include <doctest/doctest.h>

using kiln::kinds::ScanCode;
using kiln::ufunc::names_slow_function;
using kiln::ufunc::scan_code;

TEST_CASE("a kernel that calls exp or loops waits for arithmetic") {
  CHECK(names_slow_function("return exp(-z * z);"));
  CHECK(names_slow_function("return std::pow(a, b);"));
  CHECK(names_slow_function("for (int i = 0; i < 9; ++i) a *= a; return a;"));
  CHECK_FALSE(names_slow_function("return sqrt(b * b - 4 * a * c);"));
  CHECK_FALSE(names_slow_function("return expected * single + format;"));
  CHECK_FALSE(names_slow_function(""));
}

TEST_CASE("cost: how much code a body is") {
  for (const char* body : {"return a + b;", "return (a + b) * a;", "a && b", "return a ^ ~b;"}) {
    CHECK(scan_code(body) == ScanCode::arithmetic);
  }
  for (const char* body : {"return max(a, b);", "return a > b ? a : b;", "return {a.real() * b.real(), a.imag()};",
                           "const int32 c = a + b; return c * c + a * a + b * b;"}) {
    CHECK(scan_code(body) == ScanCode::small);
  }
  for (const char* body : {"return a / b;", "return a % b;", "return logaddexp(a, b);", "return T(a + b);", "return own (a);",
                           "return exp\n(a);", "while (a < b) a += a; return a;", "return table[a] + b;"}) {
    CHECK(scan_code(body) == ScanCode::large);
  }
}
