// .compile.debug.race: races of raw kernels on the CPU, whose threads of a block then wait for one another, and of ufuncs with
// raw outputs. On GPUs it is plain debug mode.
#include <doctest/doctest.h>
#include <kiln/error.hpp>
#include <kiln/kernel.hpp>
#include <kiln/ufunc.hpp>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "devices.hpp"

using namespace std::chrono_literals;
using conformance::message_of, conformance::Mode, conformance::on_every_device, conformance::Target;
using kiln::Array, kiln::DType, kiln::LaunchOptions, kiln::RawKernel;

namespace {

constexpr const char* kView = "void(int32[:] x)";
constexpr const char* kPointer = "void(int32* x)";

RawKernel racing(const std::string& signature, const std::string& body, const std::string& functions = "") {
  return kiln::kernel(
      {.name = "k", .signature = signature, .body = body, .compile = {.functions = functions, .debug = {.race = true}}});
}

Array zeros(const Target& target, const kiln::Shape& shape = {64}, DType dtype = DType::int32) {
  return target.place(Array::zeros(shape, dtype));
}

template <class Body>
void on_the_cpu(Body body, std::initializer_list<Mode> modes = {Mode::host}) {
  on_every_device(
      [&](const Target& target) {
        if (target.device().is_cpu()) body(target);
      },
      modes);
}

std::string failure(const Target& target, const RawKernel& kernel, LaunchOptions options, const Array& x) {
  options.stream = target.options().stream;
  return message_of<kiln::DeviceError>([&] { kernel(options, x); });
}
std::string failure(const Target& target, const RawKernel& kernel, LaunchOptions options) {
  return failure(target, kernel, std::move(options), zeros(target));
}

/// That it runs without a fault, and what it leaves.
std::vector<double> result(const Target& target, const RawKernel& kernel, LaunchOptions options, const Array& x) {
  options.stream = target.options().stream;
  kernel(options, x);
  return conformance::list_of(target.fetch(x));
}

std::string first_line(const std::string& message) {
  return message.substr(0, message.find('\n'));
}

}  // namespace

TEST_CASE("race: a counter that all threads increment") {
  on_the_cpu(
      [](const Target& target) {
        const RawKernel counter = kiln::kernel({.name = "thread_counter_race_condition",
                                                .signature = "void(int32[:] global_counter)",
                                                .body = "global_counter[0] += 1;  // This is bad",
                                                .compile = {.debug = {.race = true}}});
        CHECK(failure(target, counter, {.grid = 4, .block = 4}) ==
              "thread_counter_race_condition failed on cpu at thread (1, 0, 0) of block (0, 0, 0): race on element 0 of "
              "global_counter, which it reads: thread (0, 0, 0) of block (0, 0, 0) wrote it at "
              "thread_counter_race_condition:1:19, and no barrier stands between (the first of 30 faults): "
              "thread_counter_race_condition:1:19\n"
              "  global_counter[0] += 1;  // This is bad\n"
              "                    ^");
        const RawKernel atomic = racing(kView, "atomic_add(&x[0], 1);\natomic_max(x.data() + 1, int32(item));");
        const Array x = zeros(target, {2});
        CHECK(result(target, atomic, {.grid = 4, .block = 4}, x) == std::vector<double>{16, 15});
      },
      {Mode::host, Mode::device, Mode::stream});
}

TEST_CASE("race: both lines are told where they differ") {
  on_the_cpu([](const Target& target) {
    const RawKernel k = racing("void(float32[:,:] x)",
                               "const auto [j, i] = grid(2);\nconst float32 other = x(j, i);\nx(i, j) = other + i - j + 1;");
    CHECK(
        failure(target, k, {.grid = {2, 2}, .block = {4, 2}}, zeros(target, {8, 8}, DType::float32)) ==
        "k failed on cpu at thread (0, 1, 0) of block (0, 0, 0): race on element (0, 1) of x, which it reads: thread (1, 0, 0) "
        "of block (0, 0, 0) wrote it at k:3:9, and no barrier stands between (the first of 12 faults): k:2:23\n"
        "  const float32 other = x(j, i);\n"
        "                        ^\n"
        "k:3:9\n"
        "  x(i, j) = other + i - j + 1;\n"
        "          ^");
  });
}

TEST_CASE("race: by pointers, strided views and items, between blocks, in functions") {
  on_the_cpu([](const Target& target) {
    const RawKernel halves = racing(kPointer, "x[item / 2] = item;");
    const std::string one = "k failed on cpu at thread (1, 0, 0) of block (0, 0, 0): race on element 0 of x, which it writes: ";
    CHECK(first_line(failure(target, halves, {.grid = 1, .block = 2})) ==
          one + "thread (0, 0, 0) of block (0, 0, 0) wrote it at k:1:13, and no barrier stands between: k:1:13");
    CHECK(
        first_line(failure(target, halves, {.size = 2})) ==
        "k failed on cpu at item 1: race on element 0 of x, which it writes: item 0 wrote it at k:1:13, and nothing orders the "
        "two: k:1:13");
    const RawKernel viewed = racing(kView, "x[3 + item / 2] = item;");
    CHECK(
        first_line(failure(target, viewed, {.grid = 2}, zeros(target)[{kiln::Slice{.step = -3}}])) ==
        "k failed on cpu at thread (0, 0, 0) of block (1, 0, 0): race on element 3 of x, which it writes: thread (0, 0, 0) of "
        "block (0, 0, 0) wrote it at k:1:17, and nothing orders the two: k:1:17");
    // A barrier is between threads of a block alone.
    CHECK(
        first_line(failure(target, racing(kView, "x[thread.x] = block.x;\nbarrier();"), {.grid = 2, .block = 2})) ==
        "k failed on cpu at thread (0, 0, 0) of block (1, 0, 0): race on element 0 of x, which it writes: thread (0, 0, 0) of "
        "block (0, 0, 0) wrote it at k:1:13, and nothing orders the two (the first of 2 faults): k:1:13");
    const std::string functions =
        "int32 count;\n__attribute__((noinline)) int32 next(int32* own) {\n  *own += 1;\n  return ++count;\n}";
    CHECK(
        first_line(
            failure(target, racing(kView, "int32 own[2] = {};\nx[item] = next(&own[item % 2]);", functions), {.size = 4})) ==
        "k failed on cpu at item 1: race on count, which it reads: item 0 wrote it at k.functions:4:10, and nothing orders the "
        "two (the first of 6 faults): k.functions:4:10");
    const RawKernel included =
        kiln::kernel({.name = "k",
                      .signature = kView,
                      .body = "put(&x[1], item);",
                      .compile = {.preamble = "#include \"put.hpp\"",
                                  .headers = {{"put.hpp", "inline void put(int32* p, int32 v) {\n  *p = v;\n}"}},
                                  .debug = {.race = true}}});
    CHECK(failure(target, included, {.size = 2}) ==
          "k failed on cpu at item 1: race on element 1 of x, which it writes: item 0 wrote it at put.hpp:2:6, and nothing "
          "orders "
          "the two: put.hpp:2:6\n    *p = v;\n       ^");
  });
}

TEST_CASE("race: elements of every type, and those next to each other") {
  on_the_cpu([](const Target& target) {
    for (const DType dtype : {DType::bool_, DType::int8, DType::int16, DType::float16, DType::float32, DType::int64,
                              DType::float64, DType::complex64, DType::complex128}) {
      INFO(name(dtype));
      const std::string type = std::string(name(dtype));
      const RawKernel own = racing("void(" + type + "[:] x)", "x[item] = " + type + "(item % 2);\nx[item] = x[item];");
      CHECK_NOTHROW(own({.size = 32}, zeros(target, {32}, dtype)));
      const RawKernel next =
          racing("void(" + type + "[:] x)", "x[item] = " + type + "(item % 3);\nbarrier();\nx[item] = x[(item + 1) % 32];");
      CHECK(first_line(failure(target, next, {.grid = 1, .block = 32}, zeros(target, {32}, dtype))).find("race on element ") !=
            std::string::npos);
    }
  });
}

TEST_CASE("race: what is none") {
  on_the_cpu([](const Target& target) {
    // All write what is there, all read what atomic operations change.
    CHECK(result(target, racing(kView, "x[0] = 1;"), {.grid = 2, .block = 2}, zeros(target, {1})) == std::vector<double>{1});
    CHECK_NOTHROW(racing(kView, "atomic_add(&x[0], 1);\nif (x[0] < 0) x[1] = 2;")({.grid = 2, .block = 2}, zeros(target)));
    CHECK_NOTHROW(
        racing(kView, "const int32 sum = x[0] + x[1];\nif (sum < 0) x[0] = 1;")({.grid = 9, .block = 3}, zeros(target)));
    // Memory of the thread's own, whose address others take.
    const std::string functions =
        "__attribute__((noinline)) void fill(int32* p, int32 v) { for (int i = 0; i < 9; ++i) p[i] = v; }";
    CHECK_NOTHROW(racing(kView, "int32 own[9];\nfill(own, item);\nx[item] = own[item % 9];", functions)({.grid = 8, .block = 8},
                                                                                                        zeros(target)));
  });
}

TEST_CASE("race: a write hides none of those before it that it was not ordered behind") {
  on_the_cpu([](const Target& target) {
    const LaunchOptions block{.grid = 1, .block = 4};
    for (const char* const body :
         {"KILN_SHARED int32 any;\nany = 0;\nif (item == 3) any = 1;\nbarrier();\nx[item] = any;",
          "x[0] = 1;\nif (item == 3) x[0] = 7;", "atomic_add(&x[0], 1);\nif (item == 3) x[0] = 100;"}) {
      CAPTURE(body);
      CHECK(first_line(failure(target, racing(kView, body), block)).find(": race on ") != std::string::npos);
    }
    CHECK_NOTHROW(racing(kView, "x[0] = 1;\nbarrier();\nif (item == 3) x[0] = 7;")(block, zeros(target)));
  });
}

TEST_CASE("race: fills, and shared memory of functions that are in no namespace") {
  on_the_cpu([](const Target& target) {
    const LaunchOptions block{.grid = 2, .block = 4};
    CHECK_NOTHROW(racing(kView, "KILN_SHARED int32 s[64];\n__builtin_memset(s, 0, sizeof s);\nbarrier();\nx[item] = s[item];")(
        block, zeros(target)));
    CHECK(failure(target, racing(kView, "__builtin_memset(&x[0], thread.x, 4);"), block).find("race on element 0 of x") !=
          std::string::npos);
    const std::string reverse =
        "extern \"C\" int reverse(int v, unsigned t) {\n  KILN_SHARED int32 s[4];\n  barrier();\n  s[t] = v;\n  barrier();\n"
        "  return s[3 - t];\n}\n";
    CHECK(result(target, racing(kView, "x[item] = reverse(int32(item), thread.x);", reverse), block, zeros(target, {8})) ==
          std::vector<double>{3, 2, 1, 0, 7, 6, 5, 4});
    // Loops there can be stopped as well.
    const std::string endless = "extern \"C\" int endless(int v) {\n  while (v != 77) v = v * 2 + 1;\n  return v;\n}\n";
    LaunchOptions stopped = block;
    stopped.timeout = 20ms;
    stopped.stream = target.options().stream;
    const Array x = zeros(target);
    CHECK_THROWS_AS(racing(kView, "x[item] = endless(2);", endless)(stopped, x), kiln::Stopped);
  });
}

TEST_CASE("race: threads of a block share memory and wait for one another") {
  on_the_cpu(
      [](const Target& target) {
        const std::string reverse = "KILN_SHARED int32 tile[2][4];\ntile[thread.y][thread.x] = item;\n";
        const std::string rest = "x[item] = tile[1 - thread.y][3 - thread.x];";
        CHECK(result(target, racing(kView, reverse + "barrier();\n" + rest), {.grid = 2, .block = {4, 2}},
                     zeros(target, {16})) == std::vector<double>{7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8});
        CHECK(failure(target, racing(kView, reverse + rest), {.grid = 2, .block = {4, 2}}) ==
              "k failed on cpu at thread (0, 1, 0) of block (0, 0, 0): race on element (1, 0) of tile, which it writes: thread "
              "(3, "
              "0, 0) of block (0, 0, 0) read it at k:3:11, and no barrier stands between (the first of 16 faults): k:2:26\n"
              "  tile[thread.y][thread.x] = item;\n"
              "                           ^\n"
              "k:3:11\n"
              "  x[item] = tile[1 - thread.y][3 - thread.x];\n"
              "            ^");
        const std::string dynamic = "auto* tile = KILN_DYNAMIC_SHARED(int32);\ntile[thread.x] = item;\n";
        const std::string back = "x[item] = tile[3 - thread.x];";
        const LaunchOptions options{.grid = 2, .block = 4, .shared_bytes = 16};
        CHECK(result(target, racing(kView, dynamic + "barrier();\n" + back), options, zeros(target, {8})) ==
              std::vector<double>{3, 2, 1, 0, 7, 6, 5, 4});
        CHECK(first_line(failure(target, racing(kView, dynamic + back), options)) ==
              "k failed on cpu at thread (2, 0, 0) of block (0, 0, 0): race on byte 8 of the dynamic shared memory, which it "
              "writes: thread (1, 0, 0) of block (0, 0, 0) read it at k:3:11, and no barrier stands between (the first of 8 "
              "faults): k:2:16");
      },
      {Mode::host, Mode::stream});
}

TEST_CASE("race: barriers in loops and functions") {
  on_the_cpu([](const Target& target) {
    const std::string sum = R"(KILN_SHARED int64 sum[128];
sum[thread.x] = item;
barrier();
for (uint32 s = block_size.x / 2; s > 0; s /= 2) {
  if (thread.x < s) sum[thread.x] += sum[thread.x + s];
  BARRIER;
}
if (thread.x == 0) x[block.x] = sum[0];)";
    const auto with = [&](const std::string& barrier) {
      std::string body = sum;
      return racing(kView, body.replace(body.find("BARRIER"), 7, barrier));
    };
    CHECK(result(target, with("barrier()"), {.grid = 3, .block = 128}, zeros(target, {3})) ==
          std::vector<double>{8128, 24512, 40896});
    CHECK(failure(target, with(""), {.grid = 3, .block = 128}).find("element (") == std::string::npos);
    CHECK(failure(target, with(""), {.grid = 3, .block = 128}).find("race on element ") != std::string::npos);
    const std::string functions =
        "int32 from_left(int32 v, int32 t) {\n  KILN_SHARED int32 all[4];\n  barrier();\n  all[t] = v;\n"
        "  barrier();\n  return all[t > 0 ? t - 1 : 3];\n}";
    CHECK(result(target, racing(kView, "x[item] = from_left(from_left(item, thread.x), thread.x);", functions),
                 {.grid = 2, .block = 4}, zeros(target, {8})) == std::vector<double>{2, 3, 0, 1, 6, 7, 4, 5});
  });
}

TEST_CASE("race: a barrier that some threads do not reach") {
  on_the_cpu([](const Target& target) {
    CHECK(failure(target, racing(kView, "if (thread.x == 2) return;\n  barrier();\nx[item] = 1;"), {.grid = 2, .block = 4}) ==
          "k failed on cpu at thread (0, 0, 0) of block (0, 0, 0): barrier that thread (2, 0, 0) of block (0, 0, 0) does not "
          "reach "
          "(the first of 2 faults): k:2:3\n"
          "    barrier();\n"
          "    ^");
    CHECK(first_line(
              failure(target, racing(kView, "for (uint32 i = 0; i <= thread.x; ++i) barrier();"), {.grid = 1, .block = 3})) ==
          "k failed on cpu at thread (1, 0, 0) of block (0, 0, 0): barrier that thread (0, 0, 0) of block (0, 0, 0) does not "
          "reach "
          "(the first of 2 faults): k:1:40");
  });
}

TEST_CASE("race: the other checks, prints, and calls that are stopped") {
  on_the_cpu([](const Target& target) {
    const RawKernel out = racing(kView, "barrier();\nx[item] = 1;");
    CHECK(first_line(failure(target, out, {.grid = 2, .block = 40})) ==
          "k failed on cpu at thread (24, 0, 0) of block (1, 0, 0): index 64 of x is out of bounds, its shape is (64,) (the "
          "first of "
          "16 faults): k:2:3");
    CHECK(result(target, out, {.grid = 1, .block = 4}, zeros(target, {4})) == std::vector<double>(4, 1));
    CHECK(out.compiled({.grid = 1}, zeros(target)).entry.variant == "blocks, race, debug");
    const RawKernel endless = racing(kView, "while (x[0] == 0) barrier();");
    CHECK(message_of<kiln::Stopped>([&] { endless({.grid = 2, .block = 4, .timeout = 20ms}, zeros(target)); }) ==
          "k: stopped: it took longer than its .timeout of 20 ms; its outputs are partly written");
    CHECK(message_of<kiln::DeviceError>([&] { out({.grid = 1, .block = {64, 32}}, zeros(target, {2048})); }) ==
          "k: .block has 2048 threads, of which at most 1024 wait at a barrier() on the CPU; give a smaller .block");
    CHECK(result(target, out, {.grid = 1, .block = 1024}, zeros(target, {1024}))[1023] == 1);
    // Without barriers a block may be larger, and what the threads have of their own, too.
    const RawKernel large =
        racing(kView, "volatile int32 own[100000];\nown[item % 100000] = item;\nx[item] = own[item % 100000];");
    CHECK(result(target, large, {.grid = 1, .block = {64, 32}}, zeros(target, {2048}))[2047] == 2047);
  });
}

TEST_CASE("race: a thread that crashes ends alone") {
  on_the_cpu([](const Target& target) {
    const RawKernel k = racing(kView, "barrier();\nif (thread.x == 2) *(volatile int32*)8 = 1;\nbarrier();\nx[item] = 1;");
    const Array x = zeros(target, {8});
    CHECK(first_line(failure(target, k, {.grid = 2, .block = 4}, x)) ==
          "k failed on cpu at thread (2, 0, 0) of block (0, 0, 0): SIGSEGV: memory at 0x8 is not the program's, by a null "
          "pointer "
          "(the first of 4 faults): k:2:40");
    CHECK(conformance::list_of(target.fetch(x)) == std::vector<double>{1, 1, 0, 1, 1, 1, 0, 1});
    CHECK(first_line(failure(target,
                             racing(kView, "barrier();\nx[item] = deeper(item);",
                                    "int32 deeper(int32 n) {\n  volatile int32 own[64] = {n};\n  return n < 0 ? own[1] "
                                    ": deeper(n + 1) + own[0];\n}"),
                             {.grid = 1, .block = 4}, x))
              .find("at thread (0, 0, 0) of block (0, 0, 0): the stack is full") != std::string::npos);
  });
}

TEST_CASE("race: elements of a ufunc that write one element of a raw output") {
  const auto define = [](const std::string& signature, const std::string& body) {
    return kiln::vectorize(
        {.name = "histogram", .signatures = {signature}, .body = body, .compile = {.debug = {.race = true}}});
  };
  const kiln::Ufunc plain = define("(raw int32 counts)(int32 x)", "counts[x] += 1;");
  const kiln::Ufunc atomic = define("(raw int32 counts)(int32 x)", "atomic_add(&counts[x], 1);\natomicMax(&counts[5], 4);");
  on_the_cpu(
      [&](const Target& target) {
        const Array x = target.place(Array::from<std::int32_t>({3, 1, 3, 0, 3}));
        const auto message = [&](const kiln::Ufunc& ufunc, const Array& counts) {
          return message_of<kiln::DeviceError>([&] { target.call(ufunc, {x}, {.out = counts}); });
        };
        CHECK(message(plain, zeros(target, {6})) ==
              "histogram failed on cpu at item 2: race on element 3 of counts, which it reads: item 0 wrote it at "
              "histogram:1:11, and nothing orders the two (the first of 4 faults): histogram:1:11\n"
              "  counts[x] += 1;\n"
              "            ^");
        CHECK(first_line(message(plain, zeros(target, {12})[{kiln::Slice{.step = -2}}])) ==
              "histogram failed on cpu at item 2: race on element 3 of counts, which it reads: item 0 wrote it at "
              "histogram:1:11, and nothing orders the two (the first of 4 faults): histogram:1:11");
        const Array counts = zeros(target, {6});
        target.call(atomic, {x}, {.out = counts});
        CHECK(conformance::list_of(target.fetch(counts)) == std::vector<double>{1, 1, 0, 3, 0, 4});
        CHECK(atomic.compiled({x}, {.out = counts}).entry.variant.find("race") != std::string::npos);
      },
      {Mode::host, Mode::stream});
}

TEST_CASE("race: elements of a ufunc that read what another writes, and those that do not race") {
  const auto define = [](const std::string& signature, const std::string& body, const std::string& functions = "") {
    return kiln::vectorize(
        {.name = "k", .signatures = {signature}, .body = body, .compile = {.functions = functions, .debug = {.race = true}}});
  };
  on_the_cpu([&](const Target& target) {
    const Array x = target.place(Array::from<float>({1, 2, 3, 4, 5, 6}).reshape({2, 3}));
    const auto result = [&](const kiln::Ufunc& ufunc, const Array& out, kiln::CallOptions options = {}) {
      options.out = out;
      target.call(ufunc, {x}, options);
      return conformance::list_of(target.fetch(out));
    };
    const kiln::Ufunc running =
        define("(raw float32 y)(float32 x)", "index i = index();\ny(i / 3, i % 3) = x;\nif (i > 3) x = y[i - 1];\ny[i] += x;");
    CHECK(
        message_of<kiln::DeviceError>([&] { result(running, zeros(target, {3, 2}, DType::float32).transpose()); }) ==
        "k failed on cpu at item 4: race on element (1, 0) of y, which it reads: item 3 wrote it at k:4:6, and nothing orders "
        "the two (the first of 2 faults): k:3:16\n"
        "  if (i > 3) x = y[i - 1];\n"
        "                 ^\n"
        "k:4:6\n"
        "  y[i] += x;\n"
        "       ^");
    // Elements of their own, also by functions, beside one that each reads, and where a mask leaves the others out.
    const kiln::Ufunc own = define("(float32 r, raw float32 y, raw float32 z)(float32 x)",
                                   "put(&y[index()], x);\nfloat32 seen[2] = {y[index()], z[0]};\nr = sum(seen, 2);",
                                   "__attribute__((noinline)) void put(float32* p, float32 v) { *p = v; }\n"
                                   "__attribute__((noinline)) float32 sum(const float32* p, int n) {\n"
                                   "  float32 s = 0;\n  for (int i = 0; i < n; ++i) s += p[i];\n  return s;\n}");
    const Array r = zeros(target, {2, 3}, DType::float32), y = zeros(target, {6}, DType::float32);
    target.outputs(own, {x}, {.out = {r, y, target.place(Array::full({1}, 7.0F))}});
    CHECK(conformance::list_of(target.fetch(r)) == std::vector<double>{8, 9, 10, 11, 12, 13});
    CHECK(conformance::list_of(target.fetch(y)) == std::vector<double>{1, 2, 3, 4, 5, 6});
    const kiln::Ufunc first = define("(raw float32 y)(float32 x)", "y[0] = x;");
    const Array mask = target.place(Array::from<bool>({false, false, false, true, false, false}).reshape({2, 3}));
    CHECK(result(first, zeros(target, {1}, DType::float32), {.where = mask}) == std::vector<double>{4});
    CHECK(first_line(message_of<kiln::DeviceError>([&] { result(first, zeros(target, {1}, DType::float32)); })) ==
          "k failed on cpu at item 1: race on element 0 of y, which it writes: item 0 wrote it at k:1:6, and nothing orders "
          "the two (the first of 5 faults): k:1:6");
    // Other checks, and those that crash: the others go on.
    const kiln::Ufunc bounds = define("(raw float32 y)(float32 x)", "y[index(x)] = x;\nif (x == 2) *(volatile int32*)8 = 1;");
    const Array kept = zeros(target, {6}, DType::float32);
    CHECK(first_line(message_of<kiln::DeviceError>([&] { result(bounds, kept); })).find("SIGSEGV: memory at 0x8") !=
          std::string::npos);
    CHECK(conformance::list_of(target.fetch(kept)) == std::vector<double>{0, 1, 2, 3, 4, 5});
    const kiln::Ufunc endless = define("(raw float32 y)(float32 x)", "while (y[0] == 0) y[1] = x;");
    CHECK_THROWS_AS(result(endless, zeros(target, {2}, DType::float32), {.timeout = 20ms}), kiln::Stopped);
  });
}

TEST_CASE("race: KILN_DEBUG decides when a ufunc is defined") {
  setenv("KILN_DEBUG", "race", 1);
  const kiln::Ufunc raced = kiln::vectorize("(raw int32 y)(int32 x)", "y[0] = x;");
  unsetenv("KILN_DEBUG");
  const kiln::Ufunc plain = kiln::vectorize("(raw int32 y)(int32 x)", "y[0] = x;");
  on_the_cpu([&](const Target& target) {
    const Array x = target.place(Array::from<std::int32_t>({1, 2}));
    CHECK(first_line(message_of<kiln::DeviceError>([&] { target.call(raced, {x}, {.out = zeros(target, {1})}); })) ==
          "kernel failed on cpu at item 1: race on element 0 of y, which it writes: item 0 wrote it at kernel:1:6, and nothing "
          "orders the two: kernel:1:6");
    CHECK_NOTHROW(target.call(plain, {x}, {.out = zeros(target, {1})}));
  });
}

TEST_CASE("race: plain debug mode elsewhere") {
  on_every_device(
      [](const Target& target) {
        if (!target.device().is_cpu()) {
          const Array x = zeros(target, {8});
          const RawKernel k =
              racing(kView, "KILN_SHARED int32 tile[4];\ntile[thread.x] = item;\nbarrier();\nx[item] = tile[3 - thread.x];");
          CHECK(result(target, k, {.grid = 2, .block = 4}, x) == std::vector<double>{3, 2, 1, 0, 7, 6, 5, 4});
          CHECK(failure(target, k, {.grid = 3, .block = 4}, x).find("index 8 of x is out of bounds") != std::string::npos);
        }
        const kiln::Ufunc half = kiln::vectorize({.name = "half",
                                                  .signatures = {"int32(int32 a, int32 b)"},
                                                  .body = "return a / b;",
                                                  .compile = {.debug = {.race = true}}});
        const Array x = zeros(target, {8});
        CHECK(conformance::list_of(target.fetch(target.call(half, {x, 2}))) == std::vector<double>(8, 0));
        CHECK(message_of<kiln::DeviceError>([&] {
                (void)target.fetch(target.call(half, {x, 0}));
              }).find("division of integers by zero") != std::string::npos);
      },
      {Mode::device});
}
