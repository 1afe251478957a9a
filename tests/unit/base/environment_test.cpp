#include "base/environment.hpp"

#include <doctest/doctest.h>

TEST_CASE("env tells an unset variable from an empty one") {
  setenv("KILN_TEST_VARIABLE", "a b", 1);
  CHECK(kiln::base::env("KILN_TEST_VARIABLE") == "a b");
  setenv("KILN_TEST_VARIABLE", "", 1);
  CHECK(kiln::base::env("KILN_TEST_VARIABLE") == "");
  unsetenv("KILN_TEST_VARIABLE");
  CHECK(kiln::base::env("KILN_TEST_VARIABLE") == std::nullopt);
}
