// Casts in registers: input dtype other than the loop's, output dtype other than the loop's, for every pair.
#include <cmath>

#include "devices.hpp"
#include "values.hpp"

using namespace conformance;
using kiln::Array;
using kiln::Casting;
using kiln::DType;
using kiln::Kind;
using kiln::Ufunc;

namespace {

/// Values of `from` whose conversion to `to` is defined in C++.
std::vector<Exact> castable(DType from, DType to) {
  std::vector<Exact> all;
  switch (kind(from)) {
    case Kind::boolean:
      all = {0, 1};
      break;
    case Kind::integer:
      for (const long double v :
           {0.0L, 1.0L, 2.0L, 100.0L, 127.0L, 200.0L, 2049.0L, 4099.0L, 65537.0L, 16777217.0L, 9007199254740993.0L}) {
        // Half a step between two bfloat16s is rounded twice on the way through float32, as ml_dtypes does.
        if (kind(to) == Kind::floating && itemsize(to) == 2 && v > 65537.0L) continue;
        all.push_back(rounded(from, v));
        all.push_back(rounded(from, -v));
      }
      break;
    case Kind::floating:
    case Kind::complex:
      for (const long double v : {0.0L, 0.5L, 1.0L, 2.75L, 100.25L, 0x1.004p0L, 0x1.0020000001p0L, 0x1.01p0L, 0x1.0100000001p0L,
                                  0x1p-25L, 0x1.00000001p-25L, 1e5L, 3e9L, 1e30L}) {
        all.push_back(rounded(from, v));
        all.push_back(rounded(from, -v));
        if (kind(from) == Kind::complex) all.push_back(rounded(from, Exact(v, -2 * v)));
        if (kind(from) == Kind::complex) all.push_back(rounded(from, Exact(0, v)));
      }
      break;
  }
  if (kind(from) < Kind::floating || kind(to) != Kind::integer) return all;
  const long double top = std::ldexp(1.0L, static_cast<int>(itemsize(to)) * 8 - (is_signed(to) ? 1 : 0));
  std::vector<Exact> inside;
  for (const Exact& value : all) {
    const long double whole = std::trunc(value.real());
    if (whole < top && whole >= (is_signed(to) ? -top : 0.0L)) inside.push_back(value);
  }
  return inside;
}

std::vector<Exact> cast_all(DType to, const std::vector<Exact>& values) {
  std::vector<Exact> result;
  for (const Exact& value : values) result.push_back(rounded(to, value));
  return result;
}

/// "(D r0, D r1)(D a0, D a1)" with `count` outputs, and an input for each or one for all.
Ufunc copies(DType loop, std::size_t inputs, std::size_t outputs) {
  const std::string dtype(name(loop));
  std::string ins;
  std::string outs;
  std::string body;
  for (std::size_t i = 0; i < outputs; ++i) {
    const std::string n = std::to_string(i);
    outs += (i == 0 ? "" : ", ") + dtype + " r" + n;
    body += "r" + n + " = a" + (inputs == 1 ? "0" : n) + "; ";
  }
  for (std::size_t i = 0; i < inputs; ++i) ins += (i == 0 ? "" : ", ") + dtype + " a" + std::to_string(i);
  return kiln::vectorize({.name = "copies", .signatures = {"(" + outs + ")(" + ins + ")"}, .body = body});
}

/// The signature that forces the loop of copies().
std::string all_of(DType loop, std::size_t inputs, std::size_t outputs) {
  std::string text;
  for (std::size_t i = 0; i < inputs; ++i) text += (i == 0 ? "" : ", ") + std::string(name(loop));
  for (std::size_t i = 0; i < outputs; ++i) text += (i == 0 ? " -> " : ", ") + std::string(name(loop));
  return text;
}

// A test of many values in an array: each dtype's list repeated to one length that crosses the kernels' blocks.
constexpr std::size_t kLength = 131;
std::vector<Exact> repeated(const std::vector<Exact>& values) {
  std::vector<Exact> result;
  for (std::size_t i = 0; i < kLength; ++i) result.push_back(values[i % values.size()]);
  return result;
}

}  // namespace

TEST_CASE("casts: inputs of every dtype become the loop's in registers") {
  for (const DType loop : kEveryDType) {
    for (const Casting casting : {Casting::same_kind, Casting::unsafe}) {
      std::vector<DType> froms;
      for (const DType from : kEveryDType) {
        if (can_cast(from, loop, casting == Casting::unsafe ? Casting::unsafe : Casting::safe)) froms.push_back(from);
      }
      const Ufunc copy = copies(loop, froms.size(), froms.size());
      const std::string forced = all_of(loop, froms.size(), froms.size());
      on_every_device(
          [&](const Target& target) {
            std::vector<Array> arrays;
            for (const DType from : froms) arrays.push_back(target.place(make(from, repeated(castable(from, loop)))));
            kiln::CallOptions options;
            options.casting = casting;
            if (casting == Casting::unsafe) options.signature = forced;
            const std::vector<Array> results = target.outputs(copy, {arrays.begin(), arrays.end()}, options);
            for (std::size_t i = 0; i < froms.size(); ++i) {
              const std::string pair = std::string(name(froms[i])) + " to " + std::string(name(loop));
              INFO(pair);
              CHECK(results[i].dtype() == loop);
              CHECK(difference(read(target.fetch(results[i])), cast_all(loop, repeated(castable(froms[i], loop)))) == "");
            }
          },
          {Mode::device});
    }
  }
}

TEST_CASE("casts: results become the dtype of out in registers") {
  constexpr std::size_t kCount = std::size(kEveryDType);
  for (const DType loop : kEveryDType) {
    const Ufunc copy = copies(loop, 1, kCount);
    for (const Casting casting : {Casting::same_kind, Casting::unsafe}) {
      on_every_device(
          [&](const Target& target) {
            // Values that every out takes; the loop's own dtype stands in where the cast is forbidden.
            std::vector<DType> tos;
            for (const DType to : kEveryDType) tos.push_back(can_cast(loop, to, casting) ? to : loop);
            std::vector<Exact> values;
            for (const Exact& value : castable(loop, DType::bfloat16)) {
              bool fits = true;
              for (const DType to : tos) {
                const std::vector<Exact> allowed = castable(loop, to);
                fits = fits && std::find(allowed.begin(), allowed.end(), value) != allowed.end();
              }
              if (fits) values.push_back(value);
            }
            REQUIRE(!values.empty());
            values = repeated(values);
            std::vector<Array> outs;
            for (const DType to : tos) outs.push_back(target.place(Array::zeros({static_cast<std::int64_t>(kLength)}, to)));
            kiln::CallOptions options;
            options.casting = casting;
            options.out = outs;
            const std::vector<Array> results = target.outputs(copy, {target.place(make(loop, values))}, options);
            for (std::size_t i = 0; i < kCount; ++i) {
              const std::string pair = std::string(name(loop)) + " to " + std::string(name(tos[i]));
              INFO(pair);
              CHECK(results[i].data() == outs[i].data());
              CHECK(difference(read(target.fetch(outs[i])), cast_all(tos[i], values)) == "");
            }
          },
          {Mode::device});
    }
  }
}

TEST_CASE("casts: host arrays of other dtypes give the same") {
  const Ufunc half_sum = kiln::vectorize("float32(float32 a, float32 b)", "return a + b;");
  on_every_device([&](const Target& target) {
    const Array a = target.place(make(DType::float16, {1, 2.5L, -3}));
    const Array b = target.place(make(DType::int16, {100, -200, 300}));
    const Array out = target.place(Array::zeros({3}, DType::complex64));
    target.call(half_sum, {a, b}, {.out = out});
    CHECK(difference(read(target.fetch(out)), {101, -197.5L, 297}) == "");
  });
}
