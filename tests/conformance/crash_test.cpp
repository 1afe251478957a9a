// Debug mode on the CPU: what a body does to the process is an error of its call, with its place, and the process goes on.
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "devices.hpp"
#include "kiln/error.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/kernel.hpp"
#include "values.hpp"

using namespace conformance;
using kiln::Array;
using kiln::Debug;
using kiln::DeviceError;
using kiln::RawKernel;
using kiln::Ufunc;

namespace {

constexpr Debug kChecked{.on = true};

Ufunc crashing_ufunc(const std::string& body, const std::string& functions = {}) {
  return kiln::vectorize(
      {.name = "k", .signatures = {"int32(int32 a)"}, .body = body, .compile = {.functions = functions, .debug = kChecked}});
}

RawKernel crashing_kernel(const std::string& body) {
  return kiln::kernel({.name = "k", .signature = "void(float32* p)", .body = body, .compile = {.debug = kChecked}});
}

/// Without how many elements failed, which is by parts.
std::string without_number(std::string message) {
  const std::size_t begin = message.find(" (the first of ");
  if (begin != std::string::npos) message.erase(begin, message.find(')', begin) + 1 - begin);
  return message;
}

const std::string kStackIsFull = "the stack is full: recursion that does not end, or arrays that are too large";

void on_cpu_alone(const std::function<void(const Target&)>& test) {
  on_every_device([&](const Target& target) {
    if (target.device().is_cpu()) test(target);
  });
}

std::string crash_of(const Target& target, const Ufunc& ufunc, std::int64_t size = 1000) {
  const Array a = target.place(Array::full({size}, std::int32_t{3}));
  return without_number(message_of<DeviceError>([&] { (void)target.fetch(target.call(ufunc, {a})); }));
}

}  // namespace

TEST_CASE("crash: recursion without an end") {
  on_cpu_alone([](const Target& target) {
    CHECK(crash_of(target, crashing_ufunc("return deeper(a);", "int32 deeper(int32 n) {\n  return deeper(n + 1) + n;\n}")) ==
          "k failed on cpu: " + kStackIsFull + ": k.functions:2:10\n    return deeper(n + 1) + n;\n           ^");
    CHECK(crash_of(target, crashing_ufunc("return deeper(a);", "int32 deeper(int32 n) {\n  return deeper(n + 1);\n}"), 100'000)
              .starts_with("k failed on cpu: " + kStackIsFull + ": k.functions:2:10"));
  });
}

TEST_CASE("crash: an array larger than the stack") {
  on_cpu_alone([](const Target& target) {
    const Ufunc large = crashing_ufunc(
        "int32 values[1 << 24];\nfor (int32 i = 0; i < 1 << 24; ++i) values[i] = a + i;\nreturn values[a] + values[a * 5];");
    CHECK(crash_of(target, large).starts_with("k failed on cpu: " + kStackIsFull));
  });
}

TEST_CASE("crash: a body that overwrites its stack, or its block's shared memory") {
  const std::string past = "volatile float32* p = t;\nfor (int32 i = 0; i < 1000000; ++i)\n  p[i] = 1;\n";
  on_cpu_alone([&](const Target& target) {
    const auto is_told = [&](const std::string& message) {
      CAPTURE(message);
      CHECK(message.starts_with("k failed on cpu"));
      CHECK(message.find(": SIGSEGV: ") != std::string::npos);
      CHECK(message.find(": k:3:") != std::string::npos);
    };
    CHECK(
        crash_of(target, crashing_ufunc("volatile float32 t[4]; " + past + "return a + t[a & 3];"))
            .starts_with("k failed on cpu: SIGSEGV: a write past the end of an array of the body's, or of KILN_SHARED memory: "
                         "k:3:"));
    is_told(crash_of(target, crashing_ufunc("volatile float32 t[4]; " + past + "return a + t[a & 3];"), 10));
    const Array x = target.place(Array::full({640}, 1.0F));
    const auto launch = [&](const std::string& body, const Debug& debug) {
      const RawKernel kernel =
          kiln::kernel({.name = "k", .signature = "void(float32* x)", .body = body, .compile = {.debug = debug}});
      is_told(message_of<DeviceError>([&] {
        kernel({.grid = 10, .block = 64, .stream = target.options().stream}, x);
        target.wait();
      }));
    };
    for (const Debug& debug : {kChecked, Debug{.race = true}}) {
      launch("volatile float32 t[4]; " + past + "x[item] = t[1];", debug);
      launch("volatile float32 t[4]; " + past + "barrier(); x[item] = t[1];", debug);
    }
    launch("KILN_SHARED float32 t[64]; " + past + "barrier(); x[item] = t[1];", kChecked);
    launch("KILN_SHARED float32 t[64]; " + past + "x[item] = t[1];", kChecked);
    launch("float32* t = KILN_DYNAMIC_SHARED(float32); " + past + "barrier(); x[item] = t[1];", kChecked);
    const kiln::Gufunc rows = kiln::guvectorize({.name = "k",
                                                 .layout = "(n)->(n)",
                                                 .signatures = {"void(float32[:] a, float32[:] r)"},
                                                 .body = "volatile float32 t[4]; " + past + "r(0) = a(0) + t[1];",
                                                 .compile = {.debug = kChecked}});
    is_told(message_of<DeviceError>(
        [&] { (void)target.fetch(rows({x.reshape({64, 10})}, kiln::GufuncOptions{.stream = target.options().stream})); }));
    // The thread goes on.
    CHECK(target.fetch(target.call(crashing_ufunc("return a + 1;"), {target.place(Array::full({9}, std::int32_t{3}))}))
              .to_vector<std::int32_t>() == std::vector<std::int32_t>(9, 4));
  });
}

TEST_CASE("crash: pointers that lead nowhere") {
  on_cpu_alone([](const Target& target) {
    const Array a = target.place(Array::full({100}, 1.0F));
    const auto fails = [&](const RawKernel& kernel, const kiln::LaunchOptions& options) {
      return message_of<DeviceError>([&] {
        kernel(options, a);
        options.stream.synchronize();
      });
    };
    const kiln::LaunchOptions items{.size = 100, .stream = target.options().stream};
    const kiln::LaunchOptions blocks{.grid = 4, .block = {8, 2}, .stream = target.options().stream};
    const std::string nowhere = "float32* q = p;\nif (item == 43) q = ";
    CHECK(fails(crashing_kernel(nowhere + "nullptr;\nq[0] = 2;"), items) ==
          "k failed on cpu at item 43: SIGSEGV: memory at 0x0 is not the program's, by a null pointer: k:3:6\n  q[0] = 2;\n    "
          "   ^");
    CHECK(fails(crashing_kernel(nowhere + "nullptr;\nq[2] = 2;"), blocks) ==
          "k failed on cpu at thread (3, 1, 0) of block (2, 0, 0): SIGSEGV: memory at 0x8 is not the program's, by a null "
          "pointer: k:3:6\n  q[2] = 2;\n       ^");
    CHECK(fails(crashing_kernel(nowhere + "(float32*)0x100000;\n*q += 2;"), items) ==
          "k failed on cpu at item 43: SIGSEGV: memory at 0x100000 is not the program's, by a pointer that leads nowhere: "
          "k:3:4\n  *q += 2;\n     ^");
#if defined(__x86_64__)
    CHECK(fails(crashing_kernel(nowhere + "(float32*)0x7ff8123456780000ull;\nq[0] = 2;"), items) ==
          "k failed on cpu at item 43: SIGSEGV: a pointer that is no address: k:3:6\n  q[0] = 2;\n       ^");
#endif
    // What was written is there, and the kernel can be launched again.
    crashing_kernel("p[item] = item;")(items, a);
    items.stream.synchronize();
    CHECK(list_of(target.fetch(a))[99] == 99);
  });
}

#if defined(__x86_64__)
TEST_CASE("crash: instructions that the processor refuses") {
  on_cpu_alone([](const Target& target) {
    CHECK(crash_of(target, crashing_ufunc("asm volatile(\"ud2\");\nreturn a;")) ==
          "k failed on cpu: SIGILL: an instruction that this processor does not have, or __builtin_trap(): k:1:1\n  asm "
          "volatile(\"ud2\");\n  ^");
    CHECK(crash_of(target,
                   crashing_ufunc("int32 q = 7;\nint32 r = a - 3;\nasm volatile(\"cltd; idivl %1\" : \"+a\"(q) : \"r\"(r) : "
                                  "\"edx\");\nreturn q;"))
              .starts_with("k failed on cpu: SIGFPE: a division of integers by zero, or one whose result does not fit: k:3:1"));
  });
}
#endif

TEST_CASE("crash: several threads, and the calls after") {
  if (!has_cpu()) return;
  const Ufunc crashes = crashing_ufunc("if (a == 3) __builtin_trap();\nreturn a;");
  const Ufunc works = crashing_ufunc("return a + 1;");
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      const Array a = to_device(Array::full({300'000}, std::int32_t{3}), kiln::Device::cpu());
      for (int round = 0; round < 5; ++round) {
        try {
          (void)crashes(a);
        } catch (const DeviceError&) {
          ++failures;
        }
        if (works(a)[{299'999}].item<std::int32_t>() != 4) failures = -1000;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(failures == 20);
  CHECK(crashes(to_device(Array::full({10}, std::int32_t{5}), kiln::Device::cpu()))[{9}].item<std::int32_t>() == 5);
}
