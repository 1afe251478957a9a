// The texts of the exceptions.
#include <doctest/doctest.h>

#include "kiln/error.hpp"
#include "types/reason.hpp"

using namespace kiln;

namespace {
std::string text_of(const Error& error) {
  return error.what();
}
}  // namespace

TEST_CASE("a signature error shows the place") {
  const SignatureError error("expected ')'", "float32(float32 a", 17);
  CHECK(text_of(error) == "expected ')'\nfloat32(float32 a\n                 ^");
  CHECK(error.position() == 17);
  CHECK(text_of(SignatureError("m", "abc", 0)) == "m\nabc\n^");
  CHECK(text_of(SignatureError("m", "", 0)) == "m");
  CHECK(text_of(SignatureError("m", "abc", 99)) == "m\nabc\n   ^");
}

TEST_CASE("an error may have a reason, which another message keeps") {
  const auto thrown = [](const auto& act) -> std::string {
    try {
      act();
    } catch (const ShapeError& error) {
      const auto reason = reason_of(error);
      return std::string(reason ? name(*reason) : "none") + ": " + error.what();
    }
    return "nothing";
  };
  CHECK(thrown([] { throw Because<ShapeError>(Reason::axis, "axis 3"); }) == "axis: axis 3");
  CHECK(thrown([] { throw ShapeError("shape"); }) == "none: shape");
  CHECK(thrown([] {
          try {
            throw Because<ShapeError>(Reason::read_only, "inner");
          } catch (const ShapeError& error) {
            throw_again(error, std::string("outer: ") + error.what());
          }
        }) == "read_only: outer: inner");
  CHECK(thrown([] { throw_again(ShapeError("plain"), "outer"); }) == "none: outer");
}

TEST_CASE("of several lines only the one with the place is shown") {
  CHECK(text_of(SignatureError("m", "one\ntwo\nthree", 5)) == "m\ntwo\n ^");
  CHECK(text_of(SignatureError("m", "one\ntwo", 3)) == "m\none\n   ^");
  CHECK(text_of(SignatureError("m", "one\ntwo", 4)) == "m\ntwo\n^");
}

TEST_CASE("tabs, control characters and UTF-8 keep the caret in its column") {
  CHECK(text_of(SignatureError("m", "\ta\tb", 3)) == "m\n\ta\tb\n\t \t^");
  CHECK(text_of(SignatureError("m", "µ x", 3)) == "m\nµ x\n  ^");  // µ is two bytes
  CHECK(text_of(SignatureError("m", "µ x", 1)) == "m\nµ x\n^");    // within µ
  CHECK(text_of(SignatureError("m", "a\x1b[b", 3)) == "m\na?[b\n   ^");
  CHECK(text_of(SignatureError("m", std::string_view("a\0b", 3), 2)) == "m\na?b\n  ^");
}

TEST_CASE("a byte that is not UTF-8 is shown as '?', in a column of its own") {
  CHECK(text_of(SignatureError("m", "\xc3 x", 2)) == "m\n? x\n  ^");
  CHECK(text_of(SignatureError("m", "\x80\xa9z", 2)) == "m\n??z\n  ^");
  CHECK(text_of(SignatureError("m", "\xe2\x82x", 2)) == "m\n??x\n  ^");
  CHECK(text_of(SignatureError("m", "x\xf0\x9f\x94\xa5z", 5)) == "m\nx\xf0\x9f\x94\xa5z\n  ^");
}

TEST_CASE("a compile error reads as a compiler's") {
  CompileError::Details details;
  details.diagnostics = {
      {Severity::error, "discriminant", 2, 25, "use of undeclared identifier 'd'", "  return sqrt(b*b - 4*a*d);"},
      {Severity::note, "discriminant", 1, 0, "here", ""},
      {Severity::warning, "", 0, 0, "odd", ""}};
  details.context = "float32(float32 a, float32 b, float32 c)";
  details.target = "sm_90";
  details.compiler = "NVRTC 13.0";
  details.log = "raw";
  details.source = "source";
  details.options = {"-x"};
  const CompileError error(details);
  CHECK(text_of(error) ==
        "discriminant:2:25: error: use of undeclared identifier 'd'\n"
        "    return sqrt(b*b - 4*a*d);\n"
        "                          ^\n"
        "discriminant:1: note: here\n"
        "warning: odd\n"
        "  while compiling \"float32(float32 a, float32 b, float32 c)\" for sm_90 (NVRTC 13.0)");
  CHECK(error.diagnostics().size() == 3);
  CHECK(error.log() == "raw");
  CHECK(error.source() == "source");
  CHECK(error.options() == std::vector<std::string>{"-x"});
  CHECK(error.target() == "sm_90");
  CHECK(error.compiler() == "NVRTC 13.0");
}

TEST_CASE("a compile error without diagnostics shows the log") {
  const CompileError error({.diagnostics = {},
                            .log = "boom",
                            .source = {},
                            .options = {},
                            .target = "gfx90a",
                            .compiler = "hipRTC 5.2",
                            .context = "T(T a)"});
  CHECK(text_of(error) ==
        "error: the compiler gave up without a diagnostic\nboom\n  while compiling \"T(T a)\" for gfx90a (hipRTC 5.2)");
}

TEST_CASE("a device error carries the vendor's code") {
  const DeviceError error("failed to load module", 200, "CUDA_ERROR_INVALID_IMAGE");
  CHECK(error.code() == 200);
  CHECK(error.code_name() == "CUDA_ERROR_INVALID_IMAGE");
  CHECK(text_of(error) == "failed to load module");
  CHECK(DeviceError("x").code() == 0);
}
