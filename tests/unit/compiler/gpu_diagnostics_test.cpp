// Compiler logs into values. The logs are real: NVRTC 13.0 for sm_90 and hipRTC 5.2 for gfx90a.
#include <doctest/doctest.h>

#include <string>

#include "compiler/gpu/diagnostics.hpp"

namespace {

using namespace kiln;
using namespace kiln::backend::gpu;

constexpr const char* kNvrtcLog =
    "disc(2): error: identifier \"d\" is undefined\n"
    "  \treturn sqrt(b*b - 4*a*d) + undefined_fn(a);\n"
    "  \t                      ^\n"
    "\n"
    "disc(5): warning #68-D: integer conversion resulted in a change of sign\n"
    "  __device__ float w(float x) { int unused; unsigned q = -1; if (q < 0) return 1; return x }\n"
    "                                                         ^\n"
    "\n"
    "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n"
    "\n"
    "kiln/elementwise.hpp(102): error: argument of type \"const char *\" is incompatible with parameter of type \"float\"\n"
    "    o[0] = kiln::user::body(a[0], \"x\");\n"
    "                                  ^\n"
    "\n"
    "5 errors detected in the compilation of \"kernel\".\n";

}  // namespace

TEST_CASE("NVRTC: line, column from the caret, severity, text and source line") {
  const auto found = parse_nvrtc(kNvrtcLog);
  REQUIRE(found.size() == 3);
  CHECK(found[0].severity == Severity::error);
  CHECK(found[0].file == "disc");
  CHECK(found[0].line == 2);
  CHECK(found[0].column == 24);
  CHECK(found[0].text == "identifier \"d\" is undefined");
  CHECK(found[0].source_line == "\treturn sqrt(b*b - 4*a*d) + undefined_fn(a);");
  CHECK(found[0].source_line[23] == 'd');
  CHECK(found[1].severity == Severity::warning);
  CHECK(found[1].text == "integer conversion resulted in a change of sign");
  CHECK(found[1].column == 56);
  CHECK(found[2].file == "kiln/elementwise.hpp");
  CHECK(found[2].line == 102);
  CHECK(found[2].column == 33);
}

TEST_CASE("NVRTC: texts of several lines, notes, hostile names, columns in bytes") {
  const auto found = parse_nvrtc(
      "d\xc3\xafsc: 50%\"q\\(1): error: identifier \"nope\" is undefined\n"
      "  __device__ float body(float a) { /* \xc3\xa9 */ return a + nope; }\n"
      "                                                       ^\n"
      "\n"
      "k(3): error: x(5): error: no instance of overloaded function \"over\" matches the argument list\n"
      "            argument types are: (const char [2])\n"
      "  __device__ void zz() { over(\"x\"); const char* s = \"unterminated\n"
      "                         ^\n"
      "k(4): note #3322-D: number of parameters of function \"over(float, float)\" does not match the call\n"
      "  __device__ void over(int); __device__ void over(float, float);\n"
      "                                             ^\n"
      "\n"
      "kernel(7): catastrophic error: cannot open source file \"nofile.hpp\"\n"
      "  #include \"nofile.hpp\"\n"
      "                       ^\n");
  REQUIRE(found.size() == 4);
  CHECK(found[0].file == "d\xc3\xafsc: 50%\"q\\");
  CHECK(found[0].column == 54);
  CHECK(found[0].source_line.substr(53, 4) == "nope");
  CHECK(found[1].file == "k");
  CHECK(found[1].line == 3);
  CHECK(found[1].text ==
        "x(5): error: no instance of overloaded function \"over\" matches the argument list; argument types are: (const char "
        "[2])");
  CHECK(found[1].column == 24);
  CHECK(found[2].severity == Severity::note);
  CHECK(found[2].text == "number of parameters of function \"over(float, float)\" does not match the call");
  CHECK(found[3].severity == Severity::error);
  CHECK(found[3].file == kProgramName);
}

TEST_CASE("NVRTC: findings without a place") {
  const auto found = parse_nvrtc(
      "At end of source: error: expected a \"}\"\n"
      "kernel(1): note #3196-D: to match this \"{\"\n"
      "  int f() {\n"
      "          ^\n");
  REQUIRE(found.size() == 2);
  CHECK(found[0].line == 0);
  CHECK(found[0].text == "expected a \"}\"");
  CHECK(found[1].column == 9);
  const auto option = parse_nvrtc("nvrtc: error: invalid value for --gpu-architecture (-arch)\n");
  REQUIRE(option.size() == 1);
  CHECK(option[0].text == "invalid value for --gpu-architecture (-arch)");
  CHECK(parse_nvrtc("").empty());
  CHECK(parse_nvrtc("(((: error: x\n(1: error: y\n12345678901234(99999999999): error: z\n").empty());
}

TEST_CASE("clang: line and column, notes, sources with and without a caret") {
  const auto found = parse_clang(
      "disc:2:24: error: use of undeclared identifier 'd'\n"
      "        return sqrt(b*b - 4*a*d) + undefined_fn(a);\n"
      "                              ^\n"
      "disc:5:89: error: expected ';' after return statement\n"
      "__device__ float w(float x) { return x }\n"
      "                                      ^\n"
      "                                      ;\n"
      "kiln/elementwise.hpp:102:33: error: cannot initialize a parameter of type 'float' with an lvalue of type 'const "
      "char[2]'\n"
      "  o[0] = kiln::user::body(a[0], \"x\");\n"
      "                                ^~~\n"
      "disc:1:45: note: passing argument to parameter 'b' here\n"
      "__device__ inline float body(float a, float b) {\n"
      "                                            ^\n"
      "k:5:51: error: expected expression\n"
      "a:b:7:10: fatal error: 'nofile.hpp' file not found\n"
      "#include \"nofile.hpp\"\n"
      "         ^~~~~~~~~~~~\n"
      "4 errors generated when compiling for gfx90a.\n");
  REQUIRE(found.size() == 6);
  CHECK(found[0].file == "disc");
  CHECK(found[0].line == 2);
  CHECK(found[0].column == 24);
  CHECK(found[0].text == "use of undeclared identifier 'd'");
  CHECK(found[2].source_line == "  o[0] = kiln::user::body(a[0], \"x\");");
  CHECK(found[3].severity == Severity::note);
  CHECK(found[4].source_line.empty());
  CHECK(found[4].text == "expected expression");
  CHECK(found[5].file == "a:b");
  CHECK(found[5].line == 7);
}

TEST_CASE("clang: tabs that it expanded are put back") {
  auto found = parse_clang(
      "disc:2:24: error: use of undeclared identifier 'd'\n"
      "        return sqrt(b*b - 4*a*d);\n"
      "                              ^\n");
  restore_tabs(found, "float disc() {\n\treturn sqrt(b*b - 4*a*d);\n}\n");
  REQUIRE(found.size() == 1);
  CHECK(found[0].source_line == "\treturn sqrt(b*b - 4*a*d);");
  CHECK(found[0].source_line[23] == 'd');
}

TEST_CASE("logs lose random paths and trailing rubbish") {
  CHECK(normalize_log("/tmp/comgr-d31339/input/CompileSource:1:46: warning: x\n") == "kernel:1:46: warning: x");
  CHECK(normalize_log(
            "In file included from /var/x/comgr-7565be/input/CompileSource:1:\n/var/x/comgr-7565be/include/kiln/math.hpp:3:1: "
            "error: y\n\n") == "In file included from kernel:1:\nkiln/math.hpp:3:1: error: y");
  CHECK(normalize_log("see '/tmp/comgr-1/input/CompileSource'") == "see 'kernel'");
  CHECK(normalize_log("/tmp/comgr-notours stays") == "/tmp/comgr-notours stays");
  CHECK(normalize_log(std::string_view("\n\n\0", 3)).empty());
}

TEST_CASE("gpu diagnostics: the spills that ptxas reports") {
  using kiln::backend::gpu::spilled_registers;
  CHECK_FALSE(spilled_registers("").has_value());
  CHECK_FALSE(spilled_registers("ptxas info    : Used 32 registers").has_value());
  CHECK_FALSE(spilled_registers(" bytes spill stores").has_value());
  CHECK(spilled_registers("    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n") == 0);
  CHECK(spilled_registers("    296 bytes stack frame, 292 bytes spill stores, 300 bytes spill loads\n"
                          "    8 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads\n") == 75);
}

TEST_CASE("gpu diagnostics: a log is the same with that report as without it") {
  using kiln::backend::gpu::without_report;
  const std::string report =
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'kiln_kernel' for 'sm_90'\n"
      "ptxas info    : Function properties for kiln_kernel\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas         .     8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 12 registers, used 0 barriers, 560 bytes cmem[0]\n";
  const std::string warning = "k(1): warning #1-D: mind the gap\n      a  b\n      ^";
  CHECK(without_report("") == "");
  CHECK(without_report(report) == "");
  CHECK(without_report(warning) == warning);
  CHECK(without_report(warning + "\n" + report) == warning);
  CHECK(without_report(report + warning) == warning);
}

TEST_CASE("Clang 17 and later: numbers of lines in front of the source are no part of it") {
  const auto found = parse_clang(
      "disc:2:13: error: use of undeclared identifier 'wrong'\n"
      "    2 |         return a + wrong;\n"
      "      |                    ^\n"
      "disc:104:25: warning: shift count >= width of type [-Wshift-count-overflow]\n"
      "  104 | int g(int a) { return a << 40; }\n"
      "      |                         ^  ~~\n"
      "1 warning and 1 error generated.\n");
  REQUIRE(found.size() == 2);
  CHECK(found[0].source_line == "        return a + wrong;");
  CHECK(found[0].line == 2);
  CHECK(found[0].column == 13);
  CHECK(found[1].source_line == "int g(int a) { return a << 40; }");
  CHECK(found[1].column == 25);
  // A text that only looks like it.
  const auto plain = parse_clang(
      "disc:1:5: error: expected expression\n"
      "1 | a;\n"
      "    ^\n");
  CHECK(plain.at(0).source_line == "1 | a;");
}
