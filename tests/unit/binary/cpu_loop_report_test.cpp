#include "binary/loop_report.hpp"

#include <doctest/doctest.h>

using kiln::backend::CodeName;
using kiln::backend::Instruction;
using kiln::backend::cpu::examine;
using kiln::backend::cpu::LoopReport;

namespace {

/// One instruction a byte; "loop" goes back to the one of that number.
struct Code {
  std::vector<Instruction> instructions;
  Code& line(const std::string& text) {
    instructions.push_back({.address = instructions.size(), .size = 1, .text = text});
    return *this;
  }
  Code& branch(const std::string& text, std::uint64_t target) {
    instructions.push_back({.address = instructions.size(), .size = 1, .target = target, .text = text});
    return *this;
  }
};

LoopReport report(const Code& code, const std::vector<CodeName>& names = {}) {
  return examine(code.instructions, names);
}

}  // namespace

TEST_CASE("the widest arithmetic in a loop counts, not what lies outside or moves") {
  Code code;
  code.line("vmulps zmm0, zmm1, zmm2").line("vbroadcastss zmm4, xmm0");
  code.line("vmovups zmm0, zmmword ptr [rdi + 4*rax]").line("vaddps ymm0, ymm1, ymmword ptr [rsi + 4*rax]");
  code.line("vaddss xmm0, xmm0, xmm1").branch("jne 2", 2);
  CHECK(report(code).vector_bits == 256);
}

TEST_CASE("without a loop everything counts") {
  CHECK(report(Code().line("mulpd xmm0, xmm1").line("ret")).vector_bits == 128);
  // A call backwards is no loop.
  CHECK(report(Code().line("vmulpd zmm0, zmm1, zmm2").branch("call f", 0)).vector_bits == 512);
}

TEST_CASE("scalar arithmetic has no width, copies have theirs") {
  CHECK(report(Code().line("vmovups ymm1, ymmword ptr [rdi]").line("vmulss xmm0, xmm0, xmm1").branch("jne 0", 0)).vector_bits ==
        0);
  CHECK(report(Code().line("imul rax, rcx").branch("jne 0", 0)).vector_bits == 0);
  CHECK(report(Code().line("vmovups ymm1, ymmword ptr [rdi]").branch("jne 0", 0)).vector_bits == 256);
  CHECK(report(Code().line("vxorps zmm1, zmm1, zmm1").line("vmovsd xmm0, qword ptr [rdi]").branch("jne 0", 0)).vector_bits ==
        0);
  CHECK(report(Code().line("vpxord zmm1, zmm1, zmm2").branch("jne 0", 0)).vector_bits == 512);
  CHECK(report(Code().line("vcvtps2pd zmm1, ymm2").branch("jne 0", 0)).vector_bits == 512);
  CHECK(report(Code().line("cvtsi2sd xmm0, rax").branch("jne 0", 0)).vector_bits == 0);
}

TEST_CASE("stores to the stack in loops, and frames") {
  Code code;
  code.line("push rbx").line("push r12").line("push rbx").line("sub rsp, 136");
  code.line("vmovups ymmword ptr [rsp + 32], ymm3");  // before the loop
  code.line("vmovups ymmword ptr [rsp + 64], ymm0")
      .line("mov qword ptr [rsp], rax")
      .line("vmovups ymm0, ymmword ptr [rsp + 64]");
  code.line("mov qword ptr [rbp - 8], rax").line("cmp qword ptr [rsp + 8], rax").branch("jne 5", 5);
  CHECK(report(code).stack_stores == 2);
  CHECK(report(code).frame_bytes == 2 * 8 + 136);
  // With a frame pointer the stack is reached by that, too.
  Code framed;
  framed.line("push rbp").line("mov rbp, rsp").line("and rsp, -64").line("sub rsp, 0x100");
  framed.line("vmovaps zmmword ptr [rbp - 80], zmm0").branch("jne 4", 4);
  CHECK(report(framed).stack_stores == 1);
  CHECK(report(framed).frame_bytes == 8 + 256);
  // Below the stack pointer, where a leaf needs no frame; the largest of two functions.
  const Code leaf = Code().line("movaps xmmword ptr [rsp - 72], xmm1").line("ret").line("push rax").line("ret");
  CHECK(report(leaf, {{0, "a"}, {2, "b"}}).frame_bytes == 72);
}

TEST_CASE("AArch64") {
  Code code;
  code.line("sub sp, sp, #48")
      .line("ldr q0, [x1, x8]")
      .line("fmul v0.4s, v0.4s, v1.4s")
      .line("str q0, [sp, #16]")
      .branch("b.ne 0x1", 1);
  CHECK(report(code).vector_bits == 128);
  CHECK(report(code).stack_stores == 1);
  CHECK(report(code).frame_bytes == 48);
}

TEST_CASE("random words do no harm") {
  CHECK(report(Code().line("").line(" ").line("v").line("push").line("sub rsp, 99999999999999999999").line("[rsp - 0x"))
            .frame_bytes == 8);
  CHECK(report({}).vector_bits == 0);
}
