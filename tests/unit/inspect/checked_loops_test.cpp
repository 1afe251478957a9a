// Loops with checks become vectors in debug mode (lib/clang/passes/noted_faults.cpp): read from the machine code.
#include <doctest/doctest.h>

#include "base/have_cpu.hpp"
#include "kernels.hpp"
#include "kiln/inspect.hpp"

#if KILN_HAVE_CPU

namespace {

kiln::cache::Contents checked(const char* signature, const char* body, const char* functions = "") {
  return kiln::test::compiled(
      {.name = "k", .signatures = {signature}, .body = body, .compile = {.functions = functions, .debug = {.on = true}}},
      "native");
}

std::int64_t vector_bits(const kiln::cache::Contents& kernel) {
  const auto bits = kiln::inspect::resources(kernel).vector_bits;
  REQUIRE(bits.has_value());
  return *bits;
}

}  // namespace

TEST_CASE("elementwise kernels with checks are vectors") {
  CHECK(vector_bits(checked("int32(float32 a)", "return int32(a * 16);")) >= 128);
  CHECK(vector_bits(checked("float32(float32 a)", "assert(a < 1000);\nreturn a * 2;")) >= 128);
  CHECK(vector_bits(checked("int32(int32 a)", "return 1 << a;")) >= 128);
  CHECK(vector_bits(checked("float32(float32 a)",
                            "if (a > 10) { assert(a < 1000); return a * 2; } return float32(int32(a) + 3);")) >= 128);
  CHECK(vector_bits(checked("int32(float32 a)", "return cut(a) + cut(a * 2);", "int32 cut(float32 x) { return int32(x); }")) >=
        128);
  // Loops that end by themselves have no look at whether they are to end.
  CHECK(vector_bits(checked("float32(float32 a)",
                            "float32 s = 0;\nfor (int k = 0; k < 4; ++k) s = s * a + k;\nassert(s >= 0);\nreturn s;")) >= 128);
}

TEST_CASE("what prints is computed once, one element after the other") {
  const char* const body = "assert(a < 1000);\nif (a == 7) print(\"{}\", a);\nreturn a * 2;";
  const std::string ir = kiln::inspect::text(checked("float32(float32 a)", body), kiln::inspect::Form::llvm_ir);
  CHECK_FALSE(kiln::test::contains(ir, " x float>"));
}

#endif
