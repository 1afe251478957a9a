// kiln's own text between the user's, whatever macros these have.
#include "kernel/own_text.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <string_view>

#include "source/user_text.hpp"

using kiln::codegen::UserText;
using kiln::kinds::OwnText;

namespace {

constexpr std::string_view kDeclaration = "KILN_FN ::kiln::float32 kiln_body(const ::kiln::kiln_index item, ::kiln::float32 x)";

std::string between(OwnText& own) {
  constexpr std::array<std::string_view, 1> kPlaces{"item"};
  return own.between(std::string(kDeclaration), kPlaces);
}

}  // namespace

TEST_CASE("own text: nothing changes where no macro has one of its names") {
  OwnText none({.name = "k"}, {});
  CHECK(between(none) == kDeclaration);
  CHECK((none.aliases() + none.before() + none.behind()).empty());
  OwnText others({.name = "k", .preamble = "#define N 3"}, {{"a.h", "#define begin 1"}});
  CHECK(between(others) == kDeclaration);
  CHECK(others.aliases().empty());
  CHECK(others.behind() == "#undef N\n#undef begin\n");
}

TEST_CASE("own text: qualified names become aliases, and kiln's places get other names") {
  OwnText own({.name = "k", .defines = {"kiln=3"}}, {{"a.h", "#define item 3"}});
  CHECK(
      between(own) ==
      "KILN_FN  kiln_alias_0 kiln_body(const  kiln_alias_1 \n#ifdef item\nkiln_item\n#else\nitem\n#endif\n,  kiln_alias_0 x)");
  CHECK(own.aliases() == "using kiln_alias_0 = ::kiln::float32;\nusing kiln_alias_1 = ::kiln::kiln_index;\n");
}

TEST_CASE("own text: a macro of a parameter's name is an error, unless the name alone is none") {
  OwnText own({.name = "k", .preamble = "#define x 3"}, {});
  CHECK(between(own) ==
        "#ifdef x\n#line 1 \"k\"\n#error \"x is a macro, and a name in the signature; rename one of them\"\n#endif\n" +
            std::string(kDeclaration));
  OwnText called({.name = "k", .preamble = "#define x(y) 3"}, {});
  CHECK(between(called) == kDeclaration);
}
