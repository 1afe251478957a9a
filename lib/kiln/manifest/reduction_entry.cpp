#include "manifest/reduction_entry.hpp"

#include <memory>
#include <utility>

#include "manifest/calls.hpp"
#include "manifest/definition.hpp"
#include "manifest/ufunc_loops.hpp"
#include "reduce/call.hpp"
#include "reduce/impl.hpp"

namespace kiln::manifest {
namespace {

using detail::ReductionImpl;
using ufunc::Loop;

/// Of arrays in the loop's dtypes, all of which is reduced, and scalars for numbers.
call::Description usual_call(const ReductionImpl& impl, const Loop& loop) {
  call::Description call{.loop = ufunc::loop_text(loop)};
  // What is one value for all elements is a number as a rule.
  const std::uint64_t numbers =
      impl.constants() | ((impl.stages().post_inputs | impl.stages().identity_inputs) & ~impl.raw_operands());
  for (std::size_t k = 0; k < loop.inputs.size(); ++k) {
    call.inputs.push_back(std::string(name(loop.inputs[k])) + ((numbers >> k & 1U) != 0 ? "" : "[1048576]"));
  }
  return call;
}

/// The same reduction, whose results are accumulators.
std::shared_ptr<const ReductionImpl> part_of(const ReductionImpl& impl) {
  return detail::make_reduction(impl.definition(), impl.prepends_identity(), ufunc::Method::partial);
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
                                .stream = stream,
                                .windows = reduce::kOneWindow};
  return ufunc::planned(reduce::Call(impl, given.args, options), kind, render);
}

}  // namespace

Made<ReductionImpl> read_reduction_definition(const Node& node, const std::string& folder, Others uses) {
  check_members<ReductionDefinition>(node, {"kind", "identity_leads"}, uses);
  ReductionDefinition definition;
  read_members(node, definition);
  check_signatures(node.at("signatures"), definition.signatures, "float32(float32 a, float32 b)",
                   [](const std::string& signature) { return signature::parse(signature); });
  bool prepends_identity = false;
  if (const auto flag = node.find("identity_leads")) {
    prepends_identity = flag->flag();
    if (prepends_identity && definition.identity.empty())
      flag->fail("there is no \"identity\" that could stand in front of the elements");
  }
  Made<ReductionImpl> made = make_located(node, node, std::move(definition), "reduce", folder, [&](ReductionDefinition whole) {
    return detail::make_reduction(std::move(whole), prepends_identity);
  });
  made.json = with_prepended_identity(std::move(made.json), prepends_identity);
  return made;
}

Entry entry_of_calls(const Node& node, const Made<ReductionImpl>& made) {
  const std::shared_ptr<const ReductionImpl>& impl = made.impl;
  Entry entry{made.json, {}};
  Calls calls(entry, impl->name(), [impl](const call::Description& call, DeviceKind kind, bool render) {
    return call.method.empty() ? plan(*impl, call, kind, render) : plan(*part_of(*impl), call, kind, render);
  });
  const auto read_call = [&](const Node& each) {
    if (const auto method = each.find("method")) {
      if (impl->cupy() != nullptr || method->word() != name(ufunc::Method::partial)) {
        method->fail("unknown method \"" + method->word().substr(0, 40) + "\"; a reduction has \"partial\" alone");
      }
      return calls.read(each, {"method", "inputs", "where", "loop", "axis"}, Calls::AxisOf::several);
    }
    return calls.read(each, {"inputs", "where", "out", "loop", "axis", "keepdims", "initial"}, Calls::AxisOf::several);
  };
  read_uses(node, impl->loops().signatures(), {"types", "loops"}, entry, read_call,
            [&](const Loop& loop) { calls.add(node, usual_call(*impl, loop)); });
  return entry;
}

Entry read_reduction(const Node& node, const std::string& folder) {
  return entry_of_calls(node, read_reduction_definition(node, folder, {"types", "loops", "calls"}));
}

Json with_prepended_identity(Json reduction, bool prepends_identity) {
  if (prepends_identity) reduction["identity_leads"] = true;
  return reduction;
}

}  // namespace kiln::manifest
