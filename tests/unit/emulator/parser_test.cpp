// PTX that is refused, and why; PTX that is read.
#include "emulator/ptx.hpp"

namespace {

using kiln::emulator::PtxError;

std::string refused(const std::string& ptx) {
  kiln::emulator::test::Device device;
  try {
    static_cast<void>(device.machine.load(ptx));
  } catch (const PtxError& error) {
    return error.what();
  }
  return "read";
}
std::string in_kernel(const std::string& body) {
  return refused(kiln::emulator::test::module_of(body));
}
const std::string kHead = ".version 8.0\n.target sm_75\n.address_size 64\n";

}  // namespace

TEST_CASE("emulator: PTX of other versions and targets") {
  CHECK(refused("") == "line 1 of the PTX: a module begins with .version, found the end of the text");
  CHECK(refused(".version 5.0\n.target sm_75\n.address_size 64\n") ==
        "line 2 of the PTX: PTX 5.0 is not known: versions 6.0 to 9.3 are, found \".target\"");
  CHECK(refused(".version 10.1\n.target sm_75\n").starts_with("line 2 of the PTX: PTX 10.1 is not known"));
  CHECK(refused(".version 8.0\n.target gfx90a\n.address_size 64\n") ==
        "the target \"gfx90a\" of the PTX is not known: sm_50 to sm_129 are");
  CHECK(refused(".version 8.0\n.target sm_75\n.address_size 32\n")
            .starts_with("line 4 of the PTX: only addresses of 64 bits are known"));
  CHECK(refused(kHead) == "read");
}

TEST_CASE("emulator: instructions and directives that are not known are named, with their line") {
  CHECK(in_kernel("mov.u32 %r0, 1;\nwgmma.fence.sync.aligned;") ==
        "line 21 of the PTX, wgmma.fence.sync.aligned: this instruction is not known");
  CHECK(in_kernel("cp.async.bulk.commit_group;").find("cp.async.bulk.commit_group: this instruction is not known") !=
        std::string::npos);
  CHECK(in_kernel("add.rn.f32x2 %d0, %d0, %d0;").find("add.rn.f32x2: this instruction is not known") != std::string::npos);
  CHECK(in_kernel("ld.global.surprise.u32 %r0, [%a0];").ends_with("ld.global.surprise.u32: this instruction is not known"));
  CHECK(in_kernel("ld.global.L1::evict_last.L2::128B.u32 %r0, [%a0];") == "read");
  CHECK(refused(kHead + ".surfref s;\n") == "line 4 of the PTX: the directive .surfref is not known, found \"s\"");
  CHECK(refused(kHead + ".visible .entry f()\n.blocksareclusters\n{ ret; }\n") ==
        "line 6 of the PTX: the directive .blocksareclusters of a function is not known, found \"{\"");
}

TEST_CASE("emulator: names and operands that are wrong") {
  CHECK(in_kernel("bra nowhere;").ends_with("bra: there is no label nowhere"));
  CHECK(in_kernel("add.s32 %r0, %r1, %x9;").ends_with("add.s32: the name %x9 is not known"));
  CHECK(in_kernel("add.s32 %r0, %r1;").ends_with("add.s32: takes another number of operands"));
  CHECK(in_kernel("add.s32 5, %r1, %r2;").ends_with("add.s32: a result goes to a register"));
  CHECK(in_kernel("add.s32 %p1, %r1, %r2;").ends_with("add.s32: %p1 is a predicate"));
  CHECK(in_kernel("@%r1 bra nowhere;").ends_with("bra: %r1 is no predicate"));
  CHECK(in_kernel("call nobody;").ends_with("call: there is no function nobody"));
  CHECK(in_kernel("ld.global.v2.u32 {%r0, %r1, %r2}, [%a0];").ends_with("ld.global.v2.u32: a vector of another length"));
  CHECK(in_kernel("same:\nsame:\n").find("the label same stands twice") != std::string::npos);
  CHECK(in_kernel("add.s32 %r0, %r1, %r2").find("expected ','") != std::string::npos);
  CHECK(refused(kHead + ".visible .entry f() {\n ret;\n") ==
        "line 6 of the PTX: a function does not end, found the end of the text");
  CHECK(refused(kHead + ".shared .align 4 .b8 cells[300000];\n") ==
        "the variable cells is more than the 233472 bytes of shared memory that a block may have");
  CHECK(refused(kHead + ".global .align 3 .b8 odd[4];\n").find("an alignment is a power of two up to 1024") !=
        std::string::npos);
}

TEST_CASE("emulator: a block's registers hide those of the blocks around it") {
  // NVRTC's reduction of large angles has such a block.
  kiln::emulator::test::Device device(kiln::emulator::test::module_of(
      "mov.u32 %r1, 7;\nmov.u64 %d2, 30;\n"
      "{\n.reg .u32 %r1, %r2;\n.reg .u64 %d<4>;\nmov.u32 %r1, 1;\nmov.u32 %r2, 2;\nmov.u64 %d2, 40;\n"
      "{\n.reg .b16 %r1;\nmov.b16 %r1, 5;\n}\nst.global.u64 [%a0+8], %d2;\nst.global.u32 [%a0+4], %r1;\n}\n"
      "{\n.reg .f32 %r1;\nmov.f32 %r1, 0f3F800000;\n@%p1 mov.f32 %r1, 0f40000000;\n}\n"
      "st.global.u32 [%a0], %r1;\nst.global.u64 [%a0+16], %d2;"));
  const std::uint64_t out = device.allocate(24);
  CHECK(device.finding(1, 1, {out}) == "");
  CHECK(device.fetch<std::uint32_t>(out, 6) == std::vector<std::uint32_t>{7, 1, 40, 0, 30, 0});
}
