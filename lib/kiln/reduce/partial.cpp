#include "reduce/partial.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "array/named_axes.hpp"
#include "base/hash.hpp"
#include "call/arrays_of.hpp"
#include "call/stoppable.hpp"
#include "kiln/device_array.hpp"
#include "kiln/error.hpp"
#include "kiln/math.hpp"
#include "reduce/call.hpp"
#include "reduce/method.hpp"
#include "shared/float_environment.hpp"
#include "ufunc/loops.hpp"

namespace kiln {
namespace reduce {

std::int64_t Node::count(std::int64_t size) const noexcept {
  const std::int64_t left = size - from;
  return level < 63 ? std::min(std::int64_t{1} << level, left) : left;
}

namespace {

/// Level of the node of all elements.
int root_of(std::int64_t size) {
  return size <= 1 ? 0 : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(size - 1)));
}

/// Level of the largest node that begins at an element and does not go beyond `end`.
int level_at(std::int64_t from, std::int64_t end, std::int64_t size) {
  const int aligned = from == 0 ? root_of(size) : std::countr_zero(static_cast<std::uint64_t>(from));
  int level = std::min(aligned, root_of(size));
  while (level > 0 && from + Node{from, level}.count(size) > end) --level;
  return level;
}

bool are_pair(const Node& left, const Node& right) noexcept {
  return left.level == right.level && ((left.from >> left.level) & 1) == 0 &&
         (left.from >> left.level) + 1 == right.from >> left.level;
}

/// A node without a partner is the node above.
void raise(Node& node, std::int64_t size) noexcept {
  const int root = root_of(size);
  while (node.level < root && ((node.from >> node.level) & 1) == 0 && node.from + (std::int64_t{1} << node.level) >= size) {
    ++node.level;
  }
}

void add_text(base::Hasher128& hasher, std::string_view text) {
  hasher.update(std::to_string(text.size()) + ":");
  hasher.update(text);
}

void add_options(base::Hasher128& hasher, const CompileOptions& options) {
  add_text(hasher, options.preamble);
  add_text(hasher, options.functions);
  for (const auto& [name, text] : options.headers) {
    add_text(hasher, name);
    add_text(hasher, text);
  }
  for (const std::string& define : options.defines) add_text(hasher, define);
  add_text(hasher, options.contract ? "contract" : "");
  add_text(hasher, options.fast_math ? "fast" : "");
}

std::string finished(base::Hasher128& hasher, const PartialFunction& function) {
  add_text(hasher, ufunc::loop_text(function.loop));
  for (const DType state : function.steps.states) add_text(hasher, name(state));
  return std::string(base::view(hasher.result()));
}

}  // namespace

std::vector<Node> nodes_of(std::int64_t begin, std::int64_t end, std::int64_t size) {
  std::vector<Node> nodes;
  for (std::int64_t at = begin; at < end;) {
    nodes.push_back({at, level_at(at, end, size)});
    raise(nodes.back(), size);
    at += nodes.back().count(size);
  }
  return nodes;
}

template <class Join>
void add_node(std::vector<Node>& nodes, const Node& node, std::int64_t size, const Join& join) {
  nodes.push_back(node);
  raise(nodes.back(), size);
  while (nodes.size() > 1 && are_pair(nodes[nodes.size() - 2], nodes.back())) {
    join(nodes.size() - 2);
    nodes.pop_back();
    ++nodes.back().level;
    raise(nodes.back(), size);
  }
}

PartialFunction::PartialFunction(const std::shared_ptr<const detail::UfuncImpl>& ufunc, ufunc::Loop chosen)
    : name(ufunc->name()), loop(std::move(chosen)), steps(in_partial_steps(ufunc, loop)) {
  const UfuncDefinition& definition = ufunc->definition_of(loop);
  base::Hasher128 hasher;
  for (const std::string& text : {definition.body, definition.expression, definition.identity}) add_text(hasher, text);
  add_options(hasher, definition.compile);
  digest = finished(hasher, *this);
}

PartialFunction::PartialFunction(const std::shared_ptr<const detail::ReductionImpl>& reduction, ufunc::Loop chosen)
    : name(reduction->name()), loop(std::move(chosen)), steps(in_partial_steps(reduction, loop)) {
  const ReductionDefinition definition = reduction->definition_of(loop);
  base::Hasher128 hasher;
  for (const std::string& text :
       {definition.accumulator, definition.map, definition.reduce, definition.post, definition.identity}) {
    add_text(hasher, text);
  }
  add_options(hasher, definition.compile);
  digest = finished(hasher, *this);
}

namespace {

using detail::PartialImpl;

/// The cut axis, and how elements are numbered.
struct Numbering {
  std::vector<bool> axes;
  std::int64_t inner = 1;
  std::int64_t extent = 0;  ///< of this part along the cut axis
  Dims steps;
};

Numbering numbering_of(const std::string& name, const Shape& shape, const Dims& reduced) {
  Numbering numbering;
  numbering.steps.resize(shape.size());
  std::int64_t step = 1;
  bool any = false;
  for (std::size_t d = shape.size(); d-- > 0;) {
    numbering.axes.insert(numbering.axes.begin(), reduced[d] != 0);
    if (reduced[d] == 0) continue;
    any = true;
    numbering.steps[d] = step;
    numbering.inner = step;
    numbering.extent = shape[d];
    step *= shape[d];
  }
  if (!any) throw ShapeError(name + ".partial: no axis of shape " + to_string(shape) + " is reduced; name one in .axis");
  return numbering;
}

/// Elements of the whole array.
std::int64_t size_of(const std::string& name, const Numbering& numbering, const PartialOptions& options) {
  const std::int64_t end = options.global_offset + numbering.extent;
  const std::int64_t size = options.global_size.value_or(end);
  if (options.global_offset < 0 || end > size) {
    throw ShapeError(name + ".partial: a part of " + std::to_string(numbering.extent) +
                     " along the cut axis at .global_offset " + std::to_string(options.global_offset) +
                     " does not lie within .global_size " + std::to_string(size));
  }
  std::int64_t elements = 0;
  if (__builtin_mul_overflow(size, std::max<std::int64_t>(numbering.inner, 1), &elements)) {
    throw ShapeError(name + ".partial: .global_size " + std::to_string(size) + " times " + std::to_string(numbering.inner) +
                     " elements is more than 64 bits number");
  }
  return numbering.inner == 0 ? 0 : elements;
}

void check_function(const std::string& name, const Target& target) {
  if (!target.reorderable()) {
    throw TypeError(name +
                    ".partial: the operation is not marked reorderable, so its elements cannot be combined in parts; set "
                    ".reorderable or .identity in the definition");
  }
}

std::shared_ptr<PartialImpl> run(std::shared_ptr<const PartialFunction> function, std::span<const Arg> args,
                                 const Options& view, const PartialOptions& options, const Shape& whole, const Dims& reduced) {
  const Numbering numbering = numbering_of(function->name, whole, reduced);
  auto result = std::make_shared<PartialImpl>();
  result->size = size_of(function->name, numbering, options);
  result->begin = options.global_offset * numbering.inner;
  result->end = result->begin + numbering.extent * numbering.inner;
  result->inner = numbering.inner;
  result->axes = numbering.axes;
  result->device = options.device;
  for (std::size_t d = 0; d < whole.size(); ++d) {
    if (reduced[d] == 0) result->kept.push_back(whole[d]);
  }
  std::vector<Window> windows;
  for (const Node& node : result->nodes()) windows.push_back({node.from - result->begin, node.count(result->size)});
  const Numbers numbers{result->begin, numbering.steps};
  const Target& part = *function->steps.part;
  const std::string loop = [&] {
    std::string text;
    for (const DType dtype : function->loop.inputs) text += (text.empty() ? "" : ", ") + std::string(name(dtype));
    text += " -> ";
    for (std::size_t k = 0; k < function->steps.states.size(); ++k) {
      text += (k == 0 ? "" : ", ") + std::string(name(function->steps.states[k]));
    }
    return text;
  }();
  const ufunc::LoopOptions of_part = part.maps() ? ufunc::LoopOptions{.casting = view.loop.casting, .signature = loop}
                                                 : ufunc::LoopOptions{.dtype = function->steps.states.front()};
  const Options of_windows{.axis = view.axis,
                           .keepdims = false,
                           .initial = view.initial,
                           .where = view.where,
                           .out = {},
                           .loop = of_part,
                           .stream = view.stream,
                           .device = view.device,
                           .stop = view.stop,
                           .numbers = &numbers,
                           .windows = windows};
  result->states.resize(function->steps.states.size());
  Call(part, args, of_windows).run(result->states);
  if (view.where.valid() && !part.prepends_identity()) {
    const Method any(*math::logical_or.ufunc().impl(), ufunc::Method::partial);
    const Arg mask(call::ArraysOf({}, view.where, {}).where.broadcast_to(whole));
    const Options of_mask{.axis = view.axis,
                          .keepdims = false,
                          .initial = view.initial,
                          .where = call::kNoMask,
                          .out = {},
                          .loop = {},
                          .stream = view.stream,
                          .device = view.device,
                          .stop = view.stop,
                          .windows = windows};
    Call(any, {&mask, 1}, of_mask).run({&result->any, 1});
  }
  result->function = std::move(function);
  return result;
}

/// An array for so many nodes, where the other is.
Array array_of(std::int64_t nodes, const Shape& kept, const Array& like) {
  Shape shape{nodes};
  for (const std::int64_t extent : kept) shape.push_back(extent);
  return like.is_host() ? Array::empty(shape, like.dtype()) : device_array(shape, like.dtype(), like.device());
}

const ArrayArg& mask_of(const Array& any, ArrayArg& made) {
  if (any.valid()) made = any;
  return made;
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
  ArrayArg mask;
  const Options options{.axis = first,
                        .keepdims = false,
                        .initial = initial,
                        .where = mask_of(any, mask),
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
    if (any_.valid()) joined.any = math::logical_or(left.any, right.any);
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

/// Runs a call of part of the arrays. `make` gives the function of a loop.
template <class Make>
Partial partial_of_call(const std::string& name, const Target& target, std::span<const Arg> args, const Axes& axis,
                        const PartialOptions& options, const Make& make) {
  return call::stoppable(name, ".partial", options, [&](const backend::StopRequest* stop) {
    check_function(name, target);
    static const std::optional<Arg> none;
    const Options view{.axis = axis,
                       .keepdims = false,
                       .initial = none,
                       .where = options.where,
                       .out = {},
                       .loop = {options.casting, options.dtype, options.signature},
                       .stream = options.stream,
                       .device = options.device,
                       .stop = stop,
                       .may_be_empty = true};
    Call whole(target, args, view);
    static_cast<void>(whole.resolve());
    return Partial(run(make(whole.loop()), args, view, options, whole.whole(), whole.reduced()));
  });
}

std::shared_ptr<const PartialFunction> function_of(const std::shared_ptr<const detail::ReductionImpl>& impl,
                                                   const ufunc::Loop& loop) {
  return impl->partials().find_or_make(ufunc::loop_text(loop),
                                       [&] { return std::make_shared<const PartialFunction>(impl, loop); });
}

/// The loop that a call with arrays of those dtypes runs.
ufunc::Loop loop_of(const Target& target, std::span<const DType> dtypes, const ufunc::LoopOptions& options) {
  std::vector<Arg> args;
  for (const DType dtype : dtypes) args.emplace_back(Array::zeros({1}, dtype));
  static const std::optional<Arg> none;
  static const Stream stream;
  const Options view{.axis = all_axes,
                     .keepdims = false,
                     .initial = none,
                     .where = call::kNoMask,
                     .out = {},
                     .loop = options,
                     .stream = stream};
  return Call(target, args, view).plan(Device::cpu());
}

}  // namespace
}  // namespace reduce

Partial partial(const Reduction& function, std::span<const Arg> args, const PartialOptions& options) {
  const std::shared_ptr<const detail::ReductionImpl>& impl = function.impl();
  if (impl->only_whole()) {
    throw TypeError(impl->name() +
                    ".partial: its texts see more than elements (raw inputs, places, what outputs hold, or accumulators of a "
                    "type that no array has), and a part has a part of the arrays; call it whole");
  }
  return reduce::partial_of_call(impl->name(), *impl, args, options.axis.value_or(all_axes), options,
                                 [&](const ufunc::Loop& loop) { return reduce::function_of(impl, loop); });
}

Partial partial(const Ufunc& function, const Array& a, const PartialOptions& options) {
  const std::shared_ptr<const detail::UfuncImpl>& impl = function.impl();
  impl->check_of_elements(".partial");
  const Arg arg(a);
  return reduce::partial_of_call(
      impl->name(), reduce::Method(*impl, ufunc::Method::partial), {&arg, 1}, options.axis.value_or(Axes(0)), options,
      [&](const ufunc::Loop& loop) { return std::make_shared<const reduce::PartialFunction>(impl, loop); });
}

Partial partial_from_bytes(const Reduction& function, std::string_view bytes) {
  const std::shared_ptr<const detail::ReductionImpl>& impl = function.impl();
  return Partial(reduce::partial_of(impl->name(), bytes, [&](const reduce::LoopOfBytes& of) {
    return reduce::function_of(impl, reduce::loop_of(*impl, of.inputs, {.signature = of.text()}));
  }));
}

Partial partial_from_bytes(const Ufunc& function, std::string_view bytes) {
  const std::shared_ptr<const detail::UfuncImpl>& impl = function.impl();
  impl->check_of_elements(".partial");
  return Partial(reduce::partial_of(impl->name(), bytes, [&](const reduce::LoopOfBytes& of) {
    const reduce::Method method(*impl, ufunc::Method::partial);
    return std::make_shared<const reduce::PartialFunction>(
        impl, reduce::loop_of(method, {of.inputs.data(), 1}, {.dtype = of.outputs.front()}));
  }));
}

const detail::PartialImpl& Partial::impl() const {
  if (impl_ == nullptr) throw TypeError("this Partial is empty; make one with partial()");
  return *impl_;
}

std::int64_t Partial::begin() const {
  return impl().begin / std::max<std::int64_t>(impl().inner, 1);
}
std::int64_t Partial::end() const {
  return impl().end / std::max<std::int64_t>(impl().inner, 1);
}
std::int64_t Partial::global_size() const {
  return impl().size / std::max<std::int64_t>(impl().inner, 1);
}
std::span<const Array> Partial::states() const {
  return impl().states;
}

Partial Partial::combine(const Partial& next) const {
  static_cast<void>(impl());
  static_cast<void>(next.impl());
  const base::DefaultFloatEnvironment floats;
  return Partial(reduce::combined(impl_, next.impl_));
}

std::vector<Array> Partial::finish_all(const FinishOptions& options) const {
  static_cast<void>(impl());
  const base::DefaultFloatEnvironment floats;
  return reduce::finished(*impl_, options);
}

Array Partial::finish(const FinishOptions& options) const {
  const std::size_t outputs = impl().function->steps.finish->nout();
  if (outputs != 1) {
    throw TypeError(impl().function->name + ".finish: the function has " + std::to_string(outputs) +
                    " outputs; call finish_all()");
  }
  return finish_all(options).front();
}

std::string Partial::bytes() const {
  return reduce::bytes_of(impl());
}

}  // namespace kiln
