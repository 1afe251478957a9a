// Accumulators of parts: joined, and made results of.
#include <algorithm>

#include "kiln/device_array.hpp"
#include "kiln/error.hpp"
#include "kiln/math.hpp"
#include "reduce/call.hpp"
#include "reduce/partial.hpp"
#include "ufunc/loops.hpp"

namespace kiln::reduce {

using detail::PartialImpl;

namespace {

/// An array for so many nodes, where the other is.
Array array_of(std::int64_t nodes, const Shape& kept, const Array& like) {
  Shape shape{nodes};
  for (const std::int64_t extent : kept) shape.push_back(extent);
  return like.is_host() ? Array::empty(shape, like.dtype()) : device_array(shape, like.dtype(), like.device());
}

/// One call of a target of states, along the axis of the nodes. `any`: which nodes have an element that counts; may be empty.
std::vector<Array> call_on_states(const PartialFunction& function, const Target& target, std::span<const Array> states,
                                  const Array& any, const std::optional<Device>& device, const std::optional<Arg>& initial,
                                  std::span<const Window> windows) {
  const std::vector<Arg> args(states.begin(), states.end());
  static const Axes first = 0;
  static const Stream stream;
  // The dtype of a method's results would be widened again.
  const ufunc::LoopOptions loop =
      target.maps() ? ufunc::LoopOptions{} : ufunc::LoopOptions{.dtype = function.steps.states.front()};
  const ArrayArg mask(any);
  const Options options{.axis = first,
                        .keepdims = false,
                        .initial = initial,
                        .where = mask,
                        .out = {},
                        .loop = loop,
                        .stream = stream,
                        .device = device,
                        .windows = windows};
  std::vector<Array> results(target.nout());
  Call(target, args, options).run(results);
  return results;
}

/// The accumulators of one node.
struct NodeStates {
  std::vector<Array> states;
  Array any;
};

NodeStates states_of(const PartialImpl& partial, std::int64_t node) {
  NodeStates of_node;
  for (const Array& array : partial.states) of_node.states.push_back(array[node]);
  if (partial.any.valid()) of_node.any = partial.any[node];
  return of_node;
}

/// Two nodes to one, in arrays of (2, kept…).
class Merger {
 public:
  explicit Merger(const PartialImpl& partial) : partial_(partial) {
    for (const Array& states : partial.states) pair_.push_back(array_of(2, partial.kept, states));
    if (partial.any.valid()) any_ = array_of(2, partial.kept, partial.any);
  }

  NodeStates join(const NodeStates& left, const NodeStates& right) {
    for (std::size_t k = 0; k < pair_.size(); ++k) {
      pair_[k][0].assign(left.states[k]);
      pair_[k][1].assign(right.states[k]);
    }
    if (any_.valid()) {
      any_[0].assign(left.any);
      any_[1].assign(right.any);
    }
    static constexpr Window both[] = {{0, 2}};
    const PartialFunction& function = *partial_.function;
    NodeStates joined{call_on_states(function, *function.steps.merge, pair_, any_, partial_.device, std::nullopt, both), {}};
    for (Array& result : joined.states) result = result[0];
    if (any_.valid()) joined.any = math::logical_or(any_[0], any_[1]);
    return joined;
  }

 private:
  const PartialImpl& partial_;
  std::vector<Array> pair_;
  Array any_;
};

/// One array of those of the nodes.
Array gathered(std::span<const NodeStates> nodes, const Shape& kept, const Array& like, const auto& of_node) {
  Array all = array_of(static_cast<std::int64_t>(nodes.size()), kept, like);
  for (std::size_t node = 0; node < nodes.size(); ++node) all[node].assign(of_node(nodes[node]));
  return all;
}

/// The same, where nothing says which elements count since all do.
PartialImpl with_any(const PartialImpl& partial) {
  PartialImpl with = partial;
  if (with.any.valid()) return with;
  Shape shape{with.states.front().shape()[0]};
  for (const std::int64_t extent : with.kept) shape.push_back(extent);
  const Array ones = Array::full(shape, true);
  const Array& like = with.states.front();
  with.any = like.is_host() ? ones : to_device(ones, like.device());
  return with;
}

std::string range_text(const PartialImpl& partial) {
  const std::int64_t inner = std::max<std::int64_t>(partial.inner, 1);
  return std::to_string(partial.begin / inner) + " to " + std::to_string(partial.end / inner);
}

void check_meet(const PartialImpl& a, const PartialImpl& b) {
  const std::string what = a.function->name + ": parts cannot be combined, since ";
  if (a.function->digest != b.function->digest) {
    throw TypeError(what + "they are of different functions: " + a.function->name + " (" + ufunc::loop_text(a.function->loop) +
                    ") and " + b.function->name + " (" + ufunc::loop_text(b.function->loop) +
                    "), whose definitions or dtypes differ");
  }
  if (a.kept != b.kept || a.inner != b.inner || a.axes != b.axes) {
    throw ShapeError(what + "their results have the shapes " + to_string(a.kept) + " and " + to_string(b.kept) + ", of " +
                     std::to_string(a.inner) + " and " + std::to_string(b.inner) + " elements for each index of the cut axis");
  }
  if (a.size != b.size) {
    throw ShapeError(what + "they are of arrays of " + std::to_string(a.size) + " and " + std::to_string(b.size) +
                     " elements; give every part the same .global_size");
  }
  if (a.end == b.begin) return;
  const std::int64_t inner = std::max<std::int64_t>(a.inner, 1);
  const std::string between =
      std::to_string(std::min(a.end, b.begin) / inner) + " to " + std::to_string(std::max(a.end, b.begin) / inner);
  throw ShapeError(what + "the part of " + range_text(a) + " is followed by that of " + range_text(b) + ": " +
                   (a.end < b.begin    ? between + " is missing"
                    : b.end <= a.begin ? "combine them in the order of the array"
                                       : between + " is in both"));
}

}  // namespace

std::shared_ptr<const PartialImpl> combined(const std::shared_ptr<const PartialImpl>& a,
                                            const std::shared_ptr<const PartialImpl>& b) {
  check_meet(*a, *b);
  if (b->begin == b->end) return a;
  if (a->begin == a->end) return b;
  if (a->any.valid() != b->any.valid()) {
    return combined(std::make_shared<const PartialImpl>(with_any(*a)), std::make_shared<const PartialImpl>(with_any(*b)));
  }
  std::vector<Node> nodes = a->nodes();
  std::vector<NodeStates> states;
  for (std::size_t node = 0; node < nodes.size(); ++node) states.push_back(states_of(*a, static_cast<std::int64_t>(node)));
  std::optional<Merger> merger;
  const std::vector<Node> more = b->nodes();
  for (std::size_t node = 0; node < more.size(); ++node) {
    states.push_back(states_of(*b, static_cast<std::int64_t>(node)));
    add_node(nodes, more[node], a->size, [&](std::size_t left) {
      if (!merger) merger.emplace(*a);
      states[left] = merger->join(states[left], states[left + 1]);
      states.pop_back();
    });
  }
  auto result = std::make_shared<PartialImpl>(*a);
  result->end = b->end;
  for (std::size_t k = 0; k < result->states.size(); ++k) {
    result->states[k] = gathered(states, a->kept, a->states[k], [k](const NodeStates& node) { return node.states[k]; });
  }
  if (a->any.valid()) result->any = gathered(states, a->kept, a->any, [](const NodeStates& node) { return node.any; });
  return result;
}

std::vector<Array> finished(const PartialImpl& partial, const FinishOptions& given) {
  const PartialFunction& function = *partial.function;
  if (partial.begin != 0 || partial.end != partial.size) {
    const std::int64_t inner = std::max<std::int64_t>(partial.inner, 1);
    throw ShapeError(function.name + ".finish: the accumulators are of " + range_text(partial) + ", and the array has 0 to " +
                     std::to_string(partial.size / inner) + "; combine them with those of the other parts");
  }
  std::vector<Array> results =
      call_on_states(function, *function.steps.finish, partial.states, partial.any, partial.device, given.initial, {});
  for (std::size_t o = 0; o < results.size(); ++o) {
    // Sums of halves are rounded once, at the end.
    if (results[o].dtype() != function.loop.outputs[o]) results[o] = results[o].astype(function.loop.outputs[o]);
    if (!given.keepdims) continue;
    Shape shape;
    std::size_t kept = 0;
    for (const bool reduced : partial.axes) shape.push_back(reduced ? 1 : partial.kept[kept++]);
    results[o] = results[o].reshape(shape);
  }
  return results;
}

}  // namespace kiln::reduce
