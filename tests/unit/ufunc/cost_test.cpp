#include "ufunc/cost.hpp"

#include <doctest/doctest.h>

using kiln::ufunc::names_slow_function;

TEST_CASE("a kernel that calls exp or loops waits for arithmetic") {
  CHECK(names_slow_function("return exp(-z * z);"));
  CHECK(names_slow_function("return std::pow(a, b);"));
  CHECK(names_slow_function("for (int i = 0; i < 9; ++i) a *= a; return a;"));
  CHECK_FALSE(names_slow_function("return sqrt(b * b - 4 * a * c);"));
  CHECK_FALSE(names_slow_function("return expected * single + format;"));
  CHECK_FALSE(names_slow_function(""));
}
