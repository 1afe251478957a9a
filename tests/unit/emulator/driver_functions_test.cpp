// Functions that the driver defines: printf, assertions, and the heap of kernels.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "emulator/ptx.hpp"

namespace {

using kiln::emulator::test::Device;
using kiln::emulator::test::module_of;

const std::string kDeclarations = R"(
.extern .func (.param .b32 func_retval0) vprintf(.param .b64 vprintf_param_0, .param .b64 vprintf_param_1);
.extern .func __assertfail(.param .b64 p0, .param .b64 p1, .param .b32 p2, .param .b64 p3, .param .b64 p4);
.extern .func (.param .b64 func_retval0) malloc(.param .b64 malloc_param_0);
.extern .func free(.param .b64 free_param_0);
)";

/// A text as a variable of the module.
std::string text(const std::string& name, const std::string& value) {
  std::string bytes;
  for (const char each : value) bytes += std::to_string(static_cast<int>(each)) + ", ";
  return ".global .align 1 .b8 " + name + "[" + std::to_string(value.size() + 1) + "] = {" + bytes + "0};\n";
}

/// What goes to standard output meanwhile.
template <class Run>
std::string printed(const Run& run) {
  std::fflush(stdout);
  std::FILE* const file = std::tmpfile();
  const int kept = ::dup(1);
  ::dup2(::fileno(file), 1);
  run();
  std::fflush(stdout);
  ::dup2(kept, 1);
  ::close(kept);
  std::string all(4096, '\0');
  all.resize(static_cast<std::size_t>(::pread(::fileno(file), all.data(), all.size(), 0)));
  std::fclose(file);
  return all;
}

const std::string kPrint = R"(
{
.param .b64 param0; .param .b64 param1; .param .b32 retval0;
st.param.b64 [param0], %d1; st.param.b64 [param1], %d2;
call.uni (retval0), vprintf, (param0, param1);
ld.param.b32 %r0, [retval0];
}
st.global.u32 [%a0], %r0;
)";

}  // namespace

TEST_CASE("emulator: printf by the driver's vprintf") {
  const std::string arguments = R"(
.local .align 8 .b8 depot[80];
mov.u64 %d3, depot; cvta.local.u64 %d2, %d3;
mov.u32 %r0, -7; st.local.u32 [%d3], %r0;
mov.u64 %d4, word; cvta.global.u64 %d4, %d4; st.local.u64 [%d3+8], %d4;
mov.f64 %e0, 0d3FF8000000000000; st.local.f64 [%d3+16], %e0;
mov.u32 %r0, 8; st.local.u32 [%d3+24], %r0; st.local.f64 [%d3+32], %e0;
mov.u64 %d4, 12345678901; st.local.u64 [%d3+40], %d4;
mov.u32 %r0, 120; st.local.u32 [%d3+48], %r0; st.local.u32 [%d3+52], %r0;
mov.u64 %d1, format; cvta.global.u64 %d1, %d1;
)";
  Device device(module_of(arguments + kPrint, 1,
                          kDeclarations + text("word", "text") + text("format", "%d [%6s] %f %*.2f %llu %c %#x %%\n")));
  const std::uint64_t out = device.place(std::vector<std::uint32_t>(1));
  CHECK(printed([&] { CHECK(device.finding(1, 1, {out}) == ""); }) == "-7 [  text] 1.500000     1.50 12345678901 x 0x78 %\n");
  CHECK(device.fetch<std::uint32_t>(out, 1) == std::vector<std::uint32_t>{8});
  // A format that is none, and one of every thread.
  Device plain(module_of("mov.u64 %d1, format;\nmov.u64 %d2, 0;\n" + kPrint, 1, kDeclarations + text("format", "a")));
  CHECK(printed([&] { CHECK(plain.finding(1, 5, {plain.place(std::vector<std::uint32_t>(1))}) == ""); }) == "aaaaa");
  Device wild(module_of("mov.u64 %d1, 0;\nmov.u64 %d2, 0;\n" + kPrint, 1, kDeclarations));
  CHECK(wild.finding(1, 1, {wild.place(std::vector<std::uint32_t>(1))}) ==
        "700: kernel f: thread (0, 0, 0) of block (0, 0, 0) reads 1 bytes at 0x0, where there is no array");
}

TEST_CASE("emulator: an assertion that fails ends the kernel, with its text") {
  Device device(module_of(R"(
setp.ne.u32 %p1, %t, 3;
@%p1 bra done;
mov.u64 %d1, condition; mov.u64 %d2, file; mov.u64 %d3, function;
{
.param .b64 p0; .param .b64 p1; .param .b32 p2; .param .b64 p3; .param .b64 p4;
st.param.b64 [p0], %d1; st.param.b64 [p1], %d2; st.param.b32 [p2], 12; st.param.b64 [p3], %d3; st.param.b64 [p4], 1;
call.uni __assertfail, (p0, p1, p2, p3, p4);
}
done:
)",
                          1, kDeclarations + text("condition", "a < b") + text("file", "body") + text("function", "run")));
  CHECK(device.finding(1, 8, {device.place(std::vector<std::uint32_t>(1))}) ==
        "710: kernel f: thread (3, 0, 0) of block (0, 0, 0) fails the assertion \"a < b\" in run, body:12");
}

TEST_CASE("emulator: malloc and free of kernels") {
  const std::string allocate = R"(
{ .param .b64 p; .param .b64 r; st.param.b64 [p], %d1; call.uni (r), malloc, (p); ld.param.b64 %d2, [r]; }
)";
  const std::string release = "{ .param .b64 p; st.param.b64 [p], %d2; call.uni free, (p); }\n";
  const std::string fill = "mov.u64 %d1, 8;\n" + allocate +
                           "st.u32 [%d2], %t;\nst.u32 [%d2+4], 5;\nld.u32 %r0, [%d2];\nmul.wide.u32 %d3, %g, 4;\n"
                           "add.s64 %d3, %a0, %d3;\nst.global.u32 [%d3], %r0;\n";
  const auto run = [&](const std::string& body) {
    Device device(module_of(body, 1, kDeclarations));
    return device.finding(1, 40, {device.place(std::vector<std::uint32_t>(40))});
  };
  CHECK(run(fill + release) == "");
  CHECK(run(fill + release + release).find("frees what malloc did not give") != std::string::npos);
  CHECK(run("mov.u64 %d2, %a0;\n" + release).find("frees what malloc did not give") != std::string::npos);
  CHECK(run("mov.u64 %d2, 0;\n" + release) == "");
  CHECK(run(fill + "ld.u32 %r0, [%d2+8];\n").find("which is byte 8 of an array of 8 bytes") != std::string::npos);
  CHECK(run(fill + release + "ld.u32 %r0, [%d2];\n").find("reads 4 bytes at") != std::string::npos);
  // What is freed can be had again; more than 8 MiB at once cannot.
  const std::string twice = "mov.u64 %d1, 6000000;\nsetp.ne.u32 %p1, %t, 0;\n@%p1 bra end;\n" + allocate +
                            "setp.eq.u64 %p2, %d2, 0;\nselp.u32 %r0, 1, 0, %p2;\nmov.u64 %d3, %d2;\n";
  const std::string second = allocate + "setp.eq.u64 %p2, %d2, 0;\nselp.u32 %r1, 2, 0, %p2;\nadd.u32 %r0, %r0, %r1;\n";
  const std::string store = "st.global.u32 [%a0], %r0;\nend:\n";
  const auto result = [&](const std::string& body) {
    Device device(module_of(body, 1, kDeclarations));
    const std::uint64_t out = device.place(std::vector<std::uint32_t>(1));
    CHECK(device.finding(1, 40, {out}) == "");
    return device.fetch<std::uint32_t>(out, 1)[0];
  };
  CHECK(result(twice + second + store) == 2);
  CHECK(result(twice + release + second + store) == 0);
}
