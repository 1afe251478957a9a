// Planted faults of kernels: each is found, with its place; and what looks like one and is none.
#include <algorithm>
#include <numeric>

#include "emulator/ptx.hpp"

namespace {

using kiln::emulator::success;
using kiln::emulator::test::Device;
using kiln::emulator::test::module_of;

/// The address of element %g of 4 bytes of the first array.
const std::string kElement = "mul.wide.u32 %d0, %g, 4;\nadd.s64 %d0, %a0, %d0;\n";
const std::string kShared = ".shared .align 4 .b8 cells[1024];\n";
/// The address of the thread's cell of 4 bytes, and of its neighbour's.
const std::string kCell =
    "shl.b32 %r0, %t, 2;\nmov.u32 %r1, cells;\nadd.s32 %r0, %r0, %r1;\nadd.s32 %r2, %t, 1;\nrem.u32 %r2, %r2, %n;\nshl.b32 "
    "%r2, %r2, 2;\n"
    "add.s32 %r2, %r2, %r1;\n";

std::string found(const std::string& body, std::uint32_t blocks = 1, std::uint32_t threads = 64, std::size_t elements = 64,
                  const std::string& declarations = {}, std::uint32_t shared = 0) {
  Device device(module_of(body, 1, declarations));
  const std::uint64_t array = device.place(std::vector<std::int32_t>(elements));
  return device.finding(blocks, threads, {array}, shared);
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
#define CHECK_FOUND(text, part)                     \
  do {                                              \
    const std::string& all_text = text;             \
    CHECK_MESSAGE(holds(all_text, part), all_text); \
  } while (false)

}  // namespace

TEST_CASE("emulator: an access past the end of an array") {
  const std::string writes = kElement + "st.global.u32 [%d0], %t;";
  CHECK(found(writes) == "");
  CHECK_FOUND(found(writes, 1, 65), "700: kernel f: thread (64, 0, 0) of block (0, 0, 0) writes 4 bytes at 0x");
  CHECK_FOUND(found(writes, 1, 65), "which is byte 256 of an array of 256 bytes");
  CHECK_FOUND(found(kElement + "ld.global.u32 %r0, [%d0+4];"), "thread (63, 0, 0) of block (0, 0, 0) reads 4 bytes");
  CHECK_FOUND(found(kElement + "ld.global.u32 %r0, [%d0-4];"), "thread (0, 0, 0) of block (0, 0, 0) reads 4 bytes");
  CHECK_FOUND(found("mov.u64 %d0, 0;\nst.global.u32 [%d0], %t;"), "writes 4 bytes at 0x0, where there is no array");
  CHECK_FOUND(found("mul.wide.u32 %d0, %g, 16;\nadd.s64 %d0, %a0, %d0;\nld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%d0];"),
              "reads 16 bytes");
}

TEST_CASE("emulator: a misaligned access") {
  CHECK_FOUND(found(kElement + "ld.global.u32 %r0, [%d0+2];"), "716: kernel f: thread (");
  CHECK_FOUND(found(kElement + "ld.global.u32 %r0, [%d0+2];"), "which is no multiple of 4");
  CHECK_FOUND(found(kElement + "ld.global.v2.u32 {%r0, %r1}, [%d0];"), "reads 8 bytes at 0x");
  CHECK(found("mul.wide.u32 %d0, %g, 8;\nadd.s64 %d0, %a0, %d0;\nld.global.v2.u32 {%r0, %r1}, [%d0];", 1, 32) == "");
}

TEST_CASE("emulator: races in shared memory") {
  const std::string write = kCell + "st.shared.u32 [%r0], %t;\n";
  const std::string read = "ld.shared.u32 %r3, [%r2];\n";
  CHECK(found(write + "bar.sync 0;\n" + read, 1, 64, 64, kShared) == "");
  // Who reads before the neighbour has written finds nothing there; who reads after meets its write.
  const std::string fill = write + "bar.sync 0;\n" + "st.shared.u32 [%r0], %n;\n";
  const std::string missing = found(fill + read, 1, 64, 64, kShared);
  CHECK_FOUND(missing, "719: kernel f: thread (");
  CHECK_FOUND(missing, "of shared memory in a race with thread (");
  CHECK_FOUND(missing, "no barrier stands between");
  // Read, then written by another.
  CHECK_FOUND(found(write + "bar.sync 0;\n" + read + "st.shared.u32 [%r0], %n;", 1, 64, 64, kShared),
              "in a race with thread (");
  CHECK(found(write + "bar.sync 0;\n" + read + "bar.sync 0;\nst.shared.u32 [%r0], %n;", 1, 64, 64, kShared) == "");
  // All write one cell: other values are a race, the same one is none.
  CHECK_FOUND(found("mov.u32 %r1, cells;\nst.shared.u32 [%r1], %t;", 1, 64, 64, kShared),
              "writes byte 0 of shared memory in a race with");
  CHECK(found("mov.u32 %r1, cells;\nst.shared.u32 [%r1], 7;", 1, 64, 64, kShared) == "");
  // Who then writes another value races with those who wrote before it.
  CHECK_FOUND(found("mov.u32 %r1, cells;\nst.shared.u32 [%r1], 7;\nsetp.eq.s32 %p0, %t, 31;\n@%p0 st.shared.u32 [%r1], 8;", 1,
                    32, 64, kShared),
              "writes byte 0 of shared memory in a race with");
  CHECK(found("mov.u32 %r1, cells;\nst.shared.u32 [%r1], 7;\nbar.sync 0;\natom.shared.add.u32 %r2, [%r1], %t;", 1, 64, 64,
              kShared) == "");
}

TEST_CASE("emulator: lanes of one warp need a barrier, too") {
  const std::string write = kCell + "st.shared.u32 [%r0], %t;\n";
  const std::string again = "bar.warp.sync 0xffffffff;\nst.shared.u32 [%r0], %n;\n";
  const std::string read = "ld.shared.u32 %r3, [%r2];\n";
  CHECK(found(write + again + "bar.warp.sync 0xffffffff;\n" + read, 1, 32, 64, kShared) == "");
  CHECK_FOUND(found(write + again + read, 1, 32, 64, kShared), "in a race with thread (");
}

TEST_CASE("emulator: races between blocks") {
  const std::string mine = "mul.wide.u32 %d0, %t, 4;\nadd.s64 %d0, %a0, %d0;\n";
  CHECK_FOUND(found(mine + "st.global.u32 [%d0], %b;", 2, 32),
              "an array of 256 bytes in a race with thread (0, 0, 0) of block (");
  CHECK(found(kElement + "st.global.u32 [%d0], %b;", 2, 32) == "");
  CHECK(found("atom.global.add.u32 %r0, [%a0], 1;", 2, 32) == "");
  CHECK(found("red.global.add.u32 [%a0], 1;", 2, 32) == "");
  CHECK_FOUND(found("atom.global.add.u32 %r0, [%a0], 1;\nsetp.eq.s32 %p0, %g, 40;\n@%p0 st.global.u32 [%a0], 5;", 2, 32),
              "byte 0 of an array of 256 bytes in a race with");
  // A loop of compare and swap begins with a read.
  CHECK(found("ld.global.u32 %r0, [%a0];\nagain:\nadd.s32 %r1, %r0, 1;\natom.global.cas.b32 %r2, [%a0], %r0, %r1;\nsetp.ne.s32 "
              "%p0, %r2, %r0;\n"
              "mov.u32 %r0, %r2;\n@%p0 bra again;",
              2, 32) == "");
}

TEST_CASE("emulator: the last block reads what all have written, if they fence") {
  const auto last_block = [](const std::string& fence) {
    // Each thread writes its element; the last block's first thread adds them up into element 64.
    Device device(module_of(
        kElement + "st.global.u32 [%d0], 1;\n" + fence +
            "bar.sync 0;\nsetp.ne.s32 %p0, %t, 0;\n@%p0 bra done;\natom.global.inc.u32 %r0, [%a1], 1000;\n"
            "setp.ne.s32 %p0, %r0, 1;\n@%p0 bra done;\n" +
            fence +
            "mov.u32 %r1, 0;\nmov.u32 %r2, 0;\nmov.u64 %d1, %a0;\nmore:\nld.global.u32 %r3, [%d1];\nadd.s32 %r2, %r2, %r3;\n"
            "add.s64 %d1, %d1, 4;\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 64;\n@%p1 bra more;\nst.global.u32 [%d1], "
            "%r2;\ndone:\n",
        2));
    const std::uint64_t array = device.place(std::vector<std::int32_t>(65));
    const std::uint64_t counter = device.place(std::vector<std::int32_t>(1));
    const std::string what = device.finding(2, 32, {array, counter});
    if (what.empty()) CHECK(device.fetch<std::int32_t>(array, 65)[64] == 64);
    return what;
  };
  CHECK(last_block("membar.gl;\n") == "");
  CHECK(last_block("fence.acq_rel.gpu;\n") == "");
  CHECK_FOUND(last_block(""), "in a race with thread (");
}

TEST_CASE("emulator: shared memory that nothing has written") {
  CHECK_FOUND(found(kCell + "ld.shared.u32 %r3, [%r0];", 1, 64, 64, kShared), " of shared memory, which nothing has written");
  // Of a vector, elements that nobody uses may hold nothing.
  CHECK(found("mov.u32 %r1, cells;\nst.shared.u32 [%r1], 1;\nbar.sync 0;\nld.shared.v2.u32 {%r2, %r3}, [%r1];", 1, 32, 64,
              ".shared .align 8 .b8 cells[1024];\n") == "");
  CHECK_FOUND(found("mov.u32 %r1, more;\nadd.s32 %r1, %r1, 256;\nst.shared.u32 [%r1], 1;", 1, 32, 64,
                    ".extern .shared .align 16 .b8 more[];\n", 256),
              "writes byte 256 of 256 bytes of shared memory");
}

TEST_CASE("emulator: what a kernel in debug mode meets after its report is no finding") {
  const std::string declarations = ".visible .global .align 16 .b8 kiln_faults[64];\n" + kShared;
  const std::string report = "mov.u64 %d1, kiln_faults;\nst.global.u32 [%d1], 1;\n";
  const std::string unwritten = kCell + "ld.shared.u32 %r3, [%r0];";
  const std::string race = "mov.u32 %r1, cells;\nst.shared.u32 [%r1], %t;";
  for (const std::string& body : {unwritten, race}) {
    CHECK_FOUND(found(body, 1, 64, 64, declarations), "shared memory");
    CHECK(found(report + body, 1, 64, 64, declarations) == "");
  }
  // Memory that is not there has nothing to go on with.
  CHECK_FOUND(found(report + kElement + "ld.global.u32 %r0, [%d0+4];", 1, 64, 64, declarations), "reads 4 bytes");
}

TEST_CASE("emulator: barriers that not all threads reach") {
  const std::string some = "setp.lt.u32 %p0, %t, 40;\n";
  const std::string gone = found(some + "@%p0 bra wait;\nret;\nwait:\nbar.sync 0;", 1, 64);
  CHECK_FOUND(gone, "719: kernel f: block (0, 0, 0)");
  CHECK_FOUND(gone, "24 of its 64 threads ended without reaching what the others wait for; of the first warp that waits, ");
  CHECK_FOUND(gone, " at barrier 0");
  const std::string apart = found(some + "@%p0 bar.sync 0;\n@!%p0 bar.sync 1;", 1, 64);
  CHECK_FOUND(apart, "block (0, 0, 0): its 64 threads wait for one another at different places; of the first warp, ");
  // Whichever way threads go, all come to one.
  CHECK(found(some + "@%p0 bra other;\nmov.u32 %r0, 1;\nbra both;\nother:\nmov.u32 %r0, 2;\nboth:\nbar.sync 0;", 1, 64) == "");
}

TEST_CASE("emulator: functions of a warp") {
  const std::string half = "setp.lt.u32 %p0, %t, 16;\n@%p0 bra inside;\nbra done;\ninside:\n";
  CHECK_FOUND(found(half + "shfl.sync.bfly.b32 %r0, %t, 1, 31, 0xffffffff;\ndone:\n", 1, 32),
              "waits for lane 16 of its warp, which has ended");
  CHECK(found(half + "shfl.sync.bfly.b32 %r0, %t, 1, 31, 0xffff;\ndone:\n", 1, 32) == "");
  CHECK_FOUND(found(half + "shfl.sync.bfly.b32 %r0, %t, 16, 31, 0xffff;\ndone:\n", 1, 32),
              "takes the value of lane 16 of its warp, which takes no part");
  CHECK_FOUND(found(half + "vote.sync.any.pred %p1, %p0, 0xfffe;\ndone:\n", 1, 32), "is not in the mask that it gives");
}

TEST_CASE("emulator: memory of one thread, constants, traps, and no end") {
  const std::string array = ".local .align 4 .b8 own[16];\n";
  CHECK(found(array + "mov.u64 %d1, own;\nst.local.u32 [%d1+12], %t;") == "");
  CHECK_FOUND(found(array + "mov.u64 %d1, own;\nst.local.u32 [%d1+16], %t;"), "is at byte 16 of 16 bytes of local memory");
  CHECK_FOUND(found("mov.u64 %d1, fixed;\nst.u32 [%d1], %t;", 1, 32, 64, ".const .align 4 .b8 fixed[4] = {1, 2, 3, 4};\n"),
              "of fixed, a constant");
  CHECK_FOUND(found("setp.eq.s32 %p0, %t, 5;\n@%p0 trap;"),
              "719: kernel f: thread (5, 0, 0) of block (0, 0, 0) reached a trap");
}

TEST_CASE("emulator: what is freed, and what another stream has not finished") {
  const std::string writes = kElement + "st.global.u32 [%d0], %t;";
  {
    Device device(module_of(writes));
    const std::uint64_t array = device.allocate(256);
    REQUIRE(device.machine.free(array, 0) == success);
    CHECK_FOUND(device.finding(1, 64, {array}), "where there is no array");
  }
  for (std::uint64_t seed = 1; seed < 9; ++seed) {
    Device device(module_of(writes), seed);
    const std::uint64_t array = device.allocate(256);
    const std::uint32_t first = device.machine.make_stream(false);
    const std::uint32_t second = device.machine.make_stream(false);
    CHECK(std::min(first, second) > 2);  // handles of the default streams, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD
    REQUIRE(device.launch({1, 1, 1}, {64, 1, 1}, {array}, 0, first) == success);
    REQUIRE(device.launch({1, 1, 1}, {64, 1, 1}, {array}, 0, second) == success);
    device.machine.synchronize();
    // Whichever ran first.
    CHECK_FOUND(
        device.machine.message(),
        "which kernel f writes on a stream that nothing orders before this launch: wait for it with an event or synchronize");
  }
  {
    Device device(module_of(writes));
    const std::uint64_t array = device.allocate(256);
    const std::uint32_t first = device.machine.make_stream(false);
    const std::uint32_t second = device.machine.make_stream(false);
    const std::uint32_t event = device.machine.make_event();
    REQUIRE(device.launch({1, 1, 1}, {64, 1, 1}, {array}, 0, first) == success);
    device.machine.record(event, first);
    device.machine.wait(second, event);
    REQUIRE(device.launch({1, 1, 1}, {64, 1, 1}, {array}, 0, second) == success);
    device.machine.synchronize(second);
    CHECK(device.machine.message() == "");
    // The host has waited: so has what it gives to others.
    std::vector<std::int32_t> values(64);
    REQUIRE(device.machine.copy_to_host(values.data(), array, 256, first) == success);
    std::vector<std::int32_t> expected(64);
    std::iota(expected.begin(), expected.end(), 0);
    CHECK(values == expected);
  }
  {
    Device device(module_of(writes));
    const std::uint32_t first = device.machine.make_stream(false);
    const std::uint64_t array = device.machine.allocate(256, first);
    CHECK_FOUND(device.finding(1, 64, {array}), "whose allocation on another stream nothing orders before this launch");
  }
}

TEST_CASE("emulator: threads that wait for one another by loops all get on") {
  // A lock that one lane has while others of its warp spin.
  Device device(
      module_of("spin:\natom.global.cas.b32 %r0, [%a0], 0, 1;\nsetp.ne.s32 %p0, %r0, 0;\n@%p0 bra spin;\nmembar.gl;\n"
                "ld.global.u32 %r1, [%a0+4];\nadd.s32 %r1, %r1, 1;\nst.global.u32 [%a0+4], "
                "%r1;\nmembar.gl;\natom.global.exch.b32 %r2, [%a0], 0;\n"));
  const std::uint64_t array = device.place(std::vector<std::int32_t>(2));
  CHECK(device.finding(2, 8, {array}) == "");
  CHECK(device.fetch<std::int32_t>(array, 2) == std::vector<std::int32_t>{0, 16});
}

TEST_CASE("emulator: calls of functions, by their names and by addresses that differ between lanes") {
  const auto times = [](const std::string& name, int factor) {
    return ".func (.param .b32 y) " + name + "(.param .b32 x) {\n.reg .b32 %v;\nld.param.u32 %v, [x];\nmul.lo.u32 %v, %v, " +
           std::to_string(factor) + ";\nst.param.u32 [y], %v;\nret;\n}\n";
  };
  const std::string declarations = times("twice", 2) + times("thrice", 3);
  const std::string call = ".param .b32 x;\n.param .b32 y;\nst.param.u32 [x], %t;\n";
  const std::string store = "ld.param.u32 %r0, [y];\n" + kElement + "st.global.u32 [%d0], %r0;\n";
  const std::string by_name = call + "call (y), twice, (x);\n" + store;
  const std::string by_address = call +
                                 "setp.lt.u32 %p1, %t, 8;\nmov.u64 %d1, twice;\nmov.u64 %d2, thrice;\nselp.b64 %d3, %d1, %d2, "
                                 "%p1;\nof: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (y), %d3, (x), of;\n" +
                                 store;
  for (const bool named : {true, false}) {
    Device device(module_of(named ? by_name : by_address, 1, declarations));
    const std::uint64_t array = device.place(std::vector<std::uint32_t>(16));
    CHECK(device.finding(1, 16, {array}) == "");
    const std::vector<std::uint32_t> results = device.fetch<std::uint32_t>(array, 16);
    for (std::uint32_t k = 0; k < 16; ++k) CHECK(results[k] == (named || k < 8 ? 2 * k : 3 * k));
  }
  CHECK_FOUND(found(call + "mov.u64 %d3, 5;\ncall (y), %d3, (x);\n", 1, 1, 64, declarations), "calls what is no function");
  // A kernel's parameters lie elsewhere.
  CHECK_FOUND(found(call + "mov.u64 %d3, f;\ncall (y), %d3, (x);\n", 1, 1, 64, declarations), "calls what is no function");
}

TEST_CASE("emulator: the spaces that generic addresses are of") {
  Device device(module_of(R"(
.local .b32 own;
mov.u32 %r1, cells; cvt.u64.u32 %d0, %r1; cvta.shared.u64 %d1, %d0;
mov.u64 %d2, own; cvta.local.u64 %d3, %d2;
isspacep.shared %p0, %d1; isspacep.shared::cta %p1, %d1; isspacep.global %p2, %d1;
isspacep.local %p3, %d3; isspacep.shared %p4, %d3;
isspacep.global %p5, %a0; isspacep.shared::cta %p6, %a0;
selp.u32 %r2, 1, 0, %p0; st.global.u32 [%a0], %r2;
selp.u32 %r2, 1, 0, %p1; st.global.u32 [%a0+4], %r2;
selp.u32 %r2, 1, 0, %p2; st.global.u32 [%a0+8], %r2;
selp.u32 %r2, 1, 0, %p3; st.global.u32 [%a0+12], %r2;
selp.u32 %r2, 1, 0, %p4; st.global.u32 [%a0+16], %r2;
selp.u32 %r2, 1, 0, %p5; st.global.u32 [%a0+20], %r2;
selp.u32 %r2, 1, 0, %p6; st.global.u32 [%a0+24], %r2;
st.shared.u32 [%r1], 5; ld.u32 %r3, [%d1]; st.global.u32 [%a0+28], %r3;
cvta.to.shared.u64 %d4, %d1; sub.u64 %d4, %d4, %d0; st.global.u32 [%a0+32], %d4;
)",
                          1, kShared));
  const std::uint64_t array = device.place(std::vector<std::uint32_t>(9));
  CHECK(device.finding(1, 1, {array}) == "");
  CHECK(device.fetch<std::uint32_t>(array, 9) == std::vector<std::uint32_t>{1, 1, 0, 1, 0, 1, 0, 5, 0});
}
