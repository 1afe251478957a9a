// Making arrays: from lists, ranges and memory; NumPy's arange, linspace, eye.
#include <array>
#include <list>

#include "devices.hpp"
#include "golden.hpp"
#include "kiln/creation.hpp"
#include "kiln/ufunc.hpp"
#include "values.hpp"

using namespace conformance;
using kiln::Array;
using kiln::DType;
using kiln::Shape;

namespace {

std::vector<double> reals(const Golden& line, std::size_t field) {
  std::vector<double> numbers;
  for (const Exact& value : values_in(line.fields[field])) numbers.push_back(static_cast<double>(value.real()));
  return numbers;
}

/// The members of a std::mdspan of two axes, which the oldest compiler in use lacks. tests/package compiles the standard's own.
template <class T>
struct Matrix {
  using element_type = T;
  using data_handle_type = T*;
  using rank_type = std::size_t;
  static constexpr std::size_t rank() { return 2; }
  static constexpr bool is_always_strided() { return true; }
  [[nodiscard]] T* data_handle() const { return first; }
  [[nodiscard]] int extent(std::size_t axis) const { return extents[axis]; }
  [[nodiscard]] int stride(std::size_t axis) const { return strides[axis]; }
  T* first;
  std::array<int, 2> extents;
  std::array<int, 2> strides;
};
static_assert(std::is_convertible_v<Matrix<float>, kiln::Arg> && std::is_convertible_v<Matrix<float>, kiln::Outputs>);
// A shape is no operand: f.resolve(Shape{2}, Shape{2}) asks for a plan.
static_assert(!std::is_convertible_v<const Shape&, kiln::Arg> && !std::is_convertible_v<Shape&, kiln::Arg>);
static_assert(std::is_convertible_v<std::vector<std::int64_t>&, kiln::Arg>);

Array made(const Golden& line, const kiln::Device& device) {
  const std::vector<std::string>& fields = line.fields;
  const auto dtype = fields[3] == "-" ? std::nullopt : std::optional<DType>(dtype_named(fields[3]));
  if (fields[0] == "arange") {
    const std::vector<double> n = reals(line, 2);
    if (fields[1] == "float") return kiln::arange(n[0], n[1], n[2], {.dtype = dtype, .device = device});
    const std::vector<std::int64_t> whole = line.numbers(2);
    return kiln::arange(whole[0], whole[1], whole[2], {.dtype = dtype, .device = device});
  }
  const std::vector<std::int64_t> how = line.numbers(fields[0] == "eye" ? 1 : 2);
  if (fields[0] == "eye") return kiln::eye(how[0], {.columns = how[1], .k = how[2], .dtype = dtype, .device = device});
  const std::vector<double> ends = reals(line, 1);
  return kiln::linspace(ends[0], ends[1], how[0], {.endpoint = how[1] == 1, .dtype = dtype, .device = device});
}

std::vector<int> ints(const Array& a) {
  return a.to_vector<int>();
}

}  // namespace

TEST_CASE("making: NumPy's golden calls") {
  on_every_device(
      [](const Target& target) {
        for (const Golden& line : golden("making.txt")) {
          INFO(line.text);
          const Array a = made(line, target.device());
          CHECK_FALSE(a.is_host());
          const Array got = target.fetch(a);
          CHECK(got.dtype() == dtype_named(line.fields[5]));
          CHECK(got.shape() == Shape(line.extents(6)));
          CHECK(difference(read(got), values_in(line.fields[7])) == "");
        }
      },
      {Mode::device});
}

TEST_CASE("making: zeros, ones and full, of one extent or several") {
  CHECK(kiln::zeros(5).shape() == Shape{5});
  CHECK(kiln::zeros(5).dtype() == DType::float64);
  CHECK(Array::zeros(2).to_vector<double>() == std::vector<double>{0, 0});
  CHECK(Array::ones({1, 2}, DType::float16).astype<float>().to_vector<float>() == std::vector<float>{1, 1});
  CHECK(Array::empty(3).dtype() == DType::float64);
  CHECK(ints(kiln::full({2}, 7)) == std::vector<int>{7, 7});
  CHECK(Array::full(2, 0.5).to_vector<double>() == std::vector<double>{0.5, 0.5});
  CHECK(kiln::arange(3).dtype() == DType::int64);
  CHECK(kiln::arange(3, {.dtype = DType::float32}).to_vector<float>() == std::vector<float>{0, 1, 2});
  CHECK(kiln::arange(1, 3, {.dtype = DType::int8}).to_vector<std::int8_t>() == std::vector<std::int8_t>{1, 2});
  for (std::int64_t n = 2; n < 60; ++n) CHECK(kiln::linspace(-0.3, 1.0 / 7, n)[-1].item<double>() == 1.0 / 7);
  constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();
  CHECK(kiln::arange(-kFar, kFar, kFar).to_vector<std::int64_t>() == std::vector<std::int64_t>{-kFar, 0});
  on_every_device(
      [](const Target& target) {
        for (const DType dtype : kEveryDType) {
          const Array ones = kiln::ones({2, 2}, {.dtype = dtype, .device = target.device()});
          CHECK(ones.device() == target.device());
          CHECK(read(target.fetch(ones)) == std::vector<Exact>(4, 1));
          CHECK(read(target.fetch(kiln::zeros(3, {.dtype = dtype, .device = target.device()}))) == std::vector<Exact>(3));
        }
      },
      {Mode::device});
}

TEST_CASE("making: from lists and ranges") {
  CHECK(Array::from({1, 2, 3, 4}, {2, 2}).shape() == Shape{2, 2});
  const Array rows = Array::from({{1, 2, 3}, {4, 5, 6}});
  CHECK(rows.shape() == Shape{2, 3});
  CHECK(ints(rows) == std::vector<int>{1, 2, 3, 4, 5, 6});
  CHECK(Array::from({{{1}, {2}}, {{3}, {4}}}).shape() == Shape{2, 2, 1});
  CHECK(Array::from({{1, 2}}).shape() == Shape{1, 2});
  CHECK(Array::from<double>({1, 2.5}).to_vector<double>() == std::vector<double>{1, 2.5});
  CHECK(Array::from<float>({{1, 2.5}, {3, 4}}).dtype() == DType::float32);
  CHECK(Array::from({true, false}).dtype() == DType::bool_);
  CHECK(Array::from({{true}, {false}}).to_vector<bool>() == std::vector<bool>{true, false});
  CHECK(Array::from<int>({}).shape() == Shape{0});
  CHECK(Array::from<int>({{}, {}}).shape() == Shape{2, 0});

  const std::vector<float> values{1, 2, 3, 4};
  CHECK(Array::from(values, {2, 2}).dtype() == DType::float32);
  CHECK(Array::from<double>(values).dtype() == DType::float64);
  CHECK(Array::from(std::span(values).first(2)).shape() == Shape{2});
  CHECK(ints(Array::from(std::array{1, 2, 3})) == std::vector<int>{1, 2, 3});
  const int plain[2][2] = {{1, 2}, {3, 4}};
  CHECK(Array::from(plain).shape() == Shape{2, 2});
  CHECK(ints(Array::from(plain)) == std::vector<int>{1, 2, 3, 4});
  CHECK(Array::from(std::vector<bool>{true, false}).to_vector<bool>() == std::vector<bool>{true, false});
  CHECK(ints(Array::from(std::list<int>{3, 1})) == std::vector<int>{3, 1});
  CHECK(ints(Array::from(std::vector<std::vector<int>>{{1, 2}, {3, 4}})) == std::vector<int>{1, 2, 3, 4});
  CHECK(Array::from(std::vector<std::vector<int>>{}).shape() == Shape{0, 0});
  CHECK(Array::from(std::vector<std::array<double, 3>>(4)).shape() == Shape{4, 3});
}

TEST_CASE("making: lists that fit no shape") {
  CHECK(message_of([] { static_cast<void>(Array::from({{1, 2}, {3}})); }) ==
        "cannot make an array from ragged lists: one at depth 1 has 1 elements, the first one there has 2; give all lists of a "
        "depth the same length");
  CHECK(is_refused([] { static_cast<void>(Array::from(std::vector<std::vector<int>>{{}, {1}})); }));
  CHECK(message_of([] { static_cast<void>(Array::from({1, 2, 3}, {2, 2})); }) ==
        "cannot make an array of shape (2, 2) from 3 values");
  CHECK(message_of([] { static_cast<void>(kiln::arange(0, 5, 0)); }) ==
        "arange: the step is 0: give a positive or a negative number");
  CHECK(message_of([] { static_cast<void>(kiln::arange(0.0, INFINITY)); }) ==
        "arange: the number of elements is infinite or NaN: give finite numbers");
  CHECK(message_of([] { static_cast<void>(kiln::arange(0, 5, {.dtype = DType::bool_})); }) ==
        "arange: numbers of bool are not counted; give an integer or floating dtype");
  CHECK(is_refused([] { static_cast<void>(kiln::linspace(0, 1, -1)); }));
  CHECK(is_refused([] { static_cast<void>(kiln::full({2}, 1.5, {.dtype = DType::int32})); }));
  CHECK(message_of([] { static_cast<void>(kiln::meshgrid({Array::zeros({2, 2})})); }) ==
        "meshgrid: an array has shape (2, 2); give arrays of one axis");
}

TEST_CASE("making: views of the caller's memory") {
  std::vector<float> values{1, 2, 3, 4};
  const Array view = Array::view(values);
  CHECK(view.data() == values.data());
  view[0] = 7;
  CHECK(values[0] == 7);
  CHECK(Array::view(values, {2, 2}).shape() == Shape{2, 2});
  CHECK(Array::view(std::as_const(values)).read_only());
  CHECK(Array::view(std::span(values).subspan(1)).data() == &values[1]);
  double matrix[2][3] = {};
  Array::view(matrix).fill(2.5);
  CHECK(matrix[1][2] == 2.5);
  CHECK(Array::view(matrix).shape() == Shape{2, 3});
  std::array<std::array<int, 2>, 2> square{{{1, 2}, {3, 4}}};
  CHECK(ints(Array::view(square)) == std::vector<int>{1, 2, 3, 4});
  std::vector<float> none;
  CHECK(Array::view(none).shape() == Shape{0});
  CHECK(message_of([&] { static_cast<void>(Array::view(values, {3})); }) ==
        "view: shape (3,) has another number of elements than the memory, 4");
}

TEST_CASE("making: an mdspan is an array with its strides") {
  std::vector<float> values{0, 1, 2, 3, 4, 5, 6, 7};
  const Matrix<float> columns{&values[0], {2, 3}, {1, 2}};
  const Array view = Array::view(columns);
  CHECK(view.data() == values.data());
  CHECK(view.shape() == Shape{2, 3});
  CHECK(view.strides() == kiln::Strides{4, 8});
  CHECK(!view.read_only());
  CHECK(Array::view(Matrix<const float>{values.data(), {2, 2}, {4, 1}}).read_only());

  const kiln::Ufunc add = kiln::vectorize("float32(float32 a, float32 b)", "return a + b;");
  std::vector<float> sums(6, -1.0F);
  const Matrix<float> backward{&sums[5], {2, 3}, {-3, -1}};
  add(columns, 10.0F, {.out = backward});
  CHECK(sums == std::vector<float>{15, 13, 11, 14, 12, 10});
  CHECK(add(Matrix<float>{nullptr, {0, 3}, {3, 1}}, 1.0F).shape() == Shape{0, 3});
}
