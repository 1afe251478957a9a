// Ufunc::at: repeated and negative indices against a slow interpreter, memory that must stay as it is, errors that write
// nothing.
#include <algorithm>
#include <limits>

#include "devices.hpp"
#include "kiln/error.hpp"
#include "kiln/math.hpp"
#include "model.hpp"
#include "ufuncs.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Slice;
using kiln::Ufunc;

namespace {

/// Neither commutative nor associative: the order of the indices shows.
const Ufunc& ordered_fold() {
  static const Ufunc ufunc = kiln::vectorize({.name = "fold", .signatures = {"T(T a, T b)"}, .body = "return T(2) * a - b;"});
  return ufunc;
}

constexpr DType kIndexTypes[] = {DType::int8,  DType::int16,  DType::int32,  DType::int64,
                                 DType::uint8, DType::uint16, DType::uint32, DType::uint64};

struct Case {
  DType target, value;
};

/// One random call, and what it must leave in all of the memory that the target lies in.
void check(const Target& device, const Ufunc& ufunc, const Case& types, std::mt19937_64& source) {
  const bool ordered = !ufunc.reorderable();
  const int ndim = 1 + static_cast<int>(source() % 3);
  const Extents shape = random_loop_shape(ndim, 200, source);
  const std::size_t indexed = 1 + source() % static_cast<std::uint64_t>(ndim);
  const Extents positions = random_loop_shape(static_cast<int>(source() % 3), 40, source);
  for (std::size_t i = 0; i < indexed; ++i) {
    if (shape[i] == 0) return;
  }
  const Operand target = random_operand(device, {.shape = shape, .dtype = types.target, .input = false}, source);
  std::string what = ufunc.name() + ".at of " + text_of(shape) + " strides " + to_string(target.view.strides()) + " " +
                     std::string(name(types.target)) + " over " + text_of(positions);

  // Index arrays: random layouts, values in range from either end.
  std::vector<Operand> indices;
  std::vector<Array> arrays;
  for (std::size_t i = 0; i < indexed; ++i) {
    const DType dtype = kIndexTypes[source() % std::size(kIndexTypes)];
    const Extents own = i == 0 ? positions : random_shape_into(positions, source);
    Operand index = random_operand(device, {.shape = own, .dtype = dtype}, source);
    for (Exact& value : *index.model.memory) {
      const auto extent = static_cast<std::uint64_t>(shape[i]);
      const auto at = static_cast<std::int64_t>(source() % extent);
      const bool from_end = is_signed(dtype) && source() % 3 == 0;
      value = static_cast<long double>(from_end ? at - shape[i] : at);
    }
    const kiln::Shape base = index.base.shape();
    const Array refilled = device.place(make(dtype, *index.model.memory, base));
    // The same view of the new base.
    const auto moved = static_cast<const char*>(index.view.data()) - static_cast<const char*>(index.base.data());
    index.view = Array::view(
        static_cast<char*>(refilled.data()) + moved, index.view.shape(), dtype,
        {.strides = index.view.strides(), .device = refilled.is_host() ? std::nullopt : std::optional(refilled.device())});
    index.base = refilled;
    what += ", indices " + text_of(own) + " " + std::string(name(dtype));
    arrays.push_back(index.view);
    indices.push_back(std::move(index));
  }
  Extents full = positions;
  full.insert(full.end(), shape.begin() + static_cast<std::ptrdiff_t>(indexed), shape.end());
  const Operand value = random_operand(device, {.shape = random_shape_into(full, source), .dtype = types.value}, source);
  what += ", value " + to_string(value.view.shape()) + " strides " + to_string(value.view.strides()) + ", seed " +
          std::to_string(seed());
  INFO(what);

  for_each_index(full, [&](const Extents& index) {
    Extents at;
    const Extents position(index.begin(), index.begin() + static_cast<std::ptrdiff_t>(positions.size()));
    for (std::size_t i = 0; i < indexed; ++i) {
      const auto given = static_cast<std::int64_t>(indices[i].model.at(position).real());
      at.push_back(given < 0 ? given + shape[i] : given);
    }
    at.insert(at.end(), index.begin() + static_cast<std::ptrdiff_t>(positions.size()), index.end());
    Exact& element = target.model.at(at);
    const Exact b = value.model.at(index);
    const DType loop = promote(types.target, types.value);
    element = rounded(types.target, rounded(loop, ordered ? 2.0L * element - b : element + b));
  });
  ufunc.at(target.view, arrays, value.view, {.stream = device.options().stream});
  CHECK(difference(read(device.fetch(target.base)), *target.model.memory) == "");
}

}  // namespace

TEST_CASE("at: random targets, indices and values against a slow interpreter") {
  std::uint64_t stream = 800;
  const Case cases[] = {
      {DType::int32, DType::int32},        {DType::int8, DType::int8},     {DType::uint16, DType::uint16},
      {DType::int64, DType::int64},        {DType::uint8, DType::uint8},   {DType::float32, DType::float32},
      {DType::float64, DType::float64},    {DType::float32, DType::int16}, {DType::int16, DType::int32},
      {DType::float16, DType::float16},    {DType::bfloat16, DType::int8}, {DType::complex64, DType::complex64},
      {DType::complex128, DType::float64}, {DType::uint32, DType::uint32}, {DType::uint64, DType::uint64}};
  on_every_device([&](const Target& target) {
    auto source = random_source(stream++);
    const int rounds = target.device().is_cpu() ? 12 : 2;  // a GPU compiles a kernel for nearly each
    for (int i = 0; i < rounds; ++i) {
      for (const Case& types : cases) {
        // 2⁶⁴ doubled is more than the interpreter's numbers can hold.
        if (types.target != DType::uint64) check(target, ordered_fold(), types, source);
        // Sums of bfloat16 round, so they depend on the order.
        if (types.target != DType::bfloat16 || target.device().is_cpu()) check(target, sum(), types, source);
      }
    }
  });
}

TEST_CASE("at: many indices to few elements") {
  on_every_device([&](const Target& target) {
    constexpr std::int64_t kCount = 100'000;
    std::vector<Exact> places;
    for (std::int64_t i = 0; i < kCount; ++i) places.emplace_back(static_cast<long double>(i * i % 7 - 7));
    const Array indices = target.place(make(DType::int32, places));
    for (const DType dtype : {DType::int32, DType::uint32, DType::int64, DType::uint64, DType::float32, DType::float64,
                              DType::int8, DType::int16, DType::float16, DType::complex64, DType::complex128}) {
      const std::string what(name(dtype));
      INFO(what);
      // float16 counts up to 2048.
      const bool half = dtype == DType::float16;
      const Array few = half ? indices[{Slice{.stop = 2000}}] : indices;
      const Array counts = target.place(Array::zeros({7}, dtype));
      kiln::math::add.at(counts, few, 1, {.stream = target.options().stream});
      std::vector<Exact> expected(7, 0);
      for (std::int64_t i = 0; i < few.size(); ++i) expected[static_cast<std::size_t>(i * i % 7)] += 1.0L;
      for (Exact& value : expected) value = rounded(dtype, value);
      CHECK(difference(read(target.fetch(counts)), expected) == "");
      if (kind(dtype) == kiln::Kind::complex) continue;
      // The largest and the smallest that came.
      std::vector<Exact> numbers;
      for (std::int64_t i = 0; i < few.size(); ++i) numbers.emplace_back(static_cast<long double>((i * 37 + 11) % 101));
      const Array given = target.place(make(dtype, numbers));
      const Array most = target.place(Array::zeros({7}, dtype));
      kiln::math::maximum.at(most, few, given, {.stream = target.options().stream});
      std::vector<Exact> largest(7, 0);
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        Exact& value = largest[i * i % 7];
        value = std::max(value.real(), numbers[i].real());
      }
      CHECK(difference(read(target.fetch(most)), largest) == "");
    }
    const Array bits = target.place(Array::zeros({7}, DType::uint8));
    kiln::math::bitwise_xor.at(bits, indices, std::uint8_t{1}, {.stream = target.options().stream});
    std::vector<Exact> odd(7, 0);
    for (std::int64_t i = 0; i < kCount; ++i)
      odd[static_cast<std::size_t>(i * i % 7)] = 1.0L - odd[static_cast<std::size_t>(i * i % 7)];
    CHECK(difference(read(target.fetch(bits)), odd) == "");
    const Array truth = target.place(make(DType::bool_, {1, 1, 1, 1, 1, 1, 1}));
    kiln::math::logical_and.at(truth, indices, indices, {.stream = target.options().stream});
    std::vector<Exact> all(7, 1);
    CHECK(difference(read(target.fetch(truth)), all) == "");
  });
}

TEST_CASE("at: ufuncs of one input, and wide rows") {
  on_every_device([&](const Target& target) {
    const kiln::AtOptions options{.stream = target.options().stream};
    const Array x = target.place(make(DType::int64, {1, 2, 3}));
    kiln::math::negative.at(x, target.place(make(DType::int64, {0, 0, 1, -1})), options);
    CHECK(difference(read(target.fetch(x)), {1, -2, -3}) == "");
    const Array m = target.place(Array::zeros({3, 1000}, DType::float32));
    std::vector<Exact> row;
    for (int i = 0; i < 1000; ++i) row.emplace_back(static_cast<long double>(i));
    const Array b = target.place(make(DType::float32, row));
    const std::vector<Exact> many(200, 1);
    kiln::math::add.at(m, target.place(make(DType::int32, many)), b, options);
    kiln::math::subtract.at(m, {target.place(make(DType::int32, {0, 1, 1}))}, b, options);
    std::vector<Exact> expected;
    for (const int times : {-1, 198, 0}) {
      for (const Exact& value : row) expected.push_back(static_cast<long double>(times) * value);
    }
    CHECK(difference(read(target.fetch(m)), expected) == "");
  });
}

TEST_CASE("at: what it reads may be what it writes") {
  on_every_device([&](const Target& target) {
    const kiln::AtOptions options{.stream = target.options().stream};
    Array x = target.place(make(DType::int32, {3, 1, 0, 2, 2}));
    ordered_fold().at(x, x, x, options);
    // From the old indices and the old values: x[3] = 2 * 2 - 3, x[1] = 2 * 1 - 1, x[0] = 2 * 3 - 0, x[2] = 2 * (2 * 0 - 2)
    // - 2.
    CHECK(difference(read(target.fetch(x)), {6, 1, -6, 1, 2}) == "");
    x = target.place(make(DType::float64, {1, 2, 3, 4, 5, 6}));
    kiln::math::add.at(x[{Slice{.stop = 5}}], target.place(make(DType::int16, {0, 1, 2, 3, 4})), x[{Slice{.start = 1}}],
                       options);
    CHECK(difference(read(target.fetch(x)), {3, 5, 7, 9, 11, 6}) == "");
  });
}

TEST_CASE("at: empty indices and rows") {
  on_every_device([&](const Target& target) {
    const kiln::AtOptions options{.stream = target.options().stream};
    const Array x = target.place(make(DType::int32, {1, 2}));
    kiln::math::add.at(x, target.place(Array::zeros({0}, DType::int64)), 5, options);
    kiln::math::add.at(x, target.place(Array::scalar(std::int64_t{1})), 5, options);
    CHECK(difference(read(target.fetch(x)), {1, 7}) == "");
    kiln::math::add.at(target.place(Array::zeros({3, 0}, DType::int32)), target.place(make(DType::int64, {2})), 1, options);
  });
}

TEST_CASE("at: one thread and several give the same bits") {
  if (!has_cpu()) return;
  count_case();
  auto source = random_source(820);
  const std::int64_t rows = 50;
  const std::int64_t columns = 3001;
  std::vector<Exact> numbers;
  std::vector<Exact> places;
  for (std::int64_t i = 0; i < 400; ++i) places.emplace_back(static_cast<long double>(source() % 50));
  for (std::int64_t i = 0; i < columns * 400; ++i) numbers.emplace_back(static_cast<long double>(source() % 1000) / 7.0L);
  const Array indices = make(DType::int64, places);
  const Array values = make(DType::float32, numbers, kiln::Shape{400, columns});
  std::vector<float> first;
  for (const int threads : {1, 2, 3}) {
    const kiln::Device cpu = kiln::Device::cpu({.threads = threads});
    const Array x = kiln::to_device(Array::full({rows, columns}, 0.1F), cpu);
    kiln::math::logaddexp.at(x, indices, values);
    const std::vector<float> got = x.to_vector<float>();
    if (first.empty()) first = got;
    CHECK(got == first);
  }
}

TEST_CASE("at: a bool is no number where the definition says so") {
  const Ufunc sum = kiln::vectorize(
      {.name = "sum", .signatures = {"bool(int8 a, int8 b)"}, .body = "return a + b;", .bools_are_numbers = false});
  on_every_device([&](const Target& target) {
    const Array bools = target.place(Array::zeros({2}, DType::bool_));
    const Array first = target.place(Array::zeros({1}, DType::int64));
    CHECK_THROWS_AS(sum.at(bools, first, true, {.stream = target.options().stream}), kiln::TypeError);
    CHECK_THROWS_AS((void)target.call(sum, {bools, bools}), kiln::TypeError);
  });
}

TEST_CASE("at: errors name the place, and nothing is written") {
  on_every_device([&](const Target& target) {
    const kiln::AtOptions options{.stream = target.options().stream};
    const Array x = target.place(make(DType::int32, {1, 2, 3, 4, 5, 6}, kiln::Shape{3, 2}));
    const auto place = [&](const std::vector<Exact>& values, std::optional<kiln::Shape> shape = std::nullopt) {
      return target.place(make(DType::int64, values, shape));
    };
    const auto shape_error = [&](auto call) { return message_of<kiln::ShapeError>(call); };
    const auto type_error = [&](auto call) { return message_of<kiln::TypeError>(call); };
    using kiln::math::add;
    CHECK(shape_error([&] { add.at(x, place({0, 1, 3, -9}), 1, options); }) ==
          "add.at: index 3 at position 2 of the array of indices is out of range for axis 0 of extent 3");
    CHECK(shape_error([&] { add.at(x, place({0, -4}), 1, options); }) ==
          "add.at: index -4 at position 1 of the array of indices is out of range for axis 0 of extent 3");
    CHECK(
        shape_error([&] { add.at(x, target.place(Array::full({1}, std::numeric_limits<std::int64_t>::max())), 1, options); }) ==
        "add.at: index 9223372036854775807 at position 0 of the array of indices is out of range for axis 0 of extent 3");
    CHECK(shape_error([&] { add.at(x, {place({0, 1}), place({0, 1, 1, 2}, kiln::Shape{2, 2})}, 1, options); }) ==
          "add.at: index 2 at position (1, 1) of index array 1 is out of range for axis 1 of extent 2");
    CHECK(shape_error([&] { add.at(x, {place({0}), place({0}), place({0})}, 1, options); }) ==
          "add.at: 3 index arrays given for an array of shape (3, 2); give one for each of its first axes");
    CHECK(shape_error([&] { add.at(x, {place({0, 1}), place({0, 1, 1})}, 1, options); }) ==
          "add.at: index arrays of shapes (2,), (3,) do not broadcast together");
    CHECK(
        shape_error([&] { add.at(x, place({0, 1}), place({1, 2, 3}), options); }) ==
        "add.at: the second operand has shape (3,), which does not broadcast to (2, 2), the shape of the indices and the axes "
        "behind them");
    CHECK(type_error([&] { add.at(x, target.place(make(DType::float64, {0, 1})), 1, options); }) ==
          "add.at: the array of indices has dtype float64; indices are integers");
    CHECK(type_error([&] { add.at(x, target.place(make(DType::bool_, {0, 1})), 1, options); }) ==
          "add.at: the array of indices has dtype bool; indices are integers");
    CHECK(type_error([&] { add.at(x, place({0}), 1.5, options); }) ==
          "add.at: cannot cast the result from float64 to the array's int32 under casting \"same_kind\" for the loop "
          "float64(float64 x1, float64 x2); give one of float64");
    CHECK(type_error([&] { add.at(x, place({0}), std::int64_t{1} << 40, options); }) ==
          "add.at: the integer 1099511627776 given as the second operand does not fit in int32, the dtype of the loop "
          "int32(int32 x1, int32 x2)");
    CHECK(type_error([&] { add.at(x.as_read_only(), place({0}), 1, options); }) ==
          "add.at: the array is read-only; give a writable one");
    CHECK(type_error([&] { add.at(x, place({0}), options); }) == "add.at: a second operand is needed: at(array, indices, b)");
    CHECK(type_error([&] { kiln::math::negative.at(x, place({0}), 1, options); }) ==
          "negative.at: a ufunc of one input takes no second operand: at(array, indices)");
    CHECK(type_error([&] { kiln::math::divmod.at(x, place({0}), 1, options); }) ==
          "divmod.at: only a ufunc of one or two inputs and one output has at; this one has 2 and 2");
    CHECK(type_error([&] { add.at(x, Array(), 1, options); }) ==
          "add.at: the array of indices is an empty Array handle, not an array");
    CHECK(type_error([&] { add.at(x, std::span<const Array>(), 1, options); }) ==
          "add.at: no array of indices given; give one for each of the first axes");
    CHECK(shape_error([&] { add.at(target.place(Array::scalar(1)), place({0}), 1, options); }) ==
          "add.at: 1 index array given for an array of shape (); give one for each of its first axes");
    CHECK(difference(read(target.fetch(x)), {1, 2, 3, 4, 5, 6}) == "");
  });
}
