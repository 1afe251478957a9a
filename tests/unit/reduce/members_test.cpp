// The members of accumulators: names, and the size of a struct of them.
#include "reduce/members.hpp"

#include <doctest/doctest.h>

#include <string>

namespace {

using namespace kiln::reduce;

std::string names(const char* text) {
  const auto members = members_of(text);
  if (!members) return "?";
  std::string all;
  for (const Member& member : *members) all += member.type + " " + member.name + "; ";
  return all;
}

std::optional<int> size(const char* text) {
  const std::pair<std::string, kiln::DType> variables[] = {{"T", kiln::DType::float16}};
  return size_of(*members_of(text), variables);
}

}  // namespace

TEST_CASE("plain members are read, with comments and line ends between them") {
  CHECK(names("float64 n, mean, m2;") == "float64 n; float64 mean; float64 m2; ");
  CHECK(names(" T best; // so far\nint64 at;\n") == "T best; int64 at; ");
  CHECK(names("").empty());
}

TEST_CASE("what declares more than plain members is left to the compiler") {
  for (const char* text : {"float64 sums[4];", "int64 n = 0;", "float64 n", "pair<int, int> p;", "float* p;", "long long n;",
                           "float64 f() { return 0; }"}) {
    CHECK_MESSAGE(names(text) == "?", text);
  }
}

TEST_CASE("the size of a struct, by the alignment of its members") {
  CHECK(size("float64 n, mean, m2;") == 24);
  CHECK(size("T best; int64 at;") == 16);
  CHECK(size("bool any; T x; uint8 y;") == 6);
  CHECK(size("float x; complex128 z;") == 32);
  CHECK(size("int32_t n; double x; int m;") == 24);
  CHECK(size("mine x;") == std::nullopt);
}
