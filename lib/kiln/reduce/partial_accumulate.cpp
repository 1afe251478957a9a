// Running results of a part, by the balanced tree: an element is combined with the largest subtrees before it.
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "array/rep.hpp"
#include "call/stoppable.hpp"
#include "kiln/device_array.hpp"
#include "kiln/error.hpp"
#include "reduce/call.hpp"
#include "reduce/method.hpp"
#include "reduce/partial.hpp"
#include "ufunc/loops.hpp"

namespace kiln {
namespace reduce {
namespace {

using detail::PartialImpl;

/// Of what no array ends at: running results depend on what comes before alone.
constexpr std::int64_t kNoEnd = std::numeric_limits<std::int64_t>::max() / 2;

class Running {
 public:
  Running(std::shared_ptr<const detail::UfuncImpl> impl, DType state, const PartialOptions& options,
          const backend::StopRequest* stop)
      : ufunc_(std::move(impl)), state_(state), options_(options), stop_(stop) {}

  /// Elements [begin, begin + n) along axis 0. `earlier`: what the nodes before them amount to.
  void run(const Array& elements, const Array& results, std::int64_t begin, std::vector<Array> earlier) const {
    std::vector<Node> nodes = nodes_of(0, begin, kNoEnd);
    for (const Node& node : nodes_of(begin, begin + elements.shape()[0], kNoEnd)) {
      if (stop_ != nullptr && stop_->due()) stop_->fail("the results");
      Array before;
      for (const Array& each : earlier) before = before.valid() ? combine(before, each) : each;
      const Slice range{node.from - begin, node.from - begin + node.count(kNoEnd)};
      earlier.push_back(run_node(elements[range], results[range], before));
      add_node(nodes, node, kNoEnd, [&](std::size_t left) {
        earlier[left] = combine(earlier[left], earlier[left + 1]);
        earlier.pop_back();
      });
    }
  }

  [[nodiscard]] Array combine(const Array& a, const Array& b) const {
    return ufunc_({a, b}, {.stream = options_.stream, .device = options_.device, .dtype = state_});
  }
  void combine(const Array& a, const Array& b, const Array& to) const {
    if (to.size() != 0) ufunc_({a, b}, {.out = to, .stream = options_.stream, .device = options_.device, .dtype = state_});
  }
  void copy(const Array& from, const Array& to) const {
    static const Ufunc same = vectorize({.name = "copy", .signatures = {"T(T x)"}, .body = "return x;"});
    if (to.size() == 0) return;
    same({from}, {.out = to, .stream = options_.stream, .device = options_.device, .casting = Casting::unsafe});
  }
  /// The elements in another dtype, converted on the call's stream.
  [[nodiscard]] Array converted(const Array& array, DType dtype) const {
    if (array.dtype() == dtype) return array;
    Array made = empty_like(array, array.shape(), dtype);
    copy(array, made);
    return made;
  }
  [[nodiscard]] static Array empty_like(const Array& array, const Shape& shape, DType dtype) {
    return array.is_host() ? Array::empty(shape, dtype) : device_array(shape, dtype, array.device());
  }

 private:
  /// 2ⁿ elements. Returns what they amount to.
  [[nodiscard]] Array run_node(const Array& elements, const Array& results, const Array& before) const {
    static const Slice evens{0, {}, 2};
    static const Slice odds{1, {}, 2};
    std::vector<Array> levels{elements};
    while (levels.back().shape()[0] > 1) levels.push_back(combine(levels.back()[evens], levels.back()[odds]));
    const Array all = levels.back()[0];
    // Of each node of a level what comes before it; nothing for the first where `before` is empty.
    Array ahead;
    if (before.valid()) ahead = of_one(before);
    const std::int64_t first = before.valid() ? 0 : 1;
    for (std::size_t level = levels.size() - 1; level-- > 0;) {
      Shape shape = elements.shape();
      shape[0] = levels[level].shape()[0];
      const Array next = level == 0 ? results : empty_like(elements, shape, state_);
      if (ahead.valid()) {
        const Slice known{first, {}};
        copy(ahead[known], next[Slice{2 * first, {}, 2}]);
        combine(ahead[known], levels[level][Slice{2 * first, {}, 2}], next[Slice{2 * first + 1, {}, 2}]);
      }
      if (first == 1) copy(levels[level][0], next[1]);
      ahead = next;
    }
    if (levels.size() == 1) {
      before.valid() ? combine(ahead, elements, results) : copy(elements, results);
      return all;
    }
    combine(results[Slice{first, {}}], elements[Slice{first, {}}], results[Slice{first, {}}]);
    if (first == 1) copy(elements[0], results[0]);
    return all;
  }

  [[nodiscard]] static Array of_one(const Array& array) {
    Shape shape{1};
    for (const std::int64_t extent : array.shape()) shape.push_back(extent);
    return array.reshape(shape);
  }

  Ufunc ufunc_;
  DType state_;
  const PartialOptions& options_;
  const backend::StopRequest* stop_;
};

/// The axis first, the others as they were.
Array with_axis_first(const Array& a, std::size_t axis, bool back) {
  Dims order;
  for (std::size_t d = 0; d < a.shape().size(); ++d) {
    order.push_back(back ? static_cast<std::int64_t>(d == axis  ? 0
                                                     : d < axis ? d + 1
                                                                : d)
                         : static_cast<std::int64_t>(d == 0      ? axis
                                                     : d <= axis ? d - 1
                                                                 : d));
  }
  return a.transpose(order);
}

/// The array, on the device of another.
Array on_device_of(const Array& other, const Array& array) {
  if (array.is_host() && other.is_host()) return array;
  if (other.is_host()) return array.copy_to_host();
  return array.is_host() || !array.device().same_memory(other.device()) ? to_device(array, other.device()) : array;
}

void check_before(const std::string& name, const PartialFunction& function, const PartialImpl* before, const Shape& kept,
                  std::int64_t offset) {
  const std::string what = name + ".accumulate_part: ";
  if (before == nullptr || before->begin == before->end) {
    if (offset == 0 || (before != nullptr && before->end == offset)) return;
    throw ShapeError(what + "the part begins at " + std::to_string(offset) +
                     ", and there are no accumulators of the elements before it; give those of 0 to " + std::to_string(offset));
  }
  if (before->function->digest != function.digest) {
    throw TypeError(what + "the accumulators before it are of a different function, " + before->function->name + " (" +
                    ufunc::loop_text(before->function->loop) + "), whose definition or dtypes differ from those of " +
                    function.name + " (" + ufunc::loop_text(function.loop) + ")");
  }
  if (before->any.valid()) {
    throw TypeError(what + "the accumulators before it leave elements out, by .where, which running results cannot");
  }
  if (before->kept != kept || before->inner != 1) {
    throw ShapeError(what + "the accumulators before it are of shape " + to_string(before->kept) + ", and its results " +
                     to_string(kept));
  }
  if (before->begin == 0 && before->end == offset) return;
  throw ShapeError(what + "the part begins at " + std::to_string(offset) + ", and the accumulators before it are of " +
                   std::to_string(before->begin) + " to " + std::to_string(before->end));
}

}  // namespace
}  // namespace reduce

Array accumulate_part(const Ufunc& function, const Array& a, const Partial& before, const PartialOptions& options) {
  const std::shared_ptr<const detail::UfuncImpl>& impl = function.impl();
  impl->check_of_elements(".accumulate_part");
  const std::string& name = impl->name();
  return call::stoppable(name, ".accumulate_part", options, [&](const backend::StopRequest* stop) {
    const reduce::Method target(*impl, ufunc::Method::partial);
    if (!target.reorderable()) {
      throw TypeError(name +
                      ".accumulate_part: the operation is not marked reorderable, so its elements cannot be combined in parts; "
                      "set .reorderable or .identity in the definition");
    }
    if (options.where.valid()) throw TypeError(name + ".accumulate_part: running results have no .where");
    static const std::optional<Arg> none;
    const Axes axis = options.axis.value_or(Axes(0));
    const reduce::Options view{.axis = axis,
                               .keepdims = false,
                               .initial = none,
                               .where = call::kNoMask,
                               .out = {},
                               .loop = {.dtype = options.dtype},
                               .stream = options.stream,
                               .device = options.device,
                               .may_be_empty = true};
    const Arg arg(a);
    reduce::Call whole(target, {&arg, 1}, view);
    static_cast<void>(whole.resolve());
    const Dims& reduced = whole.reduced();
    if (std::ranges::count(reduced, 1) != 1) {
      throw ShapeError(name + ".accumulate_part: running results have one axis; name one in .axis");
    }
    const auto along = static_cast<std::size_t>(std::ranges::find(reduced, 1) - reduced.begin());
    const std::shared_ptr<const reduce::PartialFunction> loops = reduce::partial_function(impl, whole.loop());
    Shape kept;
    for (std::size_t d = 0; d < reduced.size(); ++d) {
      if (d != along) kept.push_back(a.shape()[d]);
    }
    const detail::PartialImpl* const earlier = before.valid() ? before.impl_.get() : nullptr;
    reduce::check_before(name, *loops, earlier, kept, options.global_offset);
    const DType state = loops->steps.states.front();
    static_cast<void>(reduce::size_of(name + ".accumulate_part", a.shape()[along], 1, options));
    const reduce::Running running(impl, state, options, stop);
    const Array elements = running.converted(reduce::with_axis_first(a, along, false), state);
    const Array results = reduce::Running::empty_like(elements, elements.shape(), state);
    if (results.size() != 0) {
      std::vector<Array> before_nodes;
      const bool any = earlier != nullptr && earlier->begin != earlier->end;
      for (std::int64_t node = 0; any && node < earlier->states[0].shape()[0]; ++node) {
        before_nodes.push_back(reduce::on_device_of(elements, earlier->states[0][node]));
      }
      running.run(elements, results, options.global_offset, std::move(before_nodes));
    }
    return reduce::with_axis_first(running.converted(results, loops->loop.outputs.front()), along, true);
  });
}

}  // namespace kiln
