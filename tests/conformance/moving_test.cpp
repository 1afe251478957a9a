// Views with other axes, joining and cutting, and elements chosen by masks and indices, against NumPy.
#include "devices.hpp"
#include "golden.hpp"
#include "kiln/creation.hpp"
#include "kiln/error.hpp"
#include "kiln/joining.hpp"
#include "kiln/operators.hpp"
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
    return {};
  }

 private:
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

/// Whether a line is of a function of this file.
bool is_moved(const std::string& function) {
  constexpr std::string_view kKnown[] = {"concatenate", "stack",       "split",   "split_at", "repeat",   "tile",    "roll",
                                         "flip",        "expand_dims", "squeeze", "swapaxes", "moveaxis", "meshgrid"};
  return std::find(std::begin(kKnown), std::end(kKnown), function) != std::end(kKnown);
}

}  // namespace

TEST_CASE("moving: NumPy's golden calls") {
  on_every_device(
      [](const Target& target) {
        for (const Golden& line : golden("moving.txt", target)) {
          if (!is_moved(line.fields[0])) continue;
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

TEST_CASE("moving: views share memory, copies do not") {
  const Array a = counted({2, 1, 3});
  for (const Array& view :
       {squeeze(a), a.squeeze(1), expand_dims(a, 0), moveaxis(a, 0, -1), flip(a), a.swapaxes(0, 2), a.T()}) {
    Array(view).fill(7);
    CHECK(a.to_vector<std::int64_t>() == std::vector<std::int64_t>(6, 7));
    a.fill(0);
  }
  CHECK(split(a, 3, 2)[2].data() == a[{0, 0, 2}].data());
  CHECK(a.flatten().data() != a.data());
  CHECK(a.flatten().shape() == Shape{6});
  CHECK(roll(a, 1).data() != a.data());
  CHECK(Array::from({1.5}).astype<int>().item<int>() == 1);
}

TEST_CASE("moving: errors") {
  const Array a = counted({2, 3});
  const auto refusal = [](const auto& call) { return message_of(call); };
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
