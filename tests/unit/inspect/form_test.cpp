#include "inspect/form.hpp"

#include <doctest/doctest.h>

using kiln::inspect::Form;

TEST_CASE("forms have names") {
  for (const char* name : {"source", "ptx", "sass", "amdgcn", "asm", "llvm-ir"}) {
    CAPTURE(name);
    CHECK(kiln::inspect::parse_form(name).has_value());
  }
  CHECK(kiln::inspect::parse_form("asm") == Form::assembly);
  CHECK_FALSE(kiln::inspect::parse_form("").has_value());
  CHECK_FALSE(kiln::inspect::parse_form("resources").has_value());
  CHECK_FALSE(kiln::inspect::parse_form("PTX").has_value());
}

TEST_CASE("a list of forms has their names") {
  CHECK(kiln::inspect::listed({}).empty());
  CHECK(kiln::inspect::listed({Form::source, Form::ptx, Form::assembly}) == "source, ptx, asm");
}
