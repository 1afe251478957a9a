#include "codegen/speculation.hpp"

#include <doctest/doctest.h>

using namespace kiln;

namespace {

bool may(const std::string& body, bool integers = false, const std::string& functions = {}) {
  codegen::UserText text;
  text.body = body;
  text.functions = functions;
  return codegen::may_speculate(text, integers);
}

}  // namespace

TEST_CASE("speculation: arithmetic and functions may be computed on any values") {
  CHECK(may("return sqrt(b * b - 4 * a * c);"));
  CHECK(may("return (a - b) * -c + 2.5f*a;"));
  CHECK(may("if (x > 0) return log(x); return x < -1 ? exp(x) : x;"));
  CHECK(may("return twice(a);", true, "inline int twice(int x) { return 2 * x; }"));
  CHECK(may("return twice(a);", false, "#line 7 \"twice\"\ninline float twice(float x) { return 2 * x; }\n#line 9 \"f\"\n"));
  CHECK_FALSE(may("return twice(a);", false, "#line 7 \"twice\"\n#define twice(x) p[x]\n"));
}

TEST_CASE("speculation: division is a trap for integers only") {
  CHECK(may("return a / b;"));
  CHECK_FALSE(may("return a / b;", true));
  CHECK_FALSE(may("a /= b; return a;", true));
  CHECK_FALSE(may("return a % b;", true));
  CHECK_FALSE(may("return int(a) / int(b);"));
  CHECK_FALSE(may("return 1.0f * (index(a) % 3);"));
  CHECK_FALSE(may("return lround(a) / lround(b);"));
  CHECK(may("return 1; // a / b", true));
}

TEST_CASE("speculation: loops, tables, pointers and what is behind an #include are not for elements that nobody asked for") {
  for (const char* body :
       {"while (a > 1) a *= 0.5f; return a;", "for (;;) {} return a;", "do { a -= 1; } while (a > 0); return a;",
        "return table[a];", "return p->x;", "return *p;", "return a + *p;", "const float* p = &q; return (*p) * 2;",
        "asm(\"\"); return a;", "__builtin_trap(); return a;", "static int n; return n;", "again: goto again;",
        "#include \"table.h\"\nreturn a;"}) {
    INFO(body);
    CHECK_FALSE(may(body));
    CHECK_FALSE(may("return a;", false, body));
  }
}
