// Accumulators of parts: the bits of the balanced tree over the whole array's elements, wherever it was cut and on every
// device.
#include "kiln/partial.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>

#include "kiln/error.hpp"
#include "kiln/math.hpp"
#include "reductions.hpp"

using namespace conformance;
using kiln::Arg;
using kiln::Array;
using kiln::DType;
using kiln::Index;
using kiln::Partial;
using kiln::Shape;
using kiln::Slice;

namespace {

/// Combines values [begin, end) by the balanced tree over their numbers.
template <class T, class Combine>
T tree_of(const std::vector<T>& values, std::size_t begin, std::size_t end, const Combine& combine) {
  if (end - begin == 1) return values[begin];
  const std::size_t half = std::bit_ceil(end - begin) / 2;
  return combine(tree_of(values, begin, begin + half, combine), tree_of(values, begin + half, end, combine));
}

std::vector<float> floats(std::size_t count, std::uint64_t stream) {
  std::mt19937_64 random = random_source(stream);
  std::uniform_real_distribution<float> mantissa(-1, 1);
  std::uniform_int_distribution<int> exponent(-12, 12);
  std::vector<float> values(count);
  for (float& value : values) value = std::ldexp(mantissa(random), exponent(random));
  return values;
}

/// Ascending indices from 0 to `extent`, some of them equal.
std::vector<std::int64_t> random_cuts(std::int64_t extent, std::size_t parts, std::mt19937_64& random) {
  std::vector<std::int64_t> cuts{0, extent};
  while (cuts.size() < parts + 1) cuts.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(extent + 1)));
  std::ranges::sort(cuts);
  return cuts;
}

Array along(const Array& a, std::size_t axis, std::int64_t begin, std::int64_t end) {
  std::vector<Index> index(axis, Index(kiln::all));
  index.emplace_back(Slice{begin, end});
  return a.slice(index);
}

/// Combines neighbours in random order until one is left.
Partial combined(std::vector<Partial> parts, std::mt19937_64& random) {
  while (parts.size() > 1) {
    const std::size_t at = random() % (parts.size() - 1);
    parts[at] = parts[at].combine(parts[at + 1]);
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
  return parts.front();
}

std::string bits_of(const Target& target, const std::vector<Array>& arrays) {
  std::string bits;
  for (const Array& array : arrays) {
    const Array host = target.fetch(array);
    bits.append(static_cast<const char*>(host.data()), static_cast<std::size_t>(host.nbytes()));
  }
  return bits;
}

template <class Part>
std::string bits_in_parts(const Target& target, std::int64_t extent, std::size_t parts, std::mt19937_64& random,
                          const Part& part, const kiln::FinishOptions& options = {}) {
  const std::vector<std::int64_t> cuts = random_cuts(extent, parts, random);
  std::vector<Partial> all;
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k) all.push_back(part(cuts[k], cuts[k + 1]));
  target.wait();
  return bits_of(target, combined(std::move(all), random).finish_all(options));
}

kiln::PartialOptions part_on(const Target& target, std::int64_t offset, std::int64_t size) {
  return {.global_offset = offset, .global_size = size, .stream = target.options().stream, .device = target.options().device};
}

}  // namespace

TEST_CASE("parts: a sum has the bits of the balanced tree, for any cuts") {
  for (const std::size_t count : {1U, 2U, 3U, 7U, 31U, 32U, 127U, 128U, 129U, 1000U, 4096U, 5001U, 70'000U, 300'001U}) {
    const std::vector<float> values = floats(count, count);
    const float expected = tree_of(values, 0, count, [](float a, float b) { return a + b; });
    const Array host = Array::from(values);
    CAPTURE(count);
    on_every_device([&](const Target& target) {
      std::mt19937_64 random = random_source(count);
      for (const std::size_t parts : {1U, 2U, 3U, 8U}) {
        const std::string bits =
            bits_in_parts(target, static_cast<std::int64_t>(count), parts, random, [&](std::int64_t begin, std::int64_t end) {
              return kiln::partial(kiln::math::add, target.place(along(host, 0, begin, end)),
                                   part_on(target, begin, static_cast<std::int64_t>(count)));
            });
        CAPTURE(parts);
        CHECK(std::bit_cast<std::uint32_t>(expected) == *reinterpret_cast<const std::uint32_t*>(bits.data()));
      }
    });
  }
}

TEST_CASE("parts: random layouts, axes and masks give the bits of one part, on every device") {
  std::mt19937_64 random = random_source(77);
  std::uint64_t digest = 14695981039346656037U;
  for (int round = 0; round < 60; ++round) {
    const std::size_t rank = 1 + random() % 3;
    Shape shape;
    for (std::size_t d = 0; d < rank; ++d) shape.push_back(static_cast<std::int64_t>(1 + random() % (rank == 1 ? 9000 : 70)));
    std::int64_t size = 1;
    for (const std::int64_t extent : shape) size *= extent;
    // Axes in any order in memory, some walked backwards, some with gaps.
    Shape stored = shape;
    std::vector<int> order(rank);
    for (std::size_t d = 0; d < rank; ++d) order[d] = static_cast<int>(d);
    std::ranges::shuffle(order, random);
    for (std::size_t d = 0; d < rank; ++d) stored[d] = shape[static_cast<std::size_t>(order[d])] * 2;
    kiln::Dims back;
    for (std::size_t d = 0; d < rank; ++d) back.push_back(0);
    for (std::size_t d = 0; d < rank; ++d) back[static_cast<std::size_t>(order[d])] = static_cast<std::int64_t>(d);
    const Array wide =
        Array::from(floats(static_cast<std::size_t>(size) << rank, static_cast<std::uint64_t>(round)), stored).transpose(back);
    std::vector<Index> index;
    for (std::size_t d = 0; d < rank; ++d) {
      switch (random() % 3) {
        case 0:
          index.emplace_back(Slice{0, shape[d]});
          break;
        case 1:
          index.emplace_back(Slice{0, std::nullopt, 2});
          break;
        default:
          index.emplace_back(Slice{std::nullopt, std::nullopt, -2});
      }
    }
    const Array x = wide.slice(index);
    std::vector<int> axes;
    for (std::size_t d = 0; d < rank; ++d) {
      if (random() % 2 == 0) axes.push_back(static_cast<int>(d));
    }
    if (axes.empty()) axes.push_back(static_cast<int>(random() % rank));
    const auto cut = static_cast<std::size_t>(axes.front());
    const bool masked = random() % 3 == 0;
    const Array mask = kiln::math::less(x, 0.25F);
    const int which = static_cast<int>(random() % 4);
    constexpr std::array<std::size_t, 5> kParts{2, 3, 5, 8, 16};
    const std::size_t several = kParts[random() % kParts.size()];
    const Array contiguous = x.copy();
    std::string expected;
    CAPTURE(round);
    CAPTURE(which);
    CAPTURE(masked);
    CAPTURE(shape);
    const auto part_of = [&](const Target& target, const Array& from, std::int64_t begin, std::int64_t end) {
      kiln::PartialOptions options = part_on(target, begin, shape[cut]);
      options.axis = axes;
      const Array a = target.place(along(from, cut, begin, end));
      if (masked) options.where = target.place(along(mask, cut, begin, end));
      switch (which) {
        case 0:
          return kiln::partial(kiln::math::add, a, options);
        case 1:
          return kiln::partial(kiln::math::maximum, a, options);
        case 2:
          return kiln::partial(argmax, a, options);
        default:
          return kiln::partial(dot, {a, a}, options);
      }
    };
    const std::uint64_t cuts = random();
    on_every_device(
        [&](const Target& target) {
          std::mt19937_64 random_cuts_of(cuts);
          for (const std::size_t parts : {std::size_t{1}, several}) {
            kiln::FinishOptions finish;
            if (masked && which == 1) finish.initial = -1e9F;
            const std::string bits = bits_in_parts(
                target, shape[cut], parts, random_cuts_of,
                [&](std::int64_t begin, std::int64_t end) { return part_of(target, parts == 1 ? contiguous : x, begin, end); },
                finish);
            if (expected.empty()) expected = bits;
            CHECK(bits == expected);
          }
        },
        {Mode::host, Mode::device});
    for (const char each : expected) digest = (digest ^ static_cast<unsigned char>(each)) * 1099511628211U;
  }
  // For scripts/parts-digests.sh, which compares targets.
  if (const char* const file = std::getenv("KILN_TEST_DIGESTS"); file != nullptr) {
    std::ofstream(file, std::ios::app) << std::hex << digest << '\n';
  }
}

TEST_CASE("parts: accumulators of several members, and what the functions say themselves") {
  const std::vector<float> values = floats(10'007, 5);
  const Array x = Array::from(values).astype(DType::float64);
  on_every_device([&](const Target& target) {
    std::mt19937_64 random = random_source(6);
    const auto part = [&](std::int64_t begin, std::int64_t end) {
      return kiln::partial(mean_var, target.place(along(x, 0, begin, end)), part_on(target, begin, x.size()));
    };
    const std::string one = bits_in_parts(target, x.size(), 1, random, part);
    for (const std::size_t parts : {2U, 3U, 5U, 16U}) CHECK(bits_in_parts(target, x.size(), parts, random, part) == one);
    double mean = 0;
    std::memcpy(&mean, one.data(), sizeof mean);
    CHECK(mean == doctest::Approx(mean_var.outputs<2>(x)[0].item<double>()).epsilon(1e-12));
    const auto place = [&](std::int64_t begin, std::int64_t end) {
      return kiln::partial(argmax, target.place(along(x, 0, begin, end)), part_on(target, begin, x.size()));
    };
    std::int64_t at = 0;
    std::memcpy(&at, bits_in_parts(target, x.size(), 5, random, place).data(), sizeof at);
    CHECK(at == std::ranges::max_element(values) - values.begin());
  });
}

TEST_CASE("parts: dtypes widen as in reduce, halves are rounded once, initial values and keepdims count at the end") {
  on_every_device(
      [&](const Target& target) {
        const Array bytes = target.place(Array::full({300, 3}, std::uint8_t{200}));
        const Partial sums = kiln::partial(kiln::math::add, bytes, part_on(target, 0, 300));
        target.wait();
        const Array sum = sums.finish({.keepdims = true, .initial = 5});
        CHECK(sum.shape() == Shape{1, 3});
        CHECK(sum.dtype() == kiln::math::add.reduce(bytes).dtype());
        CHECK(target.fetch(sum).to_vector<std::uint64_t>() == std::vector<std::uint64_t>(3, 60'005));
        // 4096 + 1 is no float16, and 5000 of them are.
        const Array halves = target.place(Array::full({5000}, 1.0).astype(DType::float16));
        const Array all = kiln::partial(kiln::math::add, halves, part_on(target, 0, 5000)).finish();
        CHECK(all.dtype() == DType::float16);
        CHECK(target.fetch(all).astype(DType::float32).item<float>() == 5000);
      },
      {Mode::host, Mode::device});
}

TEST_CASE("parts: empty ones, and an empty array") {
  const Array x = Array::from(floats(100, 9));
  const auto part = [&](std::int64_t begin, std::int64_t end) {
    return kiln::partial(kiln::math::maximum, along(x, 0, begin, end), {.global_offset = begin, .global_size = 100});
  };
  const Partial whole = part(0, 0).combine(part(0, 40)).combine(part(40, 40)).combine(part(40, 100)).combine(part(100, 100));
  CHECK(whole.begin() == 0);
  CHECK(whole.end() == 100);
  CHECK(whole.global_size() == 100);
  CHECK(whole.states().size() == 1);
  CHECK(whole.states()[0].shape() == Shape{1});
  CHECK(whole.finish().item<float>() == kiln::math::maximum.reduce(x).item<float>());
  CHECK(kiln::partial(kiln::math::add, Array::zeros({0, 2}, DType::float32)).finish().to_vector<float>() ==
        std::vector<float>{0, 0});
  CHECK(message_of([] { static_cast<void>(kiln::partial(kiln::math::maximum, Array::zeros({0})).finish()); }) ==
        "maximum.reduce: nothing to reduce in inputs of shape (0,), and the operation has no identity; give .initial, or "
        ".identity "
        "in the definition");
}

TEST_CASE("parts: running results have the bits of the tree, for any cuts") {
  for (const std::size_t count : {1U, 2U, 3U, 8U, 37U, 1000U}) {
    const std::vector<float> values = floats(2 * count, count);
    // Before element i are the subtrees of the binary digits of i.
    std::vector<float> expected(2 * count);
    for (std::size_t column = 0; column < 2; ++column) {
      std::vector<float> own(count);
      for (std::size_t i = 0; i < count; ++i) own[i] = values[2 * i + column];
      const auto plus = [](float a, float b) { return a + b; };
      for (std::size_t i = 0; i < count; ++i) {
        std::optional<float> before;
        for (std::size_t at = 0; at < i;) {
          const std::size_t nodes = std::bit_floor(i - at);
          const float node = tree_of(own, at, at + nodes, plus);
          before = before ? *before + node : node;
          at += nodes;
        }
        expected[2 * i + column] = before ? *before + own[i] : own[i];
      }
    }
    const auto extent = static_cast<std::int64_t>(count);
    const Array host = Array::from(values, {extent, 2});
    CAPTURE(count);
    on_every_device([&](const Target& target) {
      std::mt19937_64 random = random_source(count);
      for (const bool columns : {false, true}) {
        const std::size_t axis = columns ? 1 : 0;
        const Array whole = columns ? host.transpose() : host;
        const std::vector<std::int64_t> cuts = random_cuts(extent, 3, random);
        Partial before;
        std::vector<float> found;
        const Array results = Array::zeros(whole.shape(), DType::float32);
        for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
          kiln::PartialOptions options = part_on(target, cuts[k], extent);
          options.axis = static_cast<int>(axis);
          const Array part = target.place(along(whole, axis, cuts[k], cuts[k + 1]));
          along(results, axis, cuts[k], cuts[k + 1])
              .assign(target.fetch(kiln::accumulate_part(kiln::math::add, part, before, options)));
          const Partial own = kiln::partial(kiln::math::add, part, options);
          target.wait();
          before = before.valid() ? before.combine(own) : own;
        }
        CAPTURE(columns);
        CHECK((columns ? results.transpose() : results).to_vector<float>() == expected);
      }
    });
  }
  // Halves are accumulated in float32, and integers widen, as in accumulate().
  const Array ones = Array::full({3000}, 1).astype(DType::float16);
  const Array bytes = Array::full({300}, 1).astype(DType::int8);
  on_every_device([&](const Target& target) {
    const auto running = [&](const Array& x) {
      return target.fetch(kiln::accumulate_part(kiln::math::add, target.place(x), Partial(), part_on(target, 0, x.size())));
    };
    CHECK(running(ones)[2999].astype(DType::float32).item<float>() == 3000);
    CHECK(running(ones).dtype() == DType::float16);
    CHECK(running(bytes).to_vector<std::int64_t>() == kiln::math::add.accumulate(bytes).to_vector<std::int64_t>());
  });
}

TEST_CASE("parts: errors of running results name the function, the elements and the remedy") {
  using kiln::math::add;
  const Array x = Array::from(floats(100, 1));
  const auto fails = [&](const auto& call) { return message_of([&] { static_cast<void>(call()); }); };
  const Partial first = kiln::partial(add, x[Slice{0, 40}], {.global_size = 100});
  CHECK(fails([&] { return kiln::accumulate_part(add, x[Slice{40, {}}], Partial(), {.global_offset = 40}); }) ==
        "add.accumulate_part: the part begins at 40, and there are no accumulators of the elements before it; give those of 0 "
        "to 40");
  CHECK(fails([&] { return kiln::accumulate_part(add, x[Slice{50, {}}], first, {.global_offset = 50}); }) ==
        "add.accumulate_part: the part begins at 50, and the accumulators before it are of 0 to 40");
  CHECK(fails([&] { return kiln::accumulate_part(kiln::math::multiply, x[Slice{40, {}}], first, {.global_offset = 40}); }) ==
        "multiply.accumulate_part: the accumulators before it are of a different function, add (float32, float32 -> float32), "
        "whose "
        "definition or dtypes differ from those of multiply (float32, float32 -> float32)");
  CHECK(fails([&] { return kiln::accumulate_part(add, x[Slice{40, {}}], first, {.global_offset = 40, .global_size = 90}); }) ==
        "add.accumulate_part: a part of 60 along the cut axis at .global_offset 40 does not lie within .global_size 90");
  CHECK(fails([&] { return kiln::accumulate_part(add, x.reshape({10, 10}), Partial(), {.axis = kiln::all_axes}); }) ==
        "add.accumulate_part: running results have one axis; name one in .axis");
  CHECK(fails([&] { return kiln::accumulate_part(add, x, Partial(), {.where = kiln::math::greater(x, 0.0F)}); }) ==
        "add.accumulate_part: running results have no .where");
  CHECK(fails([&] {
          return kiln::accumulate_part(kiln::math::subtract, x, Partial());
        }).starts_with("subtract.accumulate_part: the operation is not marked reorderable"));
}

TEST_CASE("parts: as bytes they are the same in another process, and other bytes are errors") {
  const Array x = Array::from(floats(1000, 3)).reshape({500, 2}).astype(DType::float64);
  const auto part = [&](std::int64_t begin, std::int64_t end) {
    return kiln::partial(mean_var, along(x, 0, begin, end), {.axis = 0, .global_offset = begin, .global_size = 500});
  };
  const Partial first = part(0, 123);
  const std::string bytes = first.bytes();
  const Partial again = kiln::partial_from_bytes(mean_var, bytes);
  CHECK(again.begin() == 0);
  CHECK(again.end() == 123);
  const Partial second = kiln::partial_from_bytes(mean_var, part(123, 500).bytes());
  const std::vector<Array> whole = again.combine(second).finish_all();
  const std::vector<Array> expected = part(0, 500).finish_all();
  CHECK(whole[1].to_vector<double>() == expected[1].to_vector<double>());
  const auto message = [&](const std::string& changed) {
    return message_of<kiln::TypeError>([&] { static_cast<void>(kiln::partial_from_bytes(mean_var, changed)); });
  };
  const std::string remedy = "; give what Partial::bytes() returned for this function";
  CHECK(message("") == "mean_var.partial_from_bytes: the bytes are no accumulators" + remedy);
  CHECK(message("kiln accumulators 2\n{}\n") ==
        "mean_var.partial_from_bytes: the accumulators are of another version of kiln" + remedy);
  // Another loop, and another text with the same loop.
  const kiln::Reduction other_text = kiln::reduction({.name = "mean_var",
                                                      .signatures = {"(float64 mean, float64 var)(float64 x)"},
                                                      .accumulator = "float64 n, mean, m2;",
                                                      .map = "return {1, x, 0};",
                                                      .reduce = "return a;",
                                                      .post = "mean = a.mean; var = a.m2;",
                                                      .identity = "{0, 0, 0}"});
  for (const kiln::Reduction* const other : {&logsumexp, &other_text}) {
    CHECK(message_of<kiln::TypeError>([&] { static_cast<void>(kiln::partial_from_bytes(*other, bytes)); }) ==
          other->name() + ".partial_from_bytes: the accumulators are of another definition, of the function \"mean_var\"" +
              remedy);
  }
  std::string damaged = bytes;
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  CHECK(message(damaged) == "mean_var.partial_from_bytes: the bytes are damaged: their checksum differs" + remedy);
  // Masks without an identity to combine with travel, too.
  const auto masked = [&](std::int64_t begin, std::int64_t end) {
    const Array rows = along(x, 0, begin, end);
    return kiln::partial_from_bytes(
        argmax,
        kiln::partial(argmax, rows, {.global_offset = begin, .global_size = 500, .where = kiln::math::less(rows, 0)}).bytes());
  };
  CHECK(masked(0, 7).combine(masked(7, 500)).finish().item<std::int64_t>() ==
        argmax(x, {.where = kiln::math::less(x, 0)}).item<std::int64_t>());
  // Whatever is missing or changed is an error, never more.
  std::mt19937_64 random = random_source(8);
  for (int round = 0; round < 500; ++round) {
    std::string other = bytes;
    if (round % 2 == 0) {
      other.resize(random() % other.size());
    } else {
      other[random() % std::min<std::size_t>(other.size(), 400)] = static_cast<char>(random());
    }
    if (other == bytes) continue;
    CHECK(message(other).starts_with("mean_var.partial_from_bytes: "));
  }
}

TEST_CASE("parts: errors name the function, the elements and the remedy") {
  const Array x = Array::zeros({10}, DType::float32);
  const auto part = [&](std::int64_t begin, std::int64_t end, std::int64_t size = 10) {
    return kiln::partial(kiln::math::add, along(x, 0, begin, end), {.global_offset = begin, .global_size = size});
  };
  CHECK(message_of<kiln::ShapeError>([&] { static_cast<void>(part(0, 3).combine(part(5, 10))); }) ==
        "add: parts cannot be combined, since the part of 0 to 3 is followed by that of 5 to 10: 3 to 5 is missing");
  CHECK(message_of<kiln::ShapeError>([&] { static_cast<void>(part(0, 6).combine(part(5, 10))); }) ==
        "add: parts cannot be combined, since the part of 0 to 6 is followed by that of 5 to 10: 5 to 6 is in both");
  CHECK(message_of<kiln::ShapeError>([&] { static_cast<void>(part(5, 10).combine(part(0, 5))); }) ==
        "add: parts cannot be combined, since the part of 5 to 10 is followed by that of 0 to 5: combine them in the order of "
        "the "
        "array");
  CHECK(message_of<kiln::ShapeError>([&] { static_cast<void>(part(0, 5).combine(part(5, 10, 11))); }) ==
        "add: parts cannot be combined, since they are of arrays of 10 and 11 elements; give every part the same .global_size");
  CHECK(message_of<kiln::ShapeError>([&] { static_cast<void>(part(0, 5).finish()); }) ==
        "add.finish: the accumulators are of 0 to 5, and the array has 0 to 10; combine them with those of the other parts");
  CHECK(message_of<kiln::ShapeError>([&] { static_cast<void>(part(5, 10, 9)); }) ==
        "add.partial: a part of 5 along the cut axis at .global_offset 5 does not lie within .global_size 9");
  CHECK(message_of<kiln::ShapeError>([&] {
          static_cast<void>(kiln::partial(kiln::math::add, x, {.global_offset = INT64_MAX - 5}));
        }).find("does not lie within .global_size") != std::string::npos);
  CHECK(message_of<kiln::TypeError>([&] {
          static_cast<void>(part(0, 5).combine(kiln::partial(kiln::math::multiply, along(x, 0, 5, 10), {.global_offset = 5})));
        }) ==
        "add: parts cannot be combined, since they are of different functions: add (float32, float32 -> float32) and multiply "
        "(float32, float32 -> float32), whose definitions or dtypes differ");
  CHECK(message_of<kiln::TypeError>([&] { static_cast<void>(kiln::partial(kiln::math::subtract, x)); }) ==
        "subtract.partial: the operation is not marked reorderable, so its elements cannot be combined in parts; set "
        ".reorderable "
        "or .identity in the definition");
  CHECK(message_of<kiln::TypeError>(
            [&] { static_cast<void>(kiln::partial(kiln::math::maximum, x, {.where = kiln::math::less(x, 1)}).finish()); }) ==
        "maximum.reduce: the operation has no identity, which .where needs for where no element counts; give .initial, or "
        ".identity in the definition");
  CHECK(message_of<kiln::TypeError>([&] { static_cast<void>(kiln::partial(mean_var, x).finish()); }) ==
        "mean_var.finish: the function has 2 outputs; call finish_all()");
  CHECK(message_of<kiln::TypeError>([] { static_cast<void>(Partial().finish()); }) ==
        "this Partial is empty; make one with partial()");
  CHECK(message_of<kiln::ShapeError>([&] { static_cast<void>(kiln::partial(dot, {Arg(2.0F), Arg(3.0F)})); }) ==
        "dot.partial: no axis of shape () is reduced; name one in .axis");
}
