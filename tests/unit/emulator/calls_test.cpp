// Calls of functions: parameters whose addresses are taken, and addresses of functions in variables.
#include "emulator/ptx.hpp"

namespace {

using kiln::emulator::PtxError;
using kiln::emulator::test::Device;
using kiln::emulator::test::module_of;

const std::string kStore = "mul.wide.u32 %d0, %g, 4;\nadd.s64 %d0, %a0, %d0;\nst.global.u32 [%d0], %r0;\n";
constexpr std::uint32_t kThreads = 40;

/// Runs the kernel, whose threads have their results in %r0.
std::vector<std::uint32_t> results(const std::string& declarations, const std::string& body) {
  Device device(module_of(body + kStore, 1, declarations));
  const std::uint64_t out = device.place(std::vector<std::uint32_t>(kThreads));
  REQUIRE(device.finding(1, kThreads, {out}) == "");
  return device.fetch<std::uint32_t>(out, kThreads);
}
template <class Of>
std::vector<std::uint32_t> each_thread(const Of& of) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t t = 0; t < kThreads; ++t) all.push_back(of(t));
  return all;
}

/// Functions of one number: twice(x), and next(x).
const std::string kFunctions = R"(
.func (.param .b32 y) twice(.param .b32 x);
.func (.param .b32 y) next(.param .b32 x);
)";
const std::string kBodies = R"(
.func (.param .b32 y) twice(.param .b32 x)
{ .reg .b32 %r; ld.param.u32 %r, [x]; shl.b32 %r, %r, 1; st.param.b32 [y], %r; ret; }
.func (.param .b32 y) next(.param .b32 x)
{ .reg .b32 %r; ld.param.u32 %r, [x]; add.u32 %r, %r, 1; st.param.b32 [y], %r; ret; }
)";
/// Calls what %d3 holds.
const std::string kCall = R"(
{
.param .b32 param0;
st.param.b32 [param0+0], %t;
.param .b32 retval0;
prototype : .callprototype (.param .b32 _) _ (.param .b32 _);
call (retval0), %d3, (param0), prototype;
ld.param.b32 %r0, [retval0+0];
}
)";
/// Of thread t: twice(t) where t is even, next(t) where it is odd.
std::uint32_t of_table(std::uint32_t t) {
  return t % 2 == 0 ? 2 * t : t + 1;
}
const std::string kOdd = "and.b32 %r1, %t, 1;\n";

}  // namespace

TEST_CASE("emulator: a function indexes a structure that it is given by value") {
  // Each lane another element: clang++ reads such a parameter where it is.
  const std::string at = R"(
.func (.param .b32 result) at(.param .align 16 .b8 structure[32], .param .b32 index)
{
.reg .b32 %r<3>; .reg .b64 %d<4>;
mov.b64 %d0, structure;
mov.u64 %d1, %d0;
ld.param.u32 %r0, [index];
and.b32 %r0, %r0, 3;
mul.wide.u32 %d2, %r0, 8;
add.s64 %d3, %d1, %d2;
ACCESS
st.param.b32 [result+0], %r1;
ret;
}
)";
  const std::string call = R"(
{
.param .align 16 .b8 param0[32];
mul.lo.u32 %r1, %t, 10;
cvt.u64.u32 %d1, %r1; add.u64 %d2, %d1, 1;
st.param.v2.b64 [param0+0], {%d1, %d2};
add.u64 %d1, %d1, 2; add.u64 %d2, %d1, 1;
st.param.v2.b64 [param0+16], {%d1, %d2};
.param .b32 param1;
st.param.b32 [param1+0], %t;
.param .b32 retval0;
call.uni (retval0), at, (param0, param1);
ld.param.b32 %r0, [retval0+0];
}
)";
  const auto expected = each_thread([](std::uint32_t t) { return 10 * t + t % 4; });
  for (const std::string access :
       {"ld.param.u32 %r1, [%d3];", "ld.local.u32 %r1, [%d3];", "cvta.local.u64 %d3, %d3;\nld.u32 %r1, [%d3];"}) {
    CAPTURE(access);
    std::string declaration = at;
    declaration.replace(declaration.find("ACCESS"), 6, access);
    CHECK(results(declaration, call) == expected);
  }
}

TEST_CASE("emulator: a function writes its parameter and its result by their addresses, of its own copy") {
  const std::string change = R"(
.func (.param .align 8 .b8 result[8]) change(.param .align 8 .b8 pair[8])
{
.reg .b32 %r<3>; .reg .b64 %d<3>;
cvta.local.u64 %d0, pair;
ld.u32 %r0, [%d0]; ld.u32 %r1, [%d0+4];
add.u32 %r0, %r0, %r1;
st.u32 [%d0+4], %r0;
ld.param.u32 %r2, [pair+4];
mov.b64 %d1, result;
st.local.u32 [%d1], %r2; st.local.u32 [%d1+4], %r1;
ret;
}
)";
  const std::string call = R"(
{
.param .align 8 .b8 param0[8];
st.param.b32 [param0+0], %t; st.param.b32 [param0+4], 100;
.param .align 8 .b8 retval0[8];
call.uni (retval0), change, (param0);
ld.param.b32 %r0, [retval0+0];
ld.param.b32 %r1, [retval0+4];
add.u32 %r0, %r0, %r1;
ld.param.b32 %r1, [param0+4];
add.u32 %r0, %r0, %r1;
}
)";
  CHECK(results(change, call) == each_thread([](std::uint32_t t) { return t + 100 + 100 + 100; }));
}

TEST_CASE("emulator: recursion keeps the parameters of each call") {
  // sum(n) = n + sum(n - 1), with n read behind the call and by its address.
  const std::string sum = R"(
.func (.param .b32 result) sum(.param .b32 n)
{
.reg .pred %p; .reg .b32 %r<4>; .reg .b64 %d;
mov.b64 %d, n;
ld.param.u32 %r0, [n];
mov.u32 %r1, 0;
setp.eq.u32 %p, %r0, 0;
@%p bra done;
sub.u32 %r2, %r0, 1;
{ .param .b32 param0; st.param.b32 [param0], %r2; .param .b32 retval0;
call (retval0), sum, (param0); ld.param.b32 %r1, [retval0]; }
done:
ld.local.u32 %r3, [%d];
add.u32 %r1, %r1, %r3;
st.param.b32 [result], %r1;
ret;
}
)";
  const std::string call = R"(
{ .param .b32 param0; st.param.b32 [param0], %t; .param .b32 retval0;
call (retval0), sum, (param0); ld.param.b32 %r0, [retval0]; }
)";
  CHECK(results(sum, call) == each_thread([](std::uint32_t t) { return t * (t + 1) / 2; }));
}

TEST_CASE("emulator: tables of functions in global and constant memory") {
  const auto expected = each_thread(of_table);
  for (const std::string space : {"global", "const"}) {
    const std::string table = kFunctions + "." + space + " .align 8 .u64 table[2] = {twice, next};\n" + kBodies;
    CHECK(results(table, kOdd + "mul.wide.u32 %d1, %r1, 8;\nmov.u64 %d2, table;\nadd.s64 %d2, %d2, %d1;\nld." + space +
                             ".u64 %d3, [%d2];\n" + kCall) == expected);
  }
  // A virtual table, whose address an object has.
  const std::string virtual_table = kFunctions + ".weak .global .align 8 .u64 methods[4] = {0, -16, twice, next};\n" +
                                    ".visible .global .align 8 .u64 object = generic(methods)+16;\n" + kBodies;
  CHECK(results(virtual_table, kOdd + "mul.wide.u32 %d1, %r1, 8;\nld.global.u64 %d2, [object];\nadd.s64 %d2, %d2, %d1;\n" +
                                   "ld.u64 %d3, [%d2];\n" + kCall) == expected);
  // A structure without padding has its addresses byte by byte.
  std::string bytes;
  for (const char* const name : {"twice", "next"}) {
    bytes += bytes.empty() ? "7" : ", 7";
    std::string mask = "0xFF";
    for (int k = 0; k < 8; ++k, mask += "00") bytes += ", " + mask + "(" + name + ")";
  }
  const std::string packed = kFunctions + ".global .align 1 .u8 packed[18] = {" + bytes + "};\n" + kBodies;
  std::string load = "mov.u64 %d3, 0;\n";
  for (int k = 8; k > 0; --k) {
    load += "ld.global.u8 %d4, [%d2+" + std::to_string(k) + "];\nshl.b64 %d3, %d3, 8;\nor.b64 %d3, %d3, %d4;\n";
  }
  CHECK(results(packed, kOdd + "mul.wide.u32 %d1, %r1, 9;\nmov.u64 %d2, packed;\nadd.s64 %d2, %d2, %d1;\n" + load + kCall) ==
        expected);
}

TEST_CASE("emulator: the lowest bits of a function's address are free for pointers to members") {
  CHECK(results(kFunctions + kBodies, R"(
mov.u64 %d1, twice; mov.u64 %d2, next;
or.b64 %d1, %d1, %d2; cvt.u32.u64 %r0, %d1; and.b32 %r0, %r0, 15;
)") == std::vector<std::uint32_t>(kThreads, 0));
}

TEST_CASE("emulator: addresses of variables in initializers") {
  const std::string variables = R"(
.global .align 4 .b8 numbers[16] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4};
.global .align 8 .u64 third = generic(numbers)+8;
.global .align 8 .u64 last[2] = {numbers+12, 5};
.global .align 1 .u8 byte[2] = {0XFF(generic(numbers)+4), 0xFF00(numbers)};
)";
  CHECK(results(variables, R"(
ld.global.u64 %d1, [third]; ld.u32 %r0, [%d1];
ld.global.u64 %d1, [last]; ld.u32 %r1, [%d1]; mad.lo.u32 %r0, %r1, 10, %r0;
ld.global.u64 %d1, [last+8]; cvt.u32.u64 %r1, %d1; mad.lo.u32 %r0, %r1, 100, %r0;
mov.u64 %d1, numbers; add.u64 %d1, %d1, 4; ld.global.u8 %r1, [byte]; cvt.u32.u64 %r2, %d1; and.b32 %r2, %r2, 255;
sub.u32 %r1, %r1, %r2; add.u32 %r0, %r0, %r1;
mov.u64 %d1, numbers; shr.u64 %d1, %d1, 8; ld.global.u8 %r1, [byte+1]; cvt.u32.u64 %r2, %d1; and.b32 %r2, %r2, 255;
sub.u32 %r1, %r1, %r2; add.u32 %r0, %r0, %r1;
)") == std::vector<std::uint32_t>(kThreads, 543));
}

TEST_CASE("emulator: aliases of functions") {
  const std::string declarations = kFunctions + ".visible .func (.param .b32 y) other(.param .b32 x);\n" +
                                   ".global .align 8 .u64 table[2] = {other, next};\n" + kBodies + ".alias other, twice;\n";
  CHECK(results(declarations, kOdd + "mul.wide.u32 %d1, %r1, 8;\nmov.u64 %d2, table;\nadd.s64 %d2, %d2, %d1;\n" +
                                  "ld.global.u64 %d3, [%d2];\n" + kCall) == each_thread(of_table));
  CHECK(results(declarations,
                "{ .param .b32 p; st.param.b32 [p], %t; .param .b32 q;\ncall (q), other, (p);\nld.param.b32 "
                "%r0, [q]; }\n") == each_thread([](std::uint32_t t) { return 2 * t; }));
}

TEST_CASE("emulator: addresses that are refused") {
  const auto refused = [](const std::string& declarations) {
    Device device;
    try {
      static_cast<void>(device.machine.load(module_of("", 1, declarations)));
    } catch (const PtxError& error) {
      return std::string(error.what());
    }
    return std::string("read");
  };
  CHECK(refused(".global .align 8 .u64 table[1] = {nobody};\n") == "there is no variable and no function nobody");
  CHECK(refused(".global .align 4 .u32 table[1] = {table};\n")
            .starts_with("line 4 of the PTX: an address of table in 4 bytes is not known"));
  CHECK(refused(".global .align 8 .u64 table[1] = {0xFF(table)};\n")
            .starts_with("line 4 of the PTX: an address of table in 8 bytes is not known"));
  CHECK(refused(".global .align 8 .u64 table[1] = {table, table};\n")
            .starts_with("line 4 of the PTX: too many values for table"));
  CHECK(refused(".global .align 1 .u8 table[1] = {0(table)};\n")
            .starts_with("line 4 of the PTX: a mask of an address is one byte"));
  CHECK(refused(".global .align 1 .u8 table[1] = {0xFFFF(table)};\n")
            .starts_with("line 4 of the PTX: a mask of an address is one byte"));
  CHECK(refused(".alias other, nobody;\n") == "there is no function nobody, whose alias other is");
}
