// Arrays too large for the caches: on the CPU their results are stored past them, in whole lines, with a rest; on several
// threads.
#include <bit>
#include <cmath>

#include "devices.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Slice;

namespace {

// Three float32 arrays of this size are 115 MB, beyond lib/kiln/ufunc/tuning.hpp's bound; the last line is a partial one.
constexpr std::int64_t kLargeElements = 9'600'013;

float x_at(std::int64_t i) {
  return static_cast<float>(i % 8191) * 0.25F - 700.0F;
}
float y_at(std::int64_t i) {
  return static_cast<float>(i % 1021) * 1.5F + 3.0F;
}

Array filled(std::int64_t n, float (*value)(std::int64_t)) {
  Array array = Array::empty({n}, DType::float32);
  auto* values = array.as<float>();
  for (std::int64_t i = 0; i < n; ++i) values[i] = value(i);
  return array;
}

/// Elements that are not the expected ones, bit by bit.
std::int64_t wrong(const Array& got, float (*expected)(std::int64_t)) {
  std::int64_t count = 0;
  const auto* values = got.as<const float>();
  for (std::int64_t i = 0; i < got.size(); ++i) {
    count += std::bit_cast<std::uint32_t>(values[i]) != std::bit_cast<std::uint32_t>(expected(i)) ? 1 : 0;
  }
  return count;
}

float saxpy_at(std::int64_t i) {
  return 2.5F * x_at(i) + y_at(i);
}

}  // namespace

TEST_CASE("large: results that go past the cache are the plain loop's, to the last element") {
  const auto saxpy = kiln::vectorize("float32(float32 a, float32 x, float32 y)", "return a * x + y;");
  const Array x = filled(kLargeElements, x_at);
  const Array y = filled(kLargeElements, y_at);
  on_every_device([&](const Target& target) {
    const Array got = target.call(saxpy, {2.5F, target.place(x), target.place(y)});
    CHECK(wrong(target.fetch(got), saxpy_at) == 0);
  });
}

TEST_CASE("large: into an out that starts within a line, and in place") {
  const auto saxpy = kiln::vectorize("float32(float32 a, float32 x, float32 y)", "return a * x + y;");
  const Array x = filled(kLargeElements, x_at);
  const Array y = filled(kLargeElements, y_at);
  on_every_device([&](const Target& target) {
    const Array room = target.place(Array::full({kLargeElements + 2}, -1.0F));
    const Array out = room[{Slice{.start = 1, .stop = kLargeElements + 1}}];
    target.call(saxpy, {2.5F, target.place(x), target.place(y)}, {.out = out});
    const Array all = target.fetch(room);
    CHECK(all.as<const float>()[0] == -1.0F);
    CHECK(all.as<const float>()[kLargeElements + 1] == -1.0F);
    CHECK(wrong(all[{Slice{.start = 1, .stop = kLargeElements + 1}}], saxpy_at) == 0);

    const Array in_place = target.place(y.copy());
    target.call(saxpy, {2.5F, target.place(x), in_place}, {.out = in_place});
    CHECK(wrong(target.fetch(in_place), saxpy_at) == 0);
  });
}

TEST_CASE("large: several outputs of different widths past the cache") {
  const auto split = kiln::vectorize({.name = "split",
                                      .signatures = {"(float32 half, bool negative)(float32 x, float64 bias)"},
                                      .body = "half = x / 2; negative = x + bias < 0;"});
  const Array x = filled(kLargeElements, x_at);
  const Array bias = Array::full({kLargeElements}, 1.0);
  on_every_device([&](const Target& target) {
    const auto got = target.outputs(split, {target.place(x), target.place(bias)});
    const Array half = target.fetch(got[0]);
    const Array negative = target.fetch(got[1]);
    CHECK(wrong(half, [](std::int64_t i) { return x_at(i) / 2; }) == 0);
    std::int64_t bad = 0;
    for (std::int64_t i = 0; i < kLargeElements; ++i) bad += negative.as<const bool>()[i] != (x_at(i) + 1.0F < 0) ? 1 : 0;
    CHECK(bad == 0);
  });
}
