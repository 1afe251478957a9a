// Ufunc::reduceat: NumPy's answers, random segments against slices that are reduced one by one, and errors.
#include <algorithm>
#include <bit>
#include <functional>

#include "devices.hpp"
#include "kiln/error.hpp"
#include "kiln/math.hpp"
#include "model.hpp"

using namespace conformance;
using kiln::AccumulateOptions;
using kiln::Array;
using kiln::DType;
using kiln::Slice;
using kiln::Ufunc;

namespace {

/// What NumPy defines, by a plain loop over the elements of a host array.
std::vector<Exact> reduced_at(const Array& array, std::size_t axis, const std::vector<std::int64_t>& begins,
                              const std::function<Exact(Exact, Exact)>& combine) {
  const std::vector<Exact> elements = read(array);
  const kiln::Shape& shape = array.shape();
  std::int64_t outer = 1;
  std::int64_t inner = 1;
  for (std::size_t d = 0; d < axis; ++d) outer *= shape[d];
  for (std::size_t d = axis + 1; d < shape.size(); ++d) inner *= shape[d];
  std::vector<Exact> results;
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::size_t s = 0; s < begins.size(); ++s) {
      const std::int64_t end = s + 1 < begins.size() ? begins[s + 1] : shape[axis];
      for (std::int64_t i = 0; i < inner; ++i) {
        const auto at = [&](std::int64_t k) { return elements[static_cast<std::size_t>((o * shape[axis] + k) * inner + i)]; };
        Exact value = at(begins[s]);
        for (std::int64_t k = begins[s] + 1; k < end; ++k) value = combine(value, at(k));
        results.push_back(value);
      }
    }
  }
  return results;
}

/// Of `count` segments of up to `longest` elements; one in ten goes back to where an earlier one began, and so has one element.
std::vector<std::int64_t> begins_of(std::size_t count, std::int64_t longest, std::mt19937_64& source) {
  std::vector<std::int64_t> begins;
  for (std::int64_t at = 0; begins.size() < count;) {
    begins.push_back(at);
    if (source() % 10 == 0) begins.push_back(begins[begins.size() - 1 - source() % std::min<std::size_t>(begins.size(), 5)]);
    at = begins.back() + 1 + static_cast<std::int64_t>(source() % static_cast<std::uint64_t>(longest));
  }
  return begins;
}

/// Small integers, of which sums and differences are exact in every dtype but the smallest.
Array small_numbers(DType dtype, const kiln::Shape& shape, std::mt19937_64& source) {
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) size *= extent;
  std::vector<Exact> values(static_cast<std::size_t>(size));
  const bool is_complex = kiln::kind(dtype) == kiln::Kind::complex;
  for (Exact& value : values) {
    const auto real = static_cast<long double>(source() % 2);
    value = {real, is_complex ? static_cast<long double>(source() % 3) : 0};
  }
  return make(dtype, values, shape);
}

Exact exact_sum(Exact a, Exact b) {
  return a + b;
}
Exact difference_of(Exact a, Exact b) {
  return a - b;
}

}  // namespace

TEST_CASE("reduceat: what NumPy gives") {
  on_every_device([&](const Target& target) {
    // numpy.add.reduceat(numpy.arange(5), [0, 3, 1, 1]) and the like, from NumPy 2.4.6.
    const Array counting = target.place(Array::from<std::int64_t>({0, 1, 2, 3, 4}));
    const Array indices = Array::from<std::int32_t>({0, 3, 1, 1});
    CHECK(target.fetch(kiln::math::add.reduceat(counting, indices, accumulate_on(target, {}))).to_vector<std::int64_t>() ==
          std::vector<std::int64_t>{3, 3, 1, 10});
    CHECK(target.fetch(kiln::math::subtract.reduceat(counting, target.place(indices), accumulate_on(target, {})))
              .to_vector<std::int64_t>() == std::vector<std::int64_t>{-3, 3, 1, -8});
    CHECK(kiln::math::add.reduceat(counting, Array::zeros({0}, DType::uint8), accumulate_on(target, {})).size() == 0);
    const Array matrix = target.place(Array::from<std::int8_t>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, kiln::Shape{3, 4}));
    const Array by_row =
        kiln::math::multiply.reduceat(matrix, Array::from<std::uint64_t>({1, 2}), accumulate_on(target, {.axis = -1}));
    CHECK(by_row.dtype() == DType::int64);
    CHECK(target.fetch(by_row).to_vector<std::int64_t>() == std::vector<std::int64_t>{2, 12, 6, 56, 10, 132});
    // The first element is taken as it is: hypot and gcd of it and the identity would be positive.
    CHECK(target
              .fetch(kiln::math::gcd.reduceat(target.place(Array::from<std::int32_t>({-4, 6})), Array::from<int>({0, 1}),
                                              accumulate_on(target, {})))
              .to_vector<std::int32_t>() == std::vector<std::int32_t>{-4, 6});
    const Array out = target.place(Array::zeros({2, 3}, DType::float32)).transpose();
    CHECK(kiln::math::add.reduceat(matrix, Array::from<int>({3, 0}), accumulate_on(target, {.axis = 1, .out = out})).rep() ==
          out.rep());
    CHECK(target.fetch(out).to_vector<float>() == std::vector<float>{4, 10, 8, 26, 12, 42});
  });
}

TEST_CASE("reduceat: random segments equal the reductions of slices") {
  std::uint64_t stream = 430;
  on_every_device([&](const Target& target) {
    std::mt19937_64 source = random_source(stream++);
    for (int i = 0; i < (target.device().is_cpu() ? 60 : 20); ++i) {
      const int ndim = 1 + static_cast<int>(source() % 3);
      Extents shape = random_loop_shape(ndim, 1 << (source() % 12), source);
      if (std::any_of(shape.begin(), shape.end(), [](std::int64_t extent) { return extent == 0; })) continue;
      const DType dtype = source() % 2 == 0 ? DType::float32 : DType::int32;
      const Operand array = random_operand(target, {.shape = shape, .dtype = dtype}, source);
      const std::size_t axis = source() % shape.size();
      std::vector<std::int64_t> begins(source() % 6 + 1);
      for (std::int64_t& begin : begins) begin = static_cast<std::int64_t>(source() % static_cast<std::uint64_t>(shape[axis]));
      const Ufunc& ufunc = *kiln::math::find(source() % 2 == 0 ? "maximum" : "subtract");
      const bool maximum = ufunc.name() == "maximum";
      std::vector<Exact> expected;
      Extents outer = shape;
      outer[axis] = static_cast<std::int64_t>(begins.size());
      for_each_index(outer, [&](const Extents& index) {
        const auto segment = static_cast<std::size_t>(index[axis]);
        const std::int64_t end = segment + 1 < begins.size() ? begins[segment + 1] : shape[axis];
        Extents at = index;
        at[axis] = begins[segment];
        Exact value = array.model.at(at);
        for (std::int64_t k = begins[segment] + 1; k < end; ++k) {
          at[axis] = k;
          const Exact x = array.model.at(at);
          value = maximum ? (value.real() < x.real() ? x : value) : value - x;
        }
        expected.push_back(value);
      });
      INFO(ufunc.name(), " of ", text_of(shape), " axis ", axis, " at ", text_of(begins));
      const Array result =
          ufunc.reduceat(array.view, Array::from(begins), accumulate_on(target, {.axis = static_cast<int>(axis)}));
      CHECK(kiln::to_string(result.shape()) == kiln::to_string(shape_of(outer)));
      CHECK(difference(read(target.fetch(result)), expected) == "");
    }
  });
}

TEST_CASE("reduceat: thousands of segments at once, of many lengths, dtypes and layouts") {
  struct Case {
    DType dtype;
    std::vector<std::int64_t> others;  // the extents of the axes that have no segments
    std::size_t axis;
    std::size_t segments;
    std::int64_t longest;
  };
  // A GPU's threads, warps and blocks take an output each, or a block many that lie side by side.
  const Case cases[] = {
      {DType::float32, {}, 0, 1500, 300}, {DType::float64, {}, 0, 40'000, 4},   {DType::bool_, {}, 0, 700, 40},
      {DType::float16, {}, 0, 100, 900},  {DType::complex64, {}, 0, 700, 100},  {DType::complex128, {3}, 1, 200, 60},
      {DType::float32, {7}, 1, 300, 80},  {DType::int16, {40}, 0, 300, 50},     {DType::bfloat16, {5, 33}, 1, 200, 3},
      {DType::uint8, {1000}, 0, 40, 3},   {DType::int64, {3, 2, 5}, 2, 100, 30}};
  const auto body = [&](const Target& target) {
    std::mt19937_64 source = random_source(432);
    for (const Case& each : cases) {
      const std::vector<std::int64_t> begins = begins_of(each.segments, each.longest, source);
      Extents extents = each.others;
      extents.insert(extents.begin() + static_cast<std::ptrdiff_t>(each.axis),
                     *std::max_element(begins.begin(), begins.end()) + 1 + each.longest / 2);
      const Array host = small_numbers(each.dtype, shape_of(extents), source);
      const Array array = target.place(host);
      const int axis = static_cast<int>(each.axis);
      INFO(kiln::name(each.dtype), " of ", text_of(extents), ", ", begins.size(), " segments of axis ", axis);
      const Array sums =
          kiln::math::add.reduceat(array, target.place(Array::from(begins)), accumulate_on(target, {.axis = axis}));
      CHECK(difference(read(target.fetch(sums)), reduced_at(host, each.axis, begins, exact_sum)) == "");
      if (kiln::kind(each.dtype) == kiln::Kind::complex || each.dtype == DType::bool_) continue;
      // In order, to where it is neither contiguous nor of the array's dtype.
      Extents twice = extents;
      twice[each.axis] = static_cast<std::int64_t>(begins.size());
      twice.back() *= 2;
      const Array whole = target.place(Array::zeros(shape_of(twice), DType::complex64));
      std::vector<kiln::Index> every_other(twice.size() - 1, kiln::all);
      every_other.emplace_back(Slice{.step = 2});
      const Array out = whole.slice(every_other);
      kiln::math::subtract.reduceat(array, Array::from(begins),
                                    accumulate_on(target, {.axis = axis, .dtype = DType::float64, .out = out}));
      CHECK(difference(read(target.fetch(out)), reduced_at(host, each.axis, begins, difference_of)) == "");
    }
  };
  on_every_device(body, {Mode::stream});
}

TEST_CASE("reduceat: one long segment among thousands of short ones, and the same bits again") {
  struct Case {
    std::size_t segments;
    std::int64_t longest;  // of the short ones
    std::int64_t more;     // elements that one of them has beyond that
  };
  const auto body = [&](const Target& target) {
    std::mt19937_64 source = random_source(433);
    // On a GPU warps take an output each, then blocks; in order always threads.
    for (const Case& each : {Case{2000, 3, 500}, Case{5000, 300, 20'000}}) {
      std::vector<std::int64_t> begins = begins_of(each.segments, each.longest, source);
      for (std::size_t i = begins.size() / 2; i < begins.size(); ++i) begins[i] += each.more;
      const Array host = small_numbers(DType::float32, {*std::max_element(begins.begin(), begins.end()) + 200}, source);
      CAPTURE(each.longest);
      const Array array = target.place(host);
      const Array sums = kiln::math::add.reduceat(array, Array::from(begins), accumulate_on(target, {}));
      CHECK(difference(read(target.fetch(sums)), reduced_at(host, 0, begins, exact_sum)) == "");
      const Array rest = kiln::math::subtract.reduceat(array, Array::from(begins), accumulate_on(target, {}));
      CHECK(difference(read(target.fetch(rest)), reduced_at(host, 0, begins, difference_of)) == "");
      if (each.segments == 5000) continue;
      const Array thirds = Array::empty(host.shape(), DType::float32);
      for (std::int64_t i = 0; i < host.size(); ++i) thirds.as<float>()[i] = host.as<const float>()[i] / 3;
      const Array placed = target.place(thirds);
      const auto bits = [&] {
        std::vector<std::uint32_t> all;
        const Array result = kiln::math::add.reduceat(placed, Array::from(begins), accumulate_on(target, {}));
        for (const float value : target.fetch(result).to_vector<float>()) all.push_back(std::bit_cast<std::uint32_t>(value));
        return all;
      };
      CHECK(bits() == bits());
    }
  };
  on_every_device(body, {Mode::device});
}

namespace {

/// Lengths around each at which a GPU's threads share a segment in another way, with one of each in between.
std::vector<std::int64_t> begins_of_all_kinds(bool columns, std::mt19937_64& source) {
  std::vector<std::int64_t> lengths = {1, 2, 15, 16, 17, 31, 33, 64, 65, 255, 256, 257};
  if (columns) {
    for (const std::int64_t length : {2047, 2048, 2049, 5000}) lengths.push_back(length);
  } else {
    for (const std::int64_t length : {4095, 4096, 4097, 16'384, 16'385, 50'000}) lengths.push_back(length);
  }
  for (int i = 0; i < 300; ++i) lengths.push_back(1 + static_cast<std::int64_t>(source() % (i % 3 == 0 ? 100 : 20)));
  std::shuffle(lengths.begin(), lengths.end(), source);
  std::vector<std::int64_t> begins;
  std::int64_t at = 3;
  for (const std::int64_t length : lengths) {
    begins.push_back(at);
    at += length;
  }
  // The last one goes back, so that those in front of it are not all in order.
  begins.push_back(7);
  begins.push_back(at);
  return begins;
}

}  // namespace

TEST_CASE("reduceat: segments of one element to tens of thousands in one call") {
  struct Case {
    DType dtype;
    std::vector<std::int64_t> others;
    std::size_t axis;
    std::int64_t step;  // between elements of the axis
  };
  const Case cases[] = {{DType::float32, {}, 0, 1},    {DType::int8, {}, 0, 1},       {DType::float64, {}, 0, -1},
                        {DType::int16, {}, 0, 3},      {DType::complex128, {}, 0, 1}, {DType::float32, {2}, 1, 1},
                        {DType::complex64, {2}, 0, 2}, {DType::float32, {20}, 0, 1},  {DType::int16, {2, 17}, 1, -2}};
  // Associative, and keeps the first real part and the last imaginary one: of complex numbers neighbours alone are combined.
  const Ufunc ends =
      kiln::vectorize({.name = "ends",
                       .signatures = {"complex64(complex64 a, complex64 b)", "complex128(complex128 a, complex128 b)"},
                       .body = "return decltype(a)(a.real(), b.imag());",
                       .reorderable = true});
  const auto body = [&](const Target& target) {
    std::mt19937_64 source = random_source(434);
    for (const Case& each : cases) {
      const bool columns = !each.others.empty() && each.others.back() >= 16;
      const std::vector<std::int64_t> begins = begins_of_all_kinds(columns, source);
      Extents extents = each.others;
      const std::int64_t step = std::abs(each.step);
      extents.insert(extents.begin() + static_cast<std::ptrdiff_t>(each.axis), step * (begins.back() + 40));
      const Array whole = small_numbers(each.dtype, shape_of(extents), source);
      std::vector<kiln::Index> every(each.axis, kiln::all);
      every.emplace_back(Slice{.step = each.step});
      const Array host = whole.slice(every);
      const Array array = target.place(whole).slice(every);
      const AccumulateOptions options = accumulate_on(target, {.axis = static_cast<int>(each.axis)});
      INFO(kiln::name(each.dtype), " of ", text_of(extents), " axis ", each.axis, " step ", each.step);
      const auto check = [&](const Ufunc& ufunc, const std::function<Exact(Exact, Exact)>& combine) {
        INFO(ufunc.name());
        CHECK(difference(read(target.fetch(ufunc.reduceat(array, Array::from(begins), options))),
                         reduced_at(host.copy(), each.axis, begins, combine)) == "");
      };
      check(kiln::math::add, exact_sum);
      if (kiln::kind(each.dtype) == kiln::Kind::complex) {
        check(ends, [](Exact a, Exact b) { return Exact(a.real(), b.imag()); });
      } else {
        check(kiln::math::maximum, [](Exact a, Exact b) { return a.real() < b.real() ? b : a; });
        if (each.dtype == DType::float32) check(kiln::math::subtract, difference_of);
      }
    }
  };
  on_every_device(body, {Mode::stream});
}

TEST_CASE("reduceat: the bits of a segment do not depend on the others") {
  const auto body = [&](const Target& target) {
    std::mt19937_64 source = random_source(435);
    const std::int64_t lengths[] = {5, 16, 17, 100, 256, 257, 4096, 4097, 16'384, 16'385, 40'000};
    for (const std::int64_t columns : {1, 18}) {
      for (const std::int64_t length : lengths) {
        if (columns > 1 && length > 4097) break;
        CAPTURE(columns);
        CAPTURE(length);
        const Array host = Array::empty({length + 400, columns}, DType::float32);
        for (std::int64_t i = 0; i < host.size(); ++i) host.as<float>()[i] = static_cast<float>(source() % 1000) / 7;
        const auto bits = [&](const std::vector<std::int64_t>& begins, std::int64_t segment) {
          const Array all = kiln::math::add.reduceat(target.place(host), Array::from(begins), accumulate_on(target, {}));
          const Array own = target.fetch(all)[{segment}];
          std::vector<std::uint32_t> found;
          for (const float value : own.copy().to_vector<float>()) found.push_back(std::bit_cast<std::uint32_t>(value));
          return found;
        };
        const std::vector<std::uint32_t> alone = bits({101, 101 + length}, 0);
        std::vector<std::int64_t> among;
        for (std::int64_t at = 0; at <= 100; at += 1 + at % 3) among.push_back(at);
        among.push_back(101);
        const auto segment = static_cast<std::int64_t>(among.size()) - 1;
        for (std::int64_t at = 101 + length; at < length + 400; at += 1 + at % 40) among.push_back(at);
        CHECK(bits(among, segment) == alone);
      }
    }
  };
  on_every_device(body, {Mode::device});
}

TEST_CASE("reduceat: segments beyond 2^32 elements") {
  constexpr std::int64_t kExtent = (std::int64_t{1} << 32) + 12;
  const Array indices = Array::from<std::int64_t>({kExtent - 30, kExtent - 10, kExtent - 20, kExtent - 20, kExtent - 3});
  on_every_device([&](const Target& target) {
    const Array ones = target.place(Array::from<std::int32_t>({1})).broadcast_to({kExtent});
    CHECK(target.fetch(kiln::math::add.reduceat(ones, indices, accumulate_on(target, {}))).to_vector<std::int64_t>() ==
          std::vector<std::int64_t>{20, 1, 1, 17, 3});
    CHECK(target.fetch(kiln::math::subtract.reduceat(ones, indices, accumulate_on(target, {}))).to_vector<std::int32_t>() ==
          std::vector<std::int32_t>{-18, 1, 1, -15, -1});
  });
}

TEST_CASE("reduceat: many segments, short and long, contiguous and not, by any number of threads") {
  std::mt19937_64 source = random_source(431);
  constexpr std::int64_t kExtent = 400'000;
  const Array numbers = Array::zeros({2 * kExtent}, DType::float32);
  for (std::int64_t i = 0; i < 2 * kExtent; ++i) numbers.as<float>()[i] = static_cast<float>(source() % 1000) / 7;
  std::vector<std::int64_t> begins;
  for (std::int64_t at = 0; at < kExtent;) {
    begins.push_back(at);
    // One in 300 is longer than a leaf of a reduction, one in 10 does not go on from the one before it.
    at = source() % 10 == 0 ? at - at / 3 : at + 1 + static_cast<std::int64_t>(source() % (source() % 300 == 0 ? 150'000 : 90));
    if (begins.size() == 5000) break;
  }
  const Array indices = Array::from(begins);
  for (const bool contiguous : {true, false}) {
    if (!has_cpu()) break;
    const Array host = contiguous ? numbers[{Slice{.stop = kExtent}}] : numbers[{Slice{.step = 2}}];
    const Array placed = to_device(host, kiln::Device::cpu());
    std::vector<std::uint32_t> expected;
    for (std::size_t i = 0; i < begins.size(); ++i) {
      const std::int64_t next = i + 1 < begins.size() ? begins[i + 1] : kExtent;
      const Array slice = placed[{Slice{.start = begins[i], .stop = std::max(next, begins[i] + 1)}}];
      expected.push_back(std::bit_cast<std::uint32_t>(kiln::math::add.reduce(slice).item<float>()));
    }
    for (const int threads : {1, 2, 3}) {
      CAPTURE(threads);
      const Array array = to_device(host, kiln::Device::cpu({.threads = threads}));
      const Array sums = kiln::math::add.reduceat(array, indices).copy_to_host();
      std::vector<std::uint32_t> got;
      for (const float sum : sums.to_vector<float>()) got.push_back(std::bit_cast<std::uint32_t>(sum));
      CHECK(got == expected);
    }
  }
  // The result may lie where the indices are.
  const Array both = Array::zeros({201}, DType::int64);
  const Array sevens = Array::full({200}, 7.0);
  for (std::int64_t i = 0; i < 200; ++i) both.as<std::int64_t>()[i] = i;
  const Array out = both[{Slice{.start = 1}}];
  kiln::math::multiply.reduceat(sevens.astype(DType::int64), both[{Slice{.stop = 200}}], {.out = out});
  CHECK(out.to_vector<std::int64_t>() == std::vector<std::int64_t>(200, 7));
}

TEST_CASE("reduceat: errors say what, where and how to mend it, and nothing is written") {
  on_every_device([&](const Target& target) {
    const Array a = target.place(Array::from<float>({1, 2, 3, 4, 5, 6}, kiln::Shape{2, 3}));
    const Array out = target.place(Array::full({2, 2}, -1.0F));
    const Ufunc& add = kiln::math::add;
    const auto shape_error = [&](const Array& array, const Array& indices, AccumulateOptions options) {
      return message_of<kiln::ShapeError>(
          [&] { static_cast<void>(add.reduceat(array, indices, accumulate_on(target, std::move(options)))); });
    };
    const auto type_error = [&](const Ufunc& ufunc, const Array& indices, AccumulateOptions options) {
      return message_of<kiln::TypeError>(
          [&] { static_cast<void>(ufunc.reduceat(a, indices, accumulate_on(target, std::move(options)))); });
    };
    CHECK(shape_error(a, Array::from<int>({0, 3}), {.axis = 1, .out = out}) ==
          "add.reduceat: index 3 at position 1 is out of range for axis 1 of extent 3; give 0 to 2");
    CHECK(shape_error(a, Array::from<int>({-1, 0}), {.axis = 1, .out = out}) ==
          "add.reduceat: index -1 at position 0 is out of range for axis 1 of extent 3; give 0 to 2");
    CHECK(shape_error(a, Array::from<std::uint64_t>({0, ~std::uint64_t{0}}), {.axis = 1, .out = out}) ==
          "add.reduceat: index 9223372036854775807 or above at position 1 is out of range for axis 1 of extent 3; give 0 to 2");
    CHECK(shape_error(target.place(Array::zeros({0}, DType::float32)), Array::from<int>({0}), {}) ==
          "add.reduceat: index 0 at position 0 is out of range for axis 0 of extent 0; there is nothing to index");
    CHECK(shape_error(target.place(Array::scalar(1.0F)), Array::from<int>({0}), {}) ==
          "add.reduceat: a 0-d array has no axis to take segments of; give one with an axis");
    CHECK(shape_error(a, Array::from<int>({0, 1, 1, 2}, kiln::Shape{2, 2}), {}) ==
          "add.reduceat: the indices have shape (2, 2); give one axis of them");
    CHECK(shape_error(a, Array::from<int>({0}), {.axis = 2}) ==
          "add.reduceat: axis 2 does not exist in an array of shape (2, 3); give -2 to 1");
    CHECK(shape_error(a, Array::from<int>({0}), {.axis = 1, .out = out}) ==
          "add.reduceat: .out has shape (2, 2), the result has shape (2, 1); .out is never broadcast");
    CHECK(type_error(add, Array::from<float>({0}), {}) == "add.reduceat: indices are integers, not float32");
    CHECK(type_error(add, Array{}, {}) == "add.reduceat: the indices are an empty Array handle, not an array");
    CHECK(type_error(kiln::math::negative, Array::from<int>({0}), {}) ==
          "negative.reduceat wants a ufunc of two inputs and one output, and negative has 1 and 1");
    CHECK(target.fetch(out).to_vector<float>() == std::vector<float>{-1, -1, -1, -1});
  });
}
