#include "manifest/gufunc_entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "gufunc/usual_call.hpp"
#include "kiln/error.hpp"
#include "manifest/calls.hpp"
#include "manifest/definition.hpp"
#include "manifest/ufunc_loops.hpp"
#include "signature/layout.hpp"

namespace kiln::manifest {
namespace {

using detail::GufuncImpl;
using SharedGufunc = std::shared_ptr<const GufuncImpl>;

GufuncDefinition read_short_gufunc(const Node& node) {
  for (const char* other : {"name", "signatures", "body"}) {
    if (const auto found = node.find(other)) found->fail("\"kernel\" says it already: leave one of them out");
  }
  const Node text = node.at("kernel");
  try {
    return parse_gufunc(node.at("layout").word(), read_text(text));
  } catch (const SignatureError& error) {
    text.fail(error.what());
  }
}

GufuncDefinition read_long(const Node& node, const signature::Layout& layout) {
  GufuncDefinition definition;
  definition.name = read_name(node.at("name"));
  definition.layout = layout.text;
  const Node signatures = node.at("signatures");
  for (const Node& each : signatures.list()) {
    definition.signatures.push_back(each.word());
    try {
      static_cast<void>(signature::parse(definition.signatures.back(), layout));
    } catch (const SignatureError& error) {
      each.fail(error.what());
    }
    const auto& all = definition.signatures;
    if (std::find(all.begin(), all.end() - 1, all.back()) != all.end() - 1) each.fail("the same signature is there twice");
  }
  if (definition.signatures.empty()) {
    signatures.fail("no signature given; write one like \"void(float32[:] a, float32[:] b)\"");
  }
  definition.body = read_text(node.at("body"));
  return definition;
}

signature::Layout read_layout(const Node& node) {
  try {
    return signature::parse_layout(node.word());
  } catch (const SignatureError& error) {
    node.fail(error.what());
  }
}

SharedGufunc make_impl(const Node& node, GufuncDefinition definition, const std::string& folder) {
  resolve_folders(definition.compile, folder);
  return make_located(node, node, definition.name, node.has("kernel") ? "kernel" : "body",
                      [&] { return std::make_shared<const GufuncImpl>(definition); });
}

}  // namespace

Entry read_gufunc(const Node& node, const std::string& folder) {
  node.check_members({"kind",  "kernel",   "name",      "layout",    "signatures", "each",         "group",
                      "sizes", "body",     "preamble",  "functions", "headers",    "include_dirs", "defines",
                      "link",  "contract", "fast_math", "debug",     "types",      "loops",        "calls"});
  if (const auto kind = node.find("kind"); kind && kind->word() != "gufunc") kind->fail("with a \"layout\" it is a \"gufunc\"");
  const signature::Layout layout = read_layout(node.at("layout"));
  GufuncDefinition definition = node.has("kernel") ? read_short_gufunc(node) : read_long(node, layout);
  if (const auto text = node.find("each")) definition.each = text->word();
  if (const auto text = node.find("group")) definition.group = text->word();
  if (const auto text = node.find("sizes")) definition.sizes = text->word();
  read_options(node, definition.compile);
  Entry entry;
  entry.json = gufunc_json(definition);
  const SharedGufunc impl = make_impl(node, std::move(definition), folder);
  Calls calls(entry, impl->name(), [impl](const call::Description& call, DeviceKind kind, bool render) {
    return gufunc::plan(*impl, call, kind, render);
  });
  if (const auto list = node.find("calls")) {
    read_calls(node, *list, {"types", "loops"}, "one with contiguous arrays for every loop", entry.json, [&](const Node& each) {
      return calls.read(each, {"inputs", "where", "out", "loop", "axis", "axes", "keepdims", "any_sizes"});
    });
    return entry;
  }
  for (const ufunc::Loop& loop : read_loops(node, impl->signatures())) {
    if (node.has("loops")) entry.json["loops"].push_back(ufunc::loop_text(loop));
    calls.add(node, gufunc::usual_call(*impl, loop));
  }
  if (const auto types = node.find("types")) entry.json["types"] = types->json();
  return entry;
}

Json gufunc_json(const GufuncDefinition& definition) {
  Json json{{"kind", "gufunc"},
            {"name", definition.name},
            {"layout", definition.layout},
            {"signatures", definition.signatures},
            {"body", text_json(definition.body)}};
  if (!definition.each.empty()) json["each"] = definition.each;
  if (!definition.group.empty()) json["group"] = definition.group;
  if (!definition.sizes.empty()) json["sizes"] = definition.sizes;
  write_options(definition.compile, json);
  return json;
}

}  // namespace kiln::manifest
