// Functions of kernels on emulated devices, by the public interface: structures by value, pointers, virtual functions.
#include <doctest/doctest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "kiln/ufunc.hpp"

namespace {

using namespace kiln;

/// What a ufunc gives on the device for items 0, 1, …
std::vector<std::int64_t> on_device(const Device& device, const char* functions, const char* body) {
  const Ufunc f = vectorize({.name = "f", .signatures = {"int64(int32 i)"}, .body = body, .compile = {.functions = functions}});
  std::vector<std::int32_t> items(100);
  std::iota(items.begin(), items.end(), 0);
  return f(to_device(Array::from(items), device)).copy_to_host().to_vector<std::int64_t>();
}
template <class Of>
std::vector<std::int64_t> each_item(const Of& of) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < 100; ++i) all.push_back(of(i));
  return all;
}

}  // namespace

TEST_CASE("emulated: structures by value, into functions that are not inlined and out of them") {
  const Device device = Device::emulated("sm_90");
  CHECK(on_device(device,
                  "struct big { int64 v[8]; };\n"
                  "__attribute__((noinline)) static int64 at(big b, int32 k) { return b.v[k & 7]; }\n",
                  "big b; for (int32 k = 0; k < 8; ++k) b.v[k] = int64(i) * 10 + k; return at(b, i);") ==
        each_item([](std::int64_t i) { return i * 10 + i % 8; }));
  CHECK(on_device(device,
                  "struct big { int64 v[8]; };\n"
                  "__attribute__((noinline)) static big changed(big b, int32 k) { b.v[k & 7] += 1000; return b; }\n"
                  "__attribute__((noinline)) static int64 sum(const big& b) { int64 s = 0; for (int64 v : b.v) s = s * 3 + v; "
                  "return s; }\n",
                  "big b; for (int32 k = 0; k < 8; ++k) b.v[(k + i) & 7] = k; const big c = changed(b, i); "
                  "return sum(c) - sum(b);") == each_item([](std::int64_t i) {
          std::int64_t place = 1000;
          for (std::int64_t k = i % 8; k < 7; ++k) place *= 3;
          return place;
        }));
  CHECK(on_device(device,
                  "struct mixed { float32 x; int8 c; int16 d; };\n"
                  "__attribute__((noinline)) static mixed make(int32 k) { return {k * 2.5f, int8(k), int16(-3 * k)}; }\n"
                  "__attribute__((noinline)) static int64 take(mixed m) { return int64(m.x * 2) + m.c * 100 + m.d * 10000; }\n",
                  "return take(make(i));") == each_item([](std::int64_t i) { return 5 * i + 100 * i - 30000 * i; }));
}

TEST_CASE("emulated: functions by pointers, from tables and structures") {
  const Device device = Device::emulated("sm_90");
  const auto expected = each_item([](std::int64_t i) { return i % 3 == 0 ? i + 1 : i % 3 == 1 ? 2 * i : i * i; });
  const std::string functions =
      "__attribute__((noinline)) static int32 inc(int32 x) { return x + 1; }\n"
      "__attribute__((noinline)) static int32 dbl(int32 x) { return 2 * x; }\n"
      "__attribute__((noinline)) static int32 sqr(int32 x) { return x * x; }\n"
      "using function = int32 (*)(int32);\n";
  CHECK(on_device(device, (functions + "constexpr function table[] = {inc, dbl, sqr};\n").c_str(), "return table[i % 3](i);") ==
        expected);
  CHECK(on_device(device, functions.c_str(), "const function f = i % 3 == 0 ? inc : i % 3 == 1 ? dbl : sqr; return f(i);") ==
        expected);
  CHECK(on_device(device,
                  (functions + "#pragma pack(push, 1)\nstruct row { char tag; function f; };\n#pragma pack(pop)\n"
                               "constexpr row rows[] = {{1, inc}, {2, dbl}, {3, sqr}};\n")
                      .c_str(),
                  "return rows[i % 3].f(i) * (rows[i % 3].tag == i % 3 + 1);") == expected);
  CHECK(on_device(device,
                  "struct shape { int32 k; int32 one(int32 x) { return x + k; } int32 two(int32 x) { return x * k; } };\n"
                  "using method = int32 (shape::*)(int32);\nconstexpr method methods[] = {&shape::one, &shape::two};\n",
                  "shape s{i}; return (s.*methods[i & 1])(3);") ==
        each_item([](std::int64_t i) { return i % 2 == 0 ? i + 3 : i * 3; }));
}

TEST_CASE("emulated: virtual functions") {
  const Device device = Device::emulated("sm_90");
  CHECK(on_device(device,
                  "struct shape { virtual int32 area(int32 x) const { return x; } };\n"
                  "struct square : shape { int32 a; square(int32 a) : a(a) {} int32 area(int32 x) const override "
                  "{ return a * a + x; } };\n"
                  "struct oblong : shape { int32 a, b; oblong(int32 a, int32 b) : a(a), b(b) {} int32 area(int32 x) const "
                  "override { return a * b - x; } };\n"
                  "__attribute__((noinline)) static int32 measured(const shape& s, int32 x) { return s.area(x); }\n",
                  "square s(i); oblong o(i, 3); shape t;\n"
                  "const shape* all[] = {&s, &o, &t}; return measured(*all[i % 3], i);") == each_item([](std::int64_t i) {
          return i % 3 == 0 ? i * i + i : i % 3 == 1 ? i * 3 - i : i;
        }));
}
