#include "reduce/partial.hpp"

#include <algorithm>
#include <utility>

#include "array/named_axes.hpp"
#include "base/hash.hpp"
#include "call/arrays_of.hpp"
#include "call/stoppable.hpp"
#include "kiln/error.hpp"
#include "kiln/math.hpp"
#include "program/options.hpp"
#include "reduce/call.hpp"
#include "reduce/method.hpp"
#include "shared/float_environment.hpp"
#include "types/reason.hpp"
#include "ufunc/loops.hpp"

namespace kiln {
namespace reduce {

using detail::PartialImpl;

namespace {

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
  const Arithmetic arithmetic = arithmetic_of(options);
  for (const ArithmeticFlag& flag : kArithmeticFlags) add_text(hasher, arithmetic.*flag.member ? flag.name : "");
  if (program::same_bits_of(options)) add_text(hasher, "same bits");
}

std::string finished(base::Hasher128& hasher, const PartialFunction& function) {
  add_text(hasher, ufunc::loop_text(function.loop));
  for (const DType state : function.steps.states) add_text(hasher, name(state));
  return std::string(base::view(hasher.result()));
}

}  // namespace

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

std::shared_ptr<const PartialFunction> partial_function(const std::shared_ptr<const detail::UfuncImpl>& impl,
                                                        const ufunc::Loop& loop) {
  return std::make_shared<const PartialFunction>(impl, loop);
}

std::shared_ptr<const PartialFunction> partial_function(const std::shared_ptr<const detail::ReductionImpl>& impl,
                                                        const ufunc::Loop& loop) {
  return impl->partials().find_or_make(ufunc::loop_text(loop),
                                       [&] { return std::make_shared<const PartialFunction>(impl, loop); });
}

std::int64_t size_of(const std::string& what, std::int64_t extent, std::int64_t inner, const PartialOptions& options) {
  std::int64_t end = 0;
  const bool beyond = __builtin_add_overflow(options.global_offset, extent, &end);
  const std::int64_t size = options.global_size.value_or(end);
  if (options.global_offset < 0 || beyond || end > size) {
    throw ShapeError(what + ": a part of " + std::to_string(extent) + " along the cut axis at .global_offset " +
                     std::to_string(options.global_offset) + " does not lie within .global_size " + std::to_string(size));
  }
  std::int64_t elements = 0;
  if (__builtin_mul_overflow(size, std::max<std::int64_t>(inner, 1), &elements)) {
    throw ShapeError(what + ": .global_size " + std::to_string(size) + " times " + std::to_string(inner) +
                     " elements is more than 64 bits number");
  }
  return inner == 0 ? 0 : elements;
}

void compute(PartialImpl& part, std::span<const Arg> args, const Options& view, const Numbers& numbers, const Shape& whole,
             bool on_host) {
  const PartialFunction& function = *part.function;
  std::vector<Window> windows;
  for (const Node& node : part.nodes()) windows.push_back({node.from - part.begin, node.count(part.size)});
  Shape shape{static_cast<std::int64_t>(windows.size())};
  for (const std::int64_t extent : part.kept) shape.push_back(extent);
  const auto run = [&](const Target& target, std::span<const Arg> given, const ArrayArg& where, const ufunc::LoopOptions& loop,
                       const Numbers* of_maps, std::span<const DType> dtypes, std::span<Array> results) {
    std::vector<ArrayArg> out;
    for (std::size_t o = 0; on_host && o < dtypes.size(); ++o) out.emplace_back(Array::empty(shape, dtypes[o]));
    const Options of_windows{.axis = view.axis,
                             .keepdims = false,
                             .initial = view.initial,
                             .where = where,
                             .out = out,
                             .loop = loop,
                             .stream = view.stream,
                             .device = view.device,
                             .stop = view.stop,
                             .numbers = of_maps,
                             .windows = windows};
    Call(target, given, of_windows).run(results);
  };
  const Target& target = *function.steps.part;
  const std::string loop = LoopOfBytes{function.loop.inputs, function.steps.states}.text();
  const ufunc::LoopOptions of_part = target.maps() ? ufunc::LoopOptions{.casting = view.loop.casting, .signature = loop}
                                                   : ufunc::LoopOptions{.dtype = function.steps.states.front()};
  part.states.resize(function.steps.states.size());
  run(target, args, view.where, of_part, &numbers, function.steps.states, part.states);
  if (!view.where.valid() || target.prepends_identity()) return;
  const Method any(*math::logical_or.ufunc().impl(), ufunc::Method::partial);
  const Arg mask(call::ArraysOf({}, view.where, {}).where.broadcast_to(whole));
  static constexpr DType boolean[] = {DType::bool_};
  run(any, {&mask, 1}, call::kNoMask, {}, nullptr, boolean, {&part.any, 1});
}

namespace {

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
  result->size = size_of(function->name + ".partial", numbering.extent, numbering.inner, options);
  result->begin = options.global_offset * numbering.inner;
  result->end = result->begin + numbering.extent * numbering.inner;
  result->inner = numbering.inner;
  result->axes = numbering.axes;
  result->device = options.device;
  for (std::size_t d = 0; d < whole.size(); ++d) {
    if (reduced[d] == 0) result->kept.push_back(whole[d]);
  }
  result->function = std::move(function);
  compute(*result, args, view, {result->begin, numbering.steps}, whole, false);
  return result;
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
                                 [&](const ufunc::Loop& loop) { return reduce::partial_function(impl, loop); });
}

Partial partial(const Ufunc& function, const Array& a, const PartialOptions& options) {
  const std::shared_ptr<const detail::UfuncImpl>& impl = function.impl();
  impl->check_of_elements(".partial");
  const Arg arg(a);
  return reduce::partial_of_call(impl->name(), reduce::Method(*impl, ufunc::Method::partial), {&arg, 1},
                                 options.axis.value_or(Axes(0)), options,
                                 [&](const ufunc::Loop& loop) { return reduce::partial_function(impl, loop); });
}

Partial partial_from_bytes(const Reduction& function, std::string_view bytes) {
  const std::shared_ptr<const detail::ReductionImpl>& impl = function.impl();
  return Partial(reduce::partial_of(impl->name(), bytes, [&](const reduce::LoopOfBytes& of) {
    return reduce::partial_function(impl, reduce::loop_of(*impl, of.inputs, {.signature = of.text()}));
  }));
}

Partial partial_from_bytes(const Ufunc& function, std::string_view bytes) {
  const std::shared_ptr<const detail::UfuncImpl>& impl = function.impl();
  impl->check_of_elements(".partial");
  return Partial(reduce::partial_of(impl->name(), bytes, [&](const reduce::LoopOfBytes& of) {
    const reduce::Method method(*impl, ufunc::Method::partial);
    return reduce::partial_function(impl, reduce::loop_of(method, {of.inputs.data(), 1}, {.dtype = of.outputs.front()}));
  }));
}

const detail::PartialImpl& Partial::impl() const {
  if (impl_ == nullptr) throw Because<TypeError>(Reason::empty, "this Partial is empty; make one with partial()");
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

Partial Partial::read(std::string_view bytes) const {
  const std::shared_ptr<const reduce::PartialFunction>& function = impl().function;
  return Partial(reduce::partial_of(function->name, bytes, [&](const reduce::LoopOfBytes&) { return function; }));
}

std::string Partial::bytes() const {
  return reduce::bytes_of(impl());
}

}  // namespace kiln
