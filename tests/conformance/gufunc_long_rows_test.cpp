// Generalized ufuncs whose threads have an item over long cores, beside index arithmetic: inputs in shared memory, or, of many
// items, read by windows: any order of accesses, any alignment, threads that go different ways. The items of such an array
// overlap, so that it is small.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "devices.hpp"
#include "kiln/gufunc.hpp"
#include "values.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Gufunc;
using kiln::Shape;

namespace {

constexpr const char* kStaged = ", its cores in shared memory";
constexpr const char* kWindows = ", its inputs by windows in shared memory";
/// From which on items are many.
constexpr std::int64_t kItems = 1 << 15;

std::int64_t small_value(std::int64_t i, std::int64_t seed) {
  return (i * 5 + i / 7 + seed) % 11 - 4;
}

/// kItems rows of n elements, each `step` elements behind the one before, over one stretch of memory.
struct LongRows {
  Array base;
  Array view;
  std::int64_t step = 0;
  std::int64_t seed = 0;

  LongRows(const Target& target, DType dtype, std::int64_t n, std::int64_t step_of_items, std::int64_t seed_of_values)
      : step(step_of_items), seed(seed_of_values) {
    std::vector<Exact> values;
    for (std::int64_t i = 0; i < (kItems - 1) * step + n; ++i) values.emplace_back(small_value(i, seed));
    base = target.place(make(dtype, values));
    const auto size = static_cast<std::int64_t>(kiln::itemsize(dtype));
    view = Array::view(base.data(), {kItems, n}, dtype,
                       {.strides = kiln::Strides{step * size, size}, .read_only = true, .device = base.device()});
  }
  [[nodiscard]] std::int64_t at(std::int64_t item, std::int64_t i) const { return small_value(item * step + i, seed); }
};

kiln::GufuncOptions on(const Target& target) {
  kiln::GufuncOptions options;
  options.stream = target.options().stream;
  return options;
}

/// How the call says that it reads rows, on a GPU.
void check_mapping(const Target& target, const kiln::GufuncResolution& found, const std::string& way) {
  CHECK(found.variant == "an item" + (target.device().is_cpu() ? "" : way));
}

}  // namespace

TEST_CASE("windows: forwards, backwards, around, and every third element, of rows at any address") {
  on_every_device(
      [&](const Target& target) {
        const Gufunc gufunc =
            kiln::guvectorize({.name = "passes",
                               .layout = "(n),()->(),(),()",
                               .signatures = {"void(int32[:] x, int32 s, int32 forwards, int32 backwards, int32 around)"},
                               .body = R"(
               int32 f = 0; uint32 b = 0, a = 0;
               for (index i = 0; i < n; ++i) f += x(i) * int32(i % 5);
               for (index i = n; i > 0; i -= 1 + s % 3) b = b * 3 + uint32(x(i - 1));
               // Threads of a warp go different ways.
               if (s % 4 != 1) for (index i = 0; i < 40; ++i) a = a * 5 + uint32(x[(i * 3 + s) % n] - x(0));
               for (index i = 0; i < n; ++i) f += x(i) * int32(3 - i % 2);
               forwards = f; backwards = int32(b); around = int32(a);)"});
        constexpr std::int64_t kSize = 391;
        // Whole steps of 16 bytes, and not.
        for (const std::int64_t step : {8, 9}) {
          const LongRows x(target, DType::int32, kSize, step, step);
          std::vector<Exact> starts;
          for (std::int64_t item = 0; item < kItems; ++item) starts.emplace_back(item * 7 % 300);
          const Array s = target.place(make(DType::int32, starts));
          std::vector<Exact> want[3];
          for (std::int64_t item = 0; item < kItems; ++item) {
            const std::int64_t start = item * 7 % 300;
            std::int32_t f = 0;
            std::uint32_t b = 0;
            std::uint32_t a = 0;
            const auto value = [&](std::int64_t i) { return static_cast<std::int32_t>(x.at(item, i)); };
            for (std::int64_t i = 0; i < kSize; ++i) f += value(i) * static_cast<std::int32_t>(i % 5 + 3 - i % 2);
            for (std::int64_t i = kSize; i > 0; i -= 1 + start % 3) b = b * 3 + static_cast<std::uint32_t>(value(i - 1));
            for (std::int64_t i = 0; start % 4 != 1 && i < 40; ++i)
              a = a * 5 + static_cast<std::uint32_t>(value((i * 3 + start) % kSize) - value(0));
            want[0].emplace_back(f);
            want[1].emplace_back(static_cast<std::int32_t>(b));
            want[2].emplace_back(static_cast<std::int32_t>(a));
          }
          const kiln::GufuncOptions options = on(target);
          check_mapping(target, gufunc.resolve({x.view, s}, options), kWindows);
          const auto found = gufunc.outputs<3>({x.view, s}, options);
          for (std::size_t k = 0; k < 3; ++k) CHECK(difference(read(target.fetch(found[k])), want[k]) == "");
        }
      },
      {Mode::device});
}

TEST_CASE("windows: two inputs of other dtypes, masks, and what has none") {
  on_every_device(
      [&](const Target& target) {
        // The third input has no window, and the second is converted where it is read.
        const Gufunc gufunc = kiln::guvectorize(
            {.name = "three",
             .layout = "(n),(n),(n)->(m)",
             .signatures = {"void(float64[:] a, float64[:] b, float64[:] c, float64[:] y)"},
             .sizes = "m = 2",
             .body = "float64 s = 0; for (index i = 0; i < n; ++i) s += a(i) * b(i); y(0) = s;"
                     "float64 t = 0; index k = 0; for (auto& v : c) { t += v * a(n - 1 - k); k += 1; } y(1) = t + y(0);"});
        constexpr std::int64_t kSize = 261;
        const LongRows a(target, DType::float64, kSize, 5, 1);
        const LongRows b(target, DType::int32, kSize, 9, 2);
        const LongRows c(target, DType::float64, kSize, 4, 3);
        std::vector<Exact> mask;
        std::vector<Exact> want;
        for (std::int64_t item = 0; item < kItems; ++item) {
          const bool computed = item % 5 != 3;
          mask.emplace_back(computed ? 1 : 0);
          std::int64_t s = 0;
          std::int64_t t = 0;
          for (std::int64_t i = 0; computed && i < kSize; ++i) {
            s += a.at(item, i) * b.at(item, i);
            t += c.at(item, i) * a.at(item, kSize - 1 - i);
          }
          want.emplace_back(s);
          want.emplace_back(s + t);
        }
        kiln::GufuncOptions options = on(target);
        options.where = target.place(make(DType::bool_, mask));
        const kiln::GufuncResolution found = gufunc.resolve({a.view, b.view, c.view}, options);
        check_mapping(target, found, kWindows);
        const std::string windows = target.device().is_cpu() ? "" : ", by windows";
        CHECK(found.layouts == std::vector<std::string>{"input 0 (a): contiguous" + windows,
                                                        "input 1 (b): contiguous" + windows, "input 2 (c): contiguous",
                                                        "output 0 (y): contiguous"});
        CHECK(difference(read(target.fetch(gufunc({a.view, b.view, c.view}, options))), want) == "");
      },
      {Mode::device});
}

TEST_CASE("windows: which calls have them") {
  on_every_device(
      [&](const Target& target) {
        const auto mapping = [&](const std::string& body, std::vector<Shape> shapes, const std::string& type = "float32") {
          const Gufunc gufunc = kiln::guvectorize("(n)->(n)", "void(" + type + "[:] x, " + type + "[:] y)", body);
          kiln::GufuncOptions options;
          options.device = target.device();
          return gufunc.resolve(std::span<const Shape>(shapes), options);
        };
        const std::string sum = "float32 s = 0; for (index i = 0; i < n; ++i) { s += x(i); y(i) = s; }";
        check_mapping(target, mapping(sum, {{kItems, 256}}), kWindows);
        check_mapping(target, mapping("index i = 0; for (auto& v : x) y(i++) = v;", {{kItems, 256}}), kWindows);
        check_mapping(target, mapping(sum, {{kItems, 1 << 20}}), kWindows);
        check_mapping(target, mapping(sum, {{64, kItems / 64, 300}}), kWindows);
        check_mapping(target, mapping(sum, {{kItems, 256}}, "float64"), kWindows);
        // Few items, short cores, elements of other sizes, and bodies that may bind references.
        check_mapping(target, mapping(sum, {{kItems - 1, 256}}), kStaged);
        check_mapping(target, mapping(sum, {{kItems, 255}}), kStaged);
        check_mapping(target, mapping(sum, {{kItems, 2000}}, "int8"), kStaged);
        check_mapping(target, mapping(sum, {{kItems, 190}}, "complex128"), kStaged);
        check_mapping(target, mapping("auto& v = x(0); for (index i = 0; i < n; ++i) y(i) = v;", {{kItems, 256}}), kStaged);
        check_mapping(target, mapping(sum, {{kItems - 1, 5000}}), "");
      },
      {Mode::device});
}

TEST_CASE("long rows in shared memory, in loops of several dimensions, masked, in place, read in any order") {
  on_every_device([&](const Target& target) {
    // y(i) reads what was written, and x from both ends.
    const Gufunc folded =
        kiln::guvectorize({.name = "folded",
                           .layout = "(n)->(n)",
                           .signatures = {"void(int32[:] x, int32[:] y)"},
                           .body = "for (index i = 0; i < n; ++i) y(i) = x(n - 1 - i) + (i > 0 ? y(i - 1) : 0) - x(i / 2);"});
    constexpr std::int64_t kSize = 515;
    for (const Shape& shape : {Shape{5, 3, kSize}, Shape{2, 37, kSize}, Shape{1, 2, kSize}}) {
      std::vector<Exact> vx;
      for (std::int64_t i = 0; i < shape[0] * shape[1] * kSize; ++i) vx.emplace_back(small_value(i, 3));
      const Array x = target.place(make(DType::int32, vx, shape));
      std::vector<Exact> mask;
      for (std::int64_t c = 0; c < shape[1]; ++c) mask.emplace_back(c % 3 != 1 ? 1 : 0);
      std::vector<Exact> all;
      std::vector<Exact> some;
      for (std::int64_t at = 0; at < shape[0] * shape[1] * kSize; at += kSize) {
        Exact last = 0;
        for (std::int64_t i = 0; i < kSize; ++i) {
          last = vx[static_cast<std::size_t>(at + kSize - 1 - i)] + last - vx[static_cast<std::size_t>(at + i / 2)];
          all.push_back(last);
          some.push_back(mask[static_cast<std::size_t>(at / kSize % shape[1])] == Exact(0) ? Exact(0) : last);
        }
      }
      if (target.mode() != Mode::host) check_mapping(target, folded.resolve({x}, on(target)), kStaged);
      CHECK(difference(read(target.fetch(folded({x}, on(target)))), all) == "");
      kiln::GufuncOptions masked = on(target);
      masked.where = target.place(make(DType::bool_, mask, Shape{shape[1]}));
      CHECK(difference(read(target.fetch(folded({x}, masked))), some) == "");
      kiln::GufuncOptions into = on(target);
      into.out = x;
      folded({x}, into);
      CHECK(difference(read(target.fetch(x)), all) == "");
    }
  });
}
