#include "manifest/reduction_entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "manifest/calls.hpp"
#include "manifest/definition.hpp"
#include "manifest/ufunc_loops.hpp"
#include "reduce/call.hpp"
#include "reduce/impl.hpp"

namespace kiln::manifest {
namespace {

using detail::ReductionImpl;
using ufunc::Loop;
using SharedReduction = std::shared_ptr<const ReductionImpl>;

struct Part {
  const char* member;
  std::string ReductionDefinition::* text;
};
constexpr std::array kParts{Part{"accumulator", &ReductionDefinition::accumulator}, Part{"map", &ReductionDefinition::map},
                            Part{"reduce", &ReductionDefinition::reduce}, Part{"post", &ReductionDefinition::post},
                            Part{"identity", &ReductionDefinition::identity}};

SharedReduction make_impl(const Node& node, ReductionDefinition definition, bool leads, const std::string& folder) {
  resolve_folders(definition.compile, folder);
  return make_located(node, node, definition.name, "reduce", [&] { return detail::make_reduction(definition, leads); });
}

/// Of arrays in the loop's dtypes, all of which is reduced, and scalars for constants.
call::Description usual_call(const ReductionImpl& impl, const Loop& loop) {
  call::Description call{.loop = ufunc::loop_text(loop)};
  for (std::size_t k = 0; k < loop.inputs.size(); ++k) {
    call.inputs.push_back(std::string(name(loop.inputs[k])) + ((impl.constants() >> k & 1U) != 0 ? "" : "[1048576]"));
  }
  return call;
}

program::Planned plan(const ReductionImpl& impl, const call::Description& call, DeviceKind kind, bool render) {
  const call::StandIns given(call, kind);
  const Axes axis = call.axes_or(all_axes);
  const std::optional<Arg> initial = call.initial ? std::optional(Arg::zero(DType::bool_)) : std::nullopt;
  const Stream stream;
  const ufunc::LoopOptions loop{.casting = call.loop.empty() ? Casting::same_kind : Casting::unsafe, .signature = call.loop};
  const reduce::Options options{.axis = axis,
                                .keepdims = call.keepdims,
                                .initial = initial,
                                .where = given.where,
                                .out = given.out,
                                .loop = loop,
                                .stream = stream};
  return ufunc::planned(reduce::Call(impl, given.args, options), kind, render);
}

}  // namespace

Entry read_reduction(const Node& node, const std::string& folder) {
  node.check_members({"kind",    "name",         "signatures",  "accumulator",    "map",      "reduce",
                      "post",    "identity",     "reorderable", "identity_leads", "preamble", "functions",
                      "headers", "include_dirs", "defines",     "link",           "contract", "fast_math",
                      "debug",   "types",        "loops",       "calls"});
  ReductionDefinition definition;
  definition.name = read_name(node.at("name"));
  definition.signatures = read_signatures(node.at("signatures"));
  for (const Part& part : kParts) {
    if (const auto text = node.find(part.member)) definition.*part.text = read_text(*text);
  }
  if (definition.reduce.empty()) static_cast<void>(node.at("reduce"));
  if (const auto flag = node.find("reorderable")) definition.reorderable = flag->flag();
  bool leads = false;
  if (const auto flag = node.find("identity_leads")) {
    leads = flag->flag();
    if (leads && definition.identity.empty()) flag->fail("there is no \"identity\" that could stand in front of the elements");
  }
  read_options(node, definition.compile);
  Entry entry;
  entry.json = reduction_json(definition, leads);
  const SharedReduction impl = make_impl(node, std::move(definition), leads, folder);
  Calls calls(entry, impl->name(),
              [impl](const call::Description& call, DeviceKind kind, bool render) { return plan(*impl, call, kind, render); });
  if (const auto list = node.find("calls")) {
    read_calls(node, *list, {"types", "loops"}, "one with contiguous arrays for every loop", entry.json, [&](const Node& each) {
      return calls.read(each, {"inputs", "where", "out", "loop", "axis", "keepdims", "initial"}, Calls::AxisOf::several);
    });
    return entry;
  }
  for (const Loop& loop : read_loops(node, impl->loops().signatures())) {
    if (node.has("loops")) entry.json["loops"].push_back(ufunc::loop_text(loop));
    calls.add(node, usual_call(*impl, loop));
  }
  if (const auto types = node.find("types")) entry.json["types"] = types->json();
  return entry;
}

Json reduction_json(const ReductionDefinition& definition, bool leads) {
  Json json{{"kind", "reduction"}, {"name", definition.name}, {"signatures", definition.signatures}};
  for (const Part& part : kParts) {
    const std::string& text = definition.*part.text;
    if (!text.empty()) json[part.member] = text_json(text);
  }
  if (definition.reorderable) json["reorderable"] = true;
  if (leads) json["identity_leads"] = true;
  write_options(definition.compile, json);
  return json;
}

}  // namespace kiln::manifest
