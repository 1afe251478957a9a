// Which texts may have the address of an operand's element, or a reference to it.
#include "source/addresses.hpp"

#include <doctest/doctest.h>

using namespace kiln;

namespace {

bool takes(const char* body, const char* functions = "", const char* preamble = "") {
  return codegen::takes_addresses({.name = "f", .body = body, .preamble = preamble, .functions = functions});
}

}  // namespace

TEST_CASE("addresses: what has none") {
  CHECK(!takes("y(0) = x(0) & 3; if (x(1) && y(0) == 2) y(0) &= 1;"));
  CHECK(!takes("for (auto& v : x) s += v; const float32& first = x(0); auto f = [&](int i) { return x(i) & 1; };"));
  CHECK(!takes("auto f = [&, s](int i) { return (x(i)) & (s); }; y(0) = f(0) & -1;"));
  CHECK(!takes("y(0) = max(x(0), x[1]) & 7;", "template <class T> T twice(const T& v, T&& w) { return v & w; }",
               "#include <cmath>\n"));
}

TEST_CASE("addresses: what may have one") {
  CHECK(takes("f(&x(0));"));
  CHECK(takes("const float32* p = &x(0);"));
  CHECK(takes("return &x(0);"));
  CHECK(takes("auto p = (const float4*)&x(0);"));
  CHECK(takes("auto p = (word)&x(0);"));
  CHECK(takes("if (s && &x(0) != p) s = 0;"));
  CHECK(takes("&x(0);"));
  CHECK(takes("auto f = [p = &x(0)] { return *p; };"));
  CHECK(takes("s = x.data()[1];"));
  CHECK(takes("s = first(x);", "template <class V> auto first(const V& v) { return v.data()[0]; }"));
  // What is not looked through.
  CHECK(takes("s = x(0);", "", "#define first(v) v\n"));
  CHECK(takes("s = x(0);", "", "#include \"mine.h\"\n"));
}

TEST_CASE("addresses: which texts may bind references") {
  const auto binds = [](const char* body, const char* functions = "") {
    return codegen::binds_references({.name = "f", .body = body, .functions = functions});
  };
  CHECK(!binds("for (auto& v : x) s += v; for (const auto& v : x) s += v; if (x(0) && y(0)) s &= 3; auto&& first = x(0);"));
  CHECK(!binds("s = x(0); // v & w\nprintf(\"&\");"));
  CHECK(binds("auto& v = x(0);"));
  CHECK(binds("auto& v = a::b(x(0));"));
  CHECK(binds("const float32& v = x(0);"));
  CHECK(binds("auto f = [&](int i) { return x(i); };"));
  CHECK(binds("s = f(x(0));", "float32 f(const float32& v) { return v; }"));
}
