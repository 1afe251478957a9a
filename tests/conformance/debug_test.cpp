// Debug mode: kernels that check themselves. The first fault is an error of the call with its place, the device goes on, and
// what bodies print is handed over.
#include <algorithm>
#include <cmath>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "devices.hpp"
#include "kiln/error.hpp"
#include "kiln/graph.hpp"
#include "kiln/gufunc.hpp"
#include "kiln/kernel.hpp"
#include "values.hpp"

using namespace conformance;
using kiln::Array;
using kiln::Debug;
using kiln::DType;
using kiln::Gufunc;
using kiln::RawKernel;
using kiln::Slice;
using kiln::Ufunc;

namespace {

constexpr Debug kOn{.on = true};

/// first, first + 1, …
Array counted(std::int64_t size, DType dtype = DType::int32, std::int32_t first = 0) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = first + static_cast<std::int32_t>(i);
  return Array::from(values).astype(dtype);
}

std::string name_of(const Target& target) {
  return target.device().is_cpu() ? "cpu" : to_string(target.device());
}

/// The first line of a fault's message, without the column, which NVRTC does not tell.
std::string without_column(const std::string& message, const std::string& place) {
  const std::string line = message.substr(0, message.find('\n'));
  const std::size_t at = line.rfind(place + ":");
  return at == std::string::npos ? line : line.substr(0, at + place.size());
}

Ufunc ufunc_of(const std::string& signature, const std::string& body, Debug debug = kOn) {
  return kiln::vectorize({.name = "k", .signatures = {signature}, .body = body, .compile = {.debug = debug}});
}

/// What is printed while it lives.
class Printed {
 public:
  Printed() {
    kiln::set_print([this](std::string_view text) {
      const std::lock_guard guard(mutex_);
      texts_.emplace_back(text);
    });
  }
  ~Printed() { kiln::set_print({}); }
  Printed(const Printed&) = delete;
  Printed& operator=(const Printed&) = delete;

  [[nodiscard]] std::vector<std::string> texts() const { return texts_; }

 private:
  std::mutex mutex_;
  std::vector<std::string> texts_;
};

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("debug: what compiles without it compiles with it") {
  const std::string functions = R"(
    template <class A, class B> auto quotient(A a, B b) -> decltype(a / b) { return a / b; }
    inline auto rest(int32 a, int32 b) -> decltype(a % b) { return a % b; }
    template <class T> using half_of = decltype(T() / 2);
    template <class T> half_of<T> halved(T x) { return x / 2; }
    struct shape {
      __noinline__ shape() {}
      virtual ~shape() {}
      virtual int32 area(int32 x) const = 0;
      virtual int32 sides() const { return 0; }
    };
    struct square : shape {
      int32 n;
      int32 area(int32 x) const override { return n * x; }
    };
    struct plate : square {
      int32 area(int32 x) const override { return n + x; }
      int32 sides() const override { return 4; }
    };
    __noinline__ inline int32 area_of(const shape& s, int32 x) { return s.area(x) + s.sides(); })";
  for (const bool on : {false, true}) {
    CAPTURE(on);
    const Ufunc ufunc =
        kiln::vectorize({.name = "k",
                         .signatures = {"int32(int32 a, int32 b)"},
                         .body = "square s; s.n = a; plate p; p.n = b;\n"
                                 "return quotient(a, b) + rest(a, b) + halved(a) + area_of(s, 2) + area_of(p, 3);",
                         .compile = {.functions = functions, .debug = {.on = on}}});
    on_every_device([&](const Target& target) {
      const Array a = target.place(counted(20, DType::int32, -5));
      const std::vector<std::int32_t> got =
          target.fetch(target.call(ufunc, {a, target.place(Array::full({20}, 7))})).to_vector<std::int32_t>();
      for (std::int32_t i = 0; i < 20; ++i) {
        const std::int32_t x = i - 5;
        CHECK(got[static_cast<std::size_t>(i)] == x / 7 + x % 7 + x / 2 + x * 2 + 7 + 3 + 4);
      }
    });
  }
}

TEST_CASE("debug: checks change no result") {
  on_every_device([](const Target& target) {
    const Array x = target.place(counted(60, DType::float32).reshape({3, 20}));
    const Array row = target.place(counted(20, DType::float32));
    const std::string body = "return a * 2 + floor(b) / 4 - int32(a) / 3 % 5;";
    const Ufunc checked = ufunc_of("float32(float32 a, float32 b)", body);
    const Ufunc plain = ufunc_of("float32(float32 a, float32 b)", body, {});
    for (const Array& operand : {x, x[{Slice{}, Slice{.step = -2}}], x.transpose().transpose()}) {
      const Array other = operand.shape()[1] == 20 ? row : row[{Slice{.step = 2}}];
      CHECK(list_of(target.fetch(target.call(checked, {operand, other}))) ==
            list_of(target.fetch(target.call(plain, {operand, other}))));
    }
    // Halves, bools and complex numbers are converted on their way; several dimensions.
    const Ufunc halves = ufunc_of("(float16 y, bool z) (float16 a, bool b)", "y = b ? a : -a; z = a > 3;");
    const auto outputs = target.outputs(
        halves, {x.astype(DType::float16)[{Slice{}, Slice{0, 3}}], target.place(Array::from<bool>({true, false, true}))});
    CHECK(list_of(target.fetch(outputs[0])) == std::vector<double>{0, -1, 2, 20, -21, 22, 40, -41, 42});
    CHECK(list_of(target.fetch(outputs[1])) == std::vector<double>{0, 0, 0, 1, 1, 1, 1, 1, 1});
  });
}

TEST_CASE("debug: a fault of an element is an error of the call, and the device goes on") {
  on_every_device([](const Target& target) {
    const std::string on = " on " + name_of(target);
    const Array x = target.place(counted(8));
    const Ufunc quotient = ufunc_of("int32(int32 a, int32 b)", "const int32 c = a % 3;\nreturn c + a / b;");
    const auto fails = [&](const Ufunc& ufunc, std::initializer_list<kiln::Arg> args) {
      return message_of<kiln::DeviceError>([&] { (void)target.fetch(target.call(ufunc, args)); });
    };
    const Array divisors = target.place(Array::from<std::int32_t>({1, 2, 3, 4, 5, 0, 7, 8}));
    const std::string message = fails(quotient, {x, divisors});
    CHECK(message ==
          "k failed" + on + " at item 5: division of integers by zero, 5 / 0: k:2:14\n  return c + a / b;\n               ^");
    CHECK(list_of(target.fetch(target.call(quotient, {x, 2}))) == std::vector<double>{0, 1, 3, 1, 3, 4, 3, 4});
    CHECK(without_column(fails(ufunc_of("int32(int32 a)", "a %= a - 7; return a;"), {x}), "k:1") ==
          "k failed" + on + " at item 7: division of integers by zero, 7 % 0: k:1");
    CHECK(without_column(fails(ufunc_of("int32(int32 a)", "\nassert(a < 6 || a == 7);\nreturn a;"), {x}), "k:2") ==
          "k failed" + on + " at item 6: assertion failed, a < 6 || a == 7: k:2");
    CHECK(fails(ufunc_of("float32(float32 a)", "return sqrt(6.5f - a);", {.nan = true}), {x.astype(DType::float32)}) ==
          "k failed" + on + " at item 7: the result is NaN");
    CHECK(without_column(
              fails(kiln::vectorize(
                        {.name = "k",
                         .signatures = {"int32(int32 a)"},
                         .body = "return half_of(a, a - 1);",
                         .compile = {.functions = "int32 half_of(int32 a, int32 b) {\n  return a / b;\n}", .debug = kOn}}),
                    {x}),
              "k.functions:2") == "k failed" + on + " at item 1: division of integers by zero, 1 / 0: k.functions:2");
  });
}

TEST_CASE("debug: shifts and conversions by Clang") {
  on_every_device(
      [](const Target& target) {
        const std::string on = " on " + name_of(target);
        const Array x = target.place(counted(33));
        const Ufunc shifted = ufunc_of("int32(int32 a)", "return 1 << a;");
        if (!shifted.compiled({x}, target.options()).entry.compiler.starts_with("Clang")) return;
        const auto fails = [&](const Ufunc& ufunc, const Array& array) {
          return message_of<kiln::DeviceError>([&] { (void)target.fetch(target.call(ufunc, {array})); });
        };
        CHECK(fails(shifted, x) ==
              "k failed" + on + " at item 32: shift by 32 of int32, which has 32 bits: k:1:10\n  return 1 << a;\n           ^");
        CHECK(without_column(fails(ufunc_of("int64(int64 a)", "return a >> (a - 1);"), target.place(counted(2, DType::int64))),
                             "k:1") == "k failed" + on + " at item 0: shift by -1 of int64, which has 64 bits: k:1");
        CHECK(
            without_column(fails(ufunc_of("int8(float64 a)", "return int8(a * 16);"), target.place(counted(9, DType::float64))),
                           "k:1") ==
            "k failed" + on + " at item 8: conversion of 128 from float64 to int8, which does not hold it: k:1");
        // kiln's own functions convert and shift as they like.
        const Ufunc functions = ufunc_of("float64(float64 a)", "return exp(a) + sin(a) + pow(a, 3.0) + rint(a) + erf(a);");
        CHECK_NOTHROW(target.fetch(target.call(functions, {target.place(Array::from<double>({1e300, -1e300, NAN, 1e10}))})));
      },
      {Mode::device});
}

TEST_CASE("debug: indices of the body's arrays by Clang") {
  on_every_device(
      [](const Target& target) {
        const std::string on = " on " + name_of(target);
        const Array x = target.place(counted(300));
        const Ufunc local = ufunc_of("int32(int32 a)", "int32 t[4] = {1, 2, 3, 4};\nt[a % 4] += a;\nreturn t[a / 64];");
        if (!local.compiled({x}, target.options()).entry.compiler.starts_with("Clang")) return;
        const auto fails = [&](const auto& ufunc, const Array& array) {
          return message_of<kiln::DeviceError>([&] { (void)target.fetch(target.call(ufunc, {array})); });
        };
        CHECK(fails(local, x) == "k failed" + on +
                                     " at item 256: index 4 of an array int32[4] is out of bounds (the first of 44 faults): "
                                     "k:3:8\n  return t[a / 64];\n         ^");
        // Below 0, the last array of a structure, in several dimensions, and a number.
        CHECK(without_column(fails(ufunc_of("int32(int32 a)",
                                            "struct { int32 n; int32 v[3]; } s = {1, {2, 3, 4}};\n"
                                            "return s.v[1 - a / 299 * 3];"),
                                   x),
                             "k:2") == "k failed" + on + " at item 299: index -2 of an array int32[3] is out of bounds: k:2");
        CHECK(without_column(
                  fails(ufunc_of("float64(int32 a)",
                                 "float64 t[4][5] = {};\nt[a & 3][a % 5] = 1;\nreturn t[a & 3][a == 298 ? 5 : a % 5];"),
                        x),
                  "k:3") == "k failed" + on + " at item 298: index 5 of an array float64[5] is out of bounds: k:3");
        // What an access beyond the array reads is another element, and what it writes another's: no other memory.
        const Ufunc mended = ufunc_of("int32(int32 a)", "int32 t[2] = {5, 6};\nreturn t[a];");
        const Array out = target.place(Array::zeros({3}, DType::int32));
        CHECK(message_of<kiln::DeviceError>([&] {
                (void)target.call(mended, {target.place(counted(3))}, {.out = {out}});
                target.wait();
              }) != "");
        const bool written = target.device().is_cpu() || target.mode() != Mode::host;
        if (written) CHECK(list_of(target.fetch(out)) == std::vector<double>{5, 6, 5});
        const kiln::Gufunc rows = kiln::guvectorize({.name = "k",
                                                     .layout = "(n)->(n)",
                                                     .signatures = {"void(int32[:] a, int32[:] r)"},
                                                     .body = "int32 t[8];\nfor (index i = 0; i < n; ++i) t[i] = a(i);\n"
                                                             "for (index i = 0; i < n; ++i) r(i) = t[i & 7];",
                                                     .compile = {.debug = kOn}});
        const auto run_rows = [&](const Array& array) {
          (void)target.fetch(rows({array}, kiln::GufuncOptions{.stream = target.options().stream}));
        };
        const auto row_fails = [&](const Array& array) { return message_of<kiln::DeviceError>([&] { run_rows(array); }); };
        CHECK(row_fails(x.reshape({30, 10}))
                  .find(": index 8 of an array int32[8] is out of bounds (the first of 60 faults): "
                        "k:2") != std::string::npos);
        CHECK_NOTHROW(run_rows(target.place(counted(8))));
        const kiln::RawKernel shared =
            kiln::kernel({.name = "k",
                          .signature = "void(int32* x)",
                          .body = "KILN_SHARED int32 t[64];\nt[thread.x + (block.x == 1 ? 1 : 0)] = 1;\nbarrier();\n"
                                  "x[item] = t[thread.x];",
                          .compile = {.debug = kOn}});
        const auto launch = [&](std::int64_t blocks) {
          shared({.grid = blocks, .block = 64, .stream = target.options().stream}, target.place(counted(300)));
          target.wait();
        };
        CHECK(without_column(message_of<kiln::DeviceError>([&] { launch(2); }), "k:2") ==
              "k failed" + on +
                  " at thread (63, 0, 0) of block (1, 0, 0): index 64 of an array int32[64] is out of bounds: k:2");
        CHECK_NOTHROW(launch(1));
        // Nothing has written what is read behind the barrier: the report of the index comes first.
        const auto beyond = [&](const std::string& declared, const std::string& to, const std::string& from) {
          const RawKernel none = kiln::kernel(
              {.name = "k",
               .signature = "void(int32* x)",
               .body = "KILN_SHARED int32 t" + declared + ";\nt" + to + " = thread.x;\nbarrier();\nx[grid(1)] = t" + from + ";",
               .compile = {.debug = kOn}});
          return message_of<kiln::DeviceError>([&] {
            none({.grid = 2, .block = 64, .stream = target.options().stream}, target.place(counted(128)));
            target.wait();
          });
        };
        for (const char* const index : {"[thread.x + 64]", "[int32(thread.x) - 69]", "[thread.x + 1000000]"}) {
          const std::string told = beyond("[64]", index, "[thread.x]");
          CAPTURE(told);
          CHECK(told.find(" of an array int32[64] is out of bounds (the first of 128 faults): k:2") != std::string::npos);
        }
        const std::string told = beyond("[8][8]", "[thread.x / 8][thread.x % 8 + 8]", "[thread.x / 8][thread.x % 8]");
        CAPTURE(told);
        CHECK(told.find(" of an array int32[8] is out of bounds (the first of 128 faults): k:2") != std::string::npos);
      },
      {Mode::device});
}

TEST_CASE("debug: indices of std::array by every compiler") {
  on_every_device([](const Target& target) {
    const Array x = target.place(counted(300));
    const auto run = [&](const std::string& body) {
      (void)target.fetch(target.call(ufunc_of("int32(int32 a)", "std::array<int32, 4> t{};\n" + body), {x}));
    };
    const auto fails = [&](const std::string& body) {
      return without_column(message_of<kiln::DeviceError>([&] { run(body); }), "k:2");
    };
    const auto message = [&](const std::string& what) {
      return "k failed on " + name_of(target) + " at item " + what + " elements is out of bounds: k:2";
    };
    CHECK(fails("t[a == 7 ? 4 : a & 3] = 2; return t[0];") == message("7: index 4 of a std::array of 4"));
    CHECK(fails("return t[(a & 3) - (a == 8 ? 4 : 0)];") == message("8: index -4 of a std::array of 4"));
    CHECK(fails("constexpr std::array<int32, 2> u{5, 6}; constexpr int32 v = u[1]; return v + u.at(a / 299 * 2);") ==
          message("299: index 2 of a std::array of 2"));
    CHECK(fails("std::array<std::array<int32, 3>, 2> m{}; return m[a & 1][a == 5 ? 3 : a % 3] + t[a & 3];") ==
          message("5: index 3 of a std::array of 3"));
    CHECK_NOTHROW(run("const auto [p, q, r, s] = t; return p + q + r + s + std::get<3>(t) + t[a & 3];"));
  });
}

TEST_CASE("debug: where a check fails, what is computed in place is computed once") {
  on_every_device([](const Target& target) {
    const std::string on = " on " + name_of(target);
    constexpr std::int64_t kCount = 9'001;
    constexpr std::int64_t kBad = 7'123;
    const Ufunc doubled = ufunc_of("int32(int32 a)", "const int32 y = 2 * a;\nassert(y != 14246);\nreturn y;");
    const auto values = [&](std::int32_t from) {
      std::vector<double> list(static_cast<std::size_t>(kCount));
      for (std::size_t i = 0; i < list.size(); ++i) list[i] = 2 * (static_cast<double>(i) + from);
      return list;
    };
    const auto in_place = [&](const Array& x) { (void)target.call(doubled, {x}, {.out = {x}}); };
    // Where a call fails, host arrays are not written from a GPU.
    const bool written = target.device().is_cpu() || target.mode() != Mode::host;
    const Array x = target.place(counted(kCount));
    CHECK(without_column(message_of<kiln::DeviceError>([&] {
                           in_place(x);
                           target.wait();
                         }),
                         "k:2") ==
          "k failed" + on + " at item " + std::to_string(kBad) + ": assertion failed, y != 14246: k:2");
    if (written) CHECK(list_of(target.fetch(x)) == values(0));
    const Array fine = target.place(counted(kCount, DType::int32, 8'000));
    in_place(fine);
    CHECK(list_of(target.fetch(fine)) == values(8'000));
    // Every other element.
    const Array all = target.place(counted(400));
    const Array even = all[{Slice{.step = 2}}];
    const Ufunc cut = ufunc_of("int32(int32 a)", "if (a % 100 == 98) assert(a != 298);\nreturn int32(a * 0.5) - 1;");
    CHECK(message_of<kiln::DeviceError>([&] {
            (void)target.call(cut, {even}, {.out = {even}});
            target.wait();
          }).find(" at item 149: assertion failed, a != 298") != std::string::npos);
    if (written) CHECK(list_of(target.fetch(all[{Slice{296, 300}}])) == std::vector<double>{147, 297, 148, 299});
  });
}

TEST_CASE("debug: bodies that do more than compute run once for each element") {
  on_every_device([](const Target& target) {
    const Array x = target.place(counted(70));
    const auto prints = ufunc_of("int32(int32 a)", "assert(a != 40);\nif (a >= 69) print(\"{}\", a);\nreturn a;");
    const Printed printed;
    CHECK(message_of<kiln::DeviceError>([&] { (void)target.fetch(target.call(prints, {x})); }).find(" at item 40: ") !=
          std::string::npos);
    CHECK(printed.texts() == Texts{"69"});
    // Checks that Clang finds to hold.
    const auto holds = ufunc_of("int32(int32 a)", "assert(1 < 2);\nif (a >= 68) print(\"{}\", a);\nreturn a + (1 << 24);");
    CHECK(list_of(target.fetch(target.call(holds, {x})))[69] == (1 << 24) + 69);
    CHECK(printed.texts() == Texts{"69", "68", "69"});
    const auto with = [](const std::string& functions, const std::string& body) {
      return kiln::vectorize(
          {.name = "k", .signatures = {"int32(int32 a)"}, .body = body, .compile = {.functions = functions, .debug = kOn}});
    };
    if (!target.device().is_cpu()) return;
    // Checks of a function that calls itself.
    const Ufunc sum =
        with("int32 sum_to(int32 n) {\n  assert(n < 60);\n  return n <= 0 ? 0 : n + sum_to(n - 1);\n}", "return sum_to(a);");
    const std::string message = message_of<kiln::DeviceError>([&] { (void)target.fetch(target.call(sum, {x})); });
    CHECK(message.find(" at item 60: assertion failed, n < 60 (the first of 55 faults)") != std::string::npos);
    CHECK(list_of(target.fetch(target.call(sum, {x[{Slice{0, 5}}]}))) == std::vector<double>{0, 1, 3, 6, 10});
    const Ufunc count = with("int32 calls = 0;", "assert(a >= 0);\nreturn ++calls;");
    // By one thread: two would take their parts in any order.
    const auto counted_by_one = [&] { return list_of(target.fetch(count(x, {.device = kiln::Device::cpu({.threads = 1})}))); };
    const std::vector<double> counts = counted_by_one();
    CHECK(counts[69] == counts[0] + 69);
    CHECK(counted_by_one()[0] == counts[69] + 1);
  });
}

TEST_CASE("debug: a team that shares more than its definition declares") {
  on_every_device([](const Target& target) {
    const auto run = [&](const std::string& shared, std::int64_t n) {
      const Gufunc gufunc =
          kiln::guvectorize({.name = "k",
                             .layout = "(n)->(n)",
                             .signatures = {"void(T[:] x, T[:] y)"},
                             .group = "32",
                             .shared = shared,
                             .body = "T* a = shared<T>(n);\nT* b = shared<T>(lanes);\n"
                                     "for (index i = lane; i < n; i += lanes) a[i] = x(i);\nb[lane] = 1;\nsync();\n"
                                     "for (index i = lane; i < n; i += lanes) y(i) = a[n - 1 - i] * b[lane];",
                             .compile = {.debug = kOn}});
      return target.fetch(gufunc({target.place(counted(n, DType::float32).reshape({1, n}))},
                                 kiln::GufuncOptions{.stream = target.options().stream}));
    };
    const auto message = [&](const std::string& shared) {
      return without_column(message_of<kiln::DeviceError>([&] { (void)run(shared, 50); }), "k:2");
    };
    for (const char* enough : {"T[n], T[lanes]", "float32[n + 2], float32[lanes]", "uint8[4 * n + 8 + 4 * lanes]", ""}) {
      CAPTURE(std::string(enough));
      const Array y = run(enough, 50);
      for (std::int64_t i = 0; i < 50; ++i) CHECK(y.as<float>()[i] == static_cast<float>(49 - i));
    }
    const std::string begin =
        "k failed on " + name_of(target) + " at item 0: shared<T>() asks for 128 bytes, and the team has ";
    const std::string end = " left; declare more in .shared (the first of 32 faults): k:2";
    CHECK(message("T[n]") == begin + "0" + end);
    CHECK(message("T[n], T[lanes - 4]") == begin + "112" + end);
  });
}

TEST_CASE("debug: a block that shares more than its launch gives") {
  static const RawKernel kernel = kiln::kernel({.name = "k",
                                                .signature = "void(int32[:] y)",
                                                .body = "int32* a = shared<int32>(24);\nint32* b = shared<int32>(8);\n"
                                                        "a[thread.x] = 1;\nsync();\nif (thread.x < 8) b[thread.x] = 2;\n"
                                                        "sync();\ny[item] = a[0];",
                                                .compile = {.debug = kOn}});
  on_every_device([](const Target& target) {
    if (target.device().kind() == kiln::DeviceKind::hip) return;  // whose processors do not tell how much there is
    const auto run = [&](std::int64_t bytes) {
      kernel({.grid = 1, .block = 16, .shared_bytes = bytes, .stream = target.options().stream},
             target.place(Array::zeros({16}, DType::int32)));
      target.wait();
    };
    run(128);
    CHECK(without_column(message_of<kiln::DeviceError>([&] { run(112); }), "k:2") ==
          "k failed on " + name_of(target) +
              " at thread (0, 0, 0) of block (0, 0, 0): shared<T>() asks for 32 bytes, and the block has 16 left; give more "
              ".shared_bytes (the first of 16 faults): k:2");
  });
}

TEST_CASE("debug: the first access out of a gufunc's views") {
  on_every_device([](const Target& target) {
    const std::string on = " on " + name_of(target);
    const auto fails = [&](const std::string& signature, const std::string& layout, const std::string& body,
                           const Array& array) {
      const Gufunc gufunc = kiln::guvectorize(
          {.name = "k", .layout = layout, .signatures = {signature}, .body = body, .compile = {.debug = kOn}});
      return message_of<kiln::DeviceError>(
          [&] { (void)target.fetch(gufunc({target.place(array)}, kiln::GufuncOptions{.stream = target.options().stream})); });
    };
    const Array x = counted(24, DType::float32);
    CHECK(without_column(fails("void(float32[:] a, float32[:] b)", "(n)->(n)",
                               "for (index i = 0; i < n; ++i) {\n  b(i) = a(i) + a[i + 1];\n}", x.reshape({1, 24})),
                         "k:2") == "k failed" + on + " at item 0: index 24 of a is out of bounds, its shape is (24,): k:2");
    CHECK(without_column(
              fails("void(float32[:,:] a, float32[:] b)", "(m,n)->(n)",
                    "for (index i = 0; i < n; ++i) b(i) = 0;\nif (a(0, 0) == 12) b(n - 5) = a(1, 2);", x.reshape({2, 3, 4})),
              "k:2") == "k failed" + on + " at item 1: index -1 of b is out of bounds, its shape is (4,): k:2");
    CHECK(without_column(fails("void(float32[:,:] a, float32[:] b)", "(m,n)->()", "b(0) = a(2, n);", x.reshape({1, 4, 6})),
                         "k:1") ==
          "k failed" + on + " at item 0: index (2, 6) of a is out of bounds, its shape is (4, 6): k:1");
    CHECK(without_column(fails("void(float32[:,:] a, float32[:] b)", "(m,n)->()", "auto r = a.row(m);\nb(0) = r(0) + r[1];",
                               x.reshape({1, 4, 6})),
                         "k:1") ==
          "k failed" + on + " at item 0: index 4 of a is out of bounds, its shape is (4,) (the first of 3 faults): k:1");
    // Elements that are converted on their way, too.
    CHECK(without_column(
              fails("void(float16[:] a, float16[:] b)", "(n)->(n)", "b(0) = a(0);\nb(n) = a(0);", x.astype(DType::float16)),
              "k:2") == "k failed" + on + " at item 0: index 24 of b is out of bounds, its shape is (24,): k:2");
  });
}

TEST_CASE("debug: bit-fields and elements of other views as indices") {
  on_every_device([](const Target& target) {
    const Gufunc k = kiln::guvectorize({.name = "k",
                                        .layout = "(n)->(n)",
                                        .signatures = {"void(int16[:] a, int16[:] b)"},
                                        .body = "struct { int32 low : 3; uint32 high : 5; } at{2, 1};\nb(at.low) = "
                                                "a[at.high];\nb[a(0)] = a(b(2));\nb(3) = a(at.high + "
                                                "20);",
                                        .compile = {.debug = kOn}});
    const std::string message = message_of<kiln::DeviceError>([&] {
      (void)target.fetch(k({target.place(counted(8, DType::int16))}, kiln::GufuncOptions{.stream = target.options().stream}));
    });
    CHECK(without_column(message, "k:4") ==
          "k failed on " + name_of(target) + " at item 0: index 21 of a is out of bounds, its shape is (8,): k:4");
  });
}

TEST_CASE("debug: the first access out of a raw kernel's arrays") {
  on_every_device([](const Target& target) {
    const std::string on = " on " + name_of(target);
    const kiln::Stream stream = target.options().stream;
    const Array x = target.place(counted(20));
    const auto fails = [&](const std::string& body, kiln::LaunchOptions options) {
      options.stream = stream;
      const RawKernel kernel = kiln::kernel(
          {.name = "k", .signature = "void(const int32[:] x, int32[:] y)", .body = body, .compile = {.debug = kOn}});
      const Array y = target.place(Array::zeros({10}, DType::int32));
      const std::string message = message_of<kiln::DeviceError>([&] { kernel(options, x, y); });
      // The others did their work.
      CHECK(list_of(target.fetch(y))[0] == 1);
      return message;
    };
    if (target.device().is_cpu() || target.mode() != Mode::host) {
      CHECK(without_column(fails("y[item] = x[item] + 1;", {.size = 11}), "k:1") ==
            "k failed" + on + " at item 10: index 10 of y is out of bounds, its shape is (10,): k:1");
      CHECK(without_column(fails("const index i = grid(1);\natomic_add(&y[i], x[i] + 1);", {.grid = 3, .block = 4}), "k:2") ==
            "k failed" + on +
                " at thread (2, 0, 0) of block (2, 0, 0): index 10 of y is out of bounds, its shape is (10,) (the first of 2 "
                "faults): k:2");
    }
  });
}

TEST_CASE("debug: what bodies print") {
  on_every_device([](const Target& target) {
    const Ufunc k = ufunc_of("float32(int32 a)", "if (a % 50 == 0) print(\"{}: {:.3f} {}\", a, a / 7.0, a > 60);\nreturn a;");
    const Printed printed;
    (void)target.fetch(target.call(k, {target.place(counted(200))}));
    CHECK(printed.texts() == Texts{"0: 0.000 false", "50: 7.143 false", "100: 14.286 true", "150: 21.429 true"});
  });
  on_every_device(
      [](const Target& target) {
        const RawKernel all = kiln::kernel(
            {.name = "all",
             .signature = "void(complex64 z, float16 h, uint8 b, int64 i, uint64 u, complex128 w)",
             .body = "print(\"{} {} {} {} {} {} {{}}\", z, h, b, i, u, w);\nprint(\"plain\");\nprint(\"{} {}\", 1);",
             .compile = {.debug = kOn}});
        const Printed printed;
        all({.size = 1,
             .stream = target.options().stream.is_default() ? kiln::Stream(target.device()) : target.options().stream},
            std::complex<float>(1, -2.5F), 0.5F, 200, -5, ~std::uint64_t{0}, std::complex<double>(0.1, 3));
        CHECK(printed.texts() == Texts{"(1-2.5j) 0.5 200 -5 18446744073709551615 (0.1+3j) {}", "plain",
                                       "{} {} (print: argument not found for 1 values)"});
      },
      {Mode::stream});
}

TEST_CASE("debug: prints are bounded") {
  on_every_device(
      [](const Target& target) {
        const Ufunc k = ufunc_of("int32(int32 a)", "print(\"{}\", a);\nreturn a;");
        const Printed printed;
        (void)target.fetch(target.call(k, {target.place(counted(10'000))}));
        const Texts texts = printed.texts();
        REQUIRE(texts.size() > 100);
        CHECK(texts.back() == "k: " + std::to_string(10'000 - (texts.size() - 1)) + " more prints, for which there is no room");
        // The next call has all the room again.
        const Printed again;
        (void)target.fetch(target.call(k, {target.place(counted(2))}));
        CHECK(again.texts() == Texts{"0", "1"});
      },
      {Mode::device});
}

TEST_CASE("debug: elements that a mask leaves out are not computed") {
  on_every_device([](const Target& target) {
    const Array x = target.place(counted(6));
    const Array where = target.place(Array::from<bool>({false, true, true, false, true, true}));
    const Ufunc k = ufunc_of("int32(int32 a)", "return 12 / (a % 3);");
    CHECK(list_of(target.fetch(target.call(k, {x}, {.where = where}))) == std::vector<double>{0, 12, 6, 0, 12, 6});
    const Array out = target.place(counted(6));
    (void)target.call(k, {x}, {.out = {out}, .where = where});
    CHECK(list_of(target.fetch(out)) == std::vector<double>{0, 12, 6, 3, 12, 6});
  });
}

TEST_CASE("debug: methods and reductions") {
  on_every_device([](const Target& target) {
    const Ufunc k = ufunc_of("int32(int32 a, int32 b)", "assert(b != 5);\nreturn a + b;");
    const Array x = target.place(counted(8));
    CHECK(message_of<kiln::DeviceError>([&] {
            (void)target.fetch(k.reduce(x, reduce_on(target)));
          }).find("assertion failed, b != 5") != std::string::npos);
    CHECK(target.fetch(k.reduce(x[{Slice{0, 5}}], reduce_on(target))).item<std::int32_t>() == 10);
    CHECK(list_of(target.fetch(k.accumulate(x[{Slice{0, 5}}], accumulate_on(target)))) == std::vector<double>{0, 1, 3, 6, 10});
  });
}

TEST_CASE("debug: accumulate and at") {
  on_every_device([](const Target& target) {
    const bool cpu = target.device().is_cpu();
    const std::string on = " on " + name_of(target);
    const Ufunc k = ufunc_of("int32(int32 a, int32 b)", "assert(b != 1200);\nreturn a + b;");
    // Each element once, whatever lies beside it: faults are counted.
    const auto accumulated = [&](const Array& x, int axis) {
      kiln::AccumulateOptions options = accumulate_on(target);
      options.axis = axis;
      return message_of<kiln::DeviceError>([&] { (void)target.fetch(k.accumulate(x, options)); });
    };
    const Array line = target.place(counted(1300));
    const Array plane = line.reshape({13, 100});
    const std::string failed = ": assertion failed, b != 1200";
    for (const auto& [array, axis, item] : {std::tuple{line, 0, 1200}, {plane.transpose(), 1, 12}, {plane, 0, 12}}) {
      const std::string message = accumulated(array, axis);
      if (cpu) CHECK(message.starts_with("k failed" + on + " at item " + std::to_string(item) + failed + ": k:1:"));
      CHECK(message.find(failed) != std::string::npos);
    }
    const auto put = [&](const Array& x, const Array& at, const Array& value) {
      return message_of<kiln::DeviceError>([&] {
        k.at(x, at, value, {.stream = target.options().stream});
        target.wait();
      });
    };
    const Array sums = target.place(Array::zeros({8}, DType::int32));
    std::vector<std::int32_t> indices(1300);
    for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<std::int32_t>(i % 8);
    const std::string message = put(sums, target.place(Array::from(indices)), line);
    if (cpu) CHECK(message.starts_with("k failed" + on + " at item 1200" + failed + ": k:1:"));
    CHECK(message.find(failed) != std::string::npos);
    if (cpu) CHECK(list_of(target.fetch(sums))[1] == 163 * 649);
  });
}

TEST_CASE("debug: calls of one kernel from several threads") {
  on_every_device(
      [](const Target& target) {
        const Ufunc k = ufunc_of("int32(int32 a, int32 b)", "return a / b;");
        std::vector<std::thread> threads;
        std::vector<int> faults(4);
        for (int t = 0; t < 4; ++t) {
          threads.emplace_back([&, t] {
            for (int call = 0; call < 5; ++call) {
              try {
                (void)target.fetch(target.call(k, {target.place(counted(100)), t % 2}));
              } catch (const kiln::DeviceError& error) {
                if (std::string(error.what()).find("(the first of 100 faults)") != std::string::npos)
                  ++faults[static_cast<std::size_t>(t)];
              }
            }
          });
        }
        for (std::thread& thread : threads) thread.join();
        CHECK(faults == std::vector<int>{5, 0, 5, 0});
      },
      {Mode::device});
}

TEST_CASE("debug: graphs run such kernels one by one") {
  on_every_device(
      [](const Target& target) {
        const Ufunc k = ufunc_of("int32(int32 a, int32 b)", "return a / b;");
        const Array x = target.place(counted(8));
        const Array by = target.place(Array::from<std::int32_t>({1}));
        const Array out = target.place(Array::zeros({8}, DType::int32));
        const kiln::Stream stream = target.options().stream;
        const kiln::Graph graph = kiln::capture(stream, [&] { (void)k({x, by}, {.out = {out}, .stream = stream}); });
        graph.launch();
        target.wait();
        CHECK(list_of(target.fetch(out))[7] == 7);
        by[{0}].fill(0);
        CHECK(message_of<kiln::DeviceError>([&] {
                graph.launch();
                stream.synchronize();
              }).find("division of integers by zero") != std::string::npos);
      },
      {Mode::stream});
}

TEST_CASE("debug: kernels of their own in the cache") {
  on_every_device(
      [](const Target& target) {
        const Array x = target.place(counted(4));
        const auto kernel = [&](Debug debug) {
          return ufunc_of("int32(int32 a)", "return a / (a + 1);", debug).compiled({x}, target.options());
        };
        const auto plain = kernel({});
        const auto checked = kernel(kOn);
        CHECK(plain.entry.id != checked.entry.id);
        CHECK(plain.entry.id == kernel({}).entry.id);
        CHECK(kernel({.nan = true}).entry.id != checked.entry.id);
        CHECK(plain.key.find("\"debug\":") == std::string::npos);  // an option of Clang's may have the word
        CHECK(checked.key.find("\"debug\":true") != std::string::npos);
        CHECK(checked.entry.variant.ends_with(", debug"));
        CHECK(plain.source.find("debug") == std::string::npos);
      },
      {Mode::device});
}

TEST_CASE("debug: print and assert without it") {
  on_every_device(
      [](const Target& target) {
        const Array x = target.place(counted(4));
        CHECK(list_of(target.fetch(target.call(ufunc_of("int32(int32 a)", "assert(a > 100);\nreturn a;", {}), {x}))) ==
              std::vector<double>{0, 1, 2, 3});
        const std::string message = message_of<kiln::CompileError>(
            [&] { (void)target.call(ufunc_of("int32(int32 a)", "print(\"{}\", a);\nreturn a;", {}), {x}); });
        const bool told =
            message.find("print() needs .compile = {.debug = {.on = true}}, or KILN_DEBUG=1") != std::string::npos ||
            message.find("only_in_debug_mode") != std::string::npos;
        CHECK_MESSAGE(told, message);
        // A name of the user's own is the user's.
        const Ufunc own = kiln::vectorize({.name = "k",
                                           .signatures = {"int32(int32 a)"},
                                           .body = "return print(a);",
                                           .compile = {.functions = "int32 print(int32 a) { return 2 * a; }"}});
        CHECK(list_of(target.fetch(target.call(own, {x}))) == std::vector<double>{0, 2, 4, 6});
      },
      {Mode::device});
}

TEST_CASE(
    "debug: what a function that is not inlined reports has its item, and prints beside a check that cannot fail stay in "
    "order") {
  on_every_device([](const Target& target) {
    const Array x = target.place(counted(4096, DType::float32));
    const auto helped = [](Debug debug) {
      return kiln::vectorize(
          {.name = "k",
           .signatures = {"float32(float32 x)"},
           .body = "return h(x);",
           .compile = {.functions = "__attribute__((noinline)) KILN_FN float32 h(float32 x) {\n  assert(x != 2001);\n  "
                                    "return x * 2;\n}\n",
                       .debug = debug}});
    };
    for (const Debug debug : {kOn, Debug{.nan = true}}) {
      const Ufunc ufunc = helped(debug);
      for (int call = 0; call < 2; ++call) {
        const std::string message = message_of<kiln::DeviceError>([&] { (void)target.fetch(target.call(ufunc, {x})); });
        CHECK_MESSAGE(message.find(" at item 2001: assertion failed, x != 2001: ") != std::string::npos, message);
      }
    }
    const Printed printed;
    const Ufunc prints = ufunc_of(
        "int32(int32 a)", "const int32 three = 3;\nassert(three == 3);\nif (a % 4 == 0) print(\"{}\", a);\nreturn a >> 2;");
    (void)target.fetch(target.call(prints, {target.place(counted(2048))}));
    Texts expected;
    for (int i = 0; i < 2048; i += 4) expected.push_back(std::to_string(i));
    CHECK(printed.texts() == expected);
  });
}

TEST_CASE("debug: running results that are NaN") {
  on_every_device([](const Target& target) {
    const Ufunc roots = ufunc_of("float32(float32 a, float32 b)", "return a + sqrt(b);", {.nan = true});
    const Array x = target.place(Array::from<float>({1, 4, 9, -1, 4}));
    const std::string message = message_of<kiln::DeviceError>([&] { (void)target.fetch(roots.accumulate(x)); });
    CHECK_MESSAGE(message.find("the result is NaN") != std::string::npos, message);
  });
}
