// What a kernel's text may hold, and the words and places of what it may not.
#include <doctest/doctest.h>

#include <string>

#include "kernel/spec.hpp"
#include "kiln/error.hpp"

using kiln::codegen::check_expression;
using kiln::codegen::check_text;

namespace {

using Check = void (*)(const std::string&, const std::string&);

// "line:column: text" of the only finding; "" if there is none.
std::string finding(const std::string& text, Check check = check_text) {
  try {
    check("k", text);
  } catch (const kiln::CompileError& error) {
    REQUIRE(error.diagnostics().size() == 1);
    const kiln::Diagnostic& d = error.diagnostics().front();
    CHECK(d.file == "k");
    CHECK(d.severity == kiln::Severity::error);
    return std::to_string(d.line) + ":" + std::to_string(d.column) + ": " + d.text;
  }
  return "";
}

}  // namespace

TEST_CASE("balanced texts pass, whatever stands in strings, characters and comments") {
  for (const char* text : {
           "",
           "return a[i] * (b + c);",
           "if (x) { return 1; } /* } ( */ // ] \" '\nreturn 2;",
           "const char* s = \"} \\\" {\"; char c = '}'; char d = '\\''; return 1;",
           "auto s = R\"(} \" ))\"; auto t = u8R\"x(})\" {)x\"; return 1;",
           "int n = 1'000'000; float f = 0x1p-3f + 1e+5f; return n;",
           "return a <% 1 %>;",
           "#define SQUARE(x) ((x) * (x))\nreturn SQUARE(a);",
           "#define LONG(x) \\\n  ((x) + \\\n   1)\nreturn LONG(a);",
           "#if A\nif (x) {\n  y = 1;\n}\n#else\ny = 2;\n#endif\nreturn y;",
           "#include <a(b.h>\nreturn 1;",
           "return a;\r\n",
           "\tauto f = [&](auto v) { return v; };\n\treturn f(a); // done",
           "return \"\xc3\xa9\"[0];",
       }) {
    CAPTURE(text);
    CHECK(finding(text) == "");
  }
}

TEST_CASE("brackets that do not match are found with their place") {
  CHECK(finding("return a; } int hidden() { return 1;") ==
        "1:11: '}' closes nothing that was opened in this text; remove it, or open it with '{'");
  CHECK(finding("return (a\n  + b];") == "2:6: ']' does not match the '(' opened at 1:8; expected ')'");
  CHECK(finding("if (x) {\n  y();") == "1:8: '{' is never closed; add '}'");
  CHECK(finding("return a %> <% b;") ==
        "1:10: '}' closes nothing that was opened in this text; remove it, or open it with '{'");
  CHECK(finding("/\\\n/ }\n}") == "3:1: '}' closes nothing that was opened in this text; remove it, or open it with '{'");
}

TEST_CASE("each preprocessor branch and directive is balanced by itself") {
  CHECK(finding("#if 0\n{\n#endif\n}") == "2:1: '{' is never closed in its preprocessor branch or directive; add '}'");
  CHECK(finding("{\n#if 0\n}\n#endif\n") ==
        "3:1: '}' closes nothing that was opened in the same preprocessor branch or directive; remove it, or open it with '{'");
  CHECK(
      finding("#define END }\nEND") ==
      "1:13: '}' closes nothing that was opened in the same preprocessor branch or directive; remove it, or open it with '{'");
  CHECK(finding("#if A\nx();") == "1:1: #if is never closed; add #endif");
  CHECK(finding("x();\n#endif") == "2:1: #endif without an #if in this text");
  CHECK(finding("%:if A\nx();") == "1:1: #if is never closed; add #endif");
}

TEST_CASE("literals and comments end") {
  CHECK(finding("return \"abc;\n\"") == "1:8: a string that begins here does not end on its line; close it with \"");
  CHECK(finding("char c = 'a;") == "1:10: a character literal that begins here does not end on its line; close it with '");
  CHECK(finding("return a; /* more\n\n") == "1:11: a comment that begins here does not end; close it with */");
  CHECK(finding("auto s = R\"x(abc)y\";") == "1:10: a raw string that begins here does not end");
}

TEST_CASE("characters that could change the code around are refused") {
  CHECK(finding("return a;\\") == "1:10: the text ends in a backslash, which would join it with what follows; remove it");
  CHECK(finding("return a; // x\n// y \\ \n") ==
        "2:6: the text ends in a backslash, which would join it with what follows; remove it");
  CHECK(finding(std::string("a\0b", 3)) == "1:2: the control character 0x00 may not stand in a kernel's text; remove it");
  CHECK(finding("ab\ncd\x1b") == "2:3: the control character 0x1b may not stand in a kernel's text; remove it");
  CHECK(finding("a\rb") == "1:2: the control character 0x0d may not stand in a kernel's text; remove it");
}

TEST_CASE("names of the time of compilation are refused, in strings they are text") {
  CHECK(finding("return f(__TIME__);") ==
        "1:10: __TIME__ may not be used: the kernel would differ at every compile and could not be cached");
  CHECK(finding("#define NOW __DATE__\n") ==
        "1:13: __DATE__ may not be used: the kernel would differ at every compile and could not be cached");
  CHECK(finding("auto s = \"__TIMESTAMP__\"; // __DATE__") == "");
}

TEST_CASE("an expression is one expression") {
  CHECK(finding("sqrt(b * b - 4 * a * c)", check_expression) == "");
  CHECK(finding("[&] { auto x = a; return x; }()", check_expression) == "");
  CHECK(finding("a; b", check_expression) ==
        "1:2: an expression has no ';'; remove it, or write the body in braces with a return");
  CHECK(finding("  // nothing\n", check_expression) == "1:1: the expression is empty");
  CHECK(finding("#define X 1\na", check_expression) ==
        "1:1: an expression has no preprocessor directive; put it in the preamble");
  CHECK(finding("a) + (b", check_expression) ==
        "1:2: ')' closes nothing that was opened in this text; remove it, or open it with '('");
}

TEST_CASE("a finding carries its line") {
  try {
    check_text("disc.functions", "float f() {\r\n  return 1);\r\n}");
    FAIL("no error");
  } catch (const kiln::CompileError& error) {
    const kiln::Diagnostic& d = error.diagnostics().at(0);
    CHECK(d.file == "disc.functions");
    CHECK(d.line == 2);
    CHECK(d.column == 11);
    CHECK(d.source_line == "  return 1);");
    CHECK(std::string(error.what()).find("disc.functions:2:11: error: ')' does not match the '{' opened at 1:11") !=
          std::string::npos);
  }
}
