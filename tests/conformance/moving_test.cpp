// Views with other axes, joining and cutting, and elements chosen by masks and indices, against NumPy.
#include "devices.hpp"
#include "golden.hpp"
#include "kiln/creation.hpp"
#include "kiln/indexing.hpp"
#include "kiln/joining.hpp"
#include "kiln/memory.hpp"
#include "kiln/operators.hpp"
#include "kiln/statistics.hpp"
#include "kiln/views.hpp"
#include "values.hpp"

using namespace conformance;
using kiln::Array;
using kiln::concatenate;
using kiln::DType;
using kiln::Shape;
using kiln::Slice;
using kiln::stack;

namespace {

constexpr std::initializer_list<Mode> kPlaces = {Mode::host, Mode::device};

Array counted(const Shape& shape) {
  return kiln::arange(Array::empty(shape).size()).reshape(shape);
}

/// The array of a line, as make_functions.py makes it.
Array input_of(const Target& target, const Shape& shape, char layout) {
  Shape base = shape;
  if (layout == 't') std::reverse(base.begin(), base.end());
  if (layout == 's') base.back() *= 2;
  const Array a = target.place(counted(base));
  if (layout == 't') return a.T();
  if (layout == 'r') return flip(a);
  if (layout != 's') return a;
  std::vector<kiln::Index> index(shape.size(), kiln::all);
  index.back() = Slice{.step = 2};
  return a.slice(index);
}

Array mask_of(const Target& target, const Shape& shape) {
  const Array mask = Array::empty(shape, DType::bool_);
  for (std::int64_t i = 0; i < mask.size(); ++i) mask.as<bool>()[i] = i * 5 % 3 != 0;
  return target.place(mask);
}

/// A line's call. Fields from the third on are the arguments.
class Call {
 public:
  Call(const Target& target, const Golden& line)
      : target_(target), line_(line), a_(input_of(target, line.extents(1), line.fields[2][0])) {}

  std::vector<Array> run() {
    const std::string& function = line_.fields[0];
    if (function == "concatenate") return {concatenate({a_, a_ * 2, part_of_none()}, axis(3))};
    if (function == "stack") return {stack({a_, a_ * 2, a_ + 1}, axis(3))};
    if (function == "split") return split(a_, number(3), axis(4));
    if (function == "split_at") return split(a_, line_.numbers(3), axis(4));
    if (function == "repeat") return {repeat(a_, number(3), maybe_axis(4))};
    if (function == "tile") return {tile(a_, line_.numbers(3))};
    if (function == "roll") return {roll(a_, number(3), maybe_axis(4))};
    if (function == "flip") return {flip(a_, axes(3))};
    if (function == "expand_dims") return {expand_dims(a_, axes(3))};
    if (function == "squeeze") return {squeeze(a_, axes(3))};
    if (function == "swapaxes") return {swapaxes(a_, axis(3), axis(4))};
    if (function == "moveaxis") return {moveaxis(a_, axes(3), axes(4))};
    if (function == "meshgrid") return grids();
    if (function == "nonzero") return nonzero(a_ % 3);
    if (function == "where") return {where(a_ % 3, a_, -1)};
    return {indexed(function)};
  }

 private:
  Array indexed(const std::string& function) {
    if (function == "take") return take(a_, indices(3), {.axis = maybe_axis(5), .mode = mode(6)});
    if (function == "compress") return compress(mask_of(target_, {number(3)}), a_, maybe_axis(4));
    if (function == "index") return a_[indices(3)];
    if (function == "set_index") {
      a_[indices(3)] = -7;
      return a_;
    }
    if (function == "get") return a_.select(each_index());
    if (function == "set") {
      const std::size_t left = a_.shape().size() - axes_indexed();
      if (left == 0) {
        a_.select(each_index()) = 1000;
      } else {
        a_.select(each_index()) = target_.place(kiln::arange(1000, 1000 + a_.shape().back()));
      }
      return a_;
    }
    if (function == "add") {
      a_.select(each_index()) += 100;
      return a_;
    }
    if (function == "put") {
      put(a_, indices(3), target_.place(kiln::arange(1000, 1000 + number(5))), mode(6));
      return a_;
    }
    const auto count = static_cast<std::size_t>(number(3));
    const Array mask = mask_of(target_, Shape(std::span(a_.shape().data(), count)));
    if (function == "mask") return a_[mask];
    if (function == "add_mask") {
      a_[mask] += 100;
    } else if (count < a_.shape().size()) {
      a_[mask] = target_.place(kiln::arange(1000, 1000 + a_.shape().back()));
    } else {
      REQUIRE(function == "set_mask");
      a_[mask] = 1000;
    }
    return a_;
  }

  std::vector<Array> grids() {
    std::vector<Array> lines;
    for (const std::int64_t extent : line_.extents(1)) lines.push_back(target_.place(kiln::arange(extent)));
    return kiln::meshgrid(lines, {.matrix_indexing = line_.numbers(3)[1] == 1, .sparse = line_.numbers(3)[0] == 1});
  }

  [[nodiscard]] Array part_of_none() const {
    const int at = axis(3);
    std::vector<kiln::Index> index(a_.shape().size(), kiln::all);
    index[static_cast<std::size_t>(at < 0 ? at + a_.ndim() : at)] = Slice{.stop = 0};
    return a_.slice(index).astype(DType::float64);
  }
  [[nodiscard]] Array indices(std::size_t field) const {
    return target_.place(Array::from(line_.numbers(field + 1), line_.extents(field)));
  }
  /// The arrays of a line of places.txt.
  [[nodiscard]] std::vector<Array> each_index() const {
    std::vector<Array> all;
    for (std::size_t field = 3; line_.fields[field] != "->"; field += 2) {
      all.push_back(line_.fields[field + 1] == "mask" ? mask_of(target_, line_.extents(field)) : indices(field));
    }
    return all;
  }
  [[nodiscard]] std::size_t axes_indexed() const {
    std::size_t axes = 0;
    for (const Array& each : each_index()) axes += each.dtype() == DType::bool_ ? static_cast<std::size_t>(each.ndim()) : 1;
    return std::min(axes, a_.shape().size());
  }
  [[nodiscard]] std::int64_t number(std::size_t field) const { return line_.numbers(field)[0]; }
  [[nodiscard]] int axis(std::size_t field) const { return static_cast<int>(number(field)); }
  [[nodiscard]] std::optional<int> maybe_axis(std::size_t field) const {
    return line_.fields[field] == "-" ? std::nullopt : std::optional<int>(axis(field));
  }
  [[nodiscard]] kiln::Axes axes(std::size_t field) const {
    if (line_.fields[field] == "*") return kiln::all_axes;
    std::vector<int> list;
    for (const std::int64_t axis : line_.numbers(field)) list.push_back(static_cast<int>(axis));
    return list;
  }
  [[nodiscard]] kiln::IndexMode mode(std::size_t field) const {
    const std::string& text = line_.fields[field];
    return text == "wrap" ? kiln::IndexMode::wrap : text == "clip" ? kiln::IndexMode::clip : kiln::IndexMode::raise;
  }

  const Target& target_;
  const Golden& line_;
  Array a_;
};

/// What stands behind the arrow: shapes and values in turn; empty for an error.
std::vector<std::pair<Shape, std::vector<Exact>>> results_of(const Golden& line) {
  std::vector<std::pair<Shape, std::vector<Exact>>> results;
  std::string text = line.text.substr(line.text.find("-> ") + 3);
  if (text == "error") return results;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, '|');) {
    const std::size_t blank = part.find(' ');
    Golden shape{"", {part.substr(0, blank)}};
    results.emplace_back(Shape(shape.extents(0)), values_in(part.substr(blank + 1)));
  }
  return results;
}

void check_golden(const char* file) {
  on_every_device(
      [&](const Target& target) {
        for (const Golden& line : golden(file, target)) {
          INFO(line.text);
          const auto expected = results_of(line);
          if (expected.empty()) {
            CHECK(is_refused([&] { Call(target, line).run(); }));
            continue;
          }
          const std::vector<Array> results = Call(target, line).run();
          REQUIRE(results.size() == expected.size());
          for (std::size_t i = 0; i < results.size(); ++i) {
            CHECK(results[i].is_host() == (target.mode() == Mode::host));
            const Array got = target.fetch(results[i]);
            CHECK(got.shape() == expected[i].first);
            CHECK(difference(read(got), expected[i].second) == "");
          }
        }
      },
      kPlaces);
}

}  // namespace

TEST_CASE("moving: NumPy's golden calls") {
  check_golden("moving.txt");
}

TEST_CASE("moving: NumPy's golden calls of several arrays of indices") {
  check_golden("places.txt");
}

TEST_CASE("moving: every dtype is gathered, written, chosen and joined") {
  on_every_device(
      [](const Target& target) {
        const Array places = target.place(Array::from<std::int64_t>({3, -1, 0}));
        const Array mask = target.place(Array::from({false, true, true, false}));
        for (const DType dtype : kEveryDType) {
          INFO(kiln::name(dtype));
          const Array a = target.place(make(dtype, {0, 1, 1, 0}));
          const Array b = target.place(make(dtype, {1, 1, 0, 0}));
          CHECK(a[places].dtype() == dtype);
          CHECK(read(target.fetch(a[places])) == std::vector<Exact>{0, 0, 0});
          CHECK(read(target.fetch(a[mask])) == std::vector<Exact>{1, 1});
          CHECK(read(target.fetch(where(mask, a, b))) == std::vector<Exact>{1, 1, 1, 0});
          CHECK(read(target.fetch(concatenate({a, b}))) == std::vector<Exact>{0, 1, 1, 0, 1, 1, 0, 0});
          a[mask] = b[mask];
          CHECK(read(target.fetch(a)) == std::vector<Exact>{0, 1, 0, 0});
          a[places] = true;
          CHECK(read(target.fetch(a)) == std::vector<Exact>{1, 1, 0, 1});
        }
      },
      kPlaces);
}

TEST_CASE("moving: views share memory, copies do not") {
  const Array a = counted({2, 1, 3});
  for (const Array& view :
       {squeeze(a), a.squeeze(1), expand_dims(a, 0), moveaxis(a, 0, -1), flip(a), a.swapaxes(0, 2), a.T()}) {
    Array(view).fill(7);
    CHECK(a.sum().item<std::int64_t>() == 42);
    a.fill(0);
  }
  CHECK(split(a, 3, 2)[2].data() == a[{0, 0, 2}].data());
  CHECK(a.flatten().data() != a.data());
  CHECK(a.flatten().shape() == Shape{6});
  CHECK(roll(a, 1).data() != a.data());
  CHECK(Array::from({1.5}).astype<int>().item<int>() == 1);
}

TEST_CASE("moving: a selection is written where it is from") {
  const Array a = kiln::arange(6).astype<float>();
  a[a > 3] = 0;
  CHECK(a.to_vector<float>() == std::vector<float>{0, 1, 2, 3, 0, 0});
  a[a == 0] -= 1;
  CHECK(a.to_vector<float>() == std::vector<float>{-1, 1, 2, 3, -1, -1});
  a[Array::from({0, 0, 1})] *= 2;  // once
  CHECK(a.to_vector<float>() == std::vector<float>{-2, 2, 2, 3, -1, -1});
  CHECK((a[a > 0] * 2).to_vector<float>() == std::vector<float>{4, 4, 6});
  CHECK(a[a > 0].sum().item<float>() == 7);
  // The selection's own copy is not the array.
  Array positive = a[a > 0];
  positive.fill(9);
  positive = a;
  CHECK(a.max().item<float>() == 3);
  const Array matrix = counted({2, 3}).T();
  matrix[matrix % 2 == 0] = -1;
  CHECK(matrix.copy().to_vector<std::int64_t>() == std::vector<std::int64_t>{-1, 3, 1, -1, -1, 5});
  // 0-d indices drop the axis.
  CHECK(matrix[Array::scalar(1)].shape() == Shape{2});
}

TEST_CASE("moving: several arrays of indices select elements, and are written where they are from") {
  const Array a = counted({3, 4});
  const Array rows = Array::from({0, 2, -1}), columns = Array::from({1, 1, 3});
  CHECK(a[{rows, columns}].to_vector<std::int64_t>() == std::vector<std::int64_t>{1, 9, 11});
#ifdef __cpp_multidimensional_subscript
  CHECK(a[rows, columns].to_vector<std::int64_t>() == std::vector<std::int64_t>{1, 9, 11});
#endif
  CHECK(a[{rows}].shape() == Shape{3, 4});
  CHECK(a[{rows.reshape({3, 1}), columns}].shape() == Shape{3, 3});
  CHECK(a[{a[rows][{kiln::all, 0}] % 3, columns}].shape() == Shape{3});
  CHECK(a[{rows[Array::from({0, 1, 2})], columns}].shape() == Shape{3});
  a[{rows, columns}] = 0;
  a[{Array::from({1, 1}), Array::from({0, 0})}] += 100;  // once
  a[{Array::from({true, false, true}), Array::from({0})}] = Array::from({-1, -2});
  CHECK(a.to_vector<std::int64_t>() == std::vector<std::int64_t>{-1, 0, 2, 3, 104, 5, 6, 7, -2, 0, 10, 0});
  // Only the elements are read of an array whose axes do not merge, backwards and with steps.
  const Array wide = counted({100, 1000});
  const Array part = wide[{Slice{90, 10, -3}, Slice{900, 100, -7}}];
  CHECK(part[{rows, columns}].to_vector<std::int64_t>() == std::vector<std::int64_t>{90893, 84893, 12879});
  part[{rows, columns}] = -1;
  CHECK((wide == -1).sum().item<std::int64_t>() == 3);
  CHECK(wide[{84, 893}].item<std::int64_t>() == -1);
}

TEST_CASE("moving: host arrays that are larger than the device") {
  for (const kiln::Device& device : devices()) {
    if (device.is_cpu()) continue;
    const kiln::DeviceScope scope(device);
    kiln::set_memory_limit(device, kiln::memory_stats(device).used + (600 << 10));
    const Array a = kiln::arange(100'000).astype<double>();
    CHECK(sum(a).item<double>() == 4999950000);
    CHECK(mean(a).item<double>() == 49999.5);
    CHECK(var(a).item<double>() == doctest::Approx(833333333.25).epsilon(1e-14));
    CHECK(a.argmax().item<std::int64_t>() == 99'999);
    CHECK(sum(where(a > 5, a, 0)).item<double>() == 4999949985);
    CHECK(a.cumsum()[-1].item<double>() == 4999950000);
    if (has_cpu()) {
      CHECK(a[kiln::arange(0, 100'000, 7)].sum().item<double>() == 714264285);
      a[a > 5] = 1;
      CHECK(a.sum().item<double>() == 100009);
    }
    kiln::set_memory_limit(device, std::nullopt);
  }
}

TEST_CASE("moving: errors") {
  const Array a = counted({2, 3});
  const auto refusal = [](const auto& call) { return message_of(call); };
  CHECK(refusal([&] { static_cast<void>(a[Array::from({0, 2})]); }) ==
        "a[indices]: index 2 at position 1 is out of range for an axis of extent 2");
  CHECK(refusal([&] { static_cast<void>(a[Array::from({0.5})]); }) ==
        "a[indices]: the indices are of dtype float64; give integers");
  CHECK(refusal([&] { static_cast<void>(a[Array::from({true, false, true})]); }) ==
        "a[mask]: the mask has shape (3,), the array (2, 3); give a mask with the extents of the array's first axes");
  CHECK(refusal([&] { static_cast<void>(Array::scalar(1)[Array::scalar(0)]); }) ==
        "a[indices]: a 0-d array has no axis to count along");
  CHECK(refusal([&] { static_cast<void>(a[{Array::from({0}), Array::from({0, 3})}]); }) ==
        "a[indices], axis 1: index 3 at position 1 is out of range for an axis of extent 3");
  CHECK(refusal([&] { static_cast<void>(a[{Array::from({0}), Array::from({0.5})}]); }) ==
        "a[indices], axis 1: the indices are of dtype float64; give integers");
  CHECK(
      refusal([&] { static_cast<void>(a[{Array::from({0, 1}), Array::from({0, 1, 1})}]); }) ==
      "a[indices]: the indices of shapes (2,), (3,) do not broadcast; extents must be equal or 1, counted from the last axis");
  CHECK(refusal([&] { static_cast<void>(a[{Array::scalar(0), Array::scalar(0), Array::scalar(0)}]); }) ==
        "a[indices]: there are indices for 3 axes, and the array has shape (2, 3)");
  CHECK(refusal([&] { static_cast<void>(a[{Array::scalar(0), Array::from({true})}]); }) ==
        "a[indices]: the mask has shape (1,), and begins at axis 1 of the array of shape (2, 3); give one with the extents of "
        "the "
        "axes from there on");
  CHECK(refusal([&] { static_cast<void>(a.select({})); }) ==
        "a[indices]: there are no indices; give an array for each of the first axes");
  CHECK(refusal([&] { a.as_read_only()[{Array::scalar(0), Array::scalar(0)}] = 0; }) ==
        "a[which] = b: the array is read-only; copy() it first");
  CHECK(refusal([&] { a[a > 1] = 1.5; }).starts_with("fill: a value of dtype float64 does not convert to int64"));
  CHECK(refusal([&] { a[a > 1] = Array::from({1.5}); }) ==
        "a[which] = b: values of float64 do not cast to int64 under the rule 'same_kind'; convert them with astype()");
  CHECK(refusal([&] { a.as_read_only()[a > 1] = 0; }) == "a[which] = b: the array is read-only; copy() it first");
  CHECK(refusal([&] { a[Array::from({0})] = Array::from({1, 2}); }).find("(2,)") != std::string::npos);
  CHECK(refusal([&] { static_cast<void>(take(a, Array::from({6}))); }) ==
        "take: index 6 at position 0 is out of range for an axis of extent 6");
  CHECK(refusal([&] { static_cast<void>(take(a, Array::from({0}), {.axis = 2})); }) ==
        "take: axis 2 does not exist in an array of shape (2, 3); give -2 to 1");
  CHECK(refusal([&] { put(a, Array::from({0}), Array::zeros(0)); }) == "put: there are no values for 1 indices");
  CHECK(refusal([&] { static_cast<void>(compress(a > 1, a)); }) == "compress: the condition has shape (2, 3); give one axis");
  CHECK(refusal([&] { static_cast<void>(nonzero(Array::scalar(1))); }) ==
        "nonzero: a 0-d array has no axis along which its element has a place");
  CHECK(refusal([&] { static_cast<void>(squeeze(a, 0)); }) == "squeeze: axis 0 of shape (2, 3) has extent 2, not 1");
  CHECK(refusal([&] { static_cast<void>(concatenate({a, counted({3, 2})})); }) ==
        "concatenate: array 1 has shape (3, 2), array 0 has (2, 3); they may differ along axis 0 alone");
  CHECK(refusal([&] { static_cast<void>(stack({a, counted({3, 2})})); }) ==
        "stack: array 1 has shape (3, 2), array 0 has (2, 3); give equal shapes");
  CHECK(refusal([&] { static_cast<void>(concatenate({})); }) == "concatenate: no arrays were given");
  CHECK(refusal([&] { static_cast<void>(concatenate({Array::scalar(1)})); }) == "concatenate: a 0-d array has no axis 0");
  CHECK(refusal([&] { static_cast<void>(split(a, 2, 1)); }) == "split: axis 1 of extent 3 does not make 2 equal parts");
  CHECK(refusal([&] { static_cast<void>(repeat(a, -1)); }) == "repeat: -1 times: give 0 or more");
  CHECK(refusal([&] { static_cast<void>(tile(a, {-1})); }) == "tile: (-1,) times: give 0 or more");
  CHECK(refusal([&] { static_cast<void>(moveaxis(a, {0, 1}, 0)); }) ==
        "moveaxis: 2 axes are moved to 1 places; give as many of both");
  CHECK(refusal([&] { static_cast<void>(expand_dims(a, kiln::all_axes)); }) ==
        "expand_dims: kiln::all_axes names no places; give those of the new axes");
}
