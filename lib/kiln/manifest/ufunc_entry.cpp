#include "manifest/ufunc_entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "kiln/error.hpp"
#include "manifest/calls.hpp"
#include "manifest/definition.hpp"
#include "manifest/formats.hpp"
#include "manifest/ufunc_loops.hpp"
#include "reduce/call.hpp"
#include "reduce/method.hpp"
#include "reduce/partial_steps.hpp"
#include "signature/signature.hpp"
#include "ufunc/accumulate.hpp"
#include "ufunc/at_call.hpp"
#include "ufunc/call.hpp"

namespace kiln::manifest {
namespace {

using detail::UfuncImpl;

[[noreturn]] void fail_method(const Node& node) {
  node.fail(
      fmt::format("unknown method \"{}\"; the methods are reduce, reduceat, accumulate, at and partial, and outer is a call",
                  node.word().substr(0, 40)));
}

program::Planned plan_reduce(const UfuncImpl& ufunc, const call::Description& call, const call::StandIns& given,
                             DeviceKind kind, bool render) {
  const bool segmented = call.method == name(ufunc::Method::reduceat);
  const bool part = call.method == name(ufunc::Method::partial);
  const reduce::Method method(ufunc, segmented ? ufunc::Method::reduceat
                                     : part    ? ufunc::Method::partial
                                               : ufunc::Method::reduce);
  const Axes axis = call.axes_or(0);
  const std::optional<Arg> initial = call.initial ? std::optional(Arg::zero(DType::bool_)) : std::nullopt;
  const Stream stream;
  const reduce::Options options{.axis = axis,
                                .keepdims = call.keepdims,
                                .initial = initial,
                                .where = given.where,
                                .out = given.out,
                                .loop = {.dtype = call.dtype},
                                .stream = stream,
                                .windows = reduce::kOneWindow};
  if (!segmented) return ufunc::planned(reduce::Call(method, given.args, options), kind, render);
  return ufunc::planned(reduce::Call(method, given.args, options, call.segments.value_or(layout::SegmentLengths{})), kind,
                        render);
}

/// Indices are the operands behind the second; without any they are one packed array of int64, as many as the second operand
/// has rows.
program::Planned plan_at(const UfuncImpl& ufunc, const call::StandIns& given, DeviceKind kind, bool render) {
  const Array& target = given.args[0].array();
  const Arg* const value = ufunc.nin() > 1 && given.args.size() > 1 ? &given.args[1] : nullptr;
  std::vector<Array> indices;
  for (std::size_t i = value != nullptr ? 2 : 1; i < given.args.size(); ++i) {
    if (!given.args[i].is_array()) throw TypeError(ufunc.name() + ".at wants arrays of indices behind the second operand");
    indices.push_back(given.args[i].array());
  }
  if (indices.empty()) {
    Shape shape{1};
    if (value != nullptr && value->is_array() && !target.shape().empty() &&
        value->array().shape().size() >= target.shape().size()) {
      const Shape& all = value->array().shape();
      shape = Shape(std::span(all.begin(), all.size() + 1 - target.shape().size()));
    }
    std::int64_t stride = sizeof(std::int64_t);
    Strides strides(shape.size(), 0);
    for (std::size_t d = shape.size(); d-- > 0; stride *= shape[d]) strides[d] = stride;
    indices.push_back(call::in_no_memory(shape, strides, DType::int64, 2, Device::of_kind(kind), false));
  }
  return ufunc::planned(ufunc::AtCall(ufunc, target, indices, value, {}), kind, render);
}

program::Planned plan(const UfuncImpl& ufunc, const call::Description& call, DeviceKind kind, bool render) {
  const call::StandIns given(call, kind);
  if (call.method.empty()) {
    CallOptions options;
    options.out = given.out;
    options.where = given.where;
    options.casting = call.loop.empty() ? Casting::same_kind : Casting::unsafe;
    options.signature = call.loop;
    options.size = call.size;
    return ufunc::planned(ufunc::Call(ufunc, given.args, options), kind, render);
  }
  const bool at = call.method == name(ufunc::Method::at);
  if (given.args.empty() || (!at && given.args.size() > 1) || !given.args[0].is_array())
    throw TypeError(ufunc.name() + "." + call.method +
                    (at ? " wants an array, the second operand, and arrays of indices" : " wants one array"));
  if (at) return plan_at(ufunc, given, kind, render);
  if (call.method != name(ufunc::Method::accumulate)) return plan_reduce(ufunc, call, given, kind, render);
  AccumulateOptions options;
  if (call.axis) options.axis = call.axis->front();
  options.dtype = call.dtype;
  if (given.out.size() > 1) throw TypeError(ufunc.name() + ".accumulate has one output, \"out\" names several");
  if (!given.out.empty()) options.out = given.out.front();
  return ufunc::planned(ufunc::AccumulateCall(ufunc, given.args[0], options), kind, render);
}

Json read_call(const Node& node, Calls& calls) {
  const auto method = node.find("method");
  const std::string word = method ? method->word() : "";
  if (word.empty()) return calls.read(node, {"inputs", "where", "out", "loop", "size"});
  if (word == "reduce")
    return calls.read(node, {"method", "inputs", "where", "out", "dtype", "axis", "keepdims", "initial"},
                      Calls::AxisOf::several);
  if (word == "partial") return calls.read(node, {"method", "inputs", "where", "dtype", "axis"}, Calls::AxisOf::several);
  if (word == "reduceat") return calls.read(node, {"method", "inputs", "out", "dtype", "axis", "segments"});
  if (word == "accumulate") return calls.read(node, {"method", "inputs", "out", "dtype", "axis"});
  if (word == "at") return calls.read(node, {"method", "inputs"});
  fail_method(*method);
}

/// The words of "methods": without any the call alone.
std::vector<Node> read_methods(const Node& node, Entry& entry) {
  const auto given = node.find("methods");
  if (!given) return {};
  std::vector<Node> methods = given->list();
  if (methods.empty()) given->fail("an empty list: leave it out for calls alone");
  for (const Node& each : methods) {
    const Json word = each.word();
    if (entry.json.contains("methods") &&
        std::find(entry.json["methods"].begin(), entry.json["methods"].end(), word) != entry.json["methods"].end()) {
      each.fail("the same method is there twice");
    }
    entry.json["methods"].push_back(word);
  }
  return methods;
}

/// With a scalar for each constant, by the plain kernel. Arrays for the outputs that calls always give, and a size where no
/// array decides it.
call::Description usual_call(const UfuncImpl& ufunc, const ufunc::Loop& loop, const char* shape,
                             call::ConstantInputs constants) {
  call::Description call{.loop = ufunc::loop_text(loop)};
  bool decided = false;
  for (std::size_t k = 0; k < loop.inputs.size(); ++k) {
    const bool scalar = (constants >> k & 1U) != 0;
    call.inputs.push_back(std::string(name(loop.inputs[k])) + (scalar ? "" : shape));
    decided = decided || (!scalar && !loop.is_raw(k));
  }
  const bool reads = loop.inout != 0 && ufunc.cupy() == nullptr;
  for (std::size_t o = 0; o < loop.outputs.size(); ++o) {
    const bool raw = loop.is_raw(loop.inputs.size() + o);
    const bool given = raw || (reads && (loop.inout >> o & 1U) != 0);
    call.out.push_back(given ? std::string(name(loop.outputs[o])) + shape : std::string());
    decided = decided || (given && !raw);
  }
  if (std::ranges::all_of(call.out, [](const std::string& each) { return each.empty(); })) call.out.clear();
  if (!decided && (loop.raw != 0 || loop.inputs.empty())) call.size = 1024;
  return call;
}

/// Elements to accumulators, those to one, and to the result.
std::vector<call::Description> calls_of_parts(const UfuncImpl& ufunc, const ufunc::Loop& loop, call::Description call) {
  const DType state = reduce::state_of(ufunc, loop);
  call.inputs[0] = std::string(name(loop.inputs[0])) + "[1048576]";
  call.axis = {0};
  std::vector<call::Description> calls{call};
  call.inputs[0] = std::string(name(state)) + "[2]";
  call.dtype = state;
  calls.push_back(call);
  call.method = name(ufunc::Method::reduce);
  calls.push_back(call);
  return calls;
}

/// Of one of "methods": those of contiguous arrays, for a GPU in each way in which work is shared there.
std::vector<call::Description> usual_calls(const Node& method, const UfuncImpl& ufunc, const ufunc::Loop& loop) {
  const std::string word = method.word();
  call::Description call = usual_call(ufunc, loop, "[1024]", word == "call" || word == "outer" ? ufunc.constants() : 0);
  if (word == "call") return {call};
  if (word == "outer") {
    if (loop.inputs.size() != 2 || loop.outputs.size() != 1) {
      method.fail(fmt::format("outer wants a ufunc of two inputs and one output, and this one has {} and {}",
                              loop.inputs.size(), loop.outputs.size()));
    }
    call.inputs[0] = std::string(name(loop.inputs[0])) + "[1024, 1]";
    return {call};
  }
  call.method = word;
  call.loop.clear();
  if (word == "at") return {call};
  call.inputs.resize(1);
  if (word == "accumulate") return {call};
  if (word != "reduce" && word != "reduceat" && word != "partial") fail_method(method);
  const auto of_shape = [&](const char* shape, int axis) {
    call.inputs[0] = std::string(name(loop.inputs[0])) + shape;
    call.axis = {axis};
    return call;
  };
  // A block for an output, a warp, columns and a thread, with rows that fill packs of 16 bytes and others. One axis and two.
  if (word == "reduce") {
    return {of_shape("[1048576]", 0),     of_shape("[1048575]", 0),    of_shape("[65536, 512]", 1),
            of_shape("[65536, 511]", 1),  of_shape("[1024, 1024]", 0), of_shape("[1024, 1023]", 0),
            of_shape("[1048576, 16]", 1), of_shape("[1048576, 15]", 1)};
  }
  if (word == "partial") return calls_of_parts(ufunc, loop, call);
  // Along an axis that is the only one, the innermost, and another.
  call.segments = layout::SegmentLengths{1 << 10, 1 << 20, 1 << 10};
  return {of_shape("[1048576]", 0), of_shape("[64, 1048576]", 1), of_shape("[1048576, 64]", 0)};
}

}  // namespace

Made<UfuncImpl> read_ufunc_definition(const Node& node, const std::string& folder, Others uses) {
  check_members<UfuncDefinition>(node, {"kind", "kernel"}, uses);
  if (const auto kind = node.find("kind"); kind && kind->word() != "ufunc")
    kind->fail("\"kernel\" in one string is a \"ufunc\"");
  UfuncDefinition definition;
  if (const auto text = node.find("kernel")) {
    definition = text->locate([&] { return parse_kernel(Code::read(*text)); });
    static constexpr std::array<std::string_view, 4> kSaid{"name", "signatures", "body", "expression"};
    read_members(node, definition, kSaid);
  } else {
    read_members(node, definition);
    check_signatures(node.at("signatures"), definition.signatures, "float32(float32 a, float32 b)",
                     [](const std::string& signature) { return signature::parse(signature); });
    if (definition.body.empty() == definition.expression.empty()) {
      node.fail(definition.body.empty() ? "neither a \"body\" nor an \"expression\" given"
                                        : "give a \"body\" or an \"expression\", not both");
    }
  }
  const char* const body = node.has("kernel") ? "kernel" : definition.expression.empty() ? "body" : "expression";
  return make_located(node, node, std::move(definition), body, folder,
                      [](UfuncDefinition whole) { return detail::make_ufunc(std::move(whole)); });
}

Entry entry_of_calls(const Node& node, const Made<UfuncImpl>& made) {
  const std::shared_ptr<const UfuncImpl>& impl = made.impl;
  Entry entry{made.json, {}};
  Calls calls(entry, impl->name(),
              [impl](const call::Description& call, DeviceKind kind, bool render) { return plan(*impl, call, kind, render); });
  read_uses(
      node, impl->signatures(), {"types", "loops"}, entry,
      [&](const Node& each) { return calls.read(each, {"inputs", "where", "out", "loop", "size"}); },
      [&](const ufunc::Loop& loop) { calls.add(node, usual_call(*impl, loop, "[1024]", impl->constants())); });
  return entry;
}

Entry read_ufunc(const Node& node, const std::string& folder) {
  const Made<UfuncImpl> made = read_ufunc_definition(node, folder, {"types", "loops", "methods", "calls"});
  const std::shared_ptr<const UfuncImpl>& impl = made.impl;
  Entry entry{made.json, {}};
  Calls calls(entry, impl->name(),
              [impl](const call::Description& call, DeviceKind kind, bool render) { return plan(*impl, call, kind, render); });
  const std::vector<Node> methods = read_methods(node, entry);
  const auto add_loop = [&](const ufunc::Loop& loop) {
    if (methods.empty()) calls.add(node, usual_call(*impl, loop, "[1024]", impl->constants()));
    for (const Node& method : methods) {
      // A CPU has one kernel for all layouts that these differ by.
      bool first = true;
      for (const call::Description& call : usual_calls(method, *impl, loop))
        calls.add(method, call, std::exchange(first, false));
    }
  };
  read_uses(
      node, impl->signatures(), {"types", "loops", "methods"}, entry, [&](const Node& each) { return read_call(each, calls); },
      add_loop);
  return entry;
}

}  // namespace kiln::manifest
