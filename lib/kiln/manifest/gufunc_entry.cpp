#include "manifest/gufunc_entry.hpp"

#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "gufunc/usual_call.hpp"
#include "manifest/calls.hpp"
#include "manifest/definition.hpp"
#include "manifest/formats.hpp"
#include "manifest/ufunc_loops.hpp"
#include "signature/layout.hpp"

namespace kiln::manifest {
namespace {

using detail::GufuncImpl;
signature::Layout read_layout(const Node& node) {
  return node.locate([&] { return signature::parse_layout(node.word()); });
}

}  // namespace

Made<GufuncImpl> read_gufunc_definition(const Node& node, const std::string& folder, Others uses) {
  check_members<GufuncDefinition>(node, {"kind", "kernel"}, uses);
  if (const auto kind = node.find("kind"); kind && kind->word() != "gufunc") kind->fail("with a \"layout\" it is a \"gufunc\"");
  const signature::Layout layout = read_layout(node.at("layout"));
  GufuncDefinition definition;
  if (const auto text = node.find("kernel")) {
    definition = text->locate([&] { return parse_gufunc(layout.text, Code::read(*text)); });
    static constexpr std::array<std::string_view, 3> kSaid{"name", "signatures", "body"};
    read_members(node, definition, kSaid);
  } else {
    read_members(node, definition);
    check_signatures(node.at("signatures"), definition.signatures, "void(float32[:] a, float32[:] b)",
                     [&](const std::string& signature) { return signature::parse(signature, layout); });
  }
  return make_located(node, node, std::move(definition), node.has("kernel") ? "kernel" : "body", folder,
                      [](GufuncDefinition made) { return std::make_shared<const GufuncImpl>(std::move(made)); });
}

Entry read_gufunc(const Node& node, const std::string& folder) {
  const Made<GufuncImpl> made = read_gufunc_definition(node, folder, {"types", "loops", "calls"});
  const std::shared_ptr<const GufuncImpl>& impl = made.impl;
  Entry entry{made.json, {}};
  Calls calls(entry, impl->name(), [impl](const call::Description& call, DeviceKind kind, bool render) {
    return gufunc::plan(*impl, call, kind, render);
  });
  const auto read_call = [&](const Node& each) {
    return calls.read(each, {"inputs", "where", "out", "loop", "axis", "axes", "keepdims", "any_sizes"});
  };
  read_uses(node, impl->signatures(), {"types", "loops"}, entry, read_call,
            [&](const ufunc::Loop& loop) { calls.add(node, gufunc::usual_call(*impl, loop)); });
  return entry;
}

}  // namespace kiln::manifest
