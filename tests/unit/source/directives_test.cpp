#include "source/directives.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace kiln::codegen;
using Names = std::set<std::string>;

TEST_CASE("directives are found where they are ones") {
  CHECK(includes_files("# include <x.hpp>"));
  CHECK(includes_files("int x;\n#  include \"x.hpp\"\n"));
  CHECK_FALSE(includes_files("// #include \"x.hpp\"\nconst char* s = \"\\n#include\";"));
  CHECK(macros_of("#define A 1\n#  define B(x) x\n// #define C\n#ifdef D\n#endif") == Names{"A", "B"});
  CHECK(macros_of("#define A 1\n#define B\n#undef A\n#if B\n#undef B\n#endif\n#define C \"") == Names{"B", "C"});
}

TEST_CASE("defines as directives, and what takes macros back") {
  const std::vector<std::string> defines = {"N=3", "FLAG", "F(x)=x==1", "EMPTY="};
  CHECK(defines_text(defines) == "#define N 3\n#define FLAG 1\n#define F(x) x==1\n#define EMPTY ");
  CHECK(macros_of(defines_text(defines)) == Names{"EMPTY", "F", "FLAG", "N"});
  CHECK(defines_text({}).empty());
  CHECK(undefine({"A", "B", "KILN_FN"}) == "#undef A\n#undef B\n");
}

TEST_CASE("macros that may be the compiler's own stay if they were there before") {
  const Names macros{"A", "__device__", "_X"};
  CHECK(keep_before(macros) ==
        "#ifdef _X\n#define KILN_KEEP_X\n#endif\n#ifdef __device__\n#define KILN_KEEP__device__\n#endif\n");
  CHECK(undefine(macros) ==
        "#undef A\n#ifndef KILN_KEEP_X\n#undef _X\n#endif\n#ifndef KILN_KEEP__device__\n#undef __device__\n#endif\n");
}

TEST_CASE("macros that take arguments wherever they are defined") {
  CHECK(called_macros_of("#define A(x) x\n#define B (1)\n#define C(x) x\n#ifdef D\n#define C 1\n#endif") == Names{"A"});
  CHECK(macros_of("#define A(x) x\n#define B(x) x\n#undef B") == Names{"A"});
}
