// Operands whose nearest axis is not the loop's, with extents at which GPUs go by tiles: random ones against index arithmetic,
// and chosen ones at the edges.
#include <algorithm>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../unit/base/sanitizer.hpp"
#include "devices.hpp"
#include "kiln/error.hpp"
#include "model.hpp"
#include "ufuncs.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Slice;
using kiln::Ufunc;

namespace {

struct TiledDtypes {
  DType a, b, result, out;
};
constexpr TiledDtypes kTiledDtypes[] = {{DType::float32, DType::float32, DType::float32, DType::float32},
                                        {DType::int8, DType::int8, DType::int8, DType::int8},
                                        {DType::int8, DType::int32, DType::int32, DType::int16},
                                        {DType::float16, DType::float16, DType::float16, DType::float32},
                                        {DType::float64, DType::float64, DType::float64, DType::float64},
                                        {DType::complex64, DType::complex64, DType::complex64, DType::complex128},
                                        {DType::complex128, DType::complex128, DType::complex128, DType::complex128}};

/// Two axes, or more, two of which are as long as tiles, or about that.
Extents tiled_shape(std::mt19937_64& source) {
  constexpr std::int64_t kLong[] = {32, 33, 40, 63, 64, 65, 70};
  constexpr std::int64_t kShort[] = {1, 2, 3};
  Extents shape{kLong[source() % std::size(kLong)], kLong[source() % std::size(kLong)]};
  for (std::uint64_t more = source() % 3; more > 0; --more) shape.push_back(kShort[source() % std::size(kShort)]);
  std::shuffle(shape.begin(), shape.end(), source);
  return shape;
}

/// Whether a call goes by tiles: what it would is asked of it.
bool is_tiled(const Target& target, const Ufunc& ufunc, std::initializer_list<kiln::Arg> args, kiln::CallOptions options = {}) {
  return ufunc.resolve(args, target.options(std::move(options))).variant == "tiled";
}

/// Combines random operands, where a mask is true if there is one, and compares all of the output's memory. True if by tiles.
bool check_random(const Target& target, std::mt19937_64& source) {
  const Extents loop = tiled_shape(source);
  const TiledDtypes& dtypes = kTiledDtypes[source() % std::size(kTiledDtypes)];
  const Operand a = random_operand(target, {.shape = loop, .dtype = dtypes.a}, source);
  const Operand b = random_operand(target, {.shape = random_shape_into(loop, source), .dtype = dtypes.b}, source);
  std::optional<Operand> mask;
  if (source() % 3 == 0)
    mask = random_operand(target, {.shape = random_shape_into(loop, source), .dtype = DType::bool_}, source);
  std::optional<Operand> out;
  if (source() % 2 == 0) out = random_operand(target, {.shape = loop, .dtype = dtypes.out, .input = false}, source);
  kiln::CallOptions options;
  if (mask) options.where = mask->view;
  if (out) options.out = out->view;
  const std::string what = "of " + std::string(kiln::name(dtypes.a)) + " strides " + to_string(a.view.strides()) + " and " +
                           to_string(b.view.shape()) + " strides " + to_string(b.view.strides()) + " over " + text_of(loop) +
                           (out ? ", out strides " + to_string(out->view.strides()) : "") +
                           (mask ? ", where strides " + to_string(mask->view.strides()) : "") + ", seed " +
                           std::to_string(seed());
  INFO(what);
  const bool tiled = is_tiled(target, combine(), {a.view, b.view}, options);
  const Array result = target.call(combine(), {a.view, b.view}, options);
  const auto is_wanted = [&](const Extents& index) { return !mask || mask->model.at(index) != Exact(0); };
  const auto expected = [&](const Extents& index, DType to) {
    return rounded(to, rounded(dtypes.result, 3.0L * a.model.at(index) + b.model.at(index)));
  };
  if (out) {
    for_each_index(loop, [&](const Extents& index) {
      if (is_wanted(index)) out->model.at(index) = expected(index, dtypes.out);
    });
    CHECK(difference(read(target.fetch(out->base)), *out->model.memory) == "");
  } else {
    std::vector<Exact> values;
    for_each_index(
        loop, [&](const Extents& index) { values.push_back(is_wanted(index) ? expected(index, dtypes.result) : Exact(0)); });
    CHECK(difference(read(target.fetch(result)), values) == "");
  }
  return tiled;
}

/// A placed array of that shape with small numbers, each element's another one than its neighbours'.
Array numbers(const Target& target, DType dtype, const kiln::Shape& shape, int from = 0) {
  std::vector<Exact> values;
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) size *= extent;
  const std::int64_t most = dtype == DType::bool_ ? 2 : 31;
  for (std::int64_t i = 0; i < size; ++i)
    values.push_back(rounded(dtype, static_cast<long double>((i * 7 + from) % 31 % most)));
  return target.place(make(dtype, values, shape));
}

/// What the same call of the same operands gives on the CPU, from contiguous copies.
std::vector<Exact> on_cpu(const Target& target, const Ufunc& ufunc, std::initializer_list<Array> args) {
  std::vector<Array> copies;
  for (const Array& each : args) copies.push_back(target.fetch(each).copy());
  std::vector<kiln::Arg> given(copies.begin(), copies.end());
  return read(ufunc(given, {.device = kiln::Device::cpu()}));
}

void check_tiled(const Target& target, const Ufunc& ufunc, const Array& a, const Array& b, bool tiled = true) {
  INFO(to_string(a.shape()), " strides ", to_string(a.strides()), ", ", std::string(kiln::name(a.dtype())));
  // Arrays of the host come packed.
  if (target.mode() != Mode::host && !target.device().is_cpu()) CHECK(is_tiled(target, ufunc, {a, b}) == tiled);
  CHECK(difference(read(target.fetch(target.call(ufunc, {a, b}))), on_cpu(target, ufunc, {a, b})) == "");
}

}  // namespace

TEST_CASE("tiles: random operands agree with index arithmetic") {
  std::uint64_t stream = 1700;
  on_every_device([&](const Target& target) {
    auto source = random_source(stream++);
    const int cases = kiln::test::rounds(60);
    int tiled = 0;
    for (int i = 0; i < cases; ++i) tiled += check_random(target, source) ? 1 : 0;
    if (target.device().is_cpu()) {
      CHECK(tiled == 0);
    } else if (target.mode() != Mode::host) {
      CHECK((tiled > 0 || cases < 40));
    }
  });
}

TEST_CASE("tiles: every dtype") {
  on_every_device([&](const Target& target) {
    for (const DType dtype : kEveryDType) {
      const Array a = numbers(target, dtype, {35, 66});
      const Array b = numbers(target, dtype, {66, 35}, 5);
      check_tiled(target, combine(), a.transpose(), b);
      CHECK(difference(read(target.fetch(a.transpose().copy())), read(target.fetch(a).transpose().copy())) == "");
    }
  });
}

TEST_CASE("tiles: any two axes") {
  on_every_device([&](const Target& target) {
    const Array b = numbers(target, DType::int32, {33, 3, 2, 40}, 5);
    check_tiled(target, combine(), numbers(target, DType::int32, {40, 3, 2, 33}).transpose({3, 1, 2, 0}), b);
    check_tiled(target, combine(), numbers(target, DType::int32, {3, 2, 40, 33}).transpose({3, 0, 1, 2}), b);
    // The nearest axis is too short.
    check_tiled(target, combine(), numbers(target, DType::int32, {33, 40, 2, 3}).transpose({0, 3, 2, 1}), b, false);
    // Nine axes that do not merge: a launch for each index of the first.
    kiln::Shape shape(7, 2);
    shape.push_back(33);
    shape.push_back(34);
    const Array deep = numbers(target, DType::int16, shape);
    const Array every_other =
        numbers(target, DType::int16,
                {3, 3, 3, 3, 3, 3, 3, 35,
                 35})[{Slice{.stop = 2}, Slice{.stop = 2}, Slice{.stop = 2}, Slice{.stop = 2}, Slice{.stop = 2},
                       Slice{.stop = 2}, Slice{.stop = 2}, Slice{.stop = 33}, Slice{.stop = 34}}];
    check_tiled(target, combine(), every_other.transpose({0, 1, 2, 3, 4, 5, 6, 8, 7}),
                deep.transpose({0, 1, 2, 3, 4, 5, 6, 8, 7}).copy());
  });
}

TEST_CASE("tiles: steps, backwards, broadcast, and rows that are far from one another") {
  on_every_device([&](const Target& target) {
    const Array b = numbers(target, DType::float32, {40, 65}, 5);
    const Array wide = numbers(target, DType::float32, {65, 80}).transpose();
    check_tiled(target, combine(), wide[{Slice{.step = 2}}], b);
    check_tiled(target, combine(), numbers(target, DType::float32, {65, 40}).transpose()[{Slice{.step = -1}}], b);
    check_tiled(target, combine(), numbers(target, DType::float32, {65, 40}).transpose()[{Slice{}, Slice{.step = -1}}], b);
    const Array a = numbers(target, DType::float32, {65, 40}).transpose();
    // Beside a row or a column the loop goes along a, and so does the result.
    check_tiled(target, combine(), a, numbers(target, DType::float32, {65}, 5), false);
    check_tiled(target, combine(), a, numbers(target, DType::float32, {40, 1}, 5), false);
    const Array out = target.place(Array::zeros({40, 65}, DType::float32));
    const Array row = numbers(target, DType::float32, {65}, 5);
    target.call(combine(), {a, row}, {.out = out});
    CHECK(difference(read(target.fetch(out)), on_cpu(target, combine(), {a, row})) == "");
    check_tiled(target, combine(), numbers(target, DType::float32, {1, 65, 40}).transpose({0, 2, 1}),
                numbers(target, DType::float32, {3, 40, 65}, 5));
    // A megabyte from one to the next.
    const Array far = target.place(Array::zeros({33, 1 << 20}, DType::int8))[{Slice{}, Slice{.start = 5, .stop = 69}}];
    far.assign(numbers(target, DType::int8, {33, 64}));
    check_tiled(target, combine(), far.transpose(), numbers(target, DType::int8, {64, 33}, 5));
  });
}

TEST_CASE("tiles: outputs that lie across, and in place") {
  on_every_device([&](const Target& target) {
    for (const DType dtype : {DType::int8, DType::float32, DType::float64}) {
      const Array a = numbers(target, dtype, {34, 66});
      const Array b = numbers(target, dtype, {34, 66}, 5);
      const std::vector<Exact> expected = on_cpu(target, combine(), {a, b});
      const Array out = target.place(Array::zeros({66, 34}, dtype));
      target.call(combine(), {a, b}, {.out = out.transpose()});
      CHECK(difference(read(target.fetch(out.transpose())), expected) == "");
      // The first argument and the output are one window, in the order of neither the loop's.
      const Array both = numbers(target, dtype, {66, 34});
      const std::vector<Exact> over = on_cpu(target, combine(), {both.transpose(), b});
      target.call(combine(), {both.transpose(), b}, {.out = both.transpose()});
      CHECK(difference(read(target.fetch(both.transpose())), over) == "");
      // Other elements than it writes.
      const Array square = numbers(target, dtype, {40, 40});
      const Array same = numbers(target, dtype, {40, 40}, 5);
      const std::vector<Exact> turned = on_cpu(target, combine(), {square.transpose(), same});
      target.call(combine(), {square.transpose(), same}, {.out = square});
      CHECK(difference(read(target.fetch(square)), turned) == "");
    }
  });
}

TEST_CASE("tiles: a mask keeps what it leaves out of outputs that lie either way") {
  static const Ufunc both =
      kiln::vectorize({.name = "sum_and_difference", .signatures = {"(T s, T d)(T a, T b)"}, .body = "s = a + b; d = a - b;"});
  on_every_device([&](const Target& target) {
    const kiln::Shape shape{66, 35};
    const Array a = numbers(target, DType::int16, shape);
    const Array b = numbers(target, DType::int16, shape, 5);
    const Array where = numbers(target, DType::bool_, {35, 66}).transpose();
    const Array sums = target.place(Array::zeros({35, 66}, DType::int32)).transpose();
    const Array differences = target.place(Array::zeros(shape, DType::int16));
    sums.fill(-1);
    differences.fill(-2);
    target.outputs(both, {a, b}, {.out = {sums, differences}, .where = where});
    const auto x = read(target.fetch(a)), y = read(target.fetch(b)), wanted = read(target.fetch(where));
    std::vector<Exact> first, second;
    for (std::size_t i = 0; i < x.size(); ++i) {
      first.push_back(wanted[i] != Exact(0) ? x[i] + y[i] : Exact(-1));
      second.push_back(wanted[i] != Exact(0) ? x[i] - y[i] : Exact(-2));
    }
    CHECK(difference(read(target.fetch(sums)), first) == "");
    CHECK(difference(read(target.fetch(differences)), second) == "");
  });
}

TEST_CASE("tiles: more operands than shared memory has room for") {
  static const Ufunc many = kiln::vectorize({.name = "weigh",
                                             .signatures = {"T(T a, T b, T c, T d, T e, T f, T g, T h)"},
                                             .body = "return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;"});
  on_every_device([&](const Target& target) {
    std::vector<kiln::Arg> args;
    std::vector<std::vector<Exact>> values;
    for (int k = 0; k < 8; ++k) {
      const Array turned = numbers(target, DType::float64, {33, 40}, k).transpose();
      args.emplace_back(turned);
      values.push_back(read(target.fetch(turned)));
    }
    const Array out = target.place(Array::zeros({40, 33}, DType::float64));
    target.outputs(many, args, {.out = out});
    std::vector<Exact> expected(values[0].size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      for (std::size_t k = 0; k < 8; ++k) expected[i] += static_cast<long double>(k + 1) * values[k][i];
    }
    CHECK(difference(read(target.fetch(out)), expected) == "");
  });
}

TEST_CASE("tiles: the body runs once for each element, and a fault has its number") {
  static const Ufunc prints = kiln::vectorize({.name = "k",
                                               .signatures = {"int32(int32 a, int32 b)"},
                                               .body = "print(\"{}\", a);\nassert(a != 7 * 40 + 11);\nreturn a + b;",
                                               .compile = {.debug = {.on = true}}});
  on_every_device([&](const Target& target) {
    std::vector<std::int32_t> values(33 * 40);
    std::iota(values.begin(), values.end(), 0);
    const Array a = target.place(Array::from(values).reshape({33, 40}));
    const Array b = numbers(target, DType::int32, {40, 33});
    std::mutex mutex;
    std::vector<std::int32_t> printed;
    kiln::set_print([&](std::string_view text) {
      const std::lock_guard guard(mutex);
      printed.push_back(std::stoi(std::string(text)));
    });
    std::string message;
    try {
      static_cast<void>(target.fetch(target.call(prints, {a.transpose(), b})));
    } catch (const kiln::DeviceError& error) {
      message = error.what();
    }
    kiln::set_print({});
    std::sort(printed.begin(), printed.end());
    CHECK(printed == values);
    CHECK_MESSAGE(message.find(" at item " + std::to_string(11 * 33 + 7) + ":") != std::string::npos, message);
  });
}
