// Bodies whose loops all items leave in the same iteration, and whose branches some items alone take.
#include <cstdint>
#include <string>
#include <vector>

#include "devices.hpp"

using namespace conformance;
using kiln::Array;

namespace {

/// What the branch does, and its result.
struct Change {
  const char* text;
  std::int64_t (*of)(std::int64_t r, std::int64_t v);
};
constexpr Change kChanges[] = {
    {"r = 7 % v;", [](std::int64_t, std::int64_t v) { return v == 0 ? 0 : 7 % v; }},
    {"r = 90 / v;", [](std::int64_t, std::int64_t v) { return v == 0 ? 0 : 90 / v; }},
    {"const T table[4] = {3, 9, 4, 1}; r = table[v & 3];",
     [](std::int64_t, std::int64_t v) {
       constexpr std::int64_t kTable[] = {3, 9, 4, 1};
       return kTable[v & 3];
     }},
    {"r = called(v);", [](std::int64_t, std::int64_t v) { return v * v + 1; }},
    {"for (int32 j = 0; j < 5; ++j) r = r * v % 90 + j;",
     [](std::int64_t r, std::int64_t v) {
       for (std::int64_t j = 0; j < 5; ++j) r = r * v % 90 + j;
       return r;
     }},
};

/// A loop that its first statement alone leaves.
constexpr const char* kLoop = R"(
template <class T> [[gnu::noinline]] T called(T v) { return v * v + 1; }
template <class T> T changed(T r, T v) {
  for (int32 k = 1;; ++k) {
    switch (k & 7) {
      case 2: if (r < v) { CHANGE } break;
      case 4: return r + T(k);
      default: break;
    }
  }
})";
std::int64_t changed(const Change& change, std::int64_t r, std::int64_t v) {
  return (r < v ? change.of(r, v) : r) + 4;
}

struct Body {
  const char* text;
  std::int64_t (*of)(const Change& change, std::int64_t v);
};
constexpr Body kBodies[] = {
    {"return changed(T(0), v);", [](const Change& change, std::int64_t v) { return changed(change, 0, v); }},
    {"T r = 0; for (int32 j = 0; j < int32(v & 3); ++j) r = changed(r, v); return r;",
     [](const Change& change, std::int64_t v) {
       std::int64_t r = 0;
       for (std::int64_t j = 0; j < (v & 3); ++j) r = changed(change, r, v);
       return r;
     }},
};

}  // namespace

TEST_CASE("lanes: all items leave a loop together, after a branch that some of them take") {
  on_every_device([](const Target& target) {
    for (const Change& change : kChanges) {
      std::string functions = kLoop;
      functions.replace(functions.find("CHANGE"), 6, change.text);
      for (const Body& body : kBodies) {
        CAPTURE(functions);
        CAPTURE(std::string(body.text));
        const kiln::Ufunc ufunc = kiln::vectorize({.name = "f",
                                                   .signatures = {"T(T v) where T: int16, int32, uint64"},
                                                   .body = body.text,
                                                   .compile = {.functions = functions}});
        std::vector<std::int64_t> numbers;
        std::vector<std::int64_t> expected;
        for (std::int64_t i = 0; i < 301; ++i) {
          numbers.push_back(i * i % 9);
          expected.push_back(body.of(change, numbers.back()));
        }
        for (const kiln::DType dtype : {kiln::DType::int16, kiln::DType::int32, kiln::DType::uint64}) {
          CAPTURE(kiln::name(dtype));
          const Array result = target.fetch(target.call(ufunc, {target.place(Array::from(numbers).astype(dtype))}));
          CHECK(result.astype(kiln::DType::int64).to_vector<std::int64_t>() == expected);
        }
      }
    }
  });
}
