#include "base/nearest.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <string_view>

#include "base/member_count.hpp"

using kiln::base::nearest;

TEST_CASE("the known word that a misspelled one means") {
  constexpr std::array<std::string_view, 4> known{"body", "defines", "fast_math", "widens_integers"};
  CHECK(nearest("define", known) == "defines");
  CHECK(nearest("Fast_Maths", known) == "fast_math");
  CHECK(nearest("bod", known) == "body");
  CHECK(nearest("widens_ints", known).empty());  // four slips
  CHECK(nearest("on", known).empty());
  CHECK(nearest("", known).empty());
  CHECK(nearest(std::string(40, 'f'), known).empty());
}

namespace {

struct Several {
  int number = 0;
  std::string text = {};
  struct Inner {
    int a = 0, b = 0;
  } inner = {};
};

}  // namespace

TEST_CASE("the number of an aggregate's members") {
  static_assert(kiln::base::member_count<Several>() == 3);
  static_assert(kiln::base::member_count<Several::Inner>() == 2);
}
