// Small structures that a body's functions take and give by value, and that loops carry: against the same functions in plain
// C++. Numbers are integers of few bits, which every dtype has exactly.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "devices.hpp"

using namespace conformance;
using kiln::Array;

namespace {

// In a kernel these are kiln's.
using int8 = std::int8_t;
using uint8 = std::uint8_t;
using int16 = std::int16_t;
using int32 = std::int32_t;
using int64 = std::int64_t;
using float32 = float;
using float64 = double;

struct Structure {
  const char* text;
  int32 (*of)(int32 v, int32 n);
};

/// What the kernel computes of `S`, `of`, `step` and `sum`: in lanes, thus inlined.
#define KILN_TEST_RUN                                                 \
  __attribute__((always_inline)) inline int32 run(int32 v, int32 n) { \
    S a = of(v), b = of(n);                                           \
    for (int32 i = 0; i < n + 3; ++i) {                               \
      a = step(a, b);                                                 \
      if (sum(a) > 60) break;                                         \
      if (i & 1) b = v & 2 ? step(b, a) : of(i);                      \
    }                                                                 \
    return sum(a) * 4 + sum(b);                                       \
  }
#define KILN_TEST_TEXT(...) #__VA_ARGS__
#define KILN_TEST_TEXT_OF(...) KILN_TEST_TEXT(__VA_ARGS__)
/// The text as a namespace and as a kernel's functions.
#define KILN_TEST_STRUCTURE(name, ...) \
  namespace name {                     \
  __VA_ARGS__ KILN_TEST_RUN            \
  }                                    \
  constexpr Structure k_##name{KILN_TEST_TEXT_OF(__VA_ARGS__ KILN_TEST_RUN), name::run};

// clang-format off
KILN_TEST_STRUCTURE(two_floats, struct S { float32 x, y; };
  inline S of(int32 v) { return {float32(v), float32(v + 1)}; }
  inline S step(S a, S b) { return {a.y + b.x, a.x - 1}; }
  inline int32 sum(S a) { return int32(a.x + 3 * a.y); })
KILN_TEST_STRUCTURE(three_floats, struct S { float32 x, y, z; };
  inline S of(int32 v) { return {float32(v), float32(v + 1), -1}; }
  inline S step(S a, S b) { return {a.y + b.x, a.z - b.y, a.x + 1}; }
  inline int32 sum(S a) { return int32(a.x + 3 * a.y - a.z); })
KILN_TEST_STRUCTURE(four_floats, struct S { float32 x, y, z, w; };
  inline S of(int32 v) { return {float32(v), float32(v + 1), -1, 2}; }
  inline S step(S a, S b) { return {a.y + b.x, a.z - b.y, a.w + 1, a.x}; }
  inline int32 sum(S a) { return int32(a.x + 3 * a.y - a.z + 2 * a.w); })
KILN_TEST_STRUCTURE(two_doubles, struct S { float64 x, y; };
  inline S of(int32 v) { return {float64(v), float64(v + 1)}; }
  inline S step(S a, S b) { return {a.y + b.x, a.x - 1}; }
  inline int32 sum(S a) { return int32(a.x + 3 * a.y); })
KILN_TEST_STRUCTURE(two_integers, struct S { int32 x, y; };
  inline S of(int32 v) { return {v, v - 9}; }
  inline S step(S a, S b) { return {a.y + b.x, a.x - 1}; }
  inline int32 sum(S a) { return a.x + 3 * a.y; })
KILN_TEST_STRUCTURE(three_integers, struct S { int32 x, y, z; };
  inline S of(int32 v) { return {v, v - 9, 4}; }
  inline S step(S a, S b) { return {a.y + b.x, a.z - 1, a.x}; }
  inline int32 sum(S a) { return a.x + 3 * a.y - a.z; })
KILN_TEST_STRUCTURE(four_shorts, struct S { int16 x, y, z, w; };
  inline S of(int32 v) { return {int16(v), int16(v - 9), 4, -3}; }
  inline S step(S a, S b) { return {int16(a.y + b.x), int16(a.z - 1), int16(a.w + 1), a.x}; }
  inline int32 sum(S a) { return a.x + 3 * a.y - a.z + 2 * a.w; })
KILN_TEST_STRUCTURE(float_and_integer, struct S { float32 t; int32 k; };
  inline S of(int32 v) { return {float32(v), v - 9}; }
  inline S step(S a, S b) { return {float32(a.k) + b.t, int32(a.t) - 1}; }
  inline int32 sum(S a) { return int32(a.t) + 3 * a.k; })
KILN_TEST_STRUCTURE(float_and_bool, struct S { float32 t; bool hit; };
  inline S of(int32 v) { return {float32(v), (v & 1) != 0}; }
  inline S step(S a, S b) { return {a.t + (b.hit ? 3.0F : b.t), !a.hit}; }
  inline int32 sum(S a) { return int32(a.t) + (a.hit ? 7 : 0); })
KILN_TEST_STRUCTURE(byte_and_integer, struct S { int8 a; int32 b; };
  inline S of(int32 v) { return {int8(v - 5), v}; }
  inline S step(S a, S b) { return {int8(a.b + b.a), a.a + 1}; }
  inline int32 sum(S a) { return a.a + 3 * a.b; })
KILN_TEST_STRUCTURE(long_and_float, struct S { int64 a; float32 b; };
  inline S of(int32 v) { return {v, float32(v - 5)}; }
  inline S step(S a, S b) { return {a.a - b.a, float32(a.a) + b.b}; }
  inline int32 sum(S a) { return int32(a.a) + int32(3 * a.b); })
KILN_TEST_STRUCTURE(array_of_floats, struct S { float32 a[3]; };
  inline S of(int32 v) { return {{float32(v), float32(v + 1), -1}}; }
  inline S step(S a, S b) { S r = a; for (int32 i = 0; i < 3; ++i) r.a[i] = a.a[(i + 1) % 3] + b.a[i] - 1; return r; }
  inline int32 sum(S a) { return int32(a.a[0] + 3 * a.a[1] - a.a[2]); })
KILN_TEST_STRUCTURE(nested, struct Inner { float32 t; int32 k; }; struct S { Inner inner; float32 w; };
  inline Inner swapped(Inner a) { return {float32(a.k), int32(a.t)}; }
  inline S of(int32 v) { return {{float32(v), v - 9}, 2}; }
  inline S step(S a, S b) { return {swapped(b.inner), a.inner.t + a.w - 4}; }
  inline int32 sum(S a) { return int32(a.inner.t + a.w) + 3 * a.inner.k; })
KILN_TEST_STRUCTURE(of_an_array, struct S { float32 x, y; int32 k; };
  inline S of(int32 v) { return {float32(v), float32(v + 1), v}; }
  inline S turned(S a) { return {a.y, a.x - 1, a.k + 1}; }
  inline S step(S a, S b) { S both[2] = {a, b}; both[b.k & 1] = turned(both[a.k & 1]); return turned(both[0]); }
  inline int32 sum(S a) { return int32(a.x + 3 * a.y) + a.k; })
// Bytes of a union that are none of its first member's.
KILN_TEST_STRUCTURE(unions, struct Parts { int8 a; int32 b; }; union S { Parts parts; uint8 bytes[8]; };
  inline S of(int32 v) { S r = {{0, 0}}; for (int32 i = 0; i < 8; ++i) r.bytes[i] = uint8(v + i); return r; }
  inline S step(S a, S b) { S r = a; for (int32 i = 0; i < 8; ++i) r.bytes[i] = uint8((a.bytes[(i + 1) & 7] ^ b.bytes[i]) & 15); return r; }
  inline int32 sum(S a) { int32 r = 0; for (int32 i = 0; i < 8; ++i) r += a.bytes[i] * (i - 3); return r; })
KILN_TEST_STRUCTURE(not_inlined, struct S { float32 x, y, z; };
  inline S of(int32 v) { return {float32(v), float32(v + 1), -1}; }
  __attribute__((noinline)) inline S step(S a, S b) { return {a.y + b.x, a.z - b.y, a.x + 1}; }
  __attribute__((noinline)) inline int32 sum(S a) { return int32(a.x + 3 * a.y - a.z); })
// clang-format on

}  // namespace

TEST_CASE("locals: structures that are passed by value and carried through loops") {
  std::vector<std::int32_t> v;
  std::vector<std::int32_t> n;
  for (std::int32_t i = 0; i < 301; ++i) {
    v.push_back(i * i % 9);
    n.push_back(i * 5 % 11);
  }
  on_every_device([&](const Target& target) {
    for (const Structure& each : {k_two_floats, k_three_floats, k_four_floats, k_two_doubles, k_two_integers, k_three_integers,
                                  k_four_shorts, k_float_and_integer, k_float_and_bool, k_byte_and_integer, k_long_and_float,
                                  k_array_of_floats, k_nested, k_of_an_array, k_unions, k_not_inlined}) {
      // To functions of PTX Clang passes the numbers of a union's first member alone.
      if (each.of == k_unions.of && !target.device().is_cpu()) continue;
      CAPTURE(std::string(each.text));
      const kiln::Ufunc ufunc = kiln::vectorize({.name = "f",
                                                 .signatures = {"int32(int32 v, int32 n)"},
                                                 .body = "return run(v, n);",
                                                 .compile = {.functions = each.text}});
      std::vector<std::int32_t> expected;
      for (std::size_t i = 0; i < v.size(); ++i) expected.push_back(each.of(v[i], n[i]));
      const Array result = target.fetch(target.call(ufunc, {target.place(Array::from(v)), target.place(Array::from(n))}));
      CHECK(result.to_vector<std::int32_t>() == expected);
    }
  });
}
