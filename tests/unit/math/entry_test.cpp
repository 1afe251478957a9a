// The tables of functions: what each entry says can be parsed, and tools find it by its name.
#include "math/entry.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "kiln/math.hpp"

TEST_CASE("math: every entry is a ufunc of its name") {
  std::set<std::string> names;
  for (const kiln::math::detail::Group* group : kiln::math::detail::groups()) {
    CHECK(group->entries.size() == group->slots.size());
    for (const kiln::math::detail::Entry& entry : group->entries) {
      const std::string name(entry.name);
      CAPTURE(name);
      CHECK(names.insert(name).second);
      CHECK_FALSE(entry.description.empty());
      const kiln::Ufunc* const ufunc = kiln::math::find(name);
      REQUIRE(ufunc != nullptr);
      CHECK(ufunc->name() == name);
      CHECK(ufunc->nin() >= 1);
      CHECK(ufunc->nout() >= 1);
    }
  }
  CHECK(names.size() > 70);
}

TEST_CASE("math: aliases are found, other words are not") {
  CHECK(kiln::math::find("abs")->name() == "absolute");
  CHECK(kiln::math::find("true_divide")->name() == "divide");
  CHECK(kiln::math::find("no_such_function") == nullptr);
  CHECK(kiln::math::find("") == nullptr);
}
