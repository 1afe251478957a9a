// Ufunc::reduce: NumPy's answers, random layouts against an interpreter of the rules, order, precision and errors.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <sstream>

#include "devices.hpp"
#include "golden.hpp"
#include "kiln/error.hpp"
#include "kiln/math.hpp"
#include "model.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::ReduceOptions;
using kiln::Slice;
using kiln::Ufunc;

namespace {

kiln::Axes axes_of(const Golden& line) {
  if (line.fields.at(3) == "*") return kiln::all_axes;
  std::vector<int> axes;
  for (const std::int64_t axis : line.numbers(3)) axes.push_back(static_cast<int>(axis));
  return axes;
}

const Ufunc& plain_add() {
  static const Ufunc ufunc =
      kiln::vectorize({.name = "plus", .signatures = {"T(T a, T b)"}, .body = "return a + b;", .identity = "0"});
  return ufunc;
}

}  // namespace

TEST_CASE("reduce: what NumPy gives, for every ufunc, dtype and option") {
  on_every_device(
      [&](const Target& target) {
        for (const Golden& line : golden("reductions.txt", target)) {
          INFO(line.text);
          const Ufunc* ufunc = kiln::math::find(line.fields[0]);
          REQUIRE(ufunc != nullptr);
          const DType dtype = dtype_named(line.fields[1]);
          const Extents shape = line.extents(2);
          const std::int64_t lowest = dtype == DType::bool_ || line.fields[1][0] == 'u' ? 0 : 11;
          std::vector<Exact> values;
          std::vector<Exact> counts;
          for (std::int64_t i = 0; i < size_of(shape); ++i) {
            values.emplace_back(static_cast<long double>((i * 7919 + 13) % 23 - lowest));
            counts.emplace_back(static_cast<long double>(i * 5 % 3 != 0 ? 1 : 0));
          }
          if (dtype == DType::bool_) {
            for (Exact& value : values) value = value != Exact(0) ? 1 : 0;
          }
          ReduceOptions options{.axis = axes_of(line), .keepdims = line.fields[4] == "1"};
          if (line.fields[5] != "-") options.initial = std::int64_t{std::stoll(line.fields[5])};
          if (line.fields[6] == "1") options.where = target.place(make(DType::bool_, counts, shape_of(shape)));
          if (line.fields[7] != "-") options.dtype = dtype_named(line.fields[7]);
          const Array array = target.place(make(dtype, values, shape_of(shape)));
          if (line.fields[9] == "error") {
            CHECK(is_refused([&] { (void)ufunc->reduce(array, reduce_on(target, options)); }));
            continue;
          }
          Array result;
          try {
            result = target.fetch(ufunc->reduce(array, reduce_on(target, options)));
          } catch (const kiln::Error& error) {
            FAIL_CHECK(error.what());
            continue;
          }
          CHECK(kiln::name(result.dtype()) == line.fields[9]);
          CHECK(kiln::to_string(result.shape()) == kiln::to_string(shape_of(line.extents(10))));
          const bool exact = kind(result.dtype()) <= kiln::Kind::integer;
          CHECK(difference(read(result), values_in(line.fields[11]),
                           exact                              ? 0.0L
                           : result.dtype() == DType::float16 ? 2e-3L
                                                              : 1e-6L) == "");
        }
      },
      {Mode::host, Mode::device});
}

namespace {

/// What the rules say, element by element: a left fold of exact numbers, rounded at the end.
struct Interpreted {
  Extents shape;
  std::vector<Exact> values;
};
struct Interpretation {
  const Model& array;
  const Model* where;
  std::vector<bool> reduced;
  bool keepdims;
  std::optional<Exact> start;
  std::function<Exact(Exact, Exact)> combine;
};
Interpreted interpret(const Interpretation& in) {
  Extents kept, rest, whole;
  for (std::size_t i = 0; i < in.array.shape.size(); ++i) (in.reduced[i] ? rest : kept).push_back(in.array.shape[i]);
  Interpreted result;
  for (std::size_t i = 0; i < in.array.shape.size(); ++i) {
    if (!in.reduced[i]) result.shape.push_back(in.array.shape[i]);
    if (in.reduced[i] && in.keepdims) result.shape.push_back(1);
  }
  for_each_index(kept, [&](const Extents& outer) {
    std::optional<Exact> value = in.start;
    for_each_index(rest, [&](const Extents& inner) {
      Extents index;
      std::size_t k = 0, r = 0;
      for (const bool is_reduced : in.reduced) index.push_back(is_reduced ? inner[r++] : outer[k++]);
      if (in.where != nullptr && in.where->at(index) == Exact(0)) return;
      const Exact x = in.array.at(index);
      value = value ? in.combine(*value, x) : x;
    });
    result.values.push_back(*value);
  });
  return result;
}

struct Operation {
  const char* name;
  std::function<Exact(Exact, Exact)> combine;
  std::optional<Exact> identity;
  bool ordered;
};
const std::vector<Operation>& operations() {
  static const std::vector<Operation> all = {
      {"add", [](Exact a, Exact b) { return a + b; }, Exact(0), false},
      {"maximum", [](Exact a, Exact b) { return a.real() < b.real() ? b : a; }, {}, false},
      {"subtract", [](Exact a, Exact b) { return a - b; }, {}, true},
  };
  return all;
}

}  // namespace

TEST_CASE("reduce: random shapes, strides, axes, masks and results equal the rules read out") {
  std::uint64_t stream = 400;
  on_every_device([&](const Target& target) {
    std::mt19937_64 source = random_source(stream++);
    const int cases = target.device().is_cpu() ? 400 : 120;
    for (int i = 0; i < cases; ++i) {
      const Operation& operation = operations()[source() % operations().size()];
      const DType dtype = std::initializer_list<DType>{DType::int16, DType::float32, DType::float64,   DType::int64,
                                                       DType::uint8, DType::float16, DType::complex64, DType::bfloat16}
                              .begin()[source() % 8];
      if (dtype == DType::complex64 && operation.name == std::string("maximum")) continue;
      const Extents shape = random_reduced_shape(source);
      const Operand array = random_operand(target, {.shape = shape, .dtype = dtype}, source);
      std::vector<bool> reduced(shape.size());
      std::vector<int> axes;
      for (std::size_t d = 0; d < shape.size(); ++d) {
        if (source() % 2 == 0 && !(operation.ordered && !axes.empty())) {
          reduced[d] = true;
          axes.push_back(static_cast<int>(d) - (source() % 2 == 0 ? static_cast<int>(shape.size()) : 0));
        }
      }
      std::shuffle(axes.begin(), axes.end(), source);
      ReduceOptions options{.axis = axes, .keepdims = source() % 3 == 0};
      std::optional<Exact> start = operation.identity;
      if (source() % 3 == 0) {
        start = Exact(static_cast<long double>(source() % 9));
        options.initial = static_cast<std::int64_t>(start->real());
      }
      std::optional<Operand> where;
      if (source() % 3 == 0 && start) {
        where = random_operand(target, {.shape = random_shape_into(shape, source), .dtype = DType::bool_}, source);
        options.where = where->view;
      }
      const bool nothing = std::any_of(shape.begin(), shape.end(), [](std::int64_t extent) { return extent == 0; });
      if (nothing && !start) continue;
      const Interpreted expected = interpret({.array = array.model,
                                              .where = where ? &where->model : nullptr,
                                              .reduced = reduced,
                                              .keepdims = options.keepdims,
                                              .start = start,
                                              .combine = operation.combine});
      const Ufunc& ufunc = *kiln::math::find(operation.name);
      const DType widened = operation.name == std::string("add") && dtype == DType::int16   ? DType::int64
                            : operation.name == std::string("add") && dtype == DType::uint8 ? DType::uint64
                                                                                            : dtype;
      std::optional<Operand> out;
      if (source() % 3 == 0) {
        out = random_operand(target, {.shape = expected.shape, .dtype = widened, .input = false}, source);
        options.out = out->view;
      }
      std::vector<Exact> rounded_values;
      for (const Exact value : expected.values) rounded_values.push_back(rounded(widened, value));
      INFO("case ", i, ": ", operation.name, " of ", kiln::name(dtype), " ", text_of(shape), " strides ",
           text_of(array.model.strides), " over ", axes.size(), " axes", where ? ", where" : "", out ? ", out" : "");
      const Array result = ufunc.reduce(array.view, reduce_on(target, options));
      CHECK(result.dtype() == widened);
      CHECK(kiln::to_string(result.shape()) == kiln::to_string(shape_of(expected.shape)));
      const std::string wrong = difference(read(target.fetch(result)), rounded_values);
      CHECK(wrong == "");
      if (!wrong.empty()) return;
    }
  });
}

TEST_CASE("reduce: an operation that is not associative is a left fold, however it lies") {
  on_every_device([&](const Target& target) {
    const Ufunc chain = kiln::vectorize(
        {.name = "chain", .signatures = {"float32(float32 a, float32 b)"}, .body = "return a * 0.75f - b / (1.0f + b * b);"});
    std::mt19937_64 source = random_source(411);
    for (const auto& [rows, columns] :
         {std::pair<std::int64_t, std::int64_t>{7, 1000}, {1000, 7}, {300, 301}, {1, 5000}, {5000, 1}}) {
      std::vector<float> values(static_cast<std::size_t>(rows * columns));
      for (float& value : values) value = static_cast<float>(source() % 1000) / 300.0F;
      const Array array = target.place(Array::from(values, kiln::Shape{rows, columns}));
      for (const int axis : {0, 1}) {
        for (const bool start : {false, true}) {
          ReduceOptions options{.axis = axis};
          if (start) options.initial = 2.5F;
          const std::vector<float> got = target.fetch(chain.reduce(array, reduce_on(target, options))).to_vector<float>();
          const std::int64_t outputs = axis == 0 ? columns : rows;
          const std::int64_t count = axis == 0 ? rows : columns;
          int wrong = 0;
          for (std::int64_t o = 0; o < outputs; ++o) {
            const auto at = [&](std::int64_t i) {
              return values[static_cast<std::size_t>(axis == 0 ? i * columns + o : o * columns + i)];
            };
            volatile float value = start ? 2.5F : at(0);
            for (std::int64_t i = start ? 0 : 1; i < count; ++i) {
              const volatile float square = at(i) * at(i);
              const volatile float below = 1.0F + square;
              const volatile float part = at(i) / below;
              const volatile float scaled = value * 0.75F;
              value = scaled - part;
            }
            wrong += got[static_cast<std::size_t>(o)] == value ? 0 : 1;
          }
          INFO(rows, " x ", columns, " axis ", axis);
          CHECK(wrong == 0);
        }
      }
    }
  });
}

TEST_CASE("reduce: sums are as near as sums in pairs, and the same bits for any number of threads") {
  std::mt19937_64 source = random_source(412);
  const std::int64_t rows = 1024;
  const std::int64_t columns = 1031;
  std::vector<float> values(static_cast<std::size_t>(rows * columns));
  long double total = 0;
  for (float& value : values) {
    value = static_cast<float>(source() % 1000003) / 7919.0F;
    total += static_cast<long double>(value);
  }
  const Array host = Array::from(values, kiln::Shape{rows, columns});
  const Array turned = host.transpose();
  const Array flat = host.reshape({rows * columns});
  on_every_device([&](const Target& target) {
    const float got =
        target.fetch(plain_add().reduce(target.place(host), reduce_on(target, {.axis = kiln::all_axes}))).item<float>();
    // A tree over 2^20 elements loses 20 roundings at worst; a plain loop loses a thousand times as much here.
    CHECK(std::fabs(static_cast<long double>(got) - total) <= total * 20 * std::numeric_limits<float>::epsilon() / 2);
    const auto bits = [&](const Array& array, const kiln::Axes& axes) {
      return target.fetch(plain_add().reduce(target.place(array), reduce_on(target, {.axis = axes}))).to_vector<float>();
    };
    for (const Array& array : {host, turned, flat}) {
      CHECK(bits(array, 0) == bits(array, 0));
      CHECK(bits(array, kiln::all_axes) == bits(array, kiln::all_axes));
    }
  });
  if (!has_cpu()) return;
  for (const Array& array :
       {host, turned, flat, host[{kiln::all, kiln::Slice{.step = 3}}], host[{kiln::all, kiln::Slice{.stop = 3}}]}) {
    for (const kiln::Axes& axes : {kiln::Axes(0), kiln::Axes(-1), kiln::all_axes}) {
      std::vector<std::vector<float>> all;
      for (const int threads : {1, 2, 3}) {
        const kiln::Device device = kiln::Device::cpu({.threads = threads});
        // More than once: how the work is cut follows what was measured.
        for (int i = 0; i < 3; ++i)
          all.push_back(plain_add().reduce(to_device(array, device), {.axis = axes}).to_vector<float>());
      }
      for (const auto& one : all) CHECK(one == all.front());
    }
  }
}

TEST_CASE("reduce: halves are accumulated in float32, integers wrap, bools are or-ed") {
  on_every_device([&](const Target& target) {
    const Array halves = target.place(make(DType::float16, std::vector<Exact>(5000, Exact(1))));
    CHECK(read(target.fetch(plain_add().reduce(halves, reduce_on(target, {})))) ==
          std::vector<Exact>{rounded(DType::float16, 5000)});
    const Array small = target.place(Array::from<std::int8_t>({100, 100, 100}));
    CHECK(target.fetch(plain_add().reduce(small, reduce_on(target, {}))).item<std::int8_t>() == 44);
    CHECK(target.fetch(kiln::math::add.reduce(small, reduce_on(target, {}))).item<std::int64_t>() == 300);
    CHECK(target.fetch(kiln::math::add.reduce(small, reduce_on(target, {.dtype = DType::int8}))).item<std::int8_t>() == 44);
    const Array truth = target.place(Array::from<bool>({true, true, false}));
    CHECK(target.fetch(plain_add().reduce(truth, reduce_on(target, {}))).dtype() == DType::bool_);
    CHECK(target.fetch(plain_add().reduce(truth, reduce_on(target, {}))).item<bool>());
    CHECK(target.fetch(kiln::math::add.reduce(truth, reduce_on(target, {}))).item<std::int64_t>() == 2);
    // A body that names its output, or rounds on the way, gives no less.
    const Ufunc named = kiln::vectorize(
        {.name = "named", .signatures = {"(T c)(T a, T b)"}, .body = "T sum = a + b; c = sum;", .identity = "0"});
    CHECK(read(target.fetch(named.reduce(target.place(make(DType::bfloat16, std::vector<Exact>(20, Exact(3)))),
                                         reduce_on(target, {})))) == std::vector<Exact>{Exact(60)});
  });
}

TEST_CASE("reduce: `out` takes the result, cast and strided, and may overlap what is reduced") {
  on_every_device([&](const Target& target) {
    const Array a = target.place(Array::from<std::int32_t>({1, 2, 3, 4, 5, 6}, kiln::Shape{2, 3}));
    const Array wide = target.place(Array::zeros({3, 2}, DType::float32));
    const Array column = wide[{kiln::all, 1}];
    const Array result = plain_add().reduce(a, reduce_on(target, {.out = column}));
    CHECK(target.fetch(wide).to_vector<float>() == std::vector<float>{0, 5, 0, 7, 0, 9});
    CHECK(result.rep() == column.rep());
    const Array narrow = target.place(Array::zeros({1, 1}, DType::int8));
    static_cast<void>(
        plain_add().reduce(a, reduce_on(target, {.axis = kiln::all_axes, .keepdims = true, .initial = 300, .out = narrow})));
    CHECK(target.fetch(narrow).to_vector<std::int8_t>() == std::vector<std::int8_t>{65});
    const Array own = target.place(Array::from<std::int32_t>({1, 2, 3, 4, 5, 6, 7, 8, 9}, kiln::Shape{3, 3}));
    static_cast<void>(plain_add().reduce(own, reduce_on(target, {.axis = 1, .out = own[{1}]})));
    CHECK(target.fetch(own).to_vector<std::int32_t>() == std::vector<std::int32_t>{1, 2, 3, 6, 15, 24, 7, 8, 9});
  });
}

TEST_CASE("reduce: what the body cannot take stays out where it does not count") {
  on_every_device([&](const Target& target) {
    const Ufunc divide = kiln::vectorize(
        {.name = "quotient", .signatures = {"int32(int32 a, int32 b)"}, .body = "return a / b;", .reorderable = true});
    const Array a = target.place(Array::from<std::int32_t>({0, 2, 0, 3, 0}));
    const Array where = target.place(Array::from<bool>({false, true, false, false, false}));
    CHECK(target.fetch(divide.reduce(a, reduce_on(target, {.initial = 84, .where = where}))).item<std::int32_t>() == 42);
    const Array none = target.place(Array::from<bool>({false, false, false, false, false}));
    CHECK(target.fetch(divide.reduce(a, reduce_on(target, {.initial = 84, .where = none}))).item<std::int32_t>() == 84);
  });
}

TEST_CASE("reduce: errors say what, where and how to mend it, and nothing is written") {
  on_every_device([&](const Target& target) {
    const Array a = target.place(Array::from<float>({1, 2, 3, 4, 5, 6}, kiln::Shape{2, 3}));
    const Array out = target.place(Array::full({3}, -1.0F));
    const auto shape_error = [&](const Ufunc& ufunc, const Array& array, ReduceOptions options) {
      return message_of<kiln::ShapeError>(
          [&] { static_cast<void>(ufunc.reduce(array, reduce_on(target, std::move(options)))); });
    };
    const auto type_error = [&](const Ufunc& ufunc, const Array& array, ReduceOptions options) {
      return message_of<kiln::TypeError>(
          [&] { static_cast<void>(ufunc.reduce(array, reduce_on(target, std::move(options)))); });
    };
    const Ufunc& add = kiln::math::add;
    const Ufunc& maximum = kiln::math::maximum;
    CHECK(shape_error(add, a, {.axis = 2, .out = out}) ==
          "add.reduce: axis 2 does not exist in an array of shape (2, 3); give -2 to 1");
    CHECK(shape_error(add, a, {.axis = -3, .out = out}) ==
          "add.reduce: axis -3 does not exist in an array of shape (2, 3); give -2 to 1");
    CHECK(shape_error(add, a, {.axis = {1, -1}, .out = out}) == "add.reduce: axis -1 is named twice; name each axis once");
    CHECK(shape_error(add, target.place(Array::scalar(1.0F)), {.axis = 1}) ==
          "add.reduce: axis 1 does not exist in a 0-d array; give 0, -1 or kiln::all_axes");
    CHECK(shape_error(kiln::math::subtract, a, {.axis = kiln::all_axes}) ==
          "subtract.reduce: the operation is not marked reorderable, so its order counts and it is reduced along one axis, not "
          "2; "
          "name one axis, or set .reorderable or .identity in the definition");
    CHECK(shape_error(maximum, target.place(Array::zeros({0, 3}, DType::float32)), {.out = out}) ==
          "maximum.reduce: nothing to reduce in inputs of shape (0, 3), and the operation has no identity; give .initial, "
          "or .identity in the definition");
    CHECK(shape_error(maximum, target.place(Array::zeros({0, 0}, DType::float32)), {}) ==
          "maximum.reduce: nothing to reduce in inputs of shape (0, 0), and the operation has no identity; give .initial, "
          "or .identity in the definition");
    const Array mask = target.place(Array::full({2, 3}, true));
    CHECK(type_error(maximum, a, {.where = mask, .out = out}) ==
          "maximum.reduce: the operation has no identity, which .where needs for where no element counts; give .initial, "
          "or .identity in the definition");
    CHECK(type_error(add, a, {.where = a, .out = out}) ==
          "add.reduce: cannot cast .where from float32 to bool; give a bool array, such as the result of a comparison");
    CHECK(shape_error(add, a, {.where = target.place(Array::full({2}, true)), .out = out}) ==
          "add.reduce: .where of shape (2,) does not broadcast to the inputs' shape (2, 3)");
    CHECK(shape_error(add, a, {.where = target.place(Array::full({4, 2, 3}, true)), .out = out}) ==
          "add.reduce: .where of shape (4, 2, 3) does not broadcast to the inputs' shape (2, 3)");
    CHECK(shape_error(add, a, {.axis = 1, .out = out}) ==
          "add.reduce: .out has shape (3,), the result has shape (2,); .out is never broadcast");
    CHECK(shape_error(add, a, {.keepdims = true, .out = out}) ==
          "add.reduce: .out has shape (3,), the result has shape (1, 3); .out is never broadcast");
    CHECK(type_error(add, a, {.out = out.as_read_only()}) == "add.reduce: .out is read-only; give a writable array as .out");
    const Array whole = target.place(Array::full({3}, std::int32_t{-1}));
    CHECK(type_error(add, a, {.out = whole}) ==
          "add.reduce: cannot cast .out from float32 to the out array's int32 under casting \"same_kind\" for the loop "
          "float32(float32 x1, float32 x2); give one of float32");
    CHECK(
        type_error(kiln::math::less, a, {}) ==
        "less.reduce: the loop bool(float32, float32) that runs for float32 does not give what it takes, so results cannot be "
        "combined further; force a loop of one dtype with .dtype");
    CHECK(type_error(kiln::math::negative, a, {}) ==
          "negative.reduce wants a ufunc of two inputs and one output, and negative has 1 and 1");
    CHECK(type_error(kiln::math::divmod, a, {}) ==
          "divmod.reduce wants a ufunc of two inputs and one output, and divmod has 2 and 2");
    CHECK(type_error(add, Array{}, {}) == "add.reduce: the array is an empty Array handle, not an array");
    CHECK(type_error(add, a, {.initial = Array{}}) == "add.reduce: .initial is an empty Array handle, not a value");
    CHECK(shape_error(add, a, {.initial = a}) == "add.reduce: .initial has shape (2, 3); give a scalar");
    CHECK(type_error(add, whole, {.initial = std::int64_t{1} << 40, .dtype = DType::int32}) ==
          "add.reduce: the integer 1099511627776 given as .initial does not fit in int32, the dtype of the loop int32(int32 "
          "x1, int32 x2)");
    const std::string loop = "int32, the dtype of the loop int32(int32 x1, int32 x2)";
    const auto initial_error = [&](const kiln::Arg& initial) {
      return type_error(add, whole, {.initial = initial, .dtype = DType::int32});
    };
    CHECK(initial_error(std::nan("")) == "add.reduce: the number nan given as .initial does not fit in " + loop);
    CHECK(initial_error(-std::numeric_limits<float>::infinity()) ==
          "add.reduce: the number -inf given as .initial does not fit in " + loop);
    CHECK(initial_error(2147483648.0) == "add.reduce: the number 2147483648.0 given as .initial does not fit in " + loop);
    CHECK(initial_error(Array::from<double>({1e30})) ==
          "add.reduce: the number 1e+30 given as .initial does not fit in " + loop);
    CHECK(initial_error(std::complex<double>(0, 1)) ==
          "add.reduce: the complex number given as .initial cannot become " + loop);
    const Ufunc only = kiln::vectorize("float32(float32 a, float32 b)", "return a + b;");
    CHECK(
        type_error(only, a, {.dtype = DType::float64}) ==
        "kernel.reduce: no loop takes two float64 and gives one, as .dtype asks; its loops are float32(float32 a, float32 b)");
    CHECK(
        type_error(kiln::math::ldexp, a, {}) ==
        "ldexp.reduce: no loop takes (float32, float32) by safe casts; its loops are T(T x1, E x2) where T: float16, bfloat16, "
        "float32, float64, E: int32, int64; convert an argument with astype()");
    CHECK(target.fetch(out).to_vector<float>() == std::vector<float>{-1, -1, -1});
  });
}

TEST_CASE("reduce: nothing, one and very many") {
  on_every_device([&](const Target& target) {
    const Ufunc& add = plain_add();
    CHECK(target.fetch(add.reduce(target.place(Array::zeros({0}, DType::float64)), reduce_on(target, {}))).item<double>() == 0);
    CHECK(target.fetch(add.reduce(target.place(Array::zeros({0, 3}, DType::float64)), reduce_on(target, {.initial = 2.5})))
              .to_vector<double>() == std::vector<double>{2.5, 2.5, 2.5});
    CHECK(add.reduce(target.place(Array::zeros({0, 3}, DType::float64)), reduce_on(target, {.axis = 1})).size() == 0);
    // NumPy's: what nothing gives is the initial value alone, also where f(identity, x) is not x.
    CHECK(
        target.fetch(kiln::math::gcd.reduce(target.place(Array::zeros({0}, DType::int64)), reduce_on(target, {.initial = -4})))
            .item<std::int64_t>() == -4);
    CHECK(target
              .fetch(kiln::math::hypot.reduce(target.place(Array::zeros({2, 0}, DType::float32)),
                                              reduce_on(target, {.axis = 1, .initial = -3})))
              .to_vector<float>() == std::vector<float>{-3, -3});
    CHECK(std::signbit(
        target.fetch(add.reduce(target.place(Array::zeros({0}, DType::float64)), reduce_on(target, {.initial = -0.0})))
            .item<double>()));
    const Array one = target.place(Array::scalar(7.0));
    for (const kiln::Axes& axes : {kiln::Axes(0), kiln::Axes(-1), kiln::all_axes, kiln::no_axes}) {
      CHECK(target.fetch(add.reduce(one, reduce_on(target, {.axis = axes}))).item<double>() == 7);
    }
    const Array most = target.place(Array::full({3'000'017}, std::int32_t{1}));
    CHECK(target.fetch(kiln::math::add.reduce(most, reduce_on(target, {}))).item<std::int64_t>() == 3'000'017);
    CHECK(target.fetch(kiln::math::add.reduce(most[{kiln::Slice{.step = -3}}], reduce_on(target, {}))).item<std::int64_t>() ==
          1'000'006);
  });
}

TEST_CASE("reduce: nothing gives the identity or the initial value, for as many outputs as there are, however they lie") {
  on_every_device([](const Target& target) {
    for (const kiln::Shape& shape : {kiln::Shape{0}, {0, 17}, {17, 0}, {0, 1000}, {1000, 0}, {7, 17, 0}, {0, 5000, 2}}) {
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] != 0) continue;
        const Array nothing = target.place(Array::zeros(shape, DType::int16));
        const auto outputs = static_cast<std::size_t>(
            target.fetch(kiln::math::add.reduce(nothing, reduce_on(target, {.axis = static_cast<int>(axis)}))).size());
        const auto options = [&](kiln::ReduceOptions more) {
          more.axis = static_cast<int>(axis);
          return reduce_on(target, more);
        };
        INFO(kiln::to_string(shape), ", axis ", axis);
        CHECK(target.fetch(kiln::math::multiply.reduce(nothing, options({}))).to_vector<std::int64_t>() ==
              std::vector<std::int64_t>(outputs, 1));
        CHECK(target.fetch(kiln::math::minimum.reduce(nothing, options({.initial = 12}))).to_vector<std::int16_t>() ==
              std::vector<std::int16_t>(outputs, 12));
        CHECK(target.fetch(kiln::math::logical_and.reduce(nothing, options({.where = target.place(Array::scalar(true))})))
                  .to_vector<bool>() == std::vector<bool>(outputs, true));
      }
    }
  });
}

TEST_CASE("reduce: 1e8 elements" * doctest::skip(std::getenv("KILN_TEST_BIG") == nullptr)) {
  on_every_device(
      [&](const Target& target) {
        const Array big = target.place(Array::full({10'000, 10'000}, 1.0F));
        CHECK(target.fetch(plain_add().reduce(big, {.axis = kiln::all_axes})).item<float>() == 1e8F);
        for (const int axis : {0, 1}) {
          const std::vector<float> sums = target.fetch(plain_add().reduce(big, {.axis = axis})).to_vector<float>();
          CHECK(std::all_of(sums.begin(), sums.end(), [](float sum) { return sum == 1e4F; }));
        }
      },
      {Mode::device});
}

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
using Complex = std::complex<float>;

/// All NaN, with their number as the imaginary part.
Array numbered_nans(const kiln::Shape& shape) {
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) size *= extent;
  std::vector<Complex> values;
  for (std::int64_t i = 0; i < size; ++i) values.emplace_back(kNan, static_cast<float>(i));
  return Array::from(values, shape);
}

/// The imaginary parts.
std::vector<double> numbers(const Array& array) {
  std::vector<double> list;
  for (const Complex& value : array.copy().to_vector<Complex>()) list.push_back(static_cast<double>(value.imag()));
  return list;
}

}  // namespace

TEST_CASE("reduce: of complex numbers that are NaN, or equal, the first counts, as in NumPy") {
  on_every_device(
      [](const Target& target) {
        for (const Ufunc* const ufunc : {&kiln::math::maximum.ufunc(), &kiln::math::minimum.ufunc(), &kiln::math::fmax.ufunc(),
                                         &kiln::math::fmin.ufunc()}) {
          INFO(ufunc->name());
          const auto reduced = [&](const Array& host, ReduceOptions options = {}) {
            return target.fetch(ufunc->reduce(target.place(host), reduce_on(target, std::move(options))));
          };
          const bool nan_wins = ufunc->name()[0] == 'm';
          for (const std::int64_t size : {2, 3, 15, 17, 100, 127, 129, 1000, 1025, 5000, 70001}) {
            INFO(size);
            CHECK(numbers(reduced(numbered_nans({size}))) == std::vector<double>{0});
            CHECK(numbers(reduced(numbered_nans({size})[{Slice{.step = -1}}])) ==
                  std::vector<double>{static_cast<double>(size - 1)});
            if (size == 2) continue;
            // Two of them, near the front and near the end.
            std::vector<Complex> values(static_cast<std::size_t>(size), Complex(1, 2));
            values[values.size() / 3] = Complex(kNan, 5);
            values.back() = Complex(3, kNan);
            const Complex first = reduced(Array::from(values)).item<Complex>();
            CHECK(std::isnan(first.real()) == nan_wins);
            CHECK(first.imag() == (nan_wins ? 5 : 2));
            // Equal numbers differ in the signs of their zeros.
            std::vector<Complex> zeros(static_cast<std::size_t>(size), Complex(-0.0F, 0));
            zeros[0] = Complex(0, -0.0F);
            const Complex zero = reduced(Array::from(zeros)).item<Complex>();
            CHECK(!std::signbit(zero.real()));
            CHECK(std::signbit(zero.imag()));
          }
          for (const std::int64_t columns : {1, 3, 16, 40, 300}) {
            INFO(columns);
            const Array table = numbered_nans({301, columns});
            std::vector<double> top;
            std::vector<double> left;
            for (std::int64_t i = 0; i < columns; ++i) top.push_back(static_cast<double>(i));
            for (std::int64_t i = 0; i < 301; ++i) left.push_back(static_cast<double>(i * columns));
            CHECK(numbers(reduced(table)) == top);
            CHECK(numbers(reduced(table, {.axis = 1})) == left);
            CHECK(numbers(reduced(table.transpose(), {.axis = 1})) == top);
            CHECK(numbers(reduced(table, {.axis = kiln::all_axes})) == std::vector<double>{0});
            CHECK(numbers(reduced(table[{Slice{.step = -1}}])) == numbers(table[{Slice{.start = 300}}].reshape({columns})));
            std::vector<double> begins;
            for (const std::int64_t row : {0, 7, 290}) {
              for (std::int64_t i = 0; i < columns; ++i) begins.push_back(static_cast<double>(row * columns + i));
            }
            CHECK(numbers(target.fetch(ufunc->reduceat(target.place(table), Array::from<std::int64_t>({0, 7, 290}),
                                                       {.stream = target.options().stream}))) == begins);
          }
          // Axes as they lie in memory, walked forwards.
          const Array transposed = numbered_nans({60, 50}).transpose();
          CHECK(numbers(reduced(transposed, {.axis = kiln::all_axes})) == std::vector<double>{0});
          CHECK(numbers(reduced(transposed[{Slice{.step = -1}}], {.axis = kiln::all_axes})) == std::vector<double>{49});
          // A mask, and what a call starts from.
          std::vector<bool> late(5000, true);
          std::fill_n(late.begin(), 1234, false);
          const Array mask = target.place(make(DType::bool_, std::vector<Exact>(late.begin(), late.end())));
          CHECK(numbers(reduced(numbered_nans({5000}), {.initial = Complex(kNan, -1), .where = mask})) ==
                std::vector<double>{-1});
          CHECK(numbers(target.fetch(ufunc->accumulate(target.place(numbered_nans({5000})), accumulate_on(target)))) ==
                std::vector<double>(5000, 0));
          const kiln::Reduction of_map = kiln::reduction(kiln::math::negative, *ufunc);
          CHECK(numbers(target.fetch(of_map({target.place(numbered_nans({5000}))}, reduction_on(target)))) ==
                std::vector<double>{0});
        }
      },
      {Mode::device});
}

TEST_CASE("at: of complex numbers that are NaN the first counts") {
  on_every_device(
      [](const Target& target) {
        const Array array = target.place(Array::from(std::vector<Complex>(4, Complex(1, 2))));
        std::vector<std::int64_t> indices(4000);
        for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<std::int64_t>(i % 4);
        kiln::math::maximum->at(array, target.place(Array::from(indices)), target.place(numbered_nans({4000})),
                                {.stream = target.options().stream});
        target.wait();
        CHECK(numbers(target.fetch(array)) == std::vector<double>{0, 1, 2, 3});
      },
      {Mode::device});
}
