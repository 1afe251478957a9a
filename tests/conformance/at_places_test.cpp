// Ufunc::at where a GPU has kernels of its own: few elements and many, equal neighbours, layouts that no kernel is made for.
#include <algorithm>
#include <cmath>

#include "devices.hpp"
#include "kiln/error.hpp"
#include "kiln/math.hpp"
#include "model.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Slice;
using kiln::Ufunc;

namespace {

using Operation = long double (*)(long double, long double);

struct Named {
  const Ufunc& ufunc;
  bool bits;
  Operation of;
};

std::uint64_t bits_of(long double value) {
  return static_cast<std::uint64_t>(value);
}

const Named kOperations[] = {{kiln::math::add, false, [](long double a, long double b) { return a + b; }},
                             {kiln::math::maximum, false, [](long double a, long double b) { return std::max(a, b); }},
                             {kiln::math::minimum, false, [](long double a, long double b) { return std::min(a, b); }},
                             {kiln::math::bitwise_and, true,
                              [](long double a, long double b) { return static_cast<long double>(bits_of(a) & bits_of(b)); }},
                             {kiln::math::bitwise_or, true,
                              [](long double a, long double b) { return static_cast<long double>(bits_of(a) | bits_of(b)); }},
                             {kiln::math::bitwise_xor, true,
                              [](long double a, long double b) { return static_cast<long double>(bits_of(a) ^ bits_of(b)); }}};

/// `places` of each of the elements of `memory` that change, and whole numbers as values.
void check_places(const Target& target, const Named& operation, DType dtype, const std::vector<std::int64_t>& places,
                  std::int64_t extent, std::mt19937_64& source) {
  const bool sign = !operation.bits && dtype != DType::uint32 && dtype != DType::uint64;
  const auto number = [&] { return static_cast<long double>(source() % 60) - (sign ? 30 : 0); };
  // Every third element of a longer array, from the last to the first: what lies between them is another's.
  const std::int64_t step = 3;
  std::vector<Exact> memory;
  for (std::int64_t i = 0; i < extent * step; ++i) memory.emplace_back(number());
  const Array base = target.place(make(dtype, memory));
  const Array reversed = base[{Slice{.step = -step}}];
  std::vector<Exact> indices;
  std::vector<Exact> values;
  for (const std::int64_t place : places) {
    indices.emplace_back(static_cast<long double>(source() % 2 == 0 ? place : place - extent));
    values.emplace_back(number());
    Exact& element = memory[static_cast<std::size_t>(extent * step - 1 - place * step)];
    element = rounded(dtype, operation.of(element.real(), values.back().real()));
  }
  operation.ufunc.at(reversed, target.place(make(DType::int32, indices)), target.place(make(dtype, values)),
                     {.stream = target.options().stream});
  INFO(operation.ufunc.name(), " ", std::string(name(dtype)), ", ", places.size(), " indices into ", extent);
  CHECK(difference(read(target.fetch(base)), memory) == "");
}

}  // namespace

TEST_CASE("at: each operation of memory, into few elements and into many, equal neighbours and none") {
  std::uint64_t stream = 830;
  on_every_device(
      [&](const Target& target) {
        auto source = random_source(stream++);
        for (const Named& operation : kOperations) {
          for (const DType dtype :
               {DType::int32, DType::uint32, DType::int64, DType::uint64, DType::float32, DType::float64, DType::int16}) {
            if (operation.bits && kind(dtype) != kiln::Kind::integer) continue;
            // Into 5: a GPU's blocks add them up first. Into 3000: they do not, and what is equal is joined in a warp.
            for (const std::int64_t extent : {5, 3000}) {
              std::vector<std::int64_t> any, sorted;
              for (int i = 0; i < 9001; ++i) {
                any.push_back(static_cast<std::int64_t>(source() % static_cast<std::uint64_t>(extent)));
              }
              // Runs of 1 to 100, then one to the end.
              while (sorted.size() < 6000) sorted.insert(sorted.end(), 1 + source() % 100, any[sorted.size()]);
              sorted.resize(9001, sorted.back());
              check_places(target, operation, dtype, any, extent, source);
              check_places(target, operation, dtype, sorted, extent, source);
            }
          }
        }
      },
      {Mode::device});
}

TEST_CASE("at: runs of equal indices") {
  auto source = random_source(860);
  on_every_device(
      [&](const Target& target) {
        for (const std::int64_t extent : {4, 2000}) {
          std::vector<std::int64_t> places;
          while (places.size() < 5300) {
            places.insert(places.end(), 1 + source() % 90, static_cast<std::int64_t>(source() % 4) * (extent - 1) / 3);
          }
          for (const DType dtype : {DType::int32, DType::float64}) {
            check_places(target, kOperations[0], dtype, places, extent, source);
          }
        }
      },
      {Mode::device});
}

TEST_CASE("at: rows into few elements, and negative zeros") {
  on_every_device([&](const Target& target) {
    const kiln::AtOptions options{.stream = target.options().stream};
    std::vector<Exact> rows, columns, values, expected(2 * 3, 0);
    for (int i = 0; i < 4000; ++i) {
      rows.emplace_back(static_cast<long double>(i % 2));
      for (int j = 0; j < 3; ++j) {
        values.emplace_back(static_cast<long double>(i % 5 + j));
        expected[static_cast<std::size_t>(i % 2 * 3 + j)] += static_cast<long double>(i % 5 + j);
      }
    }
    const Array given = target.place(make(DType::float32, values, kiln::Shape{4000, 3}));
    const Array x = target.place(Array::zeros({2, 3}, DType::float32));
    kiln::math::add.at(x, target.place(make(DType::uint8, rows)), given, options);
    CHECK(difference(read(target.fetch(x)), expected) == "");
    const Array zeros = target.place(Array::full({3}, -0.0));
    kiln::math::add.at(zeros, target.place(Array::zeros({20'000}, DType::int64)), -0.0, options);
    for (const double each : target.fetch(zeros).to_vector<double>()) CHECK(std::signbit(each));
    kiln::math::add.at(zeros, target.place(Array::zeros({20'000}, DType::int64)), 0.0, options);
    CHECK_FALSE(std::signbit(target.fetch(zeros).to_vector<double>()[0]));
    CHECK(std::signbit(target.fetch(zeros).to_vector<double>()[1]));
  });
}

TEST_CASE("at: more dimensions than kernels for one layout have, and more arrays of indices") {
  on_every_device([&](const Target& target) {
    const kiln::AtOptions options{.stream = target.options().stream};
    // Neither three dimensions of indices nor six of a row can be merged.
    const Array whole = target.place(Array::zeros({4, 2, 3, 2, 3, 2, 3}, DType::int32));
    const Array x = whole[{Slice{}, Slice{.stop = 1}, Slice{.step = 2}, Slice{.stop = 1}, Slice{.step = 2}, Slice{.stop = 1},
                           Slice{.step = 2}}];
    std::vector<Exact> places;
    for (int i = 0; i < 2 * 3 * 3; ++i) places.emplace_back(static_cast<long double>(i % 4));
    const Array every = target.place(make(DType::int16, places, kiln::Shape{2, 3, 3}));
    const Array indices = every[{Slice{}, Slice{.stop = 2}, Slice{.step = 2}}];
    kiln::math::add.at(x, indices, 1, options);
    std::vector<Exact> counts(4, 0);
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        for (int k = 0; k < 3; k += 2) counts[static_cast<std::size_t>((9 * i + 3 * j + k) % 4)] += 1.0L;
      }
    }
    std::vector<Exact> expected;
    for_each_index({4, 2, 3, 2, 3, 2, 3}, [&](const Extents& at) {
      const bool changes = at[1] == 0 && at[2] != 1 && at[3] == 0 && at[4] != 1 && at[5] == 0 && at[6] != 1;
      expected.push_back(changes ? counts[static_cast<std::size_t>(at[0])] : Exact(0));
    });
    CHECK(difference(read(target.fetch(whole)), expected) == "");

    const Array cube = target.place(Array::zeros({2, 2, 2, 2, 2, 2, 2, 2, 2}, DType::int32));
    std::vector<Array> nine;
    for (int d = 0; d < 9; ++d) {
      std::vector<Exact> own;
      for (int i = 0; i < 300; ++i) own.emplace_back(static_cast<long double>((i % 7) >> (d % 3) & 1));
      nine.push_back(target.place(make(DType::int8, own)));
    }
    kiln::math::add.at(cube, nine, 1, options);
    expected.assign(512, 0);
    for (int i = 0; i < 300; ++i) {
      std::size_t at = 0;
      for (int d = 0; d < 9; ++d) at = 2 * at + static_cast<std::size_t>((i % 7) >> (d % 3) & 1);
      expected[at] += 1.0L;
    }
    CHECK(difference(read(target.fetch(cube)), expected) == "");
  });
}

TEST_CASE("at: one index of many is out of range, and nothing is written") {
  on_every_device([&](const Target& target) {
    const kiln::AtOptions options{.stream = target.options().stream};
    for (const std::int64_t extent : {4, 100'000}) {
      const Array x = target.place(Array::zeros({extent}, DType::int32));
      for (const std::int64_t count : {1, 5000}) {
        for (const std::int64_t bad : {extent, -extent - 1}) {
          for (const DType dtype : {DType::int64, DType::int32}) {
            std::vector<Exact> places(static_cast<std::size_t>(count), Exact(3));
            places.back() = static_cast<long double>(bad);
            CHECK(message_of<kiln::ShapeError>([&] { kiln::math::add.at(x, target.place(make(dtype, places)), 1, options); }) ==
                  "add.at: index " + std::to_string(bad) + " at position " + std::to_string(count - 1) +
                      " of the array of indices is out of range for axis 0 of extent " + std::to_string(extent));
          }
        }
      }
      CHECK(difference(read(target.fetch(x)), std::vector<Exact>(static_cast<std::size_t>(extent), 0)) == "");
      // The first and the last are in range.
      kiln::math::add.at(x, target.place(make(DType::int64, {0, static_cast<long double>(-extent)})), 1, options);
      CHECK(target.fetch(x).to_vector<std::int32_t>()[0] == 2);
    }
  });
}
