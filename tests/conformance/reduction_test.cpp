// kiln::reduction: NumPy's answers, random layouts against brute force, order, and the same bits on every run.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "driver.hpp"
#include "golden.hpp"
#include "kiln/error.hpp"
#include "kiln/fuse.hpp"
#include "kiln/math.hpp"
#include "model.hpp"
#include "reductions.hpp"

using namespace conformance;
using kiln::Arg;
using kiln::Array;
using kiln::DType;
using kiln::Reduction;
using kiln::ReductionOptions;
using kiln::Ufunc;

namespace {

Array input(const Golden& line, const Extents& shape, std::int64_t start) {
  const DType dtype = dtype_named(line.fields[1]);
  const std::int64_t lowest = dtype == DType::bool_ || line.fields[1][0] == 'u' ? 0 : 11;
  std::vector<Exact> values;
  for (std::int64_t i = 0; i < size_of(shape); ++i) {
    const auto value = static_cast<long double>(((i + start) * 7919 + 13) % 23 - lowest);
    values.emplace_back(dtype == DType::bool_ && value != 0 ? 1 : value);
    if (line.fields[7] == "1" && i % 17 == 5) values.back() = std::nanl("");
  }
  return make(dtype, values, shape_of(shape));
}

const Reduction& reduction_named(const std::string& name) {
  for (const Reduction* reduction : {&argmax, &argmin, &mean_var, &dot, &logsumexp, &minmax}) {
    if (reduction->name() == name) return *reduction;
  }
  throw std::runtime_error("no reduction " + name);
}

}  // namespace

TEST_CASE("reductions: members of accumulators may have the names of kiln's functions") {
  const kiln::Reduction sums = kiln::reduction({.signatures = {"float64(float64 x)"},
                                                .accumulator = "double get, put, lanes, kiln;",
                                                .map = "return {x, 1, x, 2};",
                                                .reduce = "return {a.get + b.get, a.put + b.put, a.lanes, a.kiln};",
                                                .post = "return a.get / a.put;"});
  on_every_device([&](const Target& target) {
    for (const std::int64_t rows : {1, 3, 100, 5000}) {
      const Array x = target.place(Array::full({rows, 7}, 2.5));
      for (const int axis : {0, 1}) {
        CHECK(target.fetch(sums({x}, reduction_on(target, {.axis = axis}))).to_vector<double>()[0] == 2.5);
      }
    }
  });
}

namespace {

void check_stages(const Golden& line, const Driver& driver, const Reduction& reduction, std::span<const Arg> args,
                  const ReductionOptions& options, const Target& target) {
  INFO(driver.name());
  if (line.fields[9] == "error") {
    CHECK(is_refused([&] { (void)driver.call(reduction, args, options); }));
    return;
  }
  std::vector<Array> results;
  try {
    results = driver.call(reduction, args, options);
  } catch (const kiln::Error& error) {
    FAIL_CHECK(error.what());
    return;
  }
  std::istringstream lists(line.fields[10]);
  for (const Array& result : results) {
    std::string list;
    std::getline(lists, list, '|');
    CHECK(kiln::to_string(result.shape()) == kiln::to_string(shape_of(line.extents(9))));
    const bool exact = kind(result.dtype()) <= kiln::Kind::integer || reduction.name() == "minmax";
    // A mean of 0 is what is left of elements that cancel.
    CHECK(difference(read(target.fetch(result)), values_in(list), exact ? 0.0L : 1e-6L, exact ? 0.0L : 1e-14L) == "");
  }
}

}  // namespace

TEST_CASE("reduction: what NumPy gives for argmax, argmin, mean and variance, dot, logsumexp, least and largest") {
  on_every_device(
      [&](const Target& target) {
        for (const Golden& line : golden("stages.txt", target)) {
          INFO(line.text);
          const Reduction& reduction = reduction_named(line.fields[0]);
          const Extents shape = line.extents(2);
          const Array x = target.place(input(line, shape, 0));
          const Array y = line.fields[3] == "-" ? Array() : target.place(input(line, line.extents(3), 5));
          ReductionOptions options = reduction_on(target, {.keepdims = line.fields[5] == "1"});
          if (line.fields[4] != "*") {
            std::vector<int> axes;
            for (const std::int64_t axis : line.numbers(4)) axes.push_back(static_cast<int>(axis));
            options.axis = axes;
          }
          if (line.fields[6] == "1") {
            std::vector<Exact> counts;
            for (std::int64_t i = 0; i < size_of(shape); ++i) counts.emplace_back(i * 5 % 3 != 0 ? 1 : 0);
            options.where = target.place(make(DType::bool_, counts, shape_of(shape)));
          }
          std::vector<Arg> args{x};
          if (y.valid()) args.emplace_back(y);
          for (const Driver* const driver : drivers()) check_stages(line, *driver, reduction, args, options, target);
        }
      },
      {Mode::host, Mode::device});
}

namespace {

// The largest x * w, its place, and how many elements count. Integers, so that every order gives the same.
const Reduction weighted =
    kiln::reduction({.name = "weighted",
                     .signatures = {"(int64 best, int64 at, int32 count)(int64 x, int64 w)"},
                     .accumulator = "int64 best, at; int32 count;",
                     .map = "return {x * w, i, 1};",
                     .reduce = "const bool later = b.best > a.best || (b.best == a.best && b.at < a.at);\n"
                               "return {later ? b.best : a.best, later ? b.at : a.at, a.count + b.count};",
                     .identity = "{0, -1, 0}"});

// Functions p * v + q, one applied after the other: the order counts.
const Reduction composed = kiln::reduction({.name = "composed",
                                            .signatures = {"(uint64 p, uint64 q)(int64 x)"},
                                            .accumulator = "uint64 p, q;",
                                            .map = "return {uint64(x) * 2 + 3, uint64(x) + 5 * uint64(i)};",
                                            .reduce = "return {a.p * b.p, a.q * b.p + b.q};"});

struct Reduced {
  Extents shape;  // of the result
  std::vector<Exact> values[3];
};

/// Calls `one` with each output's elements, as indices of the loop shape in C order.
void for_each_output(const Extents& shape, const std::vector<bool>& reduced,
                     const std::function<void(const std::vector<Extents>&)>& one) {
  Extents kept, rest;
  for (std::size_t d = 0; d < shape.size(); ++d) (reduced[d] ? rest : kept).push_back(shape[d]);
  for_each_index(kept, [&](const Extents& outer) {
    std::vector<Extents> elements;
    for_each_index(rest, [&](const Extents& inner) {
      Extents index;
      std::size_t k = 0, r = 0;
      for (const bool is_reduced : reduced) index.push_back(is_reduced ? inner[r++] : outer[k++]);
      elements.push_back(std::move(index));
    });
    one(elements);
  });
}

Extents result_shape(const Extents& shape, const std::vector<bool>& reduced, bool keepdims) {
  Extents result;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (!reduced[d]) result.push_back(shape[d]);
    if (reduced[d] && keepdims) result.push_back(1);
  }
  return result;
}

constexpr DType kNarrow[] = {DType::int16, DType::int64, DType::uint8, DType::int32};

}  // namespace

TEST_CASE("reduction: random shapes, strides, broadcasting, axes, masks and outputs equal brute force") {
  std::uint64_t stream = 900;
  on_every_device([&](const Target& target) {
    std::mt19937_64 source = random_source(stream++);
    const int cases = target.device().is_cpu() ? 30 : 25;  // a kernel each, of half a second
    for (int i = 0; i < cases; ++i) {
      const Extents shape = random_reduced_shape(source);
      // One of them has the whole shape.
      const bool first_whole = source() % 2 == 0;
      const auto operand = [&](bool whole) {
        return random_operand(
            target, {.shape = whole ? shape : random_shape_into(shape, source), .dtype = kNarrow[source() % 4]}, source);
      };
      const Operand x = operand(first_whole);
      const Operand w = operand(!first_whole);
      const bool scalar = first_whole && source() % 6 == 0;
      std::vector<bool> reduced(shape.size());
      std::vector<int> axes;
      for (std::size_t d = 0; d < shape.size(); ++d) {
        if (source() % 2 == 0) continue;
        reduced[d] = true;
        axes.push_back(static_cast<int>(d) - (source() % 2 == 0 ? static_cast<int>(shape.size()) : 0));
      }
      std::shuffle(axes.begin(), axes.end(), source);
      ReductionOptions options = reduction_on(target, {.axis = axes, .keepdims = source() % 3 == 0});
      std::optional<Operand> where;
      if (source() % 3 == 0) {
        where = random_operand(target, {.shape = random_shape_into(shape, source), .dtype = DType::bool_}, source);
        options.where = where->view;
      }
      Reduced expected{result_shape(shape, reduced, options.keepdims), {}};
      for_each_output(shape, reduced, [&](const std::vector<Extents>& elements) {
        long double best = 0, at = -1, count = 0;
        for (std::size_t n = 0; n < elements.size(); ++n) {
          if (where && where->model.at(elements[n]) == Exact(0)) continue;
          const long double value = x.model.at(elements[n]).real() * (scalar ? -3 : w.model.at(elements[n]).real());
          if (count++ == 0 || value > best) {
            best = value;
            at = static_cast<long double>(n);
          }
        }
        expected.values[0].emplace_back(best);
        expected.values[1].emplace_back(at);
        expected.values[2].emplace_back(count);
      });
      std::optional<Operand> outs[3];
      if (source() % 3 == 0) {
        std::vector<Array> arrays;
        for (int k = 0; k < 3; ++k) {
          outs[k] = random_operand(
              target, {.shape = expected.shape, .dtype = k == 2 ? DType::float64 : DType::int64, .input = false}, source);
          arrays.push_back(outs[k]->view);
        }
        options.out = arrays;
      }
      INFO("case ", i, ": ", text_of(shape), ", x ", text_of(x.model.shape), " strides ", text_of(x.model.strides), ", w ",
           scalar ? "a scalar" : text_of(w.model.shape), " strides ", text_of(w.model.strides), " over ", axes.size(), " axes",
           where ? ", where" : "", outs[0] ? ", out" : "");
      const std::array<Array, 3> results =
          scalar ? weighted.outputs<3>({x.view, -3}, options) : weighted.outputs<3>({x.view, w.view}, options);
      for (int k = 0; k < 3; ++k) {
        CHECK(kiln::to_string(results[static_cast<std::size_t>(k)].shape()) == kiln::to_string(shape_of(expected.shape)));
        const std::string wrong = difference(read(target.fetch(results[static_cast<std::size_t>(k)])), expected.values[k]);
        INFO("output ", k);
        CHECK(wrong == "");
        if (!wrong.empty()) return;
      }
    }
  });
}

TEST_CASE("reduction: what is not reorderable is combined from the first element to the last, however it lies") {
  std::uint64_t stream = 950;
  on_every_device([&](const Target& target) {
    std::mt19937_64 source = random_source(stream++);
    const int cases = target.device().is_cpu() ? 60 : 15;
    for (int i = 0; i < cases; ++i) {
      const Extents shape = random_reduced_shape(source);
      if (shape.empty() || size_of(shape) == 0) continue;
      const Operand x = random_operand(target, {.shape = shape, .dtype = kNarrow[source() % 4]}, source);
      const std::size_t axis = source() % shape.size();
      std::vector<bool> reduced(shape.size());
      reduced[axis] = true;
      std::vector<Exact> p, q;
      for_each_output(shape, reduced, [&](const std::vector<Extents>& elements) {
        std::uint64_t product = 1, sum = 0;
        for (std::size_t n = 0; n < elements.size(); ++n) {
          const auto value = static_cast<std::uint64_t>(static_cast<std::int64_t>(x.model.at(elements[n]).real()));
          product *= value * 2 + 3;
          sum = sum * (value * 2 + 3) + value + 5 * n;
        }
        p.emplace_back(static_cast<long double>(product));
        q.emplace_back(static_cast<long double>(sum));
      });
      INFO("case ", i, ": ", text_of(shape), " strides ", text_of(x.model.strides), " axis ", axis);
      const auto [got_p, got_q] = composed.outputs<2>({x.view}, reduction_on(target, {.axis = static_cast<int>(axis)}));
      const std::string wrong = difference(read(target.fetch(got_p)), p) + difference(read(target.fetch(got_q)), q);
      CHECK(wrong == "");
      if (!wrong.empty()) return;
    }
  });
}

TEST_CASE("reduction: the same bits on every run, and for any number of threads") {
  std::mt19937_64 source = random_source(960);
  const std::int64_t rows = 1024;
  const std::int64_t columns = 1031;
  std::vector<float> values(static_cast<std::size_t>(rows * columns));
  long double sum = 0;
  for (float& value : values) sum += static_cast<long double>(value = static_cast<float>(source() % 1000003) / 7919.0F);
  const long double mean = sum / static_cast<long double>(values.size());
  long double square = 0;
  for (const float value : values)
    square += (static_cast<long double>(value) - mean) * (static_cast<long double>(value) - mean);
  const Array host = Array::from(values, kiln::Shape{rows, columns});
  on_every_device([&](const Target& target) {
    const auto [got, var] = mean_var.outputs<2>({target.place(host)}, reduction_on(target));
    CHECK(std::fabs(static_cast<long double>(target.fetch(got).item<double>()) - mean) <= 1e-14L * mean);
    CHECK(std::fabs(static_cast<long double>(target.fetch(var).item<double>()) * static_cast<long double>(values.size()) -
                    square) <= 1e-13L * square);
    const auto again = mean_var.outputs<2>({target.place(host)}, reduction_on(target));
    CHECK(target.fetch(again[1]).item<double>() == target.fetch(var).item<double>());
    const auto best = std::max_element(values.begin(), values.end()) - values.begin();
    CHECK(target.fetch(argmax({target.place(host)}, reduction_on(target))).item<std::int64_t>() == best);
  });
  if (!has_cpu()) return;
  for (const Array& array : {host, host.transpose(), host.reshape({rows * columns}), host[{kiln::all, kiln::Slice{.step = 3}}],
                             host[{kiln::all, kiln::Slice{.stop = 3}}]}) {
    for (const kiln::Axes& axes : {kiln::Axes(0), kiln::Axes(-1), kiln::all_axes}) {
      std::vector<std::vector<double>> all;
      std::vector<std::vector<std::int64_t>> places;
      for (const int threads : {1, 2, 3}) {
        const Array placed = to_device(array, kiln::Device::cpu({.threads = threads}));
        // More than once: how the work is cut follows what was measured.
        for (int i = 0; i < 3; ++i) {
          all.push_back(mean_var.outputs<2>({placed}, {.axis = axes})[1].to_vector<double>());
          places.push_back(argmax({placed}, {.axis = axes}).to_vector<std::int64_t>());
        }
      }
      for (const auto& one : all) CHECK(one == all.front());
      for (const auto& one : places) CHECK(one == places.front());
    }
  }
}

TEST_CASE("reduction: the map never sees an element that does not count") {
  // A division by zero would end the process.
  const Reduction shares = kiln::reduction({.name = "shares",
                                            .signatures = {"int64(int64 x, int64 y)"},
                                            .map = "return x / y;",
                                            .reduce = "return a + b;",
                                            .identity = "0"});
  on_every_device([&](const Target& target) {
    std::vector<std::int64_t> divisors(3000);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < divisors.size(); ++i) {
      divisors[i] = static_cast<std::int64_t>(i % 4);
      if (i % 4 != 0) sum += 12 / static_cast<std::int64_t>(i % 4);
    }
    const Array y = target.place(Array::from(divisors));
    const Array where = target.place(kiln::math::not_equal(Array::from(divisors), 0));
    CHECK(target.fetch(shares({12, y}, reduction_on(target, {.where = where}))).item<std::int64_t>() == sum);
  });
}

TEST_CASE("reduction of two ufuncs: the first never sees an element that does not count") {
  const Ufunc divide = kiln::vectorize("int32(int32 a, int32 b)", "return a / b;");
  const Ufunc pick = kiln::vectorize({.signatures = {"float32(int64 i)"},
                                      .body = "return table[i];",
                                      .compile = {.preamble = "constexpr float table[4] = {1, 2, 3, 4};"}});
  const auto quotients = kiln::reduction(divide, kiln::math::add.ufunc());
  const auto picked = kiln::reduction(pick, kiln::math::add.ufunc());
  on_every_device([&](const Target& target) {
    for (const std::size_t columns : {std::size_t{3}, std::size_t{40}, std::size_t{1000}}) {
      constexpr std::size_t rows = 9;
      std::vector<Exact> a, b, mask, index, by_row(rows, 0), by_column(columns, 0), picked_by_row(rows, 0);
      for (std::size_t k = 0; k < rows * columns; ++k) {
        const bool counts = k % 7 != 3;
        a.emplace_back(k % 100);
        b.emplace_back(counts ? k % 5 + 1 : 0);
        mask.emplace_back(counts ? 1 : 0);
        index.emplace_back(counts ? static_cast<long double>(k % 4) : 1e12L);
        if (!counts) continue;
        by_row[k / columns] += static_cast<long double>(k % 100 / (k % 5 + 1));
        by_column[k % columns] += static_cast<long double>(k % 100 / (k % 5 + 1));
        picked_by_row[k / columns] += static_cast<long double>(k % 4 + 1);
      }
      const kiln::Shape shape{static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)};
      const Array where = target.place(make(DType::bool_, mask, shape));
      const Array x = target.place(make(DType::int32, a, shape));
      const Array y = target.place(make(DType::int32, b, shape));
      const Array i = target.place(make(DType::int64, index, shape));
      CHECK(difference(read(target.fetch(quotients({x, y}, reduction_on(target, {.axis = 1, .where = where})))), by_row) == "");
      CHECK(difference(read(target.fetch(quotients({x, y}, reduction_on(target, {.axis = 0, .where = where})))), by_column) ==
            "");
      CHECK(difference(read(target.fetch(picked({i}, reduction_on(target, {.axis = 1, .where = where})))), picked_by_row) ==
            "");
    }
  });
}

TEST_CASE("reduction: .initial stands in front of what the map gives") {
  const auto distance = kiln::fuse("distance", [](kiln::Expr x, kiln::Expr y) { return kiln::math::absolute(x - y); });
  const auto largest = kiln::reduction(distance, kiln::math::maximum);
  const auto digits = kiln::reduction({.name = "digits", .signatures = {"T(T x)"}, .reduce = "return 10 * a + b;"});
  const auto square = kiln::reduction({.name = "power",
                                       .signatures = {"(float64 sum, float64 mean)(float16 x)"},
                                       .map = "return x * x;",
                                       .reduce = "return a + b;",
                                       .post = "sum = a; mean = a / 4;",
                                       .reorderable = true});
  on_every_device([&](const Target& target) {
    for (const std::size_t columns : {std::size_t{3}, std::size_t{40}, std::size_t{3000}}) {
      constexpr std::size_t rows = 5;
      std::vector<Exact> x, y, mask, by_row(rows, 2.5L), by_column(columns, 2.5L), masked_by_row(rows, 2.5L);
      std::vector<Exact> sums(rows, -4);
      const auto keep_larger = [](Exact& most, long double value) { most = std::max(most.real(), value); };
      for (std::size_t k = 0; k < rows * columns; ++k) {
        const auto a = static_cast<long double>(k * 7 % 11);
        const auto b = static_cast<long double>(k * 5 % 13);
        x.emplace_back(a);
        y.emplace_back(b);
        // No element of the second row counts.
        const bool counts = k / columns != 1 && k % 3 != 0;
        mask.emplace_back(counts ? 1 : 0);
        keep_larger(by_row[k / columns], std::abs(a - b));
        keep_larger(by_column[k % columns], std::abs(a - b));
        if (counts) keep_larger(masked_by_row[k / columns], std::abs(a - b));
        sums[k / columns] += a * b;
      }
      const kiln::Shape shape{static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)};
      const Array p = target.place(make(DType::float32, x, shape));
      const Array q = target.place(make(DType::float32, y, shape));
      const Array where = target.place(make(DType::bool_, mask, shape));
      const auto give = [&](const Reduction& reduction, std::initializer_list<Arg> args, ReductionOptions options) {
        return read(target.fetch(reduction(args, reduction_on(target, std::move(options)))));
      };
      CHECK(difference(give(largest, {p, q}, {.axis = 1, .initial = 2.5}), by_row) == "");
      CHECK(difference(give(largest, {p, q}, {.axis = 0, .initial = 2.5}), by_column) == "");
      CHECK(difference(give(largest, {p, q}, {.axis = 1, .initial = 2.5, .where = where}), masked_by_row) == "");
      CHECK(difference(give(largest, {p, q}, {.initial = 1e6}), {1e6L}) == "");
      // Beside an identity, and an array of one element that is to be read.
      CHECK(difference(give(dot, {p, q}, {.axis = 1, .initial = target.place(Array::from<float>({-4}))}), sums) == "");
    }
    const Array ones = target.place(Array::full({4}, 1.0F));
    const Array none = target.place(Array::zeros({2, 0}, DType::float32));
    const auto item = [&](const Array& array) { return target.fetch(array).astype(DType::float64).to_vector<double>(); };
    // In order, and of nothing.
    CHECK(item(digits({ones}, reduction_on(target, {.axis = 0, .initial = 7}))) == std::vector<double>{71111});
    CHECK(item(digits({none}, reduction_on(target, {.axis = 1, .initial = 7}))) == std::vector<double>{7, 7});
    CHECK(item(dot({none, none}, reduction_on(target, {.axis = 1, .initial = 7}))) == std::vector<double>{7, 7});
    const Array halves = target.place(Array::full({4}, 1.5).astype(DType::float16));
    const auto both = square.outputs<2>({halves}, reduction_on(target, {.initial = 3}));
    CHECK(item(both[0]) == std::vector<double>{12});
    CHECK(item(both[1]) == std::vector<double>{3});
  });
}

TEST_CASE("reduction: dtypes of loops, casts, scalars alone, and outputs over inputs") {
  on_every_device([&](const Target& target) {
    const auto get = [&](const Array& array) { return target.fetch(array); };
    const Array small = target.place(Array::from<std::int8_t>({3, 5, 4}));
    CHECK(get(dot({small, small}, reduction_on(target))).dtype() == DType::int8);
    CHECK(get(dot({small, small}, reduction_on(target, {.dtype = DType::int32}))).item<std::int32_t>() == 50);
    CHECK(get(dot({small, 0.5}, reduction_on(target))).item<double>() == 6);
    CHECK(get(dot({small, 1.5F}, reduction_on(target, {.signature = "float32, float32 -> float32"}))).item<float>() == 18);
    // Scalars only: one element.
    CHECK(get(dot({2.5, 2}, reduction_on(target))).item<double>() == 5);
    // Halves come to the stages as float, and are rounded where they are stored.
    const Array halves = target.place(make(DType::float16, std::vector<Exact>(5000, Exact(1))));
    CHECK(read(get(dot({halves, 1}, reduction_on(target)))) == std::vector<Exact>{rounded(DType::float16, 5000)});
    // An output may lie over an input.
    const Array x = target.place(Array::from<double>({4, 1, 7, 2, 9, 3}).copy()).reshape({2, 3});
    const Array row = x[{1}];
    dot({x, 1.0}, reduction_on(target, {.axis = 0, .out = row}));
    CHECK(get(row).to_vector<double>() == std::vector<double>{6, 10, 10});
    const Array first = target.place(Array::from<double>({4, 1, 7, 2}).copy());
    minmax.outputs<2>({first}, reduction_on(target, {.axis = kiln::no_axes,
                                                     .out = {target.place(Array::zeros({4}, DType::float64)), first}}));
    CHECK(get(first).to_vector<double>() == std::vector<double>{4, 1, 7, 2});
  });
}

TEST_CASE("reduction: resolve and compile tell without running") {
  const Array x = Array::zeros({4, 5}, DType::float32);
  const kiln::Resolution found = mean_var.resolve({x}, {.axis = 1, .keepdims = true});
  CHECK(found.loop == "(float64 mean, float64 var)(float64 x)");
  CHECK(found.casts == std::vector<std::string>{"input 0 (x) from float32 to float64"});
  CHECK(found.shape == kiln::Shape{4, 1});
  CHECK(mean_var.resolve({x}, {.axis = 0}).shape == kiln::Shape{5});
  const std::vector<kiln::Arg> args = {x};
  CHECK(mean_var.resolve(args, {.axis = 0}).shape == kiln::Shape{5});
  CHECK(mean_var.resolve(x).loop == found.loop);
  CHECK(argmax.resolve({x[{kiln::all, kiln::Slice{.step = 2}}]}, {.axis = 1}).shape == kiln::Shape{4});
  CHECK(mean_var.resolve({Array::zeros({0}, DType::float32)}).shape == kiln::Shape{});
  CHECK(argmax.nin() == 1);
  CHECK(minmax.nout() == 2);
  CHECK(mean_var.reorderable());
  CHECK_FALSE(composed.reorderable());
  for (const kiln::Device& device : devices()) CHECK(mean_var.compile(device.is_cpu() ? "native" : "sm_90") == 1);
}

TEST_CASE("reduction: big inputs, with places beyond 32 bits of bytes") {
  on_every_device(
      [&](const Target& target) {
        const std::int64_t n = target.device().is_cpu() ? 40'000'000 : 300'000;
        Array host = Array::full({n}, 1.5F);
        host.as<float>()[n - 3] = 2.5F;
        host.as<float>()[n - 2] = 2.5F;
        const Array x = target.place(host);
        CHECK(target.fetch(argmax({x}, reduction_on(target))).item<std::int64_t>() == n - 3);
        const auto [mean, var] = mean_var.outputs<2>({x}, reduction_on(target));
        CHECK(target.fetch(mean).item<double>() == doctest::Approx(1.5 + 2.0 / static_cast<double>(n)).epsilon(1e-15));
        CHECK(target.fetch(var).item<double>() == doctest::Approx(2.0 / static_cast<double>(n)).epsilon(1e-6));
      },
      {Mode::device});
}

TEST_CASE("reduction of two ufuncs: what the one gives for what the other gave, bit by bit") {
  namespace math = kiln::math;
  const kiln::Ufunc distance =
      kiln::fuse({.name = "distance", .parameters = {"x", "y"}}, [](kiln::Expr x, kiln::Expr y) { return (x - y) * (x - y); });
  const kiln::Ufunc named = kiln::vectorize({.name = "named",
                                             .signatures = {"(float32 r)(float32 i, float32 accumulator)"},
                                             .body = "r = twice(i) - accumulator;",
                                             .compile = {.functions = "float twice(float v) { return 2 * v; }"}});
  on_every_device(
      [&](const Target& target) {
        std::mt19937_64 source = random_source(970);
        for (const DType dtype : {DType::float32, DType::float16, DType::uint8}) {
          std::vector<Exact> values;
          for (int i = 0; i < 30 * 67; ++i) values.emplace_back(static_cast<long double>(source() % 7) / 2);
          const Array x = target.place(make(dtype, values, kiln::Shape{30, 67}));
          const Array y = target.place(make(dtype, std::vector<Exact>(values.begin(), values.begin() + 67)));
          const Array where = target.place(math::greater(make(DType::float32, values, kiln::Shape{30, 67}), 1));
          const auto ufunc = [](const char* name) { return math::find(name); };
          const std::vector<std::pair<const kiln::Ufunc*, const kiln::Ufunc*>> pairs{{&distance, ufunc("add")},
                                                                                     {&distance, ufunc("maximum")},
                                                                                     {ufunc("less"), ufunc("add")},
                                                                                     {ufunc("less"), ufunc("logical_and")}};
          for (const auto& [map, combine] : pairs) {
            const Reduction one = kiln::reduction(*map, *combine);
            INFO(one.name(), " of ", kiln::name(dtype));
            for (const int axis : {0, 1}) {
              for (const bool masked : {false, true}) {
                if (masked && combine->identity().empty()) continue;
                const Array mask = masked ? where : Array();
                const Array two = combine->reduce(target.call(*map, {x, y}),
                                                  {.axis = axis, .where = mask, .stream = target.options().stream});
                const Array got = one({x, y}, reduction_on(target, {.axis = axis, .where = mask}));
                CHECK(got.dtype() == two.dtype());
                CHECK(difference(read(target.fetch(got)), read(target.fetch(two))) == "");
              }
            }
          }
        }
        // Names of the user's that the kernel has, too; outputs that are assigned; a scalar; the dtype of what combines.
        const Array x = target.place(Array::from<float>({1, 2, 3}));
        CHECK(target.fetch(kiln::reduction(named, math::add)({x, 0.5F}, reduction_on(target))).item<float>() == 10.5F);
        CHECK(target.fetch(kiln::reduction(distance, math::add)({x, 2}, reduction_on(target, {.dtype = DType::float64})))
                  .item<double>() == 2);
      },
      {Mode::device});
}
